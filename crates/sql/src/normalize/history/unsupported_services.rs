//! Functions about services that do not exist here: their columns and no rows.

use super::call::{Call, is_there, object_of, text_of};
use crate::Failure;
use crate::unsupported::{FUNCTIONS, FUNCTIONS_OF_OBJECTS, dialect_type, empty_columns};

pub(super) fn query(call: &Call<'_>) -> Result<Option<String>, Failure> {
    if let Some(absent) = FUNCTIONS.iter().find(|absent| absent.name == call.name) {
        let parameters: Vec<&'static str> = absent.arguments.split_whitespace().collect();
        call.arguments(&parameters)?;
        return Ok(Some(nothing(call, absent.columns, "FALSE")));
    }
    let Some(absent) = FUNCTIONS_OF_OBJECTS.iter().find(|absent| absent.name == call.name) else { return Ok(None) };
    let parameters: Vec<&'static str> = absent.arguments.split_whitespace().collect();
    let arguments = call.arguments(&parameters)?;
    let given = |place: usize| {
        let wanted = parameters[place];
        let found = arguments.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, value)| *value).ok_or_else(|| call.missing(wanted))
    };
    let object = object_of(parameters[0], given(0)?)?;
    let domain = text_of(parameters[1], given(1)?)?.to_ascii_uppercase();
    match domain.as_str() {
        "TABLE" | "VIEW" => {}
        other => return Err(call.refused(&format!("the domain {other}"))),
    }
    Ok(Some(nothing(call, absent.columns, &format!("{} AND FALSE", is_there(&object)))))
}

fn nothing(call: &Call<'_>, columns: &str, condition: &str) -> String {
    let columns = empty_columns(columns, dialect_type);
    format!("SELECT {columns} FROM {} WHERE {condition}", call.view("INFORMATION_SCHEMA_CATALOG_NAME"))
}
