//! A query in plain English. It is made from the query alone, so that what is said is what is computed.

use chrono::Datelike;

use crate::asked_words::AskedWords;
use crate::interpretation::query::{
    ClockPart, Comparison, Condition, Direction, Expr, Function, Lapse, Literal, Operand, Query, SetOperation, TimeUnit,
};
use crate::interpretation::stated_range;
use crate::join_ways::with_way;
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use crate::question::time::{TimeRange, shift};
use crate::semantic_model::DefaultAggregation;
use crate::sql_generation::metric_composed_as;

/// The model's words, and those of the question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wording<'a> {
    pub(crate) index: &'a ModelIndex,
    pub(crate) asked: &'a AskedWords,
}

impl Wording<'_> {
    pub(crate) fn expression(self, expr: &Expr) -> String {
        expression(self, expr)
    }

    pub(crate) fn column(self, column: ColumnId) -> String {
        column_words(self, column)
    }
}

/// One sentence for a query.
#[must_use]
pub fn restate(index: &ModelIndex, query: &Query) -> String {
    restate_in_words(index, &AskedWords::default(), query)
}

/// One sentence for a query, in the words of the question where it has words for what is computed.
#[must_use]
pub fn restate_in_words(index: &ModelIndex, asked: &AskedWords, query: &Query) -> String {
    let wording = Wording { index, asked };
    let mut text = phrase(wording, query);
    if let Some(first) = text.get(..1) {
        text.replace_range(..1, &first.to_uppercase());
    }
    text.push('.');
    with_way(index, query, text)
}

fn phrase(wording: Wording<'_>, query: &Query) -> String {
    let grouped = query.select.iter().any(Expr::is_aggregate);
    let (groups, measures): (Vec<&Expr>, Vec<&Expr>) =
        query.select.iter().partition(|expr| grouped && !expr.is_aggregate());
    let verb = match query.summary {
        Some(function) => format!("show the {} of the", function_word(function)),
        None if query.distinct => "show the different".to_string(),
        None if matches!(query.select.first(), Some(Expr::Everything(_))) => "show".to_string(),
        None => "show the".to_string(),
    };
    let mut text = format!("{verb} {}", list(measures.iter().map(|expr| expression(wording, expr)).collect()));
    if query.summary.is_some() && !query.summary_by.is_empty() {
        let per: Vec<&&Expr> = groups.iter().filter(|group| !query.summary_by.contains(group)).collect();
        text.push_str(&format!(" of each {}", list(per.iter().map(|expr| expression(wording, expr)).collect())));
        let by = query.summary_by.iter().map(|expr| expression(wording, expr)).collect();
        text.push_str(&format!(" for each {}", list(by)));
    } else if !groups.is_empty() {
        text.push_str(&format!(" for each {}", list(groups.iter().map(|expr| expression(wording, expr)).collect())));
    }
    if let [table] = participants(wording, query).as_slice()
        && !grouped
    {
        text.push_str(&format!(" of {}", plural(&table_words(wording, *table))));
    }
    if !query.conditions.is_empty() {
        text.push_str(&format!(" where {}", conditions(wording, &query.conditions, " and ")));
    }
    if !query.having.is_empty() {
        text.push_str(&format!(", only where {}", conditions(wording, &query.having, " and ")));
    }
    if let Some((operation, other)) = &query.combined {
        let word = match operation {
            SetOperation::Intersect => "that are also among:",
            SetOperation::Except => "that are not among:",
            SetOperation::Union => "together with:",
        };
        text.push_str(&format!(", {word} {}", phrase(wording, other)));
    }
    text.push_str(&ordering(wording, query));
    text
}

fn ordering(wording: Wording<'_>, query: &Query) -> String {
    let by: Vec<String> = query
        .order
        .iter()
        .map(|(expr, direction)| {
            let word = match direction {
                Direction::Ascending => "lowest first",
                Direction::Descending => "highest first",
            };
            format!("{} ({word})", expression(wording, expr))
        })
        .collect();
    let mut text = if by.is_empty() { String::new() } else { format!(", ordered by {}", list(by)) };
    match query.limit {
        Some(limit) if !query.limit_within.is_empty() => {
            let within = list(query.limit_within.iter().map(|expr| expression(wording, expr)).collect());
            text.push_str(&format!(", only the first {limit} of each {within}"));
        }
        Some(1) => text.push_str(", only the first"),
        Some(limit) => text.push_str(&format!(", only the first {limit}")),
        None => {}
    }
    if query.has_rest {
        text.push_str(", and all the others together");
    }
    text
}

