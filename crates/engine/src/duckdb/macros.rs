//! Functions of the dialect that are expressions of the engine's: macros, made once per instance in the
//! engine's own in-memory catalog, where every session and every view finds them.

use super::connection::Connection;
use crate::EngineError;

/// In this order, for a macro may only use those before it.
const FILES: &[&str] = &[
    include_str!("macros/numbers.sql"),
    include_str!("macros/conversions.sql"),
    include_str!("macros/bits.sql"),
    include_str!("macros/hashes.sql"),
    include_str!("macros/patterns.sql"),
    include_str!("macros/generation.sql"),
    include_str!("macros/text.sql"),
    include_str!("macros/dates.sql"),
    include_str!("macros/tables.sql"),
    include_str!("macros/files.sql"),
];

pub(crate) fn create(connection: &Connection) -> Result<(), EngineError> {
    for statement in FILES.iter().flat_map(|file| statements(file)) {
        connection.execute(statement)?;
    }
    Ok(())
}

/// Statements end with a semicolon at the end of a line.
fn statements(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.split(";\n").map(str::trim).filter(|statement| !statement.is_empty())
}
