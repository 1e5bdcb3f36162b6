//! SYSTEM$TYPEOF where the type follows from the text: literals, what is computed from them and from declared columns,
//! and casts to structured types. For anything else a macro returns the type by the engine's type.

use firn_binder::TEXT_LENGTH_MAX;
use firn_sql::ast::{DataType as TreeType, Expr, Function};
use firn_sql::call_search::first_call;
use firn_sql::command::DataType;
use firn_sql::functions::is_aggregate;
use firn_sql::structured_type_of_text;

use super::build::{call, call_name, is_null, plain_arguments, text};
use super::columns::Columns;

pub(super) fn constant(function: &Function, columns: &Columns) -> Option<Expr> {
    if call_name(function)? != "SYSTEM$TYPEOF" {
        return None;
    }
    let &[value] = &plain_arguments(function)?[..] else { return None };
    if is_null(value) {
        return Some(text("NULL[LOB]"));
    }
    if let Expr::Cast { data_type: TreeType::Custom(word, _), .. } = value
        && word.to_string().ends_with(')')
        && let Ok(structured) = structured_type_of_text(&word.to_string())
    {
        return Some(text(&format!("{structured}[LOB]")));
    }
    let bound = columns.bound().type_of(value);
    let data_type = bound.data_type.data_type()?;
    let stored = match data_type {
        DataType::Varchar { length: Some(TEXT_LENGTH_MAX) } => return None,
        DataType::Varchar { .. } | DataType::Structured(_) => "LOB",
        DataType::Number { precision, .. } => match precision {
            0..=2 => "SB1",
            3..=4 => "SB2",
            5..=9 => "SB4",
            10..=18 => "SB8",
            _ => "SB16",
        },
        _ => return None,
    };
    let type_name = text(&format!("{}[{stored}]", data_type.full_name()));
    let is_grouped = |call: &Function| call.over.is_none() && call_name(call).is_some_and(is_aggregate);
    Some(match first_call(value, is_grouped) {
        // The query stays one of groups.
        Some(_) => call("COALESCE", vec![call("ANY_VALUE", vec![type_name.clone()]), type_name]),
        None => type_name,
    })
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn types_follow_from_the_text() {
        check("SELECT SYSTEM$TYPEOF(12.3)", "SELECT 'NUMBER(3,1)[SB2]'");
        check("SELECT SYSTEM$TYPEOF('something')", "SELECT 'VARCHAR(9)[LOB]'");
        check("SELECT SYSTEM$TYPEOF(NULL)", "SELECT 'NULL[LOB]'");
        check("SELECT SYSTEM$TYPEOF(a)", "SELECT firn_type_name(a)");
    }
}
