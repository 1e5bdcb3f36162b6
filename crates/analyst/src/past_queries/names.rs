//! Names for expressions: `status_is_paid`, `total_unit_price`.

use firn_sql::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value,
};
use firn_sql::print;

use super::scope::logical_columns;
use crate::semantic_model::LogicalTable;

const CHARACTERS_MAX: usize = 60;

pub(super) fn name_of(expr: &Expr) -> String {
    let mut name = String::new();
    for character in words(expr).chars().flat_map(char::to_lowercase) {
        match character.is_ascii_alphanumeric() {
            true => name.push(character),
            false if name.ends_with('_') || name.is_empty() => {}
            false => name.push('_'),
        }
    }
    name.truncate(CHARACTERS_MAX);
    let name = name.trim_end_matches('_');
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) { name.to_owned() } else { format!("x_{name}") }
}

/// The name, or the name with a number, so that nothing of the table is called so.
pub(super) fn free_name(table: &LogicalTable, name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let is_used = |name: &str| {
        let filters = table.filters.iter().map(|filter| filter.name.as_str());
        let metrics = table.metrics.iter().map(|metric| metric.name.as_str());
        let columns = logical_columns(table).map(|(column, _)| column);
        is_taken(name) || filters.chain(metrics).chain(columns).any(|other| other.eq_ignore_ascii_case(name))
    };
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_used(name)).unwrap_or_default()
}

fn words(expr: &Expr) -> String {
    match expr {
        Expr::Identifier(name) => name.value.clone(),
        Expr::Nested(inner) => words(inner),
        Expr::Value(literal) => match &literal.value {
            Value::SingleQuotedString(text) => text.clone(),
            other => other.to_string(),
        },
        Expr::BinaryOp { left, op, right } => match operator(op) {
            Some(between) => format!("{} {between} {}", words(left), words(right)),
            None => print::sql(expr),
        },
        Expr::IsNull(inner) => format!("{} is missing", words(inner)),
        Expr::IsNotNull(inner) => format!("has {}", words(inner)),
        Expr::InList { expr: inner, list, negated } => {
            let values: Vec<String> = list.iter().map(words).collect();
            format!("{} {} {}", words(inner), if *negated { "not in" } else { "in" }, values.join(" "))
        }
        Expr::Between { expr: inner, low, high, negated: false } => {
            format!("{} from {} to {}", words(inner), words(low), words(high))
        }
        Expr::Function(call) => function_words(call),
        _ => print::sql(expr),
    }
}

fn operator(operator: &BinaryOperator) -> Option<&'static str> {
    match operator {
        BinaryOperator::Eq => Some("is"),
        BinaryOperator::NotEq => Some("is not"),
        BinaryOperator::Gt => Some("over"),
        BinaryOperator::GtEq => Some("from"),
        BinaryOperator::Lt => Some("under"),
        BinaryOperator::LtEq => Some("up to"),
        BinaryOperator::Multiply => Some("times"),
        BinaryOperator::Divide => Some("per"),
        BinaryOperator::Plus => Some("plus"),
        BinaryOperator::Minus => Some("minus"),
        BinaryOperator::Or => Some("or"),
        _ => None,
    }
}

fn function_words(call: &Function) -> String {
    let name = call.name.to_string();
    let FunctionArguments::List(list) = &call.args else { return name };
    let arguments = list.args.iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(tree)) => Some(words(tree)),
        _ => None,
    });
    let arguments = arguments.collect::<Vec<_>>().join(" ");
    let is_distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
    match name.to_uppercase().as_str() {
        "SUM" => format!("total {arguments}"),
        "AVG" => format!("average {arguments}"),
        "MIN" => format!("lowest {arguments}"),
        "MAX" => format!("highest {arguments}"),
        "COUNT" if is_distinct => format!("number of different {arguments}"),
        "COUNT" => format!("number of {arguments}"),
        _ => format!("{name} {arguments}"),
    }
}
