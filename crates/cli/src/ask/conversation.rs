//! Questions that follow each other: each goes with what was said before.

use std::error::Error;
use std::io::{BufRead, IsTerminal, Write};

use serde_json::{Value, json};

use super::Statement;
use super::rendering::{certainty, explained, table_text};
use crate::output::{out, outln};
use crate::server::{Detail, Server};

const HELP: &str = "Ask a question, or type the number of a suggestion. `new` begins anew, `quit` ends.";

pub struct Conversation {
    server: Server,
    field: &'static str,
    model: String,
    detail: Detail,
    statement: Statement,
    messages: Vec<Value>,
    /// Questions that the last answer offered.
    offered: Vec<String>,
}

impl Conversation {
    pub fn new(server: Server, field: &'static str, model: String, detail: Detail, statement: Statement) -> Self {
        Self { server, field, model, detail, statement, messages: Vec::new(), offered: Vec::new() }
    }

    /// Questions from the standard input, until it ends. A question that fails does not end the conversation.
    pub fn read_on(&mut self) -> Result<(), Box<dyn Error>> {
        let is_terminal = std::io::stdin().is_terminal();
        if is_terminal {
            outln!("{HELP}");
        }
        let mut lines = std::io::stdin().lock().lines();
        loop {
            if is_terminal {
                out!("> ");
                std::io::stdout().flush()?;
            }
            let Some(line) = lines.next().transpose()? else { return Ok(()) };
            match line.trim() {
                "" => {}
                "quit" | "exit" => return Ok(()),
                "new" => {
                    self.messages.clear();
                    self.offered.clear();
                }
                "?" => outln!("{HELP}"),
                question => {
                    let question = self.meant(question);
                    if let Err(error) = self.ask(&question) {
                        eprintln!("firn: {error}");
                    }
                }
            }
        }
    }

    /// A number stands for what the last answer offered under it.
    fn meant(&self, line: &str) -> String {
        let offered = line.parse::<usize>().ok().and_then(|number| self.offered.get(number.checked_sub(1)?));
        offered.cloned().unwrap_or_else(|| line.to_owned())
    }

    pub fn ask(&mut self, question: &str) -> Result<(), Box<dyn Error>> {
        let asked = json!({"role": "user", "content": [{"type": "text", "text": question}]});
        let mut messages = self.messages.clone();
        messages.push(asked);
        let mut body = json!({"messages": messages});
        body[self.field] = json!(self.model);
        let answer = self.server.ask(&body, self.detail)?;
        messages.push(answer["message"].clone());
        self.messages = messages;
        self.print(&answer)
    }

    fn print(&mut self, answer: &Value) -> Result<(), Box<dyn Error>> {
        self.offered.clear();
        for warning in answer["warnings"].as_array().into_iter().flatten() {
            eprintln!("warning: {}", warning["message"].as_str().unwrap_or_default());
        }
        out!("{}", explained(&answer["response_metadata"]["explanation"]));
        for block in answer["message"]["content"].as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some("text") => outln!("{}\n", block["text"].as_str().unwrap_or_default()),
                Some("sql") => {
                    let statement = block["statement"].as_str().unwrap_or_default();
                    outln!("{statement}\n");
                    out!("{}", certainty(&answer["response_metadata"]));
                    if self.statement == Statement::Run {
                        out!("{}", table_text(&self.server.rows(statement)?));
                    }
                }
                Some("suggestions") => {
                    for (index, suggestion) in block["suggestions"].as_array().into_iter().flatten().enumerate() {
                        let suggestion = suggestion.as_str().unwrap_or_default();
                        outln!("{}. {suggestion}", index + 1);
                        self.offered.push(suggestion.to_owned());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}
