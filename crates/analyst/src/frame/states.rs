//! States that words tell of rows with days of an end or a deadline: `still`, `no longer`, `valid`, `expired`, `overdue`.

use chrono::NaiveDate;

use super::vacancy::{occupied, vacancy_at};
use super::validity::{is_end, named_ends, overlapping, valid_within};
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand};
use crate::interpretation::range_condition;
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use crate::links::phrase_match::Target;
use crate::question::time::{TimeRange, day_range};
use crate::question::words::Word;
use crate::sql_generation::time_of_rows;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The end has not come: `still`, `currently`.
    Ongoing,
    /// It has: `no longer`, `former`.
    Ended,
    /// It has begun and not ended: `valid`, `in force`.
    Valid,
    /// The last day lies behind: `expired`.
    Expired,
    /// The last day lies in a period: `expires in March`.
    Expiring,
    /// It was to be done by now and is not: `overdue`.
    Overdue,
    /// It is still to happen: `upcoming`.
    Upcoming,
    /// Nothing takes it up now: `empty`, `vacant`.
    Vacant,
    /// Something does: `occupied`, `let at the moment`.
    Occupied,
}

/// A state as a question tells it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stated {
    pub state: State,
    /// The day of the end that the words beside the phrase name: `license` of LICENSE_VALID_UNTIL.
    pub end: Option<ColumnId>,
    /// When the state holds, where the question says it; today otherwise.
    pub during: Option<TimeRange>,
}

impl From<State> for Stated {
    fn from(state: State) -> Self {
        Self { state, end: None, during: None }
    }
}

/// Phrases in lower case; each that fits is tried.
const PHRASES: &[(&str, State)] = &[
    ("still", State::Ongoing),
    ("still open", State::Ongoing),
    ("current", State::Ongoing),
    ("currently", State::Ongoing),
    ("right now", State::Ongoing),
    ("at the moment", State::Ongoing),
    ("at present", State::Ongoing),
    ("presently", State::Ongoing),
    ("nowadays", State::Ongoing),
    ("as of today", State::Ongoing),
    ("active", State::Ongoing),
    ("ongoing", State::Ongoing),
    ("still in operation", State::Ongoing),
    ("in operation", State::Ongoing),
    ("still in use", State::Ongoing),
    ("in service", State::Ongoing),
    ("still in service", State::Ongoing),
    ("operational", State::Ongoing),
    ("living", State::Ongoing),
    ("alive", State::Ongoing),
    ("still alive", State::Ongoing),
    ("upcoming", State::Upcoming),
    ("forthcoming", State::Upcoming),
    ("in the future", State::Upcoming),
    ("still to come", State::Upcoming),
    ("lie ahead", State::Upcoming),
    ("lies ahead", State::Upcoming),
    ("coming up", State::Upcoming),
    ("dead", State::Ended),
    ("deceased", State::Ended),
    ("no longer", State::Ended),
    ("not any more", State::Ended),
    ("former", State::Ended),
    ("formerly", State::Ended),
    ("inactive", State::Ended),
    ("churned", State::Ended),
    ("departed", State::Ended),
    ("have left", State::Ended),
    ("has left", State::Ended),
    ("have already left", State::Ended),
    ("has already left", State::Ended),
    ("have since left", State::Ended),
    ("has since left", State::Ended),
    ("valid", State::Valid),
    ("still valid", State::Valid),
    ("currently valid", State::Valid),
    ("in force", State::Valid),
    ("still in force", State::Valid),
    ("currently in force", State::Valid),
    ("in effect", State::Valid),
    ("unexpired", State::Valid),
    ("expired", State::Expired),
    ("lapsed", State::Expired),
    ("run out", State::Expiring),
    ("runs out", State::Expiring),
    ("running out", State::Expiring),
    ("expire", State::Expiring),
    ("expires", State::Expiring),
    ("expiring", State::Expiring),
    ("ran out", State::Expired),
    ("has run out", State::Expired),
    ("have run out", State::Expired),
    ("out of date", State::Expired),
    ("overdue", State::Overdue),
    ("past due", State::Overdue),
    ("past their due date", State::Overdue),
    ("past its due date", State::Overdue),
    ("past the due date", State::Overdue),
    ("past the deadline", State::Overdue),
    ("past their deadline", State::Overdue),
    ("past their promised date", State::Overdue),
    ("past the promised date", State::Overdue),
];

