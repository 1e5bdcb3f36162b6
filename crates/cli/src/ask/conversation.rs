//! Questions that follow each other: each goes with what was said before.

use std::error::Error;
use std::io::{BufRead, IsTerminal, Write};

use serde_json::{Value, json};

use super::answer::Answer;
use super::events;
use crate::output::{out, outln, sayln};
use crate::server::{Detail, Server};

const HELP: &str = "Ask a question, or type the number of a suggestion. `new` begins anew, `quit` ends.";

/// What is done with the SQL of an answer.
pub type RunStatement<'run> = &'run mut dyn FnMut(&str) -> Result<(), Box<dyn Error>>;

pub struct Conversation<'a> {
    server: &'a Server,
    field: &'static str,
    model: String,
    detail: Detail,
    messages: Vec<Value>,
    /// Questions that the last answer offered.
    offered: Vec<String>,
}

impl<'a> Conversation<'a> {
    pub fn new(server: &'a Server, field: &'static str, model: String, detail: Detail) -> Self {
        Self { server, field, model, detail, messages: Vec::new(), offered: Vec::new() }
    }

    /// Questions from the standard input, until it ends. A question that fails does not end the conversation.
    pub fn read_on(&mut self, run: RunStatement<'_>) -> Result<(), Box<dyn Error>> {
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
                    if let Err(error) = self.ask(question, run) {
                        sayln!("firn: {error}");
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

    pub fn ask(&mut self, question: &str, run: RunStatement<'_>) -> Result<(), Box<dyn Error>> {
        let question = self.meant(question);
        let asked = json!({"role": "user", "content": [{"type": "text", "text": question}]});
        let mut messages = self.messages.clone();
        messages.push(asked);
        let mut body = json!({"messages": messages, "stream": true});
        body[self.field] = json!(self.model);
        let arriving = self.server.ask_for_events(&body, self.detail)?;
        let mut answer = Answer::default();
        events::each(arriving.into_body().into_reader(), |event, data| answer.take(event, data))?;
        answer.finish();
        messages.push(answer.message());
        self.messages = messages;
        self.offered = std::mem::take(&mut answer.suggestions);
        match answer.statement {
            Some(statement) => run(&statement),
            None => Ok(()),
        }
    }
}
