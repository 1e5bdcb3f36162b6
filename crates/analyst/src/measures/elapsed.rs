//! How long something takes: the days between two columns, or a fact that is a length of time.

use chrono::NaiveDate;

use super::frame::{Frame, Measure};
use crate::frame::parts_of_name;
use crate::frame::states::is_deadline;
use crate::interpretation::query::{Expr, Function, Lapse};
use crate::links::model_index::{ColumnEntry, ColumnId, ColumnKind, DataKind, ModelIndex, TableId};
use crate::sql_generation::join_paths::leads_to_one;
use crate::sql_generation::own_time;

/// The days from one column to another: those that the question names, or from the table's first.
pub fn add_elapsed(index: &ModelIndex, frame: &mut Frame) -> Option<()> {
    // `how many hours did Ann work`: no two points in time are spoken of.
    if frame.shape.lapse.is_some() && frame.ends.is_empty() && !frame.shape.is_late {
        return None;
    }
    let function = frame.function.take().unwrap_or(Function::Average);
    let stated = frame.measures.iter_mut().find_map(|measure| match &mut measure.expr {
        Expr::Aggregate(stated, fact) if is_length(index, *fact) => Some(stated),
        _ => None,
    });
    if let (Some(stated), true) = (stated, frame.ends.is_empty()) {
        *stated = function;
        return Some(());
    }
    if let Some(measure) = duration(index, frame, function) {
        frame.measures.push(measure);
        return Some(());
    }
    let (first, last) = match frame.ends.as_slice() {
        [last] if frame.shape.is_late => (deadline_of(index, index.columns[*last].table)?, *last),
        [] if frame.shape.is_late => late_days(index, frame)?,
        _ if frame.shape.is_late => return None,
        [first, last] => (*first, *last),
        [last] => (own_time(index, index.columns[*last].table)?, *last),
        _ => return None,
    };
    let (begins, ends) = (index.columns[first].table, index.columns[last].table);
    // Days of two tables lie in the rows of the one that leads to the other.
    let owner = [ends, begins]
        .into_iter()
        .find(|owner| leads_to_one(index, *owner, begins) && leads_to_one(index, *owner, ends))?;
    (first != last).then_some(())?;
    let known = index.columns.iter().position(|column| {
        column.table == owner
            && column.kind == ColumnKind::Fact
            && frame.shape.lapse.is_none()
            && is_days_between(index, &column.expression, first, last)
    });
    // What the model itself measures in another unit is meant where the question names none.
    let is_measured = |column: &ColumnEntry| {
        let is_fact = column.table == owner && column.kind == ColumnKind::Fact && frame.shape.lapse.is_none();
        is_fact && ends_in(index, owner, &column.expression) == Some((first, last))
    };
    let known = known.or_else(|| index.columns.iter().position(is_measured));
    let expr = match known {
        Some(fact) => Expr::Aggregate(function, fact),
        None => Expr::Elapsed(function, frame.shape.lapse.unwrap_or(Lapse::DAYS), first, last),
    };
    frame.measures.push(Measure { expr, owner, is_noun: false, is_verb: false, time: None, summary: None });
    Some(())
}

/// The two points in time between which the model itself measures the rows of a table.
pub fn spanned(index: &ModelIndex, table: TableId) -> Option<(ColumnId, ColumnId)> {
    let columns = &index.tables[table].columns;
    let mut spans = columns.iter().filter_map(|column| ends_in(index, table, &index.columns[*column].expression));
    let first = spans.next()?;
    spans.all(|span| span == first).then_some(first)
}

/// The columns of time that an expression subtracts: `AVG(DATEDIFF('minute', ARRIVED_AT, DEPARTED_AT))`.
fn ends_in(index: &ModelIndex, table: TableId, expression: &str) -> Option<(ColumnId, ColumnId)> {
    let upper = expression.to_ascii_uppercase();
    let (_, arguments) = upper.split_once("DATEDIFF(")?;
    let mut arguments = arguments.split(')').next()?.split(',').skip(1).map(str::trim);
    let mut time = || {
        let name = arguments.next()?;
        let is_named = |column: &&ColumnId| {
            let entry = &index.columns[**column];
            entry.kind == ColumnKind::Time
                && (entry.expression.eq_ignore_ascii_case(name) || entry.name.eq_ignore_ascii_case(name))
        };
        index.tables[table].columns.iter().find(is_named).copied()
    };
    Some((time()?, time()?))
}