/// Parts of a column's name that tell the day after which a row holds no more, the surest first.
pub(super) const ENDS: &[&str] = &[
    "end",
    "ended",
    "ends",
    "left",
    "closed",
    "until",
    "expires",
    "expiry",
    "expired",
    "expiration",
    "terminated",
    "to",
    "discharged",
    "discontinued",
    "retired",
    "decommissioned",
    "withdrawn",
    "scrapped",
    "deactivated",
    "disconnected",
    "cancelled",
    "canceled",
    "returned",
    "finished",
    "died",
    "death",
    "back",
    "paid",
    "settled",
    "resolved",
];
pub(super) const DEADLINES: &[&str] = &["due", "promised", "deadline", "expected", "scheduled", "planned"];
/// Parts of the name of the day on which what was due is done.
const DONE: &[&str] =
    &["paid", "delivered", "shipped", "returned", "closed", "completed", "done", "finished", "resolved", "received"];

/// The phrases of states at a word, and how many words each takes.
pub fn states_at(words: &[Word], at: usize) -> Vec<(State, usize)> {
    let spelled = |phrase: &str| {
        phrase
            .split(' ')
            .enumerate()
            .all(|(offset, part)| words.get(at + offset).is_some_and(|word| word.lower == part))
    };
    let found = PHRASES.iter().filter(|(phrase, _)| spelled(phrase));
    let found = found.map(|(phrase, state)| (*state, phrase.split(' ').count()));
    found.chain(vacancy_at(words, at)).collect()
}

/// `right now`, `at the moment`: whether a word belongs to the phrase of a state.
pub fn is_of_state(words: &[Word], at: usize) -> bool {
    (0..=at).any(|start| states_at(words, start).into_iter().any(|(_, length)| start + length > at))
}

/// Whether a column states such a thing: the day of an end or a deadline.
pub fn tells_state(index: &ModelIndex, column: ColumnId) -> bool {
    let is_called = |names: &[&str]| names.iter().any(|name| has_part(index, column, name));
    index.columns[column].kind == ColumnKind::Time && (is_called(ENDS) || is_called(DEADLINES))
}

/// Whether a column is the day by which something is to be done.
pub fn is_deadline(index: &ModelIndex, column: ColumnId) -> bool {
    index.is_time(column) && DEADLINES.iter().any(|name| has_part(index, column, name))
}

/// Whether a word belongs to a phrase that tells of the time in which rows are valid.
pub fn tells_validity(words: &[Word], at: usize) -> bool {
    let is_validity = |state: State| matches!(state, State::Valid | State::Expired);
    (0..=at).any(|start| {
        states_at(words, start).into_iter().any(|(state, length)| is_validity(state) && start + length > at)
    })
}

/// Words between what is valid and the phrase that says so: `whose license has expired`.
const LINKS: &[&str] = &["has", "have", "had", "is", "are", "was", "were", "that", "which", "will", "already", "been"];
/// So many of them may stand there.
const LINKS_MAX: usize = 3;

