//! Type errors of the dialect that the engine would accept: TRY_CAST of what is no text, a condition that is not boolean,
//! and branches of a set operation without a common type.

use firn_sql::Failure;
use firn_sql::ast::Expr;
use firn_sql::command::DataType;

use super::columns::Columns;
use super::kinds::{Kind, Kinds};

/// TRY_CAST takes texts only.
pub(super) fn tried(kinds: &Kinds, columns: &Columns, value: &Expr, target: &DataType) -> Result<(), Failure> {
    match kinds.kind(value) {
        None | Some(Kind::Null | Kind::Text) => Ok(()),
        Some(Kind::SemiStructured) if matches!(target, DataType::Structured(_)) => Ok(()),
        // The name of what FLATTEN finds may be that of a text too.
        Some(Kind::SemiStructured) if matches!(value, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) => Ok(()),
        Some(kind) => {
            let (given, wanted) = (type_of(kind, columns, value), target.full_name());
            let text = format!("Function TRY_CAST cannot be used with arguments of types {given} and {wanted}");
            Err(compilation("001065", "22023", &text))
        }
    }
}

pub(super) fn condition(kinds: &Kinds, columns: &Columns, condition: &Expr) -> Result<(), Failure> {
    match kinds.kind(condition) {
        Some(kind) if kind.is_temporal() || matches!(kind, Kind::Exact | Kind::Float | Kind::Binary) => {
            let given = type_of(kind, columns, condition);
            let shown = columns.bound().display(condition);
            let text = match condition {
                Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                    format!("Invalid data type [{given}] for predicate [{shown}]")
                }
                _ => format!("Invalid data type [{given}] for predicate {shown}"),
            };
            Err(compilation("002023", "22000", &text))
        }
        _ => Ok(()),
    }
}

/// The values of one column in all branches.
pub(super) fn branches(kinds: &Kinds, columns: &Columns, values: &[&mut Expr]) -> Result<(), Failure> {
    let mut first: Option<(Kind, String)> = None;
    for value in values {
        let kind = match kinds.kind(value) {
            None => return Ok(()),
            Some(Kind::Null) => continue,
            Some(kind) => kind,
        };
        let given = type_of(kind, columns, value);
        match &first {
            None => first = Some((kind, given)),
            Some((known, wanted)) if differ(*known, wanted, kind, &given) => {
                let text = format!(
                    "inconsistent data type for result columns for set operator input branches, expected {wanted}, got {given}"
                );
                return Err(compilation("001790", "42601", &text));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn differ(left: Kind, left_type: &str, right: Kind, right_type: &str) -> bool {
    let is_plain = |kind: Kind| matches!(kind, Kind::Exact | Kind::Float | Kind::Boolean | Kind::Binary);
    match (left, right) {
        (Kind::SemiStructured, Kind::SemiStructured) => false,
        (Kind::SemiStructured, _) => left_type != "VARIANT",
        (_, Kind::SemiStructured) => right_type != "VARIANT",
        (Kind::Time, other) | (other, Kind::Time) if other.is_temporal() => other != Kind::Time,
        (temporal, other) | (other, temporal) if temporal.is_temporal() => is_plain(other),
        _ => false,
    }
}

fn type_of(kind: Kind, columns: &Columns, value: &Expr) -> String {
    let bound = columns.bound().type_of(value);
    let declared = bound.data_type.data_type().filter(|data_type| Kind::of_type(data_type) == kind);
    match (declared, kind) {
        (Some(data_type), _) => data_type.full_name(),
        (None, Kind::Exact) => "NUMBER(38,0)".to_owned(),
        (None, Kind::Text) => "VARCHAR".to_owned(),
        (None, Kind::Binary) => "BINARY".to_owned(),
        (None, Kind::SemiStructured) => "VARIANT".to_owned(),
        (None, kind) => kind.data_type().map(|data_type| data_type.full_name()).unwrap_or_default(),
    }
}

fn compilation(code: &'static str, sql_state: &'static str, text: &str) -> Failure {
    Failure::new(code, sql_state, format!("SQL compilation error:\n{text}"))
}
