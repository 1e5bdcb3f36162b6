//! SET: the values of one row become variables of the session.

use firn_engine::{ExecutionContext, Session};
use firn_sql::command::{Command, SetVariables};
use firn_sql::{Constant, Failure, Variables};

use crate::clock::now_ms;
use crate::evaluate::{Table, table_of};
use crate::reads::Reads;
use crate::run_error::RunError;

/// The longest value of a variable, in bytes.
const VALUE_BYTES_MAX: usize = 256;

/// A session's variables, and when each of them was set first and last.
#[derive(Clone, Debug, Default)]
pub struct SessionVariables {
    pub values: Variables,
    pub times: std::collections::BTreeMap<String, Times>,
    /// What the values were read from.
    pub reads: Reads,
}

#[derive(Clone, Copy, Debug)]
pub struct Times {
    pub created_on_ms: i64,
    pub updated_on_ms: i64,
}

impl SessionVariables {
    pub fn set(&mut self, name: &str, value: Constant) {
        let now = now_ms();
        let times = self.times.entry(name.to_owned()).or_insert(Times { created_on_ms: now, updated_on_ms: now });
        times.updated_on_ms = now;
        self.values.insert(name.to_owned(), value);
    }

    pub fn unset(&mut self, name: &str) {
        self.values.remove(name);
        self.times.remove(name);
    }
}

/// Sets all of the variables or none.
pub fn set(
    session: &mut dyn Session,
    variables: &mut SessionVariables,
    command: &SetVariables,
    context: &ExecutionContext,
) -> Result<(), RunError> {
    let query = Command::Query(command.query.clone());
    let table = table_of(session, &query, context, 1)?;
    let values = values_of(&table, &command.names)?;
    for (name, value) in command.names.iter().zip(values) {
        variables.set(&name.to_uppercase(), value);
    }
    Ok(())
}

fn values_of(table: &Table, names: &[String]) -> Result<Vec<Constant>, Failure> {
    if table.rows.len() != 1 || table.columns.len() != names.len() {
        let message = format!(
            "SQL compilation error:\n{} variables cannot be set from {} rows of {} columns; give one row with a value for each.",
            names.len(),
            table.rows.len(),
            table.columns.len()
        );
        return Err(Failure::new("001420", "22000", message));
    }
    let value = |(index, name): (usize, &String)| {
        let value = table.value(0, index);
        let value =
            value.ok_or_else(|| Failure::invalid_value(&format!("variable {name}"), "…", "cast it to VARCHAR"))?;
        match value.text.as_ref().map_or(0, String::len) {
            0..=VALUE_BYTES_MAX => Ok(value),
            length => {
                let message = format!(
                    "Assignment to '{name}' not done because value of {length} bytes is longer than the {VALUE_BYTES_MAX} allowed."
                );
                Err(Failure::new("001090", "22000", message))
            }
        }
    };
    names.iter().enumerate().map(value).collect()
}
