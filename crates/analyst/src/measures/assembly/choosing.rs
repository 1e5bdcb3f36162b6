//! Which of the measures that a question names are shown, and what rows that are only named are measured by.

use crate::interpretation::query::{Condition, Expr, Function, Literal, Operand};
use crate::links::amounts::amount_of;
use crate::links::model_index::{ModelIndex, TableId};
use crate::measures::frame::{Frame, Key, Measure};
use crate::sql_generation::join_paths::leads_to_one;
use crate::sql_generation::time_of_rows;

/// Tables whose rows are called after money.
const MONEY_ROWS: &[&str] = &["payment", "fine", "fee", "refund", "expense", "donation"];

/// The measures that are shown. A noun beside a measure only says whose it is; alone it is counted.
pub(super) fn chosen_measures(index: &ModelIndex, frame: &mut Frame) -> Option<Vec<Measure>> {
    let (nouns, mut real): (Vec<Measure>, Vec<Measure>) =
        std::mem::take(&mut frame.measures).into_iter().partition(|measure| measure.is_noun);
    // A share of one thing in another is none of either in itself.
    if frame.shape.is_share && real.is_empty() && nouns.len() > 1 {
        return None;
    }
    if real.is_empty() && are_side_by_side(index, frame, &nouns) {
        return Some(nouns);
    }
    let mut nouns = nouns.into_iter();
    if real.is_empty() {
        let noun = nouns.next()?;
        if !is_counted(index, frame, &noun) {
            return None;
        }
        real.push(in_own_money(index, frame, noun));
    }
    for noun in nouns {
        // `how many customers took loans`: the loans say which customers, and when.
        let is_event_of = leads_to_one(index, noun.owner, real[0].owner) && noun.owner != real[0].owner;
        if let ([Measure { expr: Expr::CountRows(_), .. }], true) = (real.as_slice(), is_event_of) {
            frame.joined.push(noun.owner);
            frame.time = frame.time.or(noun.time).or_else(|| time_of_rows(index, noun.owner));
            frame.cost += 0.1;
            continue;
        }
        let is_owner = real.iter().any(|measure| leads_to_one(index, measure.owner, noun.owner));
        let is_asked = frame.asked.is_some_and(|key| key == Key::Rows(noun.owner));
        if !is_owner && !is_asked {
            return None;
        }
        frame.time = frame.time.or(noun.time);
        if noun.owner != real[0].owner {
            frame.cost += 0.1;
        }
    }
    // `what did we spend on training`: the verb and the noun tell the same sum.
    let mut known: Vec<Expr> = Vec::new();
    real.retain(|measure| {
        let is_new = !known.contains(&measure.expr);
        known.push(measure.expr.clone());
        is_new
    });
    Some(real)
}

/// `visits and bookings by month`: events that have nothing to do with each other, or that are listed, are counted each for
/// itself.
fn are_side_by_side(index: &ModelIndex, frame: &Frame, nouns: &[Measure]) -> bool {
    let are_listed = frame.listed_nouns + 1 == nouns.len();
    let is_apart = |noun: &Measure| {
        let others = nouns.iter().filter(|other| other.owner != noun.owner);
        let is_related = |other: &Measure| leads_to_one(index, noun.owner, other.owner);
        let is_alone = are_listed || !others.clone().any(is_related);
        let is_event = index.is_event(noun.owner) || are_listed && has_own_time(index, noun.owner);
        is_event && is_alone && others.count() + 1 == nouns.len()
    };
    nouns.len() > 1 && !frame.groups.is_empty() && frame.asked.is_none() && nouns.iter().all(is_apart)
}

fn has_own_time(index: &ModelIndex, table: TableId) -> bool {
    index.tables[table].columns.iter().any(|column| index.is_time(*column))
}

/// `fines by member`: rows that are called after money are summed up for each of something, unless their number is asked for.
fn in_own_money(index: &ModelIndex, frame: &Frame, noun: Measure) -> Measure {
    let is_money = index.tables[noun.owner].words.last().is_some_and(|word| MONEY_ROWS.contains(&word.as_str()));
    let is_summed = is_money && noun.time.is_none() && !frame.groups.is_empty() && frame.shape.is_plain();
    match (noun.expr.clone(), amount_of(index, noun.owner)) {
        (Expr::CountRows(_), Some(amount)) if is_summed && frame.asked.is_none() => {
            Measure { expr: Expr::Aggregate(Function::Metric, amount), ..noun }
        }
        _ => noun,
    }
}

/// Events are counted where they are merely named, things with a name are listed; either is counted for each of something.
fn is_counted(index: &ModelIndex, frame: &Frame, noun: &Measure) -> bool {
    let is_nameless = index.label(noun.owner) == index.tables[noun.owner].key && !index.is_catalogue(noun.owner);
    let is_nameless = is_nameless && !index.is_role(noun.owner);
    let is_event = is_nameless || noun.time.is_some();
    let is_compared = frame.conditions.iter().any(is_of_number) && noun.time.is_none();
    if is_compared && frame.groups.is_empty() && frame.per.is_none() && !frame.shape.is_share {
        return false;
    }
    let is_grouped = !frame.groups.is_empty() || frame.per.is_some() || frame.shape.is_share;
    is_grouped || frame.asked.is_some() || is_event
}

/// `lorries with a capacity of at least 15 tons` are listed.
fn is_of_number(condition: &Condition) -> bool {
    let is_span = matches!(condition, Condition::Compare(Expr::Span(..), ..));
    !is_span
        && matches!(condition, Condition::Between(..) | Condition::Compare(_, _, Operand::Literal(Literal::Number(_))))
}
