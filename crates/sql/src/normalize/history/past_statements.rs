//! QUERY_HISTORY and its kin: what ran.

use super::call::Call;
use crate::ast::{Expr, Value};
use crate::names::quote_literal;
use crate::stages::read_identifier;
use crate::{Failure, print};

const ROWS_DEFAULT: u32 = 100;
const ROWS_MAX: u32 = 10_000;

/// The argument that chooses whose statements, called like its column, and what it is without being given.
struct Choice {
    column: &'static str,
    default: &'static str,
}

const FUNCTIONS: [(&str, Option<Choice>); 4] = [
    ("QUERY_HISTORY", None),
    ("QUERY_HISTORY_BY_SESSION", Some(Choice { column: "SESSION_ID", default: "CURRENT_SESSION()" })),
    ("QUERY_HISTORY_BY_USER", Some(Choice { column: "USER_NAME", default: "CURRENT_USER()" })),
    ("QUERY_HISTORY_BY_WAREHOUSE", Some(Choice { column: "WAREHOUSE_NAME", default: "CURRENT_WAREHOUSE()" })),
];

pub(super) fn query(call: &Call<'_>) -> Result<Option<String>, Failure> {
    let Some((_, choice)) = FUNCTIONS.iter().find(|(known, _)| *known == call.name) else { return Ok(None) };
    let mut parameters: Vec<&'static str> = choice.iter().map(|choice| choice.column).collect();
    parameters.extend([
        "END_TIME_RANGE_START",
        "END_TIME_RANGE_END",
        "RESULT_LIMIT",
        "INCLUDE_CLIENT_GENERATED_STATEMENT",
    ]);
    let mut conditions = Vec::new();
    let mut rows = ROWS_DEFAULT;
    let mut of_clients = "FALSE".to_owned();
    let mut chosen = choice.as_ref().map(|choice| condition(choice.column, choice.default.to_owned()));
    for (name, value) in call.arguments(&parameters)? {
        let text = print::sql(value);
        match name {
            "END_TIME_RANGE_START" => {
                conditions.push(format!("(END_TIME >= {text} OR END_TIME IS NULL)"));
            }
            "END_TIME_RANGE_END" => conditions.push(format!("END_TIME <= {text}")),
            "RESULT_LIMIT" => rows = limit(&text)?,
            "INCLUDE_CLIENT_GENERATED_STATEMENT" => of_clients = text,
            column => chosen = Some(condition(column, folded(value).unwrap_or(text))),
        }
    }
    conditions.extend(chosen);
    conditions.push(format!("(NOT IS_CLIENT_GENERATED_STATEMENT OR {of_clients})"));
    let view = call.view("QUERY_HISTORY");
    Ok(Some(format!("SELECT * FROM {view} WHERE {} ORDER BY START_TIME DESC LIMIT {rows}", conditions.join(" AND "))))
}

fn condition(column: &str, value: String) -> String {
    match column {
        "SESSION_ID" => format!("SESSION_ID = TO_NUMBER({value})"),
        column => format!("{column} = {value}"),
    }
}

/// A name in a text is folded as every name is.
fn folded(value: &Expr) -> Option<String> {
    let Expr::Value(literal) = value else { return None };
    let Value::SingleQuotedString(text) = &literal.value else { return None };
    read_identifier(text).map(|name| quote_literal(&name))
}

fn limit(text: &str) -> Result<u32, Failure> {
    text.parse()
        .ok()
        .filter(|rows| (1..=ROWS_MAX).contains(rows))
        .ok_or_else(|| Failure::invalid_value("RESULT_LIMIT", text, "use a number from 1 to 10000"))
}
