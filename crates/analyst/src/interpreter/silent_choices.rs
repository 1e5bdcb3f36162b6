//! What a query decides without the question saying so: readings of these shapes are not sure.

use crate::accounting::Usage;
use crate::interpretation::query::{Comparison, Condition, Direction, Expr, Literal, Operand, Query};
use crate::links::model_index::{ColumnEntry, ColumnKind, ModelIndex, TIME_WORDS};
use crate::question::lemma::stem;
use crate::question::time::unit;
use crate::question::units::is_currency;
use crate::question::words::Word;

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
