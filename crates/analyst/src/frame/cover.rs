//! Ways to cut a question into tokens, the cheapest first. A word that says something is never left out.

mod called;

use super::Context;
use super::money::is_money_verb;
use super::plain_words::{GRAMMAR, LIGHT_VERBS, WHOLES};
use super::reach::references_to;
use super::states::{Stated, stated_at, states_at, tells_validity};
use crate::accounting::Loss;
use crate::interpretation::operators::Operator;
use crate::interpretation::query::Direction;
use crate::lattice::{Item, Meaning};
use crate::lexicon::{self, PartOfSpeech};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, ModelIndex, TableId};
use crate::links::person_roles::is_persons;
use crate::links::phrase_match::Target;
use crate::question::lemma::{is_past, lemma, stem};
use crate::question::time::{TimeRange, day_range, grain_of};
use crate::question::units::{bare_rate_at, is_currency, is_unit, rate_at};
use crate::question::weekdays::{days_at, weekday_at};
use crate::question::words::{Word, WordKind};

use called::times_called;
pub use called::{is_deed, is_done_by, is_form_of, is_other_form, parts, roles_called, tables_called, undone};

/// Partial covers that are followed from one word.
const BEAM: usize = 48;
/// A longer question is none that a frame has places for, and has too many covers.
const WORDS_MAX: usize = 60;
/// Whole covers that are read.
const COVERS_MAX: usize = 32;
/// What each token costs, so that one of many words is preferred to many of few.
const TOKEN_COST: f32 = 0.08;
/// What a verb costs that stands between what the question speaks of.
const VERB_COST: f32 = 0.25;
/// What a verb costs that tells a column of time.
const EVENT_COST: f32 = 0.1;
/// A link from here on is as good as the name itself.
const EXACT: f32 = 0.95;
/// How much better a name fits that leaves another one out.
const EXACT_LEAD: f32 = 0.2;
/// A weaker link to a table has no place in a frame.
const TABLE_QUALITY_MIN: f32 = 0.64;
/// A weaker relation of a verb to a noun says nothing.
const DERIVED_MIN: f32 = 0.5;
/// A weaker link to a column has none either.
const COLUMN_QUALITY_MIN: f32 = 0.5;

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Table(TableId),
    Column(ColumnId),
    /// A filter of the model, or a column that is true or false.
    Flag(ColumnId),
    Metric(ColumnId),
    Value(ColumnId, String),
    Number(f64),
    Date(String),
    Period(TimeRange),
    /// A year that is stated by its number.
    Year(TimeRange),
    /// Days of the week: `on weekends`.
    Days(&'static [u8]),
    /// The day of the week, by which rows are grouped.
    Weekday,
    Operator(Operator),
    State(Stated),
    /// A reference of a table, stated by the word that only it has: `origin`, `destination`.
    Role(ColumnId),
    /// What the word denies: `unpaid`, `uninsured`.
    Undone(ColumnId),
    /// A unit behind a number: `euros`, `kg`.
    Unit(String),
    /// What money behind a number is for: `kilo` of `euros a kilo`.
    Rate(String),
    Word(String),
}

#[derive(Debug, Clone)]
pub struct Cover {
    pub tokens: Vec<Token>,
    pub cost: f32,
}

/// The cheapest covers.
pub fn covers(context: &Context<'_>) -> Vec<Cover> {
    let count = context.lattice.words.len();
    if count > WORDS_MAX {
        return Vec::new();
    }
    let mut open: Vec<Vec<Cover>> = vec![Vec::new(); count + 1];
    open[0].push(Cover { tokens: Vec::new(), cost: 0.0 });
    for at in 0..count {
        let mut here = std::mem::take(&mut open[at]);
        keep_best(&mut here, BEAM);
        let choices = choices(context, at);
        for cover in &here {
            for (token, end, cost) in &choices {
                let mut next = cover.clone();
                next.tokens.push(token.clone());
                next.cost += cost;
                open[*end].push(next);
            }
        }
    }
    let mut whole = std::mem::take(&mut open[count]);
    keep_best(&mut whole, COVERS_MAX);
    whole
}

fn keep_best(covers: &mut Vec<Cover>, most: usize) {
    covers.sort_by(|left, right| left.cost.total_cmp(&right.cost));
    covers.truncate(most);
}

