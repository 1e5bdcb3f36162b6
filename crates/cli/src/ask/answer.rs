//! An answer while it arrives: its text is shown at once, and its blocks are put together for the question that follows.

use std::error::Error;
use std::io::{self, IsTerminal, Write};

use serde_json::{Value, json};

use super::rendering::{certainty, explained};
use crate::output::{out, outln, sayln};

#[derive(Default)]
pub struct Answer {
    blocks: Vec<Value>,
    /// Questions that are offered instead of an answer, or beside one.
    pub suggestions: Vec<String>,
    pub statement: Option<String>,
    metadata: Value,
    /// Whether the line that is shown has no end yet.
    line_is_open: bool,
    status_is_shown: bool,
}

impl Answer {
    pub fn take(&mut self, event: &str, data: &Value) -> Result<(), Box<dyn Error>> {
        match event {
            "status" => self.show_status(data["status_message"].as_str().unwrap_or_default()),
            "message.content.delta" => self.take_delta(data)?,
            "warnings" => {
                self.end_line();
                for warning in data["warnings"].as_array().into_iter().flatten() {
                    sayln!("warning: {}", warning["message"].as_str().unwrap_or_default());
                }
            }
            "response_metadata" => self.metadata = data.clone(),
            "error" => {
                self.end_line();
                return Err(data["message"]
                    .as_str()
                    .unwrap_or("the question cannot be answered")
                    .replace('\n', " ")
                    .into());
            }
            _ => {}
        }
        Ok(())
    }

    /// What is known of the whole answer.
    pub fn finish(&mut self) {
        self.end_line();
        if self.statement.is_some() {
            out!("{}", certainty(&self.metadata));
        }
        out!("{}", explained(&self.metadata["explanation"]));
    }

    /// The answer as a message of the conversation.
    pub fn message(&self) -> Value {
        json!({"role": "analyst", "content": self.blocks})
    }

    fn take_delta(&mut self, delta: &Value) -> Result<(), Box<dyn Error>> {
        self.hide_status();
        match delta["type"].as_str() {
            Some("text") => {
                let piece = delta["text_delta"].as_str().unwrap_or_default();
                append(self.block(delta, || json!({"type": "text", "text": ""})), "text", piece);
                out!("{piece}");
                self.line_is_open = true;
                io::stdout().flush()?;
            }
            Some("sql") => {
                let statement = delta["statement_delta"].as_str().unwrap_or_default();
                let confidence = delta["confidence"].clone();
                *self.block(delta, || Value::Null) =
                    json!({"type": "sql", "statement": statement, "confidence": confidence});
                self.end_line();
                outln!("{statement}\n");
                self.statement = Some(statement.to_owned());
            }
            Some("suggestions") => self.take_suggestion(delta)?,
            _ => {}
        }
        Ok(())
    }

    fn take_suggestion(&mut self, delta: &Value) -> Result<(), Box<dyn Error>> {
        let piece = delta["suggestions_delta"]["suggestion_delta"].as_str().unwrap_or_default();
        let index = delta["suggestions_delta"]["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        let is_new = index.is_some_and(|index| index >= self.suggestions.len());
        if is_new {
            if self.suggestions.is_empty() {
                self.end_line();
            } else {
                outln!("");
            }
            self.suggestions.push(String::new());
            out!("{}. ", self.suggestions.len());
        }
        if let Some(last) = self.suggestions.last_mut() {
            last.push_str(piece);
        }
        out!("{piece}");
        io::stdout().flush()?;
        let suggestions = json!({"type": "suggestions", "suggestions": self.suggestions});
        *self.block(delta, || Value::Null) = suggestions;
        Ok(())
    }

    /// The block that a delta belongs to.
    fn block(&mut self, delta: &Value, empty: impl Fn() -> Value) -> &mut Value {
        let index = delta["index"].as_u64().and_then(|index| usize::try_from(index).ok()).unwrap_or_default();
        // A server sends blocks in their order; a far index would be none of them.
        let index = index.min(self.blocks.len());
        if index == self.blocks.len() {
            self.blocks.push(empty());
        }
        &mut self.blocks[index]
    }

    /// An empty line follows a text.
    fn end_line(&mut self) {
        self.hide_status();
        if std::mem::take(&mut self.line_is_open) {
            outln!("\n");
        } else if !self.suggestions.is_empty() && self.statement.is_none() {
            outln!("");
        }
    }

    fn show_status(&mut self, status: &str) {
        if io::stderr().is_terminal() && !self.line_is_open && self.blocks.is_empty() {
            let _ = write!(io::stderr(), "\r\u{1b}[K{status} …");
            self.status_is_shown = true;
        }
    }

    fn hide_status(&mut self) {
        if std::mem::take(&mut self.status_is_shown) {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}

fn append(block: &mut Value, field: &str, piece: &str) {
    let text = block[field].as_str().unwrap_or_default().to_owned() + piece;
    block[field] = Value::from(text);
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn deltas_make_the_message() {
        let mut answer = Answer::default();
        for delta in [
            json!({"index": 0, "type": "text", "text_delta": "We read "}),
            json!({"index": 0, "type": "text", "text_delta": "it so."}),
            json!({"index": 1, "type": "sql", "statement_delta": "SELECT 1", "confidence": null}),
            json!({"index": 2, "type": "suggestions", "suggestions_delta": {"index": 0, "suggestion_delta": "How "}}),
            json!({"index": 2, "type": "suggestions", "suggestions_delta": {"index": 0, "suggestion_delta": "many?"}}),
            json!({"index": 2, "type": "suggestions", "suggestions_delta": {"index": 1, "suggestion_delta": "Which?"}}),
        ] {
            answer.take("message.content.delta", &delta).unwrap();
        }
        let content = json!([{"type": "text", "text": "We read it so."},
            {"type": "sql", "statement": "SELECT 1", "confidence": null},
            {"type": "suggestions", "suggestions": ["How many?", "Which?"]}]);
        assert_eq!(answer.message(), json!({"role": "analyst", "content": content}));
        assert_eq!(answer.statement.as_deref(), Some("SELECT 1"));
        assert_eq!(answer.suggestions, ["How many?", "Which?"]);
    }

    #[test]
    fn an_error_ends_the_answer() {
        let error = Answer::default().take("error", &json!({"message": "No such model."})).unwrap_err();
        assert_eq!(error.to_string(), "No such model.");
    }
}
