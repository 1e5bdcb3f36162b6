//! Failures about names that do not exist.

use firn_sql::Failure;
use firn_sql::names::display_identifier;

const PARENT_ROW: &str = "__PARENT.";

/// Where no statement has an identifier.
const NO_PLACE: &str = " error line 1 at position 0\n";

/// `locate_identifier` fills in the position.
pub fn invalid_identifier(name: &str) -> Failure {
    identifier_at(name, 1, 0)
}

fn identifier_at(name: &str, line: u64, position: u64) -> Failure {
    Failure::new(
        "000904",
        "42000",
        format!("SQL compilation error: error line {line} at position {position}\ninvalid identifier '{name}'"),
    )
}

/// An identifier as the statement's text has it: line from 1, position from 0.
pub struct FoundIdentifier {
    pub name: String,
    pub line: u64,
    pub position: u64,
}

/// Puts the place where the statement's text has the identifier into an "invalid identifier" failure.
pub fn locate_identifier(failure: Failure, find: impl FnOnce(&str) -> Option<FoundIdentifier>) -> Failure {
    // Errors of the binder have a position already.
    let is_placed = failure.message.contains(" error line ") && !failure.message.contains(NO_PLACE);
    if failure.code != "000904" || is_placed {
        return failure;
    }
    let Some((_, name)) = failure.message.split_once("invalid identifier '") else { return failure };
    let name = name.trim_end_matches('\'');
    // Columns after PRIOR are qualified with the subquery of the rewrite.
    let name = name.strip_prefix(PARENT_ROW).unwrap_or(name);
    let own_name = with_own_table(name);
    match find(own_name.as_deref().unwrap_or(name)) {
        Some(FoundIdentifier { name, line, position }) => identifier_at(&name, line, position),
        None => failure,
    }
}

/// A table that is called like a column had a space added to its name.
fn with_own_table(name: &str) -> Option<String> {
    let (table, column) = name.strip_prefix('"')?.split_once(" \".")?;
    Some(format!("{}.{column}", display_identifier(table)))
}
