//! Functions of the dialect that are expressions of the engine's: macros, made once per instance in the
//! engine's own in-memory catalog, where every session and every view finds them.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::connection::Connection;
use crate::EngineError;

/// In this order, for a macro may only use those before it.
const FILES: &[&str] = &[
    include_str!("macros/numbers.sql"),
    include_str!("macros/conversions.sql"),
    include_str!("macros/bits.sql"),
    include_str!("macros/hashes.sql"),
    include_str!("macros/binaries.sql"),
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

/// Whether a macro is chosen by the types of its arguments, or uses one that is.
pub(crate) fn is_overloaded(name: &str) -> bool {
    OVERLOADED.contains(name)
}

static OVERLOADED: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let mut overloaded = HashSet::new();
    let mut bodies: HashMap<&str, &str> = HashMap::new();
    for statement in FILES.iter().flat_map(|file| statements(file)) {
        let Some(definition) = statement.strip_prefix("CREATE MACRO ") else { continue };
        let end = definition.find(|c: char| c == '(' || c.is_whitespace()).unwrap_or(definition.len());
        let (name, body) = definition.split_at(end);
        let signatures = body.lines().filter(|line| line.starts_with("    (")).count();
        let uses_one = |(used, _): (&&'static str, &&str)| overloaded.contains(used) && names(body, used);
        if signatures > 1 || bodies.iter().any(uses_one) {
            overloaded.insert(name);
        }
        bodies.insert(name, body);
    }
    overloaded
});

fn names(body: &str, name: &str) -> bool {
    body.match_indices(name).any(|(at, _)| body[at + name.len()..].starts_with('('))
}

/// Statements end with a semicolon at the end of a line.
fn statements(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.split(";\n").map(str::trim).filter(|statement| !statement.is_empty())
}
