//! A query in plain English. It is made from the query alone, so that what is said is what is computed.

use crate::interpretation::query::{
    Comparison, Condition, Direction, Expr, Function, Literal, Operand, Query, SetOperation, TimeUnit,
};
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use crate::semantic_model::DefaultAggregation;

/// One sentence for a query.
#[must_use]
pub fn restate(index: &ModelIndex, query: &Query) -> String {
    let mut text = phrase(index, query);
    if let Some(first) = text.get(..1) {
        text.replace_range(..1, &first.to_uppercase());
    }
    text.push('.');
    text
}

fn phrase(index: &ModelIndex, query: &Query) -> String {
    let grouped = query.select.iter().any(Expr::is_aggregate);
    let (groups, measures): (Vec<&Expr>, Vec<&Expr>) =
        query.select.iter().partition(|expr| grouped && !expr.is_aggregate());
    let verb = match query.summary {
        Some(function) => format!("show the {} of the", function_word(function)),
        None if query.distinct => "show the different".to_string(),
        None => "show the".to_string(),
    };
    let mut text = format!("{verb} {}", list(measures.iter().map(|expr| expression(index, expr)).collect()));
    if query.summary.is_some() && !query.summary_by.is_empty() {
        let per: Vec<&&Expr> = groups.iter().filter(|group| !query.summary_by.contains(group)).collect();
        text.push_str(&format!(" of each {}", list(per.iter().map(|expr| expression(index, expr)).collect())));
        let by = query.summary_by.iter().map(|expr| expression(index, expr)).collect();
        text.push_str(&format!(" for each {}", list(by)));
    } else if !groups.is_empty() {
        text.push_str(&format!(" for each {}", list(groups.iter().map(|expr| expression(index, expr)).collect())));
    }
    if let [table] = participants(index, query).as_slice()
        && !grouped
    {
        text.push_str(&format!(" of {}", plural(&table_words(index, *table))));
    }
    if !query.conditions.is_empty() {
        text.push_str(&format!(" where {}", conditions(index, &query.conditions, " and ")));
    }
    if !query.having.is_empty() {
        text.push_str(&format!(", only where {}", conditions(index, &query.having, " and ")));
    }
    if let Some((operation, other)) = &query.combined {
        let word = match operation {
            SetOperation::Intersect => "that are also among:",
            SetOperation::Except => "that are not among:",
            SetOperation::Union => "together with:",
        };
        text.push_str(&format!(", {word} {}", phrase(index, other)));
    }
    text.push_str(&ordering(index, query));
    text
}

fn ordering(index: &ModelIndex, query: &Query) -> String {
    let by: Vec<String> = query
        .order
        .iter()
        .map(|(expr, direction)| {
            let word = match direction {
                Direction::Ascending => "lowest first",
                Direction::Descending => "highest first",
            };
            format!("{} ({word})", expression(index, expr))
        })
        .collect();
    let mut text = if by.is_empty() { String::new() } else { format!(", ordered by {}", list(by)) };
    match query.limit {
        Some(limit) if !query.limit_within.is_empty() => {
            let within = list(query.limit_within.iter().map(|expr| expression(index, expr)).collect());
            text.push_str(&format!(", only the first {limit} of each {within}"));
        }
        Some(1) => text.push_str(", only the first"),
        Some(limit) => text.push_str(&format!(", only the first {limit}")),
        None => {}
    }
    text
}

/// Tables that take part without a column of theirs being named.
fn participants(index: &ModelIndex, query: &Query) -> Vec<TableId> {
    let named = crate::sql_generation::tables_of_columns(index, query);
    query.joined.iter().copied().filter(|table| !named.contains(table)).collect()
}

fn table_words(index: &ModelIndex, table: TableId) -> String {
    index.tables[table].words.join(" ")
}

fn column_words(index: &ModelIndex, column: ColumnId) -> String {
    let entry = &index.columns[column];
    let own = entry.words.join(" ");
    let table = table_words(index, entry.table);
    if entry.kind == ColumnKind::Metric || own.starts_with(&table) { own } else { format!("{table} {own}") }
}