/// What may stand from a word on: the token, where it ends, and what it costs.
fn choices(context: &Context<'_>, at: usize) -> Vec<(Token, usize, f32)> {
    let mut found = Vec::new();
    let words = context.lattice.words;
    let roles = roles_called(context.index, &words[at]);
    let operators: Vec<Operator> =
        context.lattice.starting_at(at).filter_map(|(_, item)| operator_of(&item.meaning)).collect();
    let is_ranked =
        operators.iter().any(|operator| matches!(operator, Operator::Superlative(_) | Operator::SuperlativeBy(_)));
    for (_, item) in context.lattice.starting_at(at) {
        let least = match item.meaning {
            Meaning::Table(_) => Some(TABLE_QUALITY_MIN),
            Meaning::Column(_) => Some(COLUMN_QUALITY_MIN),
            _ => None,
        };
        if least.is_some_and(|least| item.quality < least) {
            continue;
        }
        // What only resembles a name gives way to what is one.
        let exactness = exactness(context, item.start, item.end);
        if least.is_some() && exactness >= EXACT && item.quality + EXACT_LEAD <= exactness {
            continue;
        }
        // `more than 3 times` counts.
        if least.is_some() && words[at].lower == "times" && at > 0 && words[at - 1].number().is_some() {
            continue;
        }
        // `more than 5 days` counts in days, whatever column has them in its name.
        if least.is_some() && item.length() == 1 && is_counted(words, at) && item.quality < EXACT {
            continue;
        }
        if tells_doer(context.index, words, item) || counts_instead(context.index, words, item) {
            continue;
        }
        if denies_what_is_had(words, item) || is_other_form(context.index, words, item) {
            continue;
        }
        // `annual subscriptions` have a value of that name.
        if matches!(item.meaning, Meaning::Operator(Operator::Grain(_))) && names_value(context, at) {
            continue;
        }
        if matches!(item.meaning, Meaning::Table(_)) && item.length() == 1 && is_verb_of_pronoun(words, at) {
            continue;
        }
        // `valid today`: the word compares two days with another one, and is neither of them.
        if is_time(context.index, &item.meaning) && (item.start..item.end).all(|at| tells_validity(words, at)) {
            continue;
        }
        if least.is_some() && (is_ranked || is_percent(words, item.start, item.end)) {
            continue;
        }
        if let Meaning::Column(column) = item.meaning
            && (item.length() == 1 && !roles.is_empty() && context.index.is_reference(column)
                || is_mere_key(context, column))
        {
            continue;
        }
        if matches!(item.meaning, Meaning::Table(_)) && refers_within(context, item.start, item.end) {
            continue;
        }
        // `borrowed` tells what borrowers did, and is none of them.
        if let Meaning::Table(table) = item.meaning
            && item.length() == 1
            && (is_done(&words[at].lower) || is_doing(context.index, table, &words[at]))
            && item.quality < EXACT
            && is_persons(context.index, table)
        {
            continue;
        }
        let content = context.losses[item.start..item.end].iter().filter(|loss| **loss > Loss::Weak).count();
        let cost = (1.0 - item.quality) * (content as f32).max(0.5) + TOKEN_COST;
        let is_number = item.length() == 1 && words[at].number().is_some();
        let token = match item.meaning {
            Meaning::Period(range) if is_number => Some(Token::Year(range)),
            _ => token_of(context.index, &item.meaning),
        };
        found.extend(token.map(|token| (token, item.end, cost)));
    }
    for (stated, length) in stated_at(context.index, words, at) {
        found.push((Token::State(stated), at + length, TOKEN_COST + 0.02));
    }
    found.extend(days_at(words, at).into_iter().map(|(days, length)| (Token::Days(days), at + length, TOKEN_COST)));
    found.extend(weekday_at(words, at).map(|length| (Token::Weekday, at + length, TOKEN_COST)));
    for role in roles {
        found.push((Token::Role(role), at + 1, TOKEN_COST));
    }
    let lower = words[at].lower.as_str();
    let is_table = |item: &Item| matches!(item.meaning, Meaning::Table(_)) && item.quality >= EXACT;
    let names_table = context.lattice.starting_at(at).any(|(_, item)| is_table(item));
    for column in
        times_called(context.index, words, at).into_iter().filter(|_| !names_table && !tells_validity(words, at))
    {
        found.push((Token::Column(column), at + 1, EVENT_COST));
    }
    for table in tables_called(context.index, lower) {
        found.push((Token::Table(table), at + 1, EVENT_COST));
    }
    for column in undone(context.index, lower) {
        found.push((Token::Undone(column), at + 1, EVENT_COST));
    }
    let compares = compares_at(context, at);
    if is_counted(words, at) {
        found.push((Token::Unit(lower.to_owned()), at + 1, TOKEN_COST));
        if let Some((unit, end)) = rate_at(words, at) {
            found.push((Token::Rate(unit), end, TOKEN_COST));
        }
    }
    if let Some((unit, end)) = bare_rate_at(words, at) {
        found.push((Token::Rate(unit), end, TOKEN_COST));
    }
    let plain = match context.losses[at] {
        _ if compares || !states_at(words, at).is_empty() => None,
        _ if LIGHT_VERBS.contains(&lower) => Some(VERB_COST),
        // `the next visit`; with a unit behind it, it is a period.
        _ if lower == "next" => Some(0.05),
        // `who owns Luna`: whoever is asked for does it.
        _ if context.index.person_roles.iter().any(|role| role.is_done(words, at)) => Some(VERB_COST),
        Loss::Nothing => Some(0.02),
        Loss::Weak => Some(0.1),
        _ if WHOLES.contains(&lower) || GRAMMAR.contains(&lower) => Some(0.05),
        Loss::Content if context.index.whole.contains(&words[at].lemma) => Some(0.1),
        Loss::Content if context.index.values.is_kind_of_all(&words[at].lemma) => Some(VERB_COST),
        _ if is_money_verb(&words[at]) => Some(VERB_COST),
        Loss::Content
            if is_verb_form(words, at) && !is_of_model(context.index, lower) && !is_attribute(context, at) =>
        {
            Some(VERB_COST)
        }
        _ => None,
    };
    // Things are busy by how many events they have.
    match lower {
        "busiest" => found.push((Token::Operator(Operator::MostCommon(Direction::Descending)), at + 1, TOKEN_COST)),
        "quietest" => found.push((Token::Operator(Operator::MostCommon(Direction::Ascending)), at + 1, TOKEN_COST)),
        _ => {}
    }
    if let Some(phrase) = asked_at(words, at) {
        found.push((Token::Word(phrase.to_owned()), at + 2, TOKEN_COST));
    }
    if let Some(cost) = plain {
        found.push((Token::Word(lower.to_string()), at + 1, cost));
    }
    found
}

