//! Words of a question that compute, compare, group, order or deny.

use crate::links::synonyms::{ADJECTIVES, Adjective};
use crate::question::words::Word;

use super::query::{Comparison, Direction, Function};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operator {
    Count,
    Aggregate(Function),
    Distinct,
    Compare(Comparison),
    /// `or more` behind a number.
    OrMore(Comparison),
    /// `older than`: the adjective tells the column.
    CompareBy(Adjectives, Comparison),
    Between,
    Not,
    Without,
    Except,
    Each,
    GroupBy,
    OrderBy,
    /// `in descending order`, `from high to low`.
    Sorted(Direction),
    Alphabetical,
    /// `most`, `highest`: more of what follows.
    Superlative(Direction),
    /// `oldest`: the adjective tells the column.
    SuperlativeBy(Adjectives),
    /// `most common`: the value that most rows have.
    MostCommon(Direction),
    Top(Direction),
    Both,
    Either,
    Or,
    And,
    Contains,
    StartsWith,
    EndsWith,
    Times(u32),
    Everything,
    AboveAverage(Comparison),
    Full,
    Share,
}

/// All adjectives of one form, by their place in the table; the direction is of "more of it".
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adjectives {
    pub form: &'static str,
}

impl Adjectives {
    /// The measures the form may speak of.
    pub fn measures(self) -> impl Iterator<Item = &'static Adjective> {
        ADJECTIVES.iter().filter(move |adjective| adjective.forms.contains(&self.form))
    }
}

use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
use Direction::{Ascending, Descending};
use Operator as O;