/// The states at a word with the day of the end that is named beside the phrase, and how many words each takes.
pub fn stated_at(index: &ModelIndex, words: &[Word], at: usize) -> Vec<(Stated, usize)> {
    let mut found: Vec<(Stated, usize)> = Vec::new();
    for (state, length) in states_at(words, at) {
        // What the model itself calls so goes before what the words say elsewhere.
        let is_named = matches!(state, State::Valid | State::Vacant | State::Occupied);
        if is_named && names_filter(index, &words[at..at + length]) {
            continue;
        }
        found.push((state.into(), length));
        let named = named_ends(index, words, at + length);
        found.extend(named.into_iter().map(|(end, more)| (Stated { end: Some(end), ..state.into() }, length + more)));
    }
    for (end, length) in named_ends(index, words, at) {
        let is_link = |place: &usize| words.get(*place).is_some_and(|word| LINKS.contains(&word.lower.as_str()));
        let behind = at + length;
        let phrase = (behind..behind + LINKS_MAX).find(|place| !is_link(place)).unwrap_or(behind);
        if phrase < words.len() {
            let states = states_at(words, phrase).into_iter();
            found.extend(states.map(|(state, more)| (Stated { end: Some(end), ..state.into() }, phrase + more - at)));
        }
    }
    found
}

/// Whether words of a phrase are the name of a filter of the model.
fn names_filter(index: &ModelIndex, phrase: &[Word]) -> bool {
    let is_named = |name: &[String]| {
        let is_word = |(word, part): (&Word, &String)| word.lower == *part || word.lemma == *part;
        !name.is_empty() && phrase.windows(name.len()).any(|words| words.iter().zip(name).all(is_word))
    };
    index.vocabulary.phrases.iter().any(|phrase| match phrase.target {
        Target::Column(column) => index.holds_or_not(column) && is_named(&phrase.words),
        Target::Table(_) => false,
    })
}

/// What a state says of the rows of a table; none where the table has no such day.
pub fn condition_of(index: &ModelIndex, table: TableId, stated: Stated, today: NaiveDate) -> Option<Condition> {
    let before_today = |column: ColumnId| {
        let today = Operand::Literal(Literal::Date(today.to_string()));
        Condition::Compare(Expr::Column(column), Comparison::Less, today)
    };
    if stated.end.is_some_and(|end| index.columns[end].table != table) {
        return None;
    }
    let within = |column: ColumnId, range: TimeRange| range_condition(column, Comparison::Equal, range);
    match (stated.state, stated.during) {
        (State::Valid, _) => valid_within(index, table, stated, today),
        (State::Ongoing, None) => match stated.end {
            Some(_) => valid_within(index, table, stated, today),
            None => lasting(index, table, today),
        },
        (State::Ongoing, Some(range)) => overlapping(index, table, stated.end.or_else(|| ending(index, table))?, range),
        (State::Ended, None) => ending(index, table).map(|column| Condition::Not(Box::new(Condition::Missing(column)))),
        (State::Ended, Some(range)) => ending(index, table).map(|column| within(column, range)),
        (State::Expired, None) => stated.end.or_else(|| time_called(index, table, ENDS)).map(before_today),
        (State::Expired | State::Expiring, Some(range)) => {
            // What has expired this year did so before today.
            let is_past = stated.state == State::Expired && (range.start..range.end).contains(&today);
            let range = if is_past { TimeRange::of_days(range.start, today) } else { range };
            stated.end.or_else(|| time_called(index, table, ENDS)).map(|column| within(column, range))
        }
        (State::Upcoming, None) => upcoming_time(index, table, today).map(|column| after(column, today)),
        (State::Occupied, None) => occupied(index, table, today),
        (State::Vacant, None) => occupied(index, table, today).map(|taken| Condition::Not(Box::new(taken))),
        (State::Expiring, None) | (State::Overdue | State::Upcoming | State::Vacant | State::Occupied, Some(_)) => None,
        (State::Overdue, None) => {
            let late = before_today(time_called(index, table, DEADLINES)?);
            let done = time_called(index, table, DONE).filter(|column| index.columns[*column].has_gaps);
            Some(match done {
                Some(done) => Condition::All(vec![late, Condition::Missing(done)]),
                None => late,
            })
        }
    }
}

/// Verbs that tell that something is over, whatever the day of it is called.
const ENDING: &[&str] = &["ended", "ends", "ending", "finished", "terminated"];