/// `number of orders` counts, though the key of orders is also called the order number.
fn counts_instead(index: &ModelIndex, words: &[Word], item: &Item) -> bool {
    let is_key = matches!(item.meaning, Meaning::Column(column) if index.is_key(column));
    let is_led =
        words[item.start].lower == "number" && words.get(item.start + 1).is_some_and(|word| word.lower == "of");
    let last = &words[item.end - 1];
    is_key && is_led && last.lower != last.lemma
}

/// `vehicles have no permit`: the rows without one, though `No Permit` is a value.
pub fn denies_what_is_had(words: &[Word], item: &Item) -> bool {
    matches!(item.meaning, Meaning::Value(..)) && denies_having(words, item.start)
}

/// `calls planned by Ann`: the verb tells who planned them, though `planned` is a value.
pub fn tells_doer(index: &ModelIndex, words: &[Word], item: &Item) -> bool {
    let is_value = matches!(item.meaning, Meaning::Value(..)) && item.length() == 1;
    let is_passive = words.get(item.end).is_some_and(|word| word.lower == "by");
    is_value && is_passive && index.person_roles.iter().any(|role| role.is_done(words, item.start))
}

/// Whether a `no` stands behind a verb of having.
pub fn denies_having(words: &[Word], at: usize) -> bool {
    let has = |word: &Word| matches!(word.lemma.as_str(), "have" | "with" | "own" | "hold" | "get");
    words[at].lower == "no" && at.checked_sub(1).is_some_and(|before| has(&words[before]))
}

