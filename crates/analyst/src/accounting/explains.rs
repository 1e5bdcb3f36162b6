//! Whether a query says what a candidate of the lattice means, and how well.

use super::Usage;
use crate::interpretation::operators::{Adjectives, Operator};
use crate::interpretation::query::{Comparison, Direction, Function};
use crate::lattice::Meaning;
use crate::links::model_index::{ColumnId, ModelIndex};
use crate::question::time::TimeRange;

/// From 0 (not at all) to 1.
pub(super) fn explains(index: &ModelIndex, usage: &Usage, meaning: &Meaning) -> f32 {
    match meaning {
        Meaning::Table(table) if usage.tables.contains(table) => 1.0,
        Meaning::Table(table) if usage.joined.contains(table) => 0.8,
        Meaning::Table(_) => 0.0,
        Meaning::Column(column) if usage.has_column(*column) => 1.0,
        Meaning::Column(column) => same_thing(index, usage, *column),
        Meaning::Value(column, value) => value_used(usage, *column, value),
        Meaning::Quoted(text) => quoted_used(usage, text),
        Meaning::Number(number) => number_used(usage, *number),
        Meaning::Date(date) => f32::from(u8::from(usage.dates.iter().any(|used| used.starts_with(date.as_str())))),
        Meaning::Period(range) => period_used(usage, *range),
        Meaning::Operator(operator) => operator_used(index, usage, *operator),
    }
}

/// Everything of a table shows its columns; a key and the reference to it are the same thing.
fn same_thing(index: &ModelIndex, usage: &Usage, column: ColumnId) -> f32 {
    let entry = &index.columns[column];
    if usage.everything && usage.tables.contains(&entry.table) {
        return 0.7;
    }
    let is_joined = |join: &crate::links::model_index::JoinEdge| {
        join.columns.iter().any(|(left, right)| {
            let ends = [(join.left, left, join.right, right), (join.right, right, join.left, left)];
            ends.into_iter().any(|(own, own_name, other, other_name)| {
                own == entry.table
                    && own_name.eq_ignore_ascii_case(&entry.name)
                    && index.column_named(other, other_name).is_some_and(|other| usage.has_column(other))
            })
        })
    };
    if index.joins.iter().any(is_joined) { 0.8 } else { 0.0 }
}

fn value_used(usage: &Usage, column: ColumnId, value: &str) -> f32 {
    let same = |(used, text): &(ColumnId, String)| *used == column && text.eq_ignore_ascii_case(value);
    if usage.texts.iter().any(same) {
        return 1.0;
    }
    let lower = value.to_lowercase();
    if usage.patterns.iter().any(|(used, pattern)| *used == column && lower.contains(pattern.as_str())) {
        0.9
    } else {
        0.0
    }
}

fn quoted_used(usage: &Usage, text: &str) -> f32 {
    let lower = text.to_lowercase();
    let compared = usage.texts.iter().any(|(_, used)| used.eq_ignore_ascii_case(text));
    let matched = usage.patterns.iter().any(|(_, pattern)| *pattern == lower || lower.trim_matches('%') == pattern);
    let as_number = lower.parse::<f64>().is_ok_and(|number| usage.numbers.contains(&number));
    f32::from(u8::from(compared || matched || as_number))
}

fn number_used(usage: &Usage, number: f64) -> f32 {
    // A number may be stated in another unit than the column has: percent, thousands, millions.
    let is_scaled = |used: &f64, factor: f64| (used * factor - number).abs() < 1e-9 * number.abs().max(1.0);
    let near = |used: &f64| [1.0, 100.0, 1e3, 1e6, 1e9].iter().any(|factor| is_scaled(used, *factor));
    let as_limit = usage.limits.iter().any(|limit| *limit as f64 == number);
    let as_text = usage.texts.iter().any(|(_, text)| text.trim().parse::<f64>().is_ok_and(|used| used == number));
    let year = format!("{number:.0}-");
    let as_year = usage.dates.iter().any(|date| date.starts_with(&year));
    f32::from(u8::from(usage.numbers.iter().any(near) || as_limit || as_text || as_year))
}

fn period_used(usage: &Usage, range: TimeRange) -> f32 {
    let (start, end) = (range.start.to_string(), range.end.to_string());
    let last = range.end.pred_opt().map(|day| day.to_string()).unwrap_or_default();
    let has = |day: &str| usage.dates.iter().any(|used| used.starts_with(day));
    if has(&start) || has(&end) || has(&last) { 1.0 } else { 0.0 }
}

