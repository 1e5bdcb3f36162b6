//! Answers for programs: a line of JSON for each, as the server gives it, with the rows of its SQL.

use std::error::Error;

use serde_json::Value;
use serde_json::value::RawValue;

use super::conversation::{Conversation, blocks};
use crate::output::outln;
use crate::server::Server;
use crate::table_output::json_rows;

/// Prints the answer to a question. With a server, its SQL is run there.
pub fn answer(
    conversation: &mut Conversation<'_>,
    question: &str,
    server: Option<&Server>,
) -> Result<(), Box<dyn Error>> {
    let answer = conversation.ask_at_once(question)?;
    let statement = blocks(&answer).find_map(|block| block["statement"].as_str());
    let rows = match (server, statement) {
        (Some(server), Some(statement)) => Some(json_rows(&server.rows(statement)?)?),
        _ => None,
    };
    outln!("{}", line(&answer, rows.as_deref())?);
    Ok(())
}

/// The rows are written as they are: their numbers have more digits than a number here.
fn line(answer: &Value, rows: Option<&RawValue>) -> Result<String, Box<dyn Error>> {
    #[derive(serde::Serialize)]
    struct Line<'a> {
        #[serde(flatten)]
        answer: &'a Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        rows: Option<&'a RawValue>,
    }
    Ok(serde_json::to_string(&Line { answer, rows })?)
}
