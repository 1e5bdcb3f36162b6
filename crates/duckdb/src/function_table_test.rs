//! The function table against a real instance: the engine has every function that the table lowers calls to.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashSet;

use firn_duckdb_lower::macros;
use firn_sql::functions::{EngineCall, FunctionClass, FunctionEntry, all};

use super::connection_test::connect;

/// What the engine's grammar calls without having a function of the name.
const GRAMMAR: [&str; 1] = ["coalesce"];

fn engine_functions() -> HashSet<String> {
    let connection = connect();
    for definition in macros::definitions() {
        connection.execute(definition).unwrap();
    }
    let rows = connection.rows("SELECT DISTINCT lower(function_name) FROM duckdb_functions()").unwrap();
    rows.into_iter().flatten().flatten().collect()
}

fn names(wrong: impl Iterator<Item = &'static FunctionEntry>) -> Vec<&'static str> {
    wrong.map(|entry| entry.name).collect()
}

#[test]
fn every_function_is_called_by_a_name_that_the_engine_has() {
    let known = engine_functions();
    let is_missing = |entry: &&FunctionEntry| match entry.engine_call {
        EngineCall::Named(name) => !known.contains(name) && !GRAMMAR.contains(&name),
        EngineCall::SameName => !known.contains(&entry.name.to_ascii_lowercase()),
        EngineCall::Rewritten | EngineCall::Never => false,
    };
    let missing = names(all().filter(is_missing));
    assert!(missing.is_empty(), "the engine has nothing that {missing:?} could be called by");
}

#[test]
fn what_the_engine_has_by_the_same_name_is_not_said_to_be_rewritten() {
    let known = engine_functions();
    let is_there = |entry: &&FunctionEntry| {
        entry.class != FunctionClass::Table
            && entry.engine_call == EngineCall::Rewritten
            && known.contains(&entry.name.to_ascii_lowercase())
    };
    let there = names(all().filter(is_there));
    assert!(there.is_empty(), "the engine has functions of the names {there:?}");
}