/// Tables that take part without a column of theirs being named.
fn participants(wording: Wording<'_>, query: &Query) -> Vec<TableId> {
    let named = crate::sql_generation::tables_of_columns(wording.index, query);
    query.joined.iter().copied().filter(|table| !named.contains(table)).collect()
}

fn table_words(wording: Wording<'_>, table: TableId) -> String {
    wording.index.tables[table].words.join(" ")
}

/// A column's own name. Whoever curates a model gives names that can be read; other names are spelled out.
pub(crate) fn own_words(index: &ModelIndex, column: ColumnId) -> String {
    let entry = &index.columns[column];
    match index.is_curated() {
        true => entry.name.to_lowercase().replace('_', " "),
        false => entry.words.join(" "),
    }
}

fn column_words(wording: Wording<'_>, column: ColumnId) -> String {
    let entry = &wording.index.columns[column];
    let own = own_words(wording.index, column);
    let table = table_words(wording, entry.table);
    if entry.kind == ColumnKind::Metric || own.starts_with(&table) { own } else { format!("{table} {own}") }
}

fn expression(wording: Wording<'_>, expr: &Expr) -> String {
    if let Expr::Ratio(..) | Expr::Percentage(..) = expr
        && let Some(metric) = metric_composed_as(wording.index, expr)
    {
        return aggregate(wording, Function::Metric, metric);
    }
    match expr {
        Expr::Column(column) => column_words(wording, *column),
        Expr::Aggregate(function, column) => aggregate(wording, *function, *column),
        Expr::CountRows(table) => format!("number of {}", plural(&table_words(wording, *table))),
        Expr::Everything(table) => format!("all columns of {}", plural(&table_words(wording, *table))),
        Expr::Truncated(unit, column) | Expr::Part(unit, column) => {
            format!("{} of {}", unit_word(*unit), column_words(wording, *column))
        }
        Expr::Elapsed(function, lapse, first, last) => format!(
            "{} number of {} from {} to {}",
            function_word(*function),
            lapse_words(*lapse),
            column_words(wording, *first),
            column_words(wording, *last)
        ),
        Expr::Span(lapse, first, last) => format!(
            "number of {} from {} to {}",
            lapse_words(*lapse),
            column_words(wording, *first),
            column_words(wording, *last)
        ),
        Expr::Age(function, born, _) => {
            format!("{} age in years (by {})", function_word(*function), column_words(wording, *born))
        }
        Expr::Holds(holds) => format!("whether {}", condition(wording, holds)),
        Expr::Share(inner) => format!("share in percent of {}", expression(wording, inner)),
        Expr::RunningTotal(inner) => format!("running total of {}", expression(wording, inner)),
        Expr::Growth(inner) => format!("growth in percent of {}", expression(wording, inner)),
        Expr::Increase(inner) => format!("change of {} from the one before", expression(wording, inner)),
        Expr::MovingAverage(inner, count) => {
            format!("moving average over {count} of {}", expression(wording, inner))
        }
        Expr::Clock(part, column) => format!("{} of {}", clock_word(*part), column_words(wording, *column)),
        Expr::Within(inner, time, range) => {
            format!("{} with {} {}", expression(wording, inner), column_words(wording, *time), during(*range))
        }
        Expr::Portion(inner, portion) => {
            format!("share in percent of {} with {}", expression(wording, inner), conditions(wording, portion, " and "))
        }
        Expr::Referred(reference, column) => {
            let role: Vec<&str> = wording.index.columns[*reference]
                .words
                .iter()
                .map(String::as_str)
                .filter(|word| *word != "id")
                .collect();
            format!("{} of the {}", column_words(wording, *column), role.join(" "))
        }
        Expr::Change(now, then) => {
            format!("change in percent from {} to {}", expression(wording, then), expression(wording, now))
        }
        Expr::Difference(first, second) => {
            format!("{} less {}", expression(wording, first), expression(wording, second))
        }
        Expr::Ratio(first, second) => format!("{} per {}", expression(wording, first), expression(wording, second)),
        Expr::Percentage(first, second) => {
            format!("{} in percent of {}", expression(wording, first), expression(wording, second))
        }
    }
}

pub(crate) fn clock_word(part: ClockPart) -> &'static str {
    match part {
        ClockPart::WeekdayName => "weekday",
        ClockPart::WeekdayNumber => "day of the week",
        ClockPart::Hour => "hour",
    }
}

