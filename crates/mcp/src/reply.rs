//! What a tool answers: JSON as text, or an error that the caller can read and act on.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Value, json};

use crate::api::{Answer, Unreachable};

#[derive(Debug)]
pub struct ToolError(Value);

pub type ToolResult = Result<CallToolResult, ToolError>;

impl ToolError {
    pub fn new(message: impl Into<String>) -> Self {
        Self(json!({"message": message.into()}))
    }

    /// What the API says of a request that failed, with the place of the error where it has one.
    pub fn of(answer: &Answer) -> Self {
        let body = answer.json();
        let mut error = json!({"status": answer.status});
        let fields = [
            ("code", "code"),
            ("sqlState", "sql_state"),
            ("message", "message"),
            ("errorLocation", "location"),
            ("statementHandle", "handle"),
        ];
        for (given, shown) in fields {
            if !body[given].is_null() {
                error[shown] = body[given].clone();
            }
        }
        if body["message"].is_null() {
            error["message"] = json!(format!("the server answered {}", answer.status));
        }
        Self(error)
    }
}

impl ToolError {
    /// The statement would have changed something.
    pub fn is_of_read_only_request(&self) -> bool {
        self.0["sql_state"] == "25006"
    }

    pub fn with_way_out(mut self, way_out: &str) -> Self {
        self.0["way_out"] = json!(way_out);
        self
    }
}

impl From<Unreachable> for ToolError {
    fn from(Unreachable(why): Unreachable) -> Self {
        Self::new(why)
    }
}

pub fn success(value: &impl Serialize) -> ToolResult {
    match serde_json::to_string(value) {
        Ok(text) => Ok(CallToolResult::success(vec![ContentBlock::text(text)])),
        Err(error) => Err(ToolError::new(format!("the answer cannot be written: {error}"))),
    }
}

pub fn result(outcome: ToolResult) -> CallToolResult {
    outcome.unwrap_or_else(|ToolError(error)| {
        CallToolResult::error(vec![ContentBlock::text(json!({"error": error}).to_string())])
    })
}
