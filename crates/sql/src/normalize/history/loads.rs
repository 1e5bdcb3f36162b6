//! COPY_HISTORY: the files that were loaded into one table.

use super::call::{Call, is_there, object_of};
use crate::names::{INFORMATION_SCHEMA, quote_identifier, quote_literal};
use crate::{Failure, print};

const PARAMETERS: [&str; 3] = ["TABLE_NAME", "START_TIME", "END_TIME"];

pub(super) fn query(call: &Call<'_>) -> Result<Option<String>, Failure> {
    if call.name != "COPY_HISTORY" {
        return Ok(None);
    }
    let (mut table, mut conditions, mut starts) = (None, Vec::new(), false);
    for (name, value) in call.arguments(&PARAMETERS)? {
        match name {
            "TABLE_NAME" => table = Some(object_of(name, value)?),
            "START_TIME" => {
                starts = true;
                conditions.push(format!("LAST_LOAD_TIME >= {}", print::sql(value)));
            }
            _ => conditions.push(format!("LAST_LOAD_TIME <= {}", print::sql(value))),
        }
    }
    let table = table.ok_or_else(|| call.missing("TABLE_NAME"))?;
    if !starts {
        return Err(call.missing("START_TIME"));
    }
    let of_session = |part: Option<&str>, context: &str| part.map_or_else(|| context.to_owned(), quote_literal);
    conditions.push(format!("TABLE_SCHEMA_NAME = {}", of_session(table.schema.as_deref(), "CURRENT_SCHEMA()")));
    conditions.push(format!("TABLE_NAME = {}", quote_literal(&table.name)));
    conditions.push(is_there(&table));
    let database = table.database.as_deref().map_or_else(String::new, |name| format!("{}.", quote_identifier(name)));
    Ok(Some(format!(
        "SELECT * FROM {database}{INFORMATION_SCHEMA}.COPY_HISTORY WHERE {} ORDER BY LAST_LOAD_TIME DESC",
        conditions.join(" AND ")
    )))
}