/// How well the best name or value fits a span of words.
fn exactness(context: &Context<'_>, start: usize, end: usize) -> f32 {
    let names = |meaning: &Meaning| matches!(meaning, Meaning::Table(_) | Meaning::Column(_) | Meaning::Value(..));
    let items = context.lattice.starting_at(start).filter(|(_, item)| item.end == end && names(&item.meaning));
    items.map(|(_, item)| item.quality).fold(0.0, f32::max)
}

/// Whether a word that may be a unit of time is a value of the data.
fn names_value(context: &Context<'_>, at: usize) -> bool {
    let lower = &context.lattice.words[at].lower;
    grain_of(lower).is_some() && context.index.values.is_exact(lower)
}

/// A unit behind a number, behind `in`, or behind `how many`.
fn is_counted(words: &[Word], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &words[before]) else { return false };
    let is_stated = before.number().is_some()
        || before.lower == "in" && !is_percent(words, at, at + 1)
        || before.lower == "many" && is_currency(&words[at].lower);
    is_unit(&words[at].lower) && is_stated
}

fn is_time(index: &ModelIndex, meaning: &Meaning) -> bool {
    matches!(meaning, Meaning::Column(column) if index.columns[*column].kind == ColumnKind::Time)
}

fn operator_of(meaning: &Meaning) -> Option<Operator> {
    match meaning {
        Meaning::Operator(operator) => Some(*operator),
        _ => None,
    }
}

/// `churned subscriptions`: what stands before a noun restricts it.
fn is_attribute(context: &Context<'_>, at: usize) -> bool {
    at + 1 < context.lattice.words.len()
        && context
            .lattice
            .starting_at(at + 1)
            .any(|(_, item)| matches!(item.meaning, Meaning::Table(_)) && item.quality >= TABLE_QUALITY_MIN)
}

/// `ships` tells what shippers do.
pub fn is_doing(index: &ModelIndex, table: TableId, word: &Word) -> bool {
    let is_verb = lexicon::parts_of_speech(&word.lower).main() == Some(PartOfSpeech::Verb)
        || is_done(&word.lower)
        || LIGHT_VERBS.contains(&word.lower.as_str());
    if !is_verb || word.kind != WordKind::Plain {
        return false;
    }
    let verbs = lexicon::lemmas(&word.lower, Some(PartOfSpeech::Verb));
    let tells = |name: &String| name.starts_with(&word.lemma) || verbs.iter().any(|verb| name.starts_with(verb.text));
    let is_doer = |name: &String| (name.ends_with("er") || name.ends_with("or")) && tells(name);
    let mut phrases = index.vocabulary.phrases.iter().filter(|phrase| phrase.target == Target::Table(table));
    word.lemma.len() > 2 && phrases.any(|phrase| phrase.words.iter().any(is_doer))
}

/// The past form of a verb.
pub fn is_done(lower: &str) -> bool {
    let is_verb = lexicon::parts_of_speech(lower).has(PartOfSpeech::Verb)
        || lexicon::parts_of_speech(&lemma(lower)).has(PartOfSpeech::Verb);
    is_verb && (lower.ends_with("ed") || is_past(lower))
}

/// Two words that mean one thing, of which the second says nothing alone.
fn asked_at(words: &[Word], at: usize) -> Option<&'static str> {
    let next = words.get(at + 1).map_or("", |word| word.lower.as_str());
    match (words[at].lower.as_str(), next) {
        ("how", "long") => Some("how long"),
        ("how", "old") => Some("how old"),
        ("how", "far") => Some("how far"),
        ("most", "recently") => Some("last"),
        ("least", "recently") => Some("first"),
        ("length" | "duration", "of") => Some("length of"),
        _ => None,
    }
}

/// Whether a word tells what is or was done: `borrowed`, `lends`, `did they borrow`.
fn is_verb_form(words: &[Word], at: usize) -> bool {
    // `how many bees`: what is counted is a noun, whatever it looks like.
    if at > 0 && words[at - 1].lower == "many" {
        return false;
    }
    let lower = words[at].lower.as_str();
    let is_auxiliary = |word: &Word| matches!(word.lower.as_str(), "do" | "does" | "did");
    let is_base = || words[..at].iter().any(is_auxiliary) && lexicon::parts_of_speech(lower).has(PartOfSpeech::Verb);
    let is_present = || {
        let verbs = lexicon::lemmas(lower, Some(PartOfSpeech::Verb));
        lower.ends_with('s') && !verbs.is_empty() && lexicon::lemmas(lower, Some(PartOfSpeech::Noun)).is_empty()
    };
    words[at].kind == WordKind::Plain && (is_done(lower) || is_base() || is_present())
}