const PHRASES: &[(&str, Operator)] = &[
    ("how many", O::Count),
    ("number of", O::Count),
    ("the number of", O::Count),
    ("numbers of", O::Count),
    ("total number of", O::Count),
    ("total count of", O::Count),
    ("count of", O::Count),
    ("counts of", O::Count),
    ("count", O::Count),
    ("count the number of", O::Count),
    ("average number of", O::Aggregate(Function::Average)),
    ("average", O::Aggregate(Function::Average)),
    ("averages", O::Aggregate(Function::Average)),
    ("mean", O::Aggregate(Function::Average)),
    ("avg", O::Aggregate(Function::Average)),
    ("median", O::Aggregate(Function::Median)),
    ("total", O::Aggregate(Function::Sum)),
    ("sum", O::Aggregate(Function::Sum)),
    ("sum of", O::Aggregate(Function::Sum)),
    ("total sum of", O::Aggregate(Function::Sum)),
    ("total amount of", O::Aggregate(Function::Sum)),
    ("combined", O::Aggregate(Function::Sum)),
    ("overall", O::Aggregate(Function::Sum)),
    ("maximum", O::Aggregate(Function::Maximum)),
    ("max", O::Aggregate(Function::Maximum)),
    ("maximal", O::Aggregate(Function::Maximum)),
    ("minimum", O::Aggregate(Function::Minimum)),
    ("min", O::Aggregate(Function::Minimum)),
    ("minimal", O::Aggregate(Function::Minimum)),
    ("distinct", O::Distinct),
    ("different", O::Distinct),
    ("unique", O::Distinct),
    ("more than", O::Compare(Greater)),
    ("greater than", O::Compare(Greater)),
    ("larger than", O::Compare(Greater)),
    ("bigger than", O::Compare(Greater)),
    ("higher than", O::Compare(Greater)),
    ("better than", O::Compare(Greater)),
    ("exceeding", O::Compare(Greater)),
    ("exceeds", O::Compare(Greater)),
    ("exceed", O::Compare(Greater)),
    ("over", O::Compare(Greater)),
    ("above", O::Compare(Greater)),
    ("greater", O::Compare(Greater)),
    ("after", O::Compare(Greater)),
    ("later than", O::Compare(Greater)),
    ("beyond", O::Compare(Greater)),
    (">", O::Compare(Greater)),
    ("not less than", O::Compare(GreaterOrEqual)),
    ("no less than", O::Compare(GreaterOrEqual)),
    ("no fewer than", O::Compare(GreaterOrEqual)),
    ("at least", O::Compare(GreaterOrEqual)),
    ("a minimum of", O::Compare(GreaterOrEqual)),
    ("greater than or equal to", O::Compare(GreaterOrEqual)),
    ("more than or equal to", O::Compare(GreaterOrEqual)),
    ("since", O::Compare(GreaterOrEqual)),
    ("less than", O::Compare(Less)),
    ("fewer than", O::Compare(Less)),
    ("smaller than", O::Compare(Less)),
    ("lower than", O::Compare(Less)),
    ("below", O::Compare(Less)),
    ("under", O::Compare(Less)),
    ("before", O::Compare(Less)),
    ("earlier than", O::Compare(Less)),
    ("prior to", O::Compare(Less)),
    ("<", O::Compare(Less)),
    ("no more than", O::Compare(LessOrEqual)),
    ("not more than", O::Compare(LessOrEqual)),
    ("at most", O::Compare(LessOrEqual)),
    ("up to", O::Compare(LessOrEqual)),
    ("a maximum of", O::Compare(LessOrEqual)),
    ("less than or equal to", O::Compare(LessOrEqual)),
    ("smaller than or equal to", O::Compare(LessOrEqual)),
    ("exactly", O::Compare(Equal)),
    ("equal to", O::Compare(Equal)),
    ("equals to", O::Compare(Equal)),
    ("equals", O::Compare(Equal)),
    ("equal", O::Compare(Equal)),
    ("not equal to", O::Compare(NotEqual)),
    ("other than", O::Compare(NotEqual)),
    ("different from", O::Compare(NotEqual)),
    ("or more", O::OrMore(GreaterOrEqual)),
    ("or above", O::OrMore(GreaterOrEqual)),
    ("or higher", O::OrMore(GreaterOrEqual)),
    ("or greater", O::OrMore(GreaterOrEqual)),
    ("or older", O::OrMore(GreaterOrEqual)),
    ("or over", O::OrMore(GreaterOrEqual)),
    ("or less", O::OrMore(LessOrEqual)),
    ("or fewer", O::OrMore(LessOrEqual)),
    ("or below", O::OrMore(LessOrEqual)),
    ("or younger", O::OrMore(LessOrEqual)),
    ("between", O::Between),
    ("ranging from", O::Between),
    ("not", O::Not),
    ("never", O::Not),
    ("no", O::Without),
    ("without", O::Without),
    ("without any", O::Without),
    ("not have any", O::Without),
    ("not have a", O::Without),
    ("not have an", O::Without),
    ("lack", O::Without),
    ("except", O::Except),
    ("except for", O::Except),
    ("excluding", O::Except),
    ("for each", O::Each),
    ("for every", O::Each),
    ("for all different", O::Each),
    ("of each", O::Each),
    ("in each", O::Each),
    ("by each", O::Each),
    ("from each", O::Each),
    ("on each", O::Each),
    ("at each", O::Each),
    ("per", O::Each),
    ("each", O::Each),
    ("every", O::Each),
    ("grouped by", O::GroupBy),
    ("group by", O::GroupBy),
    ("broken down by", O::GroupBy),
    ("order by", O::OrderBy),
    ("ordered by", O::OrderBy),
    ("sort by", O::OrderBy),
    ("sorted by", O::OrderBy),
    ("ranked by", O::OrderBy),
    ("arranged by", O::OrderBy),
    ("listed by", O::OrderBy),
    ("sorted in", O::OrderBy),
    ("ordered in", O::OrderBy),
    ("in order of", O::OrderBy),
    ("in the order of", O::OrderBy),
    ("in ascending order of", O::Sorted(Ascending)),
    ("in ascending order", O::Sorted(Ascending)),
    ("in increasing order of", O::Sorted(Ascending)),
    ("in increasing order", O::Sorted(Ascending)),
    ("ascending order", O::Sorted(Ascending)),
    ("the ascending order of", O::Sorted(Ascending)),
    ("in the ascending order of", O::Sorted(Ascending)),
    ("ascending", O::Sorted(Ascending)),
    ("ascendingly", O::Sorted(Ascending)),
    ("increasing order", O::Sorted(Ascending)),
    ("in descending order of", O::Sorted(Descending)),
    ("in descending order", O::Sorted(Descending)),
    ("in the descending order of", O::Sorted(Descending)),
    ("in decreasing order of", O::Sorted(Descending)),
    ("in decreasing order", O::Sorted(Descending)),
    ("descending order", O::Sorted(Descending)),
    ("decreasing order", O::Sorted(Descending)),
    ("descending", O::Sorted(Descending)),
    ("from high to low", O::Sorted(Descending)),
    ("from highest to lowest", O::Sorted(Descending)),
    ("from the highest to the lowest", O::Sorted(Descending)),
    ("from most to least", O::Sorted(Descending)),
    ("from most recent to oldest", O::Sorted(Descending)),
    ("from latest to earliest", O::Sorted(Descending)),
    ("from largest to smallest", O::Sorted(Descending)),
    ("from oldest to youngest", O::Sorted(Descending)),
    ("from youngest to oldest", O::Sorted(Ascending)),
    ("from low to high", O::Sorted(Ascending)),
    ("from lowest to highest", O::Sorted(Ascending)),
    ("from least to most", O::Sorted(Ascending)),
    ("from the lowest to the highest", O::Sorted(Ascending)),
    ("from earliest to latest", O::Sorted(Ascending)),
    ("from smallest to largest", O::Sorted(Ascending)),
    ("in alphabetical order of", O::Alphabetical),
    ("in alphabetical order", O::Alphabetical),
    ("in alphabetic order", O::Alphabetical),
    ("in lexicographic order of", O::Alphabetical),
    ("in lexicographic order", O::Alphabetical),
    ("in lexicographical order", O::Alphabetical),
    ("alphabetical order", O::Alphabetical),
    ("lexicographical order", O::Alphabetical),
    ("lexicographic order", O::Alphabetical),
    ("alphabetically", O::Alphabetical),
    ("most", O::Superlative(Descending)),
    ("the most number of", O::Superlative(Descending)),
    ("most number of", O::Superlative(Descending)),
    ("the largest number of", O::Superlative(Descending)),
    ("largest number of", O::Superlative(Descending)),
    ("greatest number of", O::Superlative(Descending)),
    ("highest number of", O::Superlative(Descending)),
    ("maximum number of", O::Superlative(Descending)),
    ("largest amount of", O::Superlative(Descending)),
    ("highest", O::Superlative(Descending)),
    ("largest", O::Superlative(Descending)),
    ("greatest", O::Superlative(Descending)),
    ("biggest", O::Superlative(Descending)),
    ("least", O::Superlative(Ascending)),
    ("fewest", O::Superlative(Ascending)),
    ("fewest number of", O::Superlative(Ascending)),
    ("the least number of", O::Superlative(Ascending)),
    ("least number of", O::Superlative(Ascending)),
    ("smallest number of", O::Superlative(Ascending)),
    ("lowest number of", O::Superlative(Ascending)),
    ("minimum number of", O::Superlative(Ascending)),
    ("lowest", O::Superlative(Ascending)),
    ("smallest", O::Superlative(Ascending)),
    ("top", O::Top(Descending)),
    ("bottom", O::Top(Ascending)),
    ("most common", O::MostCommon(Descending)),
    ("most commonly", O::MostCommon(Descending)),
    ("most frequent", O::MostCommon(Descending)),
    ("most frequently", O::MostCommon(Descending)),
    ("most popular", O::MostCommon(Descending)),
    ("most often", O::MostCommon(Descending)),
    ("most prominent", O::MostCommon(Descending)),
    ("least common", O::MostCommon(Ascending)),
    ("least popular", O::MostCommon(Ascending)),
    ("least frequent", O::MostCommon(Ascending)),
    ("least commonly", O::MostCommon(Ascending)),
    ("both", O::Both),
    ("either", O::Either),
    ("or", O::Or),
    ("and", O::And),
    ("as well as", O::And),
    ("along with", O::And),
    ("together with", O::And),
    ("contains", O::Contains),
    ("contain", O::Contains),
    ("containing", O::Contains),
    ("includes the word", O::Contains),
    ("has the word", O::Contains),
    ("contains the word", O::Contains),
    ("contain the word", O::Contains),
    ("containing the word", O::Contains),
    ("has the substring", O::Contains),
    ("have the substring", O::Contains),
    ("contain the substring", O::Contains),
    ("contains the substring", O::Contains),
    ("with the substring", O::Contains),
    ("the substring", O::Contains),
    ("substring", O::Contains),
    ("start with", O::StartsWith),
    ("starts with", O::StartsWith),
    ("starting with", O::StartsWith),
    ("begin with", O::StartsWith),
    ("begins with", O::StartsWith),
    ("beginning with", O::StartsWith),
    ("the prefix", O::StartsWith),
    ("prefix", O::StartsWith),
    ("end with", O::EndsWith),
    ("ends with", O::EndsWith),
    ("ending with", O::EndsWith),
    ("once", O::Times(1)),
    ("one time", O::Times(1)),
    ("twice", O::Times(2)),
    ("two times", O::Times(2)),
    ("three times", O::Times(3)),
    ("all the information", O::Everything),
    ("all information", O::Everything),
    ("all the details", O::Everything),
    ("all details", O::Everything),
    ("every detail", O::Everything),
    ("all info", O::Everything),
    ("all the info", O::Everything),
    ("everything", O::Everything),
    ("all columns", O::Everything),
    ("all attributes", O::Everything),
    ("above average", O::AboveAverage(Greater)),
    ("above the average", O::AboveAverage(Greater)),
    ("more than average", O::AboveAverage(Greater)),
    ("more than the average", O::AboveAverage(Greater)),
    ("higher than average", O::AboveAverage(Greater)),
    ("higher than the average", O::AboveAverage(Greater)),
    ("larger than the average", O::AboveAverage(Greater)),
    ("larger than average", O::AboveAverage(Greater)),
    ("greater than average", O::AboveAverage(Greater)),
    ("greater than the average", O::AboveAverage(Greater)),
    ("above or equal to the average", O::AboveAverage(GreaterOrEqual)),
    ("below average", O::AboveAverage(Less)),
    ("below the average", O::AboveAverage(Less)),
    ("lower than average", O::AboveAverage(Less)),
    ("lower than the average", O::AboveAverage(Less)),
    ("less than average", O::AboveAverage(Less)),
    ("less than the average", O::AboveAverage(Less)),
    ("smaller than the average", O::AboveAverage(Less)),
    ("full name", O::Full),
    ("full names", O::Full),
    ("share of", O::Share),
    ("percentage of", O::Share),
    ("percent of", O::Share),
    ("proportion of", O::Share),
];