/// The only day by which the rows of a table are to be done.
fn deadline_of(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    let mut deadlines = index.tables[table].columns.iter().copied().filter(|column| is_deadline(index, *column));
    deadlines.next().filter(|_| deadlines.next().is_none())
}

/// `how many days late are deliveries`: from the day by which they are due to the only day on which they are done.
fn late_days(index: &ModelIndex, frame: &Frame) -> Option<(ColumnId, ColumnId)> {
    let tables = frame.measures.iter().map(|measure| measure.owner);
    let found = tables.filter_map(|table| {
        let due = deadline_of(index, table)?;
        let is_done = |column: &ColumnId| *column != due && index.is_time(*column) && index.columns[*column].has_gaps;
        let mut done = index.tables[table].columns.iter().copied().filter(is_done);
        Some((due, done.next().filter(|_| done.next().is_none())?))
    });
    let mut found: Vec<(ColumnId, ColumnId)> = found.collect();
    found.pop().filter(|_| found.is_empty())
}

/// How old the rows named are, where they have a day of birth.
pub fn add_age(index: &ModelIndex, frame: &mut Frame, today: NaiveDate) -> Option<()> {
    let is_birth = |column: &ColumnId| {
        let entry = &index.columns[*column];
        let says = |word: &String| word.starts_with("birth") || word == "born";
        entry.kind == ColumnKind::Time && entry.words.iter().any(says)
    };
    let mut born = match frame.measures.as_slice() {
        [] => (0..index.columns.len()).filter(is_birth).collect::<Vec<_>>(),
        [noun, ..] => index.tables[noun.owner].columns.iter().copied().filter(is_birth).collect(),
    };
    if born.is_empty()
        && let [noun, ..] = frame.measures.as_slice()
    {
        born.extend(first_day(index, noun.owner));
    }
    let column = born.pop().filter(|_| born.is_empty())?;
    let function = frame.function.take().unwrap_or(Function::Average);
    let expr = Expr::Age(function, column, today);
    frame.measures.push(Measure {
        expr,
        owner: index.columns[column].table,
        is_noun: false,
        is_verb: false,
        time: None,
        summary: None,
    });
    Some(())
}

/// Parts of the name of the day since which a thing exists.
const MADE: &[&str] = &[
    "delivered",
    "delivery",
    "built",
    "manufactured",
    "made",
    "produced",
    "commissioned",
    "installed",
    "constructed",
    "founded",
    "established",
    "launched",
    "purchased",
    "acquired",
];

/// The only day since which things that are no events exist.
fn first_day(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    let is_first = |column: &ColumnId| {
        let entry = &index.columns[*column];
        entry.kind == ColumnKind::Time && parts_of_name(&entry.name).any(|part| MADE.contains(&part.as_str()))
    };
    let mut days = index.tables[table].columns.iter().copied().filter(is_first);
    days.next().filter(|_| days.next().is_none() && !index.is_event(table))
}

/// `how long does it take to settle a claim`: the only fact of the rows named that is a length of time.
fn duration(index: &ModelIndex, frame: &Frame, function: Function) -> Option<Measure> {
    let [Measure { owner, is_noun: true, .. }] = frame.measures.as_slice() else { return None };
    let mut lengths = index.tables[*owner].columns.iter().copied().filter(|column| is_length(index, *column));
    let fact = lengths.next().filter(|_| lengths.next().is_none() && frame.ends.is_empty())?;
    let expr = Expr::Aggregate(function, fact);
    Some(Measure { expr, owner: *owner, is_noun: false, is_verb: false, time: None, summary: None })
}

fn is_length(index: &ModelIndex, column: ColumnId) -> bool {
    let entry = &index.columns[column];
    let says = |word: &String| matches!(word.as_str(), "day" | "hour" | "minute" | "duration" | "week" | "time");
    entry.kind == ColumnKind::Fact && entry.data == DataKind::Number && entry.words.iter().any(says)
}

/// Whether a fact of the model is the days from one column to another.
fn is_days_between(index: &ModelIndex, expression: &str, first: ColumnId, last: ColumnId) -> bool {
    let plain: String = expression.chars().filter(|character| !character.is_whitespace()).collect();
    let expected = format!("DATEDIFF('DAY',{},{})", index.columns[first].expression, index.columns[last].expression);
    plain.eq_ignore_ascii_case(&expected)
}
