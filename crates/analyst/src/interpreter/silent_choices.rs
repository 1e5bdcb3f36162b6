//! What a query decides without the question saying so: readings of these shapes are not sure.

use super::explanation::compared_texts;
use crate::accounting::Usage;
use crate::frame::states::tells_state;
use crate::frame::{LIGHT_VERBS, is_done, is_form_of};
use crate::interpretation::query::{Comparison, Condition, Direction, Expr, Function, Literal, Operand, Query};
use crate::interpretation::stated_range;
use crate::lexicon::{PartOfSpeech, parts_of_speech};
use crate::links::amounts::amount_of;
use crate::links::model_index::{ColumnEntry, ColumnId, ColumnKind, ModelIndex, TIME_WORDS, TableId};
use crate::links::phrase_match::{Target, is_function_word};
use crate::question::lemma::stem;
use crate::question::time::unit;
use crate::question::units::is_currency;
use crate::question::words::{Word, WordKind};

/// `top 20 percent of customers`: a number of percent is no number of rows.
pub(super) fn limits_percent(words: &[Word], query: &Query) -> bool {
    let percents = words.iter().filter(|word| word.is_percent).filter_map(Word::number);
    query.limit.is_some_and(|limit| percents.into_iter().any(|percent| percent == limit as f64))
}

/// `the customer with the fewest orders`: those without any are not among the rows that are counted.
pub(super) fn leaves_out_none(query: &Query) -> bool {
    let counts = |expr: &Expr| matches!(expr, Expr::CountRows(_));
    let is_below = |condition: &Condition| match condition {
        Condition::Compare(expr, comparison, _) => {
            counts(expr) && matches!(comparison, Comparison::Less | Comparison::LessOrEqual)
        }
        _ => false,
    };
    let is_least = |(expr, direction): &(Expr, Direction)| counts(expr) && *direction == Direction::Ascending;
    query.having.iter().any(is_below) || query.limit.is_some() && query.order.iter().any(is_least)
}

/// `agents who sold Motor and Life`: either, or both.
pub(super) fn joins_values(words: &[Word], query: &Query) -> bool {
    let is_either = |condition: &Condition| matches!(condition, Condition::Any(any) if any.len() > 1);
    let within = |condition: &Condition| match condition {
        Condition::In(_, nested) => nested.conditions.iter().any(is_either),
        _ => false,
    };
    let is_said = |said: &str| words.iter().any(|word| word.lower == said);
    let is_rows = !query.select.iter().any(Expr::is_aggregate);
    is_rows && is_said("and") && !is_said("or") && query.conditions.iter().any(within)
}

/// `more than 100 euros`: a number of euros is no number of rows.
pub(super) fn counts_money(words: &[Word], query: &Query) -> bool {
    let amounts = words.windows(2).filter(|pair| is_currency(&pair[1].lower)).filter_map(|pair| pair[0].number());
    let amounts: Vec<f64> = amounts.collect();
    query.having.iter().any(|condition| match condition {
        Condition::Compare(Expr::CountRows(_), _, Operand::Literal(Literal::Number(number))) => {
            amounts.contains(number)
        }
        _ => false,
    })
}

/// `which supplier delivered the most products`: a verb between two nouns is no value of the data.
pub(super) fn takes_verb_for_value(words: &[Word], query: &Query) -> bool {
    let compared = compared_texts(query);
    let is_value = |word: &Word| compared.iter().any(|(_, text)| text.eq_ignore_ascii_case(&word.lower));
    let leads_object =
        |word: &Word| matches!(word.lower.as_str(), "the" | "a" | "an" | "more" | "fewer" | "any" | "all");
    words.windows(3).any(|triple| {
        let [subject, verb, object] = triple else { return false };
        let is_noun = subject.kind == WordKind::Plain && !is_function_word(&subject.lower);
        is_noun && is_done(&verb.lower) && !verb.capitalised() && leads_object(object) && is_value(verb)
    })
}

/// `members who borrowed something in May`: the day on which they joined is not that of what they did.
pub(super) fn misses_deed(index: &ModelIndex, words: &[Word], query: &Query, usage: &Usage) -> bool {
    let has_period = query.conditions.iter().any(|condition| stated_range(condition).is_some());
    let verbs: Vec<&Word> = deeds(words).into_iter().map(|at| &words[at]).collect();
    let used = usage.columns();
    let times = used.iter().copied().filter(|column| index.columns[*column].kind == ColumnKind::Time);
    let mut times: Vec<ColumnId> = times.collect();
    times.dedup();
    let is_of_verb = |column: ColumnId| {
        let phrases = index.vocabulary.phrases.iter().filter(|phrase| phrase.target == Target::Column(column));
        let mut said = phrases.flat_map(|phrase| &phrase.words);
        said.any(|part| verbs.iter().any(|word| stem(part) == stem(&word.lemma) || is_form_of(part, word)))
    };
    let is_thing = |column: &ColumnId| !index.is_event(index.columns[*column].table);
    has_period
        && !verbs.is_empty()
        && !times.is_empty()
        && times.iter().all(|time| is_thing(time) && !is_of_verb(*time))
}