/// The days on which rows end, where a word tells an end: one of each table that has one.
pub fn ends_called(index: &ModelIndex, lower: &str) -> Vec<ColumnId> {
    if !ENDING.contains(&lower) {
        return Vec::new();
    }
    (0..index.tables.len()).filter_map(|table| time_called(index, table, ENDS)).collect()
}

/// The day on which the rows of a table are to happen. Where the data are known, it lies ahead for some of them; of several,
/// the one that is called after the table goes first, and a deadline or an end last.
pub fn upcoming_time(index: &ModelIndex, table: TableId, today: NaiveDate) -> Option<ColumnId> {
    let times = || index.tables[table].columns.iter().copied().filter(|column| index.is_time(*column));
    let is_known = times().any(|column| index.columns[column].latest_day.is_some());
    if !is_known {
        return time_of_rows(index, table);
    }
    let is_ahead = |column: &ColumnId| index.columns[*column].latest_day.is_some_and(|latest| latest > today);
    times()
        .filter(is_ahead)
        .min_by_key(|column| (!index.columns[*column].is_tables_own_time, tells_state(index, *column)))
}

fn after(column: ColumnId, day: NaiveDate) -> Condition {
    Condition::Compare(Expr::Column(column), Comparison::Greater, Operand::Literal(Literal::Date(day.to_string())))
}

/// The model's own filter for rows without an end, else that the day of the end is missing. Where ends are set in advance, rows
/// last until then.
fn lasting(index: &ModelIndex, table: TableId, today: NaiveDate) -> Option<Condition> {
    let column = ending(index, table);
    let named = index.tables[table].columns.iter().copied().find(|filter| {
        let entry = &index.columns[*filter];
        let says_missing = entry.expression.to_ascii_uppercase().ends_with("IS NULL");
        let names = ["active", "current", "open", "running", "valid"];
        entry.kind == ColumnKind::Filter && says_missing && names.iter().any(|name| has_part(index, *filter, name))
    });
    if let Some(filter) = named {
        return Some(Condition::Named(filter));
    }
    let end = column?;
    // A day on which something was closed or paid tells what happened, and is not set in advance.
    match is_end(index, end) && index.columns[end].latest_day.is_some_and(|latest| latest >= today) {
        true => overlapping(index, table, end, day_range(today)?),
        false => Some(Condition::Missing(end)),
    }
}

/// The day of the end, which some rows lack.
fn ending(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    time_called(index, table, ENDS).filter(|column| index.columns[*column].has_gaps)
}

/// The day of the end whose absence a filter of the model states: `RETIRED_ON IS NULL`.
pub fn end_of_filter(index: &ModelIndex, filter: ColumnId) -> Option<ColumnId> {
    let entry = &index.columns[filter];
    let expression = entry.expression.to_ascii_uppercase();
    let missing = expression.strip_suffix("IS NULL")?.trim();
    let is_end = |column: &ColumnId| {
        let other = &index.columns[*column];
        other.kind == ColumnKind::Time
            && (other.expression.eq_ignore_ascii_case(missing) || other.name.eq_ignore_ascii_case(missing))
    };
    let mut columns = index.tables[entry.table].columns.iter().copied();
    columns.find(|column| entry.kind == ColumnKind::Filter && is_end(column))
}

pub(super) fn time_called(index: &ModelIndex, table: TableId, names: &[&str]) -> Option<ColumnId> {
    let columns = &index.tables[table].columns;
    let is_called = |column: &ColumnId, name: &str| {
        index.columns[*column].kind == ColumnKind::Time && has_part(index, *column, name)
    };
    names.iter().find_map(|name| columns.iter().copied().find(|column| is_called(column, name)))
}

pub(super) fn has_part(index: &ModelIndex, column: ColumnId, part: &str) -> bool {
    index.columns[column].name.to_lowercase().split('_').any(|own| own == part)
}