/// The longest operator phrase at a word, and how many words it takes.
#[must_use]
pub fn operator_at(words: &[Word], at: usize) -> Option<(Operator, usize)> {
    let fixed = PHRASES
        .iter()
        .filter(|(phrase, _)| spells(words, at, phrase))
        .map(|(phrase, operator)| (*operator, phrase.split(' ').count()))
        .max_by_key(|(_, length)| *length);
    let adjective = adjective_at(words, at);
    match (fixed, adjective) {
        (Some(fixed), Some(adjective)) => Some(if adjective.1 > fixed.1 { adjective } else { fixed }),
        (fixed, adjective) => fixed.or(adjective),
    }
}

fn spells(words: &[Word], at: usize, phrase: &str) -> bool {
    let mut position = at;
    for expected in phrase.split(' ') {
        match words.get(position) {
            Some(word) if word.lower == expected => position += 1,
            _ => return false,
        }
    }
    true
}

/// `older than`, `oldest`, `most expensive`, `the least expensive`.
fn adjective_at(words: &[Word], at: usize) -> Option<(Operator, usize)> {
    let word = words.get(at)?.lower.as_str();
    let next = words.get(at + 1).map_or("", |word| word.lower.as_str());
    let form_of = |word: &str| {
        ADJECTIVES
            .iter()
            .flat_map(|adjective| adjective.forms)
            .find(|form| **form == word)
            .map(|form| Adjectives { form })
    };
    let superlative = |word: &str| word.ends_with("est") || matches!(word, "best" | "worst" | "last");
    if let Some(form) = form_of(word) {
        if next == "than" {
            return Some((O::CompareBy(form, Greater), 2));
        }
        if superlative(word) && !matches!(word, "largest" | "biggest" | "smallest" | "highest" | "last") {
            return Some((O::SuperlativeBy(form), 1));
        }
    }
    match (word, form_of(next)) {
        ("most", Some(form)) => Some((O::SuperlativeBy(form), 2)),
        ("more", Some(form)) if words.get(at + 2).is_some_and(|word| word.lower == "than") => {
            Some((O::CompareBy(form, Greater), 3))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Operator, operator_at};
    use crate::interpretation::query::Comparison;
    use crate::question::words::words;

    #[test]
    fn the_longest_phrase_wins() {
        assert_eq!(operator_at(&words("more than the average price"), 0).map(|(_, length)| length), Some(4));
        assert_eq!(operator_at(&words("more than 3"), 0), Some((Operator::Compare(Comparison::Greater), 2)));
        assert_eq!(operator_at(&words("students"), 0), None);
    }

    #[test]
    fn adjectives_carry_their_measure() {
        let Some((Operator::SuperlativeBy(form), 1)) = operator_at(&words("youngest"), 0) else {
            panic!("no adjective")
        };
        assert!(form.measures().any(|measure| measure.column_words.contains(&"age") && !measure.larger));
        assert!(matches!(operator_at(&words("older than 20"), 0), Some((Operator::CompareBy(..), 2))));
    }
}