/// `did we bill`: no noun stands there.
fn is_verb_of_pronoun(words: &[Word], at: usize) -> bool {
    let [.., auxiliary, pronoun] = &words[..at] else { return false };
    matches!(auxiliary.lower.as_str(), "do" | "does" | "did")
        && matches!(pronoun.lower.as_str(), "we" | "they" | "you" | "i" | "he" | "she" | "it")
}

/// Whether a comparison starts at a word that has a number or a time to compare with: `under 5`, but `under contract`.
fn compares_at(context: &Context<'_>, at: usize) -> bool {
    let ends = context.lattice.starting_at(at).filter_map(|(_, item)| match item.meaning {
        Meaning::Operator(Operator::Compare(_) | Operator::Between) => Some(item.end),
        _ => None,
    });
    let is_stated = |place: usize| {
        place < context.lattice.words.len()
            && context
                .lattice
                .starting_at(place)
                .any(|(_, item)| matches!(item.meaning, Meaning::Number(_) | Meaning::Date(_) | Meaning::Period(_)))
    };
    ends.into_iter().any(|end| (end..end + 3).any(is_stated))
}

/// Whether some name of the model is made from the same word.
fn is_of_model(index: &ModelIndex, lower: &str) -> bool {
    let own = stem(&lemma(lower));
    let begins = |part: &str| lower.get(..5).is_some_and(|start| part.starts_with(start));
    let is_same = |part: &str| stem(&lemma(part)) == own || begins(part);
    let columns = index.columns.iter().flat_map(|entry| parts(&entry.name));
    let tables = index.tables.iter().flat_map(|entry| parts(&entry.name));
    columns.chain(tables).any(|part| is_same(&part))
}

/// Percent is how a share is shown, no name.
fn is_percent(words: &[Word], start: usize, end: usize) -> bool {
    words[start..end]
        .iter()
        .all(|word| matches!(word.lower.as_str(), "percent" | "percentage" | "share" | "rate" | "in"))
}

/// A key or a reference stands for the rows of a table, which have a name of their own; one that tells a role does not.
fn is_mere_key(context: &Context<'_>, column: ColumnId) -> bool {
    let index = context.index;
    let is_role = index.refers_to_own_table(column)
        || index
            .referred_table(column)
            .is_some_and(|to| references_to(index, index.columns[column].table, to).len() > 1);
    let is_label = index.label(index.columns[column].table) == [column];
    (index.is_key(column) && !is_label || index.is_reference(column)) && !is_role
}

/// Whether the same words name a reference of a table to itself: a manager is a role of employees.
fn refers_within(context: &Context<'_>, start: usize, end: usize) -> bool {
    context.lattice.starting_at(start).any(|(_, item)| {
        item.end == end && matches!(item.meaning, Meaning::Column(column) if context.index.refers_to_own_table(column))
    })
}

fn token_of(index: &ModelIndex, meaning: &Meaning) -> Option<Token> {
    Some(match meaning {
        Meaning::Table(table) => Token::Table(*table),
        Meaning::Column(column) => match (index.columns[*column].kind, index.columns[*column].data) {
            (ColumnKind::Metric, _) => Token::Metric(*column),
            (ColumnKind::Filter, _) | (_, DataKind::Boolean) => Token::Flag(*column),
            _ => Token::Column(*column),
        },
        Meaning::Value(column, value) => Token::Value(*column, value.clone()),
        Meaning::Quoted(_) => return None,
        Meaning::Number(number) => Token::Number(*number),
        Meaning::Date(date) => match date.get(..10).and_then(|day| day.parse().ok()).and_then(day_range) {
            Some(range) if date.len() == 10 => Token::Period(range),
            _ => Token::Date(date.clone()),
        },
        Meaning::Period(range) => Token::Period(*range),
        Meaning::Operator(operator) => Token::Operator(*operator),
    })
}
