//! Each family of statements, classified; and errors with their place in the request.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use crate::command::Command;
use crate::testing::parse;

/// The classified command as its debug text, without the noise of `Some` and quotes.
fn shape(text: &str) -> String {
    let command = parse(text).unwrap_or_else(|failure| panic!("{text}: {}", failure.message)).command;
    let shape = match &command {
        Command::Query(_) => "Query".to_owned(),
        Command::Dml(dml) => format!("{:?} {}", dml.kind, dml.target),
        other => format!("{other:?}"),
    };
    let named = "ObjectName { database: None, schema: None, name: ";
    shape.replace(named, "{ ").replace("SchemaName { database: None, schema: ", "{ ").replace('"', "")
}

fn check(text: &str, parts: &[&str]) {
    let shape = shape(text);
    for part in parts {
        assert!(shape.contains(part), "{text}\n  lacks {part}\n  in {shape}");
    }
}

fn refused(text: &str, code: &str, message: &str) {
    let failure = parse(text).unwrap_err();
    assert_eq!(failure.code, code, "{text}: {}", failure.message);
    assert!(failure.message.contains(message), "{text}: {}", failure.message);
}

mod account;
mod errors;
mod objects;
mod stages;