pub(crate) fn expression(index: &ModelIndex, expr: &Expr) -> String {
    match expr {
        Expr::Column(column) => column_words(index, *column),
        Expr::Aggregate(function, column) => aggregate(index, *function, *column),
        Expr::CountRows(table) => format!("number of {}", plural(&table_words(index, *table))),
        Expr::Everything(table) => format!("all columns of {}", plural(&table_words(index, *table))),
        Expr::Truncated(unit, column) | Expr::Part(unit, column) => {
            format!("{} of {}", unit_word(*unit), column_words(index, *column))
        }
        Expr::Elapsed(function, first, last) => format!(
            "{} number of days from {} to {}",
            function_word(*function),
            column_words(index, *first),
            column_words(index, *last)
        ),
        Expr::Share(inner) => format!("share in percent of {}", expression(index, inner)),
        Expr::RunningTotal(inner) => format!("running total of {}", expression(index, inner)),
        Expr::Growth(inner) => format!("growth in percent of {}", expression(index, inner)),
        Expr::Within(inner, time, range) => format!(
            "{} with {} from {} to before {}",
            expression(index, inner),
            column_words(index, *time),
            range.start,
            range.end
        ),
        Expr::Portion(inner, portion) => {
            format!("share in percent of {} with {}", expression(index, inner), conditions(index, portion, " and "))
        }
        Expr::Referred(reference, column) => {
            let role: Vec<&str> =
                index.columns[*reference].words.iter().map(String::as_str).filter(|word| *word != "id").collect();
            format!("{} of the {}", column_words(index, *column), role.join(" "))
        }
        Expr::Change(now, then) => {
            format!("change in percent from {} to {}", expression(index, then), expression(index, now))
        }
        Expr::Difference(first, second) => {
            format!("{} less {}", expression(index, first), expression(index, second))
        }
        Expr::Ratio(first, second) => format!("{} per {}", expression(index, first), expression(index, second)),
    }
}

fn aggregate(index: &ModelIndex, function: Function, column: ColumnId) -> String {
    let words = column_words(index, column);
    let function = match (function, index.columns[column].kind, index.columns[column].aggregation) {
        (Function::Metric, ColumnKind::Metric, _) => return words,
        (Function::Metric, _, Some(default)) => default_function(default),
        (function, _, _) => function,
    };
    match function {
        Function::CountDistinct => format!("number of different {}", plural(&words)),
        Function::Count => format!("number of {}", plural(&words)),
        function => format!("{} {words}", function_word(function)),
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

fn function_word(function: Function) -> &'static str {
    match function {
        Function::Sum | Function::Metric => "total",
        Function::Average => "average",
        Function::Minimum => "lowest",
        Function::Maximum => "highest",
        Function::Median => "median",
        Function::Count | Function::CountDistinct => "number",
    }
}

fn unit_word(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Day => "day",
        TimeUnit::Week => "week",
        TimeUnit::Month => "month",
        TimeUnit::Quarter => "quarter",
        TimeUnit::Year => "year",
    }
}

fn conditions(index: &ModelIndex, all: &[Condition], word: &str) -> String {
    all.iter().map(|one| condition(index, one)).collect::<Vec<_>>().join(word)
}

fn condition(index: &ModelIndex, one: &Condition) -> String {
    match one {
        Condition::Compare(left, comparison, right) => {
            format!("{} {} {}", expression(index, left), comparison_words(*comparison), operand(index, right))
        }
        Condition::Between(left, low, high) => {
            format!("{} is between {} and {}", expression(index, left), literal(low), literal(high))
        }
        Condition::Like(column, pattern) => {
            let word = match (pattern.starts_with('%'), pattern.ends_with('%')) {
                (false, true) => "starts with",
                (true, false) => "ends with",
                _ => "contains",
            };
            format!("{} {word} '{}'", column_words(index, *column), pattern.trim_matches('%'))
        }
        Condition::Missing(column) => format!("{} is missing", column_words(index, *column)),
        Condition::Named(column) => index.columns[*column].words.join(" "),
        Condition::In(column, query) => format!("{} is among: {}", column_words(index, *column), phrase(index, query)),
        Condition::Any(any) => format!("({})", conditions(index, any, " or ")),
        Condition::All(all) => format!("({})", conditions(index, all, " and ")),
        Condition::Not(inner) => match inner.as_ref() {
            Condition::In(column, query) => {
                format!("{} is not among: {}", column_words(index, *column), phrase(index, query))
            }
            other => format!("not ({})", condition(index, other)),
        },
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

fn operand(index: &ModelIndex, operand: &Operand) -> String {
    match operand {
        Operand::Literal(value) => literal(value),
        Operand::Expr(expr) => expression(index, expr),
        Operand::Query(query) => answer_to(index, query),
        Operand::PercentOf(percent, query) => format!("{percent} percent of {}", answer_to(index, query)),
    }
}

fn answer_to(index: &ModelIndex, query: &Query) -> String {
    match query.select.as_slice() {
        [expr] if query.conditions.is_empty() && query.order.is_empty() => {
            format!("the {} of all", expression(index, expr))
        }
        _ => format!("the answer to ({})", phrase(index, query)),
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