fn operator_used(index: &ModelIndex, usage: &Usage, operator: Operator) -> f32 {
    let limited = !usage.limits.is_empty();
    let yes = |said: bool| f32::from(u8::from(said));
    let extreme = |direction: Direction| {
        let ordered = limited && usage.directions.contains(&direction);
        let function = if direction == Direction::Descending { Function::Maximum } else { Function::Minimum };
        if ordered || usage.has_function(&[function]) {
            1.0
        } else if limited || usage.has_function(&[Function::Maximum, Function::Minimum]) {
            0.3
        } else {
            0.0
        }
    };
    match operator {
        Operator::Count if usage.counts() || usage.has_function(&[Function::Metric]) => 1.0,
        Operator::Count => 0.9 * yes(usage.has_function(&[Function::Sum]) || usage.elapsed > 0),
        Operator::CountTimes | Operator::Times(_) | Operator::Multiple => yes(usage.counts()),
        Operator::Aggregate(function) => aggregate_used(usage, function),
        Operator::Distinct | Operator::Once => {
            yes(usage.distinct || usage.is_grouped || usage.has_function(&[Function::CountDistinct]))
        }
        Operator::Compare(comparison) => compare_used(usage, comparison),
        Operator::OrMore(comparison) => yes(usage.comparisons.contains(&comparison)),
        Operator::CompareBy(adjectives) => {
            let measured = usage.compared.iter().any(|column| measures(index, adjectives, *column));
            yes(measured && usage.comparisons.iter().any(|comparison| *comparison != Comparison::Equal))
        }
        Operator::Between => {
            yes(usage.comparisons.contains(&Comparison::LessOrEqual) || usage.dates.len() > 1 || usage.elapsed > 0)
        }
        Operator::Not | Operator::Without | Operator::Except => {
            yes(usage.negations + usage.exceptions + usage.missing > 0 || usage.numbers.contains(&0.0))
        }
        Operator::Each => yes(usage.is_grouped || usage.limits_within || usage.summary).max(0.15),
        Operator::GroupBy => yes(usage.is_grouped || usage.limits_within || usage.summary),
        Operator::OrderBy => yes(!usage.directions.is_empty()),
        Operator::Sorted(direction) => yes(usage.directions.contains(&direction)),
        Operator::Alphabetical => yes(!usage.directions.is_empty() && !limited),
        Operator::SortedBy(_) => yes(!usage.directions.is_empty()),
        Operator::Superlative(direction) | Operator::Top(direction) => extreme(direction),
        Operator::MostCommon(direction) => yes(limited && usage.counts() && usage.directions.contains(&direction)),
        Operator::SuperlativeBy(adjectives) => superlative_used(index, usage, adjectives),
        Operator::Both => yes(usage.intersections > 0 || usage.conditions > 1 || usage.nested > 1).max(0.3),
        Operator::Or => yes(usage.disjunctions + usage.unions > 0).max(0.2),
        Operator::And | Operator::Either | Operator::Makes => 1.0,
        Operator::Contains | Operator::StartsWith | Operator::EndsWith => yes(!usage.patterns.is_empty()),
        Operator::Everything => yes(usage.everything),
        Operator::AboveAverage(comparison) => {
            yes(usage.averages_compared > 0 && usage.comparisons.contains(&comparison))
        }
        Operator::Full => yes(usage.selected.len() > 1).max(0.5),
        Operator::Share => yes(usage.shares > 0),
        Operator::Ratio => yes(usage.ratios > 0 || usage.shares > 0),
        Operator::Versus | Operator::SamePeriodLastYear => yes(usage.periods_beside > 0 || usage.disjunctions > 0),
        Operator::Grain(unit) => yes(usage.units.contains(&unit)),
        Operator::Over(_) | Operator::Growth | Operator::GrowthExtreme(_) => yes(usage.growths > 0),
        Operator::RunningTotal => yes(usage.running_totals > 0),
        Operator::Punctual(_) => yes(!usage.comparisons.is_empty()),
        Operator::PeriodBefore(_) => yes(usage.periods_beside > 0),
    }
}

fn aggregate_used(usage: &Usage, function: Function) -> f32 {
    let said = match function {
        Function::Sum => usage.has_function(&[Function::Sum, Function::Metric]) || usage.counts(),
        Function::Average => usage.has_function(&[Function::Average, Function::Metric]) || usage.averages_compared > 0,
        Function::Maximum => usage.has_function(&[Function::Maximum]) || !usage.limits.is_empty(),
        Function::Minimum => usage.has_function(&[Function::Minimum]) || !usage.limits.is_empty(),
        other => usage.has_function(&[other, Function::Metric]),
    };
    f32::from(u8::from(said))
}

fn compare_used(usage: &Usage, comparison: Comparison) -> f32 {
    if usage.comparisons.contains(&comparison) {
        return 1.0;
    }
    // `before`, `since`, `after` a whole period become a bound of the other kind, and a denial turns a comparison round.
    let strict = |comparison| match comparison {
        Comparison::Greater | Comparison::GreaterOrEqual => 1,
        Comparison::Less | Comparison::LessOrEqual => 2,
        Comparison::Equal => 3,
        Comparison::NotEqual => 4,
    };
    let similar = usage.comparisons.iter().any(|used| strict(*used) == strict(comparison));
    let negated = usage.negations > 0 && usage.comparisons.contains(&comparison.negated());
    if similar && !usage.dates.is_empty() || negated {
        1.0
    } else if similar {
        0.5
    } else {
        0.0
    }
}

fn superlative_used(index: &ModelIndex, usage: &Usage, adjectives: Adjectives) -> f32 {
    let of_function = usage.functions.iter().filter_map(|(function, column)| {
        matches!(function, Function::Maximum | Function::Minimum).then_some(*column).flatten()
    });
    let ordered = usage.ordered.iter().copied().filter(|_| !usage.limits.is_empty());
    let mut columns = ordered.chain(of_function).peekable();
    if columns.peek().is_none() {
        return 0.0;
    }
    if columns.any(|column| measures(index, adjectives, column)) { 1.0 } else { 0.6 }
}

/// Whether a column's words are among those that an adjective measures.
fn measures(index: &ModelIndex, adjectives: Adjectives, column: ColumnId) -> bool {
    let words = &index.columns[column].words;
    adjectives.measures().any(|measure| words.iter().any(|word| measure.column_words.contains(&word.as_str())))
}