fn aggregate(wording: Wording<'_>, function: Function, column: ColumnId) -> String {
    let words = column_words(wording, column);
    let words = match &wording.index.columns[column].formula {
        Some(formula) => format!("{words} = {formula}"),
        None => words,
    };
    let asked = wording.asked.of(column);
    let function = match (function, wording.index.columns[column].kind, wording.index.columns[column].aggregation) {
        (Function::Metric, ColumnKind::Metric, _) => {
            return asked.map_or(words.clone(), |asked| format!("{asked} ({words})"));
        }
        (Function::Metric, _, Some(default)) => default_function(default),
        (function, _, _) => function,
    };
    match (function, asked) {
        (Function::CountDistinct, _) => format!("number of different {}", plural(&words)),
        (Function::Count, _) => format!("number of {}", plural(&words)),
        (Function::Sum | Function::Metric, Some(asked)) => format!("{asked} (total {words})"),
        (function, Some(asked)) => format!("{} {asked} ({words})", function_word(function)),
        (function, None) => format!("{} {words}", function_word(function)),
    }
}

pub(crate) fn default_function(default: DefaultAggregation) -> Function {
    match default {
        DefaultAggregation::Sum => Function::Sum,
        DefaultAggregation::Avg => Function::Average,
        DefaultAggregation::Median => Function::Median,
        DefaultAggregation::Min => Function::Minimum,
        DefaultAggregation::Max => Function::Maximum,
        DefaultAggregation::Count => Function::Count,
        DefaultAggregation::CountDistinct => Function::CountDistinct,
    }
}

fn function_word(function: Function) -> String {
    let word = match function {
        Function::Percentile(percent) => return format!("percentile {percent} of"),
        Function::Sum | Function::Metric => "total",
        Function::Average => "average",
        Function::Minimum => "lowest",
        Function::Maximum => "highest",
        Function::Median => "median",
        Function::Count | Function::CountDistinct => "number",
    };
    word.to_owned()
}

pub(crate) fn lapse_words(lapse: Lapse) -> String {
    match lapse {
        Lapse::Units(unit) => format!("{}s", unit_word(unit)),
        Lapse::Hours => "hours".to_owned(),
        Lapse::Minutes => "minutes".to_owned(),
    }
}

pub(crate) fn unit_word(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Day => "day",
        TimeUnit::Week => "week",
        TimeUnit::Month => "month",
        TimeUnit::Quarter => "quarter",
        TimeUnit::Year => "year",
    }
}

fn conditions(wording: Wording<'_>, all: &[Condition], word: &str) -> String {
    all.iter().map(|one| condition(wording, one)).collect::<Vec<_>>().join(word)
}

fn condition(wording: Wording<'_>, one: &Condition) -> String {
    match one {
        Condition::Compare(left, comparison, right) => {
            format!("{} {} {}", expression(wording, left), comparison_words(*comparison), operand(wording, right))
        }
        Condition::Between(left, low, high) => {
            format!("{} is between {} and {}", expression(wording, left), literal(low), literal(high))
        }
        Condition::Like(column, pattern) => {
            let word = match (pattern.starts_with('%'), pattern.ends_with('%')) {
                (false, true) => "starts with",
                (true, false) => "ends with",
                _ => "contains",
            };
            format!("{} {word} '{}'", column_words(wording, *column), pattern.trim_matches('%'))
        }
        Condition::Missing(column) => format!("{} is missing", column_words(wording, *column)),
        Condition::Named(column) => own_words(wording.index, *column),
        Condition::In(column, query) => membership(wording, *column, query, ["has", "is among:"]),
        Condition::Any(any) => format!("({})", conditions(wording, any, " or ")),
        Condition::All(all) => {
            let during =
                stated_range(one).map(|(time, range)| format!("{} is {}", column_words(wording, time), during(range)));
            during.unwrap_or_else(|| format!("({})", conditions(wording, all, " and ")))
        }
        Condition::Not(inner) => match inner.as_ref() {
            Condition::In(column, query) => membership(wording, *column, query, ["has no", "is not among:"]),
            Condition::Missing(column) => format!("{} is there", column_words(wording, *column)),
            other => format!("not ({})", condition(wording, other)),
        },
    }
}