/// The places of verbs that tell what was done.
pub(super) fn deeds(words: &[Word]) -> Vec<usize> {
    // `how many patients did each doctor see`.
    let behind = words.iter().position(|word| word.lower == "did").map_or(words.len(), |at| at + 1);
    let is_verb = |word: &Word| parts_of_speech(&word.lower).main() == Some(PartOfSpeech::Verb);
    let is_deed = |at: &usize| {
        let word = &words[*at];
        let is_past = is_done(&word.lower) && !LIGHT_VERBS.contains(&word.lower.as_str()) && !is_auxiliary(word);
        is_past || *at >= behind && is_verb(word)
    };
    (0..words.len()).filter(is_deed).collect()
}

fn is_auxiliary(word: &Word) -> bool {
    matches!(
        word.lower.as_str(),
        "did" | "had" | "was" | "were" | "been" | "has" | "have" | "based" | "called" | "named"
    )
}

/// `budgets of projects`: several of them, which a sum does not show.
pub(super) fn sums_plural(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let is_plural = |column: &ColumnEntry| {
        let [.., last] = column.words.as_slice() else { return false };
        words.iter().any(|word| word.lemma == *last && word.lower != word.lemma && word.lower.ends_with('s'))
    };
    let opens = words.first().is_some_and(|word| matches!(word.lower.as_str(), "total" | "sum" | "how"));
    let [Expr::Aggregate(_, column)] = query.select.as_slice() else { return false };
    let entry = &index.columns[*column];
    entry.kind == ColumnKind::Fact && !entry.name.to_lowercase().ends_with('s') && !opens && is_plural(entry)
}

/// `payments by method`: how many there are, or how much money.
pub(super) fn counts_amounts(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let opens = words.first().is_some_and(|word| matches!(word.lower.as_str(), "how" | "number" | "count" | "which"));
    let is_counted = |expr: &Expr| match expr {
        Expr::CountRows(table) => {
            let is_amount = |word: &String| {
                matches!(word.as_str(), "payment" | "fine" | "refund" | "donation" | "expense" | "sale")
            };
            index.tables[*table].words.iter().any(is_amount) && amount_of(index, *table).is_some()
        }
        _ => false,
    };
    let says_count = words.iter().any(|word| matches!(word.lower.as_str(), "number" | "count" | "many" | "percent"));
    !opens && !says_count && query.select.iter().any(is_counted)
}

/// `neither paid nor rejected`: nothing is denied.
pub(super) fn affirms_neither(words: &[Word], query: &Query) -> bool {
    let is_denied =
        |condition: &Condition| matches!(condition, Condition::Not(_) | Condition::Compare(_, Comparison::NotEqual, _));
    let denies = |condition: &Condition| match condition {
        Condition::All(all) => all.iter().any(is_denied),
        other => is_denied(other),
    };
    words.iter().any(|word| word.lower == "neither") && !query.conditions.iter().any(denies)
}

/// `rental fees of 2024`: by the day of booking, though another day is called the rental date.
pub(super) fn chooses_time(index: &ModelIndex, words: &[Word], usage: &Usage) -> bool {
    let is_said = |column: &ColumnEntry| {
        let tells = column.words.iter().filter(|word| !TIME_WORDS.contains(&word.as_str()));
        tells.into_iter().any(|said| words.iter().any(|word| stem(&word.lemma) == stem(said)))
    };
    usage.columns().into_iter().map(|column| &index.columns[column]).any(|used| {
        let mut others = index.tables[used.table].columns.iter().map(|column| &index.columns[*column]);
        used.kind == ColumnKind::Time
            && !used.is_tables_own_time
            && others.any(|other| other.is_tables_own_time)
            && !is_said(used)
    })
}

/// `his customers`: somebody is spoken of who is not named.
pub(super) fn names_nobody(words: &[Word]) -> bool {
    words.iter().any(|word| matches!(word.lower.as_str(), "he" | "she" | "him" | "his" | "hers"))
}

/// `which area has the highest income per tour`: one of each tour may be meant, or the income divided by their number.
pub(super) fn ranks_or_divides(words: &[Word], query: &Query) -> bool {
    let asks = words.first().is_some_and(|word| matches!(word.lower.as_str(), "which" | "what"));
    let divides = |pair: &[Word]| pair[0].lower == "per" && unit(&pair[1].lemma).is_none();
    asks && !query.limit_within.is_empty() && words.windows(2).any(divides)
}

