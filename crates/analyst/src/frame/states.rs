//! States that words tell of rows with days of an end or a deadline: `still`, `no longer`, `expired`, `overdue`.

use chrono::NaiveDate;

use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand};
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use crate::question::words::Word;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The end has not come: `still`, `currently`.
    Ongoing,
    /// It has: `no longer`, `former`.
    Ended,
    /// The last day lies behind: `expired`.
    Expired,
    /// It was to be done by now and is not: `overdue`.
    Overdue,
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
    ("no longer", State::Ended),
    ("not any more", State::Ended),
    ("former", State::Ended),
    ("formerly", State::Ended),
    ("inactive", State::Ended),
    ("churned", State::Ended),
    ("departed", State::Ended),
    ("expired", State::Expired),
    ("lapsed", State::Expired),
    ("run out", State::Expired),
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
const ENDS: &[&str] = &[
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
];
const DEADLINES: &[&str] = &["due", "promised", "deadline", "expected", "scheduled", "planned"];
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
    found.map(|(phrase, state)| (*state, phrase.split(' ').count())).collect()
}

/// What a state says of the rows of a table; none where the table has no such day.
pub fn condition_of(index: &ModelIndex, table: TableId, state: State, today: NaiveDate) -> Option<Condition> {
    let before_today = |column: ColumnId| {
        let today = Operand::Literal(Literal::Date(today.to_string()));
        Condition::Compare(Expr::Column(column), Comparison::Less, today)
    };
    match state {
        State::Ongoing => lasting(index, table),
        State::Ended => ending(index, table).map(|column| Condition::Not(Box::new(Condition::Missing(column)))),
        State::Expired => time_called(index, table, ENDS).map(before_today),
        State::Overdue => {
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
const ENDING: &[&str] = &["ended", "ends", "finished", "terminated"];

/// The days on which rows end, where a word tells an end: one of each table that has one.
pub fn ends_called(index: &ModelIndex, lower: &str) -> Vec<ColumnId> {
    if !ENDING.contains(&lower) {
        return Vec::new();
    }
    (0..index.tables.len()).filter_map(|table| time_called(index, table, ENDS)).collect()
}

/// The model's own filter for rows without an end, else the day of the end that is missing.
fn lasting(index: &ModelIndex, table: TableId) -> Option<Condition> {
    let column = ending(index, table);
    let named = index.tables[table].columns.iter().copied().find(|filter| {
        let entry = &index.columns[*filter];
        let says_missing = entry.expression.to_ascii_uppercase().ends_with("IS NULL");
        let names = ["active", "current", "open", "running", "valid"];
        entry.kind == ColumnKind::Filter && says_missing && names.iter().any(|name| has_part(index, *filter, name))
    });
    named.map(Condition::Named).or(column.map(Condition::Missing))
}

/// The day of the end, which some rows lack.
fn ending(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    time_called(index, table, ENDS).filter(|column| index.columns[*column].has_gaps)
}

fn time_called(index: &ModelIndex, table: TableId, names: &[&str]) -> Option<ColumnId> {
    let columns = &index.tables[table].columns;
    let is_called = |column: &ColumnId, name: &str| {
        index.columns[*column].kind == ColumnKind::Time && has_part(index, *column, name)
    };
    names.iter().find_map(|name| columns.iter().copied().find(|column| is_called(column, name)))
}

fn has_part(index: &ModelIndex, column: ColumnId, part: &str) -> bool {
    index.columns[column].name.to_lowercase().split('_').any(|own| own == part)
}