/// `customer has no orders with status 'Open'`: rows that others refer to, or that refer to others.
fn membership(wording: Wording<'_>, column: ColumnId, query: &Query, [has, among]: [&str; 2]) -> String {
    let index = wording.index;
    let theirs = match (query.select.as_slice(), query.joined.last()) {
        ([Expr::Column(theirs)], Some(table)) if index.is_key(column) || index.is_reference(column) => {
            Some((theirs, table))
        }
        _ => None,
    };
    let Some((theirs, table)) = theirs.filter(|_| query.combined.is_none() && query.order.is_empty()) else {
        return format!("{} {among} {}", column_words(wording, column), phrase(wording, query));
    };
    let is_there = Condition::Not(Box::new(Condition::Missing(*theirs)));
    let stated: Vec<Condition> = query.conditions.iter().filter(|one| **one != is_there).cloned().collect();
    let owner = table_words(wording, index.columns[column].table);
    let others = plural(&table_words(wording, *table));
    let counted = number_of_rows(*table, &query.having, has);
    let mut text = match &counted {
        Some(number) => format!("{owner} has {number} {others}"),
        None => format!("{owner} {has} {others}"),
    };
    if !stated.is_empty() {
        text.push_str(&format!(" with {}", conditions(wording, &stated, " and ")));
    }
    if !query.having.is_empty() && counted.is_none() {
        text.push_str(&format!(", only where {}", conditions(wording, &query.having, " and ")));
    }
    text
}

/// `at least 4`; rows that do not have at least 4 have fewer.
fn number_of_rows(table: TableId, having: &[Condition], has: &str) -> Option<String> {
    let [Condition::Compare(Expr::CountRows(counted), comparison, Operand::Literal(Literal::Number(number)))] = having
    else {
        return None;
    };
    let comparison = if has == "has" { *comparison } else { comparison.negated() };
    let bound = match comparison {
        Comparison::Equal => "exactly",
        Comparison::NotEqual => "other than",
        Comparison::Less => "fewer than",
        Comparison::LessOrEqual => "at most",
        Comparison::Greater => "more than",
        Comparison::GreaterOrEqual => "at least",
    };
    (*counted == table).then(|| format!("{bound} {number}"))
}

/// `in 2024`, `in March 2024`, `from 2024-03-05 to 2024-03-20`.
fn during(range: TimeRange) -> String {
    let TimeRange { start, end, .. } = range;
    let is_first = |unit: TimeUnit, count: i64| shift(start, unit, count) == Some(end) && start.day() == 1;
    match end.pred_opt() {
        _ if is_first(TimeUnit::Year, 1) && start.month() == 1 => format!("in {}", start.year()),
        _ if is_first(TimeUnit::Month, 1) => format!("in {}", start.format("%B %Y")),
        Some(last) if last == start => format!("on {start}"),
        Some(last) => format!("from {start} to {last}"),
        None => format!("from {start} to before {end}"),
    }
}

fn comparison_words(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "is",
        Comparison::NotEqual => "is not",
        Comparison::Less => "is less than",
        Comparison::LessOrEqual => "is at most",
        Comparison::Greater => "is more than",
        Comparison::GreaterOrEqual => "is at least",
    }
}

fn operand(wording: Wording<'_>, operand: &Operand) -> String {
    match operand {
        Operand::Literal(value) => literal(value),
        Operand::Expr(expr) => expression(wording, expr),
        Operand::Query(query) => answer_to(wording, query),
        Operand::PercentOf(percent, query) => format!("{percent} percent of {}", answer_to(wording, query)),
    }
}

fn answer_to(wording: Wording<'_>, query: &Query) -> String {
    match query.select.as_slice() {
        [expr] if query.conditions.is_empty() && query.order.is_empty() => {
            format!("the {} of all", expression(wording, expr))
        }
        _ => format!("the answer to ({})", phrase(wording, query)),
    }
}

fn literal(value: &Literal) -> String {
    match value {
        Literal::Number(number) => number.to_string(),
        Literal::Text(text) => format!("'{text}'"),
        Literal::Date(text) => text.clone(),
    }
}

pub(crate) fn plural(words: &str) -> String {
    match words {
        _ if words.ends_with('s') || words.ends_with("ff") => words.to_string(),
        _ if words.ends_with('y') && !words.ends_with("ay") && !words.ends_with("ey") => {
            format!("{}ies", &words[..words.len() - 1])
        }
        _ if ["ch", "sh", "x", "z"].iter().any(|ending| words.ends_with(ending)) => format!("{words}es"),
        _ if words.ends_with("person") => words.replace("person", "people"),
        _ => format!("{words}s"),
    }
}

fn list(items: Vec<String>) -> String {
    match items.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [start @ .., last] => format!("{} and {last}", start.join(", ")),
    }
}