/// `guests per city`: by the city of the restaurant, though guests have a city too.
pub(super) fn groups_elsewhere(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let counted = query.select.iter().find_map(|expr| match expr {
        Expr::CountRows(table) => Some(*table),
        Expr::Aggregate(Function::CountDistinct, column) => index.referred_table(*column).or_else(|| {
            let is_key = index.is_key(*column);
            is_key.then(|| index.columns[*column].table)
        }),
        _ => None,
    });
    let Some(counted) = counted else { return false };
    let is_said = |name: &[String]| name.iter().all(|part| words.iter().any(|word| word.lemma == *part));
    query.select.iter().any(|expr| {
        let Expr::Column(grouped) = expr else { return false };
        let entry = &index.columns[*grouped];
        let is_twin = |column: &ColumnId| {
            let other = &index.columns[*column];
            other.kind == ColumnKind::Dimension && other.data == entry.data && other.words.last() == entry.words.last()
        };
        entry.table != counted
            && !is_said(&index.tables[entry.table].words)
            && index.tables[counted].columns.iter().any(is_twin)
    })
}

/// `orders shipped in 2024` by the day of the order: the verb before the period names another day of the same rows.
pub(super) fn takes_another_day(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let is_named = |column: ColumnId| {
        let tells = |part: &String| !TIME_WORDS.contains(&part.as_str());
        let is_said = |part: &String| words.iter().any(|word| is_done(&word.lower) && is_form_of(part, word));
        index.columns[column].words.iter().any(|part| tells(part) && is_said(part))
    };
    let restricted = query.conditions.iter().filter_map(|condition| stated_range(condition).map(|(column, _)| column));
    restricted.into_iter().any(|used| {
        let others = index.tables[index.columns[used].table].columns.iter().copied();
        let mut others = others.filter(|other| *other != used && index.is_time(*other));
        let shows_other = |other: ColumnId| !usage_of(query).contains(&other);
        !is_named(used) && others.any(|other| is_named(other) && shows_other(other))
    })
}

/// The columns that a query restricts or shows.
fn usage_of(query: &Query) -> Vec<ColumnId> {
    let mut columns = Vec::new();
    query.conditions.iter().for_each(|condition| condition.columns(&mut columns));
    query.select.iter().for_each(|expr| expr.columns(&mut columns));
    columns
}

/// `which class is the most popular`: rows of one name are ranked apart, though all of that name may be meant.
pub(super) fn ranks_repeated_names(index: &ModelIndex, query: &Query) -> bool {
    let repeats = |column: &ColumnId| {
        let entry = &index.columns[*column];
        let rows = index.tables[entry.table].row_count;
        let is_label = index.row_name(entry.table) == [*column];
        is_label && matches!((entry.distinct_count, rows), (Some(different), Some(rows)) if different * 2 <= rows)
    };
    let is_ranked = query.limit.is_some() && query.order.iter().any(|(expr, _)| expr.is_aggregate());
    let is_repeated = |expr: &Expr| matches!(expr, Expr::Column(column) if repeats(column));
    is_ranked && query.select.iter().any(is_repeated)
}

/// `how many trainers do we have now`: those who have left are among the rows.
pub(super) fn counts_what_has_ended(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let is_mark = |word: &&Word| word.kind != WordKind::Mark;
    let says_now = words.iter().rev().find(is_mark).is_some_and(|word| word.lower == "now");
    let restricted = usage_of(query);
    let is_open = |table: TableId| {
        let is_end = |column: &ColumnId| index.columns[*column].has_gaps && tells_state(index, *column);
        let mut ends = index.tables[table].columns.iter().filter(|column| is_end(column)).peekable();
        ends.peek().is_some() && !ends.any(|end| restricted.contains(end))
    };
    let is_filtered = query.conditions.iter().any(|condition| matches!(condition, Condition::Named(_)));
    says_now && !is_filtered && query.select.iter().filter_map(|expr| expr.owner(index)).any(is_open)
}

/// `bookings for next week` by the day on which they were made, of which none lies ahead, though another day does.
pub(super) fn looks_ahead_of_data(index: &ModelIndex, query: &Query) -> bool {
    let ranges = query.conditions.iter().filter_map(stated_range);
    ranges.into_iter().any(|(used, range)| {
        let reaches = |column: ColumnId| index.columns[column].latest_day.is_none_or(|latest| latest >= range.start);
        let others = index.tables[index.columns[used].table].columns.iter().copied();
        let mut others = others.filter(|other| *other != used && index.is_time(*other));
        !reaches(used) && others.any(reaches)
    })
}
