//! The names of computed columns: short, in the words of the question where it has a word for them, else in the model's.

use std::collections::BTreeSet;

use crate::interpretation::query::{Condition, Expr, Function, Query, TimeUnit};
use crate::links::model_index::{ColumnId, ColumnKind, TableId};
use crate::question::time::TimeRange;
use crate::restatement::{Wording, clock_word, default_function, lapse_words, own_words, plural, unit_word};

use super::identifiers::identifier;
use super::model_expressions::metric_composed_as;

/// Longer names are cut.
const WORDS_MAX: usize = 8;

/// A name for each selected expression; a plain column that is the only one of its name keeps that name without an alias.
pub(super) fn aliases(wording: Wording<'_>, query: &Query) -> Vec<Option<String>> {
    let mut taken = BTreeSet::new();
    let mut names = Vec::new();
    for expr in &query.select {
        let own = match expr {
            Expr::Column(column) => Some(wording.index.columns[*column].name.to_lowercase()),
            _ => None,
        };
        if own.is_some_and(|own| taken.insert(own)) || matches!(expr, Expr::Everything(_)) {
            names.push(None);
            continue;
        }
        let forms = [short(wording, expr), wording.expression(expr)].map(|words| in_one_word(&words));
        let free = forms.into_iter().find(|name| !name.is_empty() && !taken.contains(name));
        taken.extend(free.clone());
        names.push(free.map(|name| identifier(&name)));
    }
    names
}

fn in_one_word(words: &str) -> String {
    let words = words.to_lowercase();
    let words = words.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.take(WORDS_MAX).collect::<Vec<_>>().join("_");
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("of_{name}") } else { name }
}

fn short(wording: Wording<'_>, expr: &Expr) -> String {
    let nested = |inner: &Expr| short(wording, inner);
    if let Expr::Ratio(..) | Expr::Percentage(..) = expr
        && let Some(metric) = metric_composed_as(wording.index, expr)
    {
        return aggregate(wording, Function::Metric, metric);
    }
    match expr {
        Expr::Column(column) => wording.column(*column),
        Expr::Aggregate(function, column) => aggregate(wording, *function, *column),
        Expr::CountRows(table) => format!("number of {}", rows(wording, *table)),
        Expr::Everything(_) => String::new(),
        Expr::Truncated(unit, _) | Expr::Part(unit, _) => unit_word(*unit).to_owned(),
        Expr::Share(inner) | Expr::Portion(inner, _) => format!("{} share percent", nested(inner)),
        Expr::RunningTotal(inner) => format!("running total of {}", nested(inner)),
        Expr::Growth(inner) => format!("{} growth percent", nested(inner)),
        Expr::Increase(inner) => format!("{} change", nested(inner)),
        Expr::MovingAverage(inner, _) => format!("moving average of {}", nested(inner)),
        Expr::Clock(part, _) => clock_word(*part).to_owned(),
        Expr::Percentage(first, second) => format!("{} percent of {}", nested(first), nested(second)),
        Expr::Within(inner, _, range) => format!("{} {}", nested(inner), period(*range)),
        Expr::Change(now, _) => {
            let measured = if let Expr::Within(inner, ..) = now.as_ref() { inner } else { now };
            format!("{} change percent", nested(measured))
        }
        Expr::Referred(reference, column) => {
            let role = wording.index.columns[*reference].words.iter().filter(|word| *word != "id");
            let role: Vec<&str> = role.map(String::as_str).collect();
            format!("{} {}", role.join(" "), own_words(wording.index, *column))
        }
        Expr::Difference(first, second) => format!("{} less {}", nested(first), nested(second)),
        Expr::Ratio(first, second) => format!("{} per {}", nested(first), one_of(wording, second)),
        Expr::Age(function, ..) => function_words(*function, "age"),
        Expr::Holds(condition) => match condition.as_ref() {
            Condition::In(_, query) => {
                query.joined.last().map_or_else(String::new, |table| format!("has {}", rows(wording, *table)))
            }
            Condition::Named(column) => own_words(wording.index, *column),
            Condition::Compare(Expr::Column(column), ..) => format!("has {}", own_words(wording.index, *column)),
            _ => "holds".to_owned(),
        },
        Expr::Span(lapse, first, last) => {
            let (first, last) = (own_words(wording.index, *first), own_words(wording.index, *last));
            format!("{} from {first} to {last}", lapse_words(*lapse))
        }
        Expr::Elapsed(function, lapse, first, last) => {
            let (first, last) = (own_words(wording.index, *first), own_words(wording.index, *last));
            function_words(*function, &format!("{} from {first} to {last}", lapse_words(*lapse)))
        }
    }
}

/// What a ratio is for one of: `order`, not `number of orders`.
fn one_of(wording: Wording<'_>, expr: &Expr) -> String {
    match expr {
        Expr::CountRows(table) => wording.index.tables[*table].words.join(" "),
        _ => short(wording, expr),
    }
}

fn rows(wording: Wording<'_>, table: TableId) -> String {
    plural(&wording.index.tables[table].words.join(" "))
}

fn aggregate(wording: Wording<'_>, function: Function, column: ColumnId) -> String {
    let entry = &wording.index.columns[column];
    let asked = wording.asked.of(column);
    let function = match (function, entry.kind, entry.aggregation) {
        (Function::Metric, ColumnKind::Metric, _) => {
            return asked.map_or_else(|| own_words(wording.index, column), str::to_owned);
        }
        (Function::Metric, _, Some(default)) => default_function(default),
        (function, _, _) => function,
    };
    match (function, asked) {
        (Function::Count | Function::CountDistinct, _) => format!("number of {}", counted(wording, column)),
        (Function::Sum | Function::Metric, Some(asked)) => asked.to_owned(),
        (function, Some(asked)) => function_words(function, asked),
        (function, None) => function_words(function, &own_words(wording.index, column)),
    }
}

/// What is counted by a column: the rows it is the key of, or the things it names.
fn counted(wording: Wording<'_>, column: ColumnId) -> String {
    if wording.index.is_key(column) {
        return rows(wording, wording.index.columns[column].table);
    }
    let words = wording.column(column);
    plural(words.strip_suffix(" id").unwrap_or(&words))
}

fn function_words(function: Function, words: &str) -> String {
    let word = match function {
        Function::Sum | Function::Metric => "total",
        Function::Average => "average",
        Function::Minimum => "lowest",
        Function::Maximum => "highest",
        Function::Median => "median",
        Function::Count | Function::CountDistinct => "number of",
        Function::Percentile(percent) => return format!("percentile {percent} of {words}"),
    };
    if words.starts_with(word) { words.to_owned() } else { format!("{word} {words}") }
}

/// `2024`, `2024 03`, or the first day of a period that is no unit of the calendar.
fn period(range: TimeRange) -> String {
    let start = range.start;
    match range.unit {
        TimeUnit::Year => start.format("%Y").to_string(),
        TimeUnit::Quarter | TimeUnit::Month => start.format("%Y %m").to_string(),
        TimeUnit::Day | TimeUnit::Week => format!("from {}", start.format("%Y %m %d")),
    }
}
