//! Questions that follow each other: each goes with what was said before.

use std::error::Error;
use std::io::{BufRead, IsTerminal, Write};

use serde_json::{Value, json};

use super::answer::Answer;
use super::events;
use crate::output::{out, sayln};
use crate::server::{Detail, Server};

const HELP: &str = "Ask a question, or type the number of a suggestion. `new` begins anew, `quit` ends.";

/// What is done with the SQL of an answer.
pub type RunStatement<'run> = &'run mut dyn FnMut(&str) -> Result<(), Box<dyn Error>>;

/// What is done with a question.
pub type AskQuestion<'run, 'server> =
    &'run mut dyn FnMut(&mut Conversation<'server>, &str) -> Result<(), Box<dyn Error>>;

pub struct Conversation<'a> {
    server: &'a Server,
    field: &'static str,
    model: String,
    detail: Detail,
    messages: Vec<Value>,
    /// Questions that the last answer offered.
    offered: Vec<String>,
    is_answered: bool,
}

impl<'a> Conversation<'a> {
    pub fn new(server: &'a Server, field: &'static str, model: String, detail: Detail) -> Self {
        Self { server, field, model, detail, messages: Vec::new(), offered: Vec::new(), is_answered: false }
    }

    /// Whether the last question was answered with SQL.
    pub fn is_answered(&self) -> bool {
        self.is_answered
    }

    /// Questions from the standard input, until it ends. A question that fails does not end the conversation; where no person
    /// types, the first failure is its outcome.
    pub fn read_on(&mut self, ask: AskQuestion<'_, 'a>) -> Result<(), Box<dyn Error>> {
        let is_terminal = std::io::stdin().is_terminal();
        if is_terminal {
            sayln!("{HELP}");
        }
        let mut lines = std::io::stdin().lock().lines();
        let mut failed = None;
        loop {
            if is_terminal {
                out!("> ");
                std::io::stdout().flush()?;
            }
            let line = lines.next().transpose()?.unwrap_or_else(|| "quit".to_owned());
            match line.trim() {
                "" => {}
                "quit" | "exit" => return failed.filter(|_| !is_terminal).map_or(Ok(()), Err),
                "new" => {
                    self.messages.clear();
                    self.offered.clear();
                }
                "?" => sayln!("{HELP}"),
                question => {
                    if let Err(error) = ask(self, question) {
                        sayln!("firn: {error}");
                        failed.get_or_insert(error);
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
        let mut body = self.request(question);
        body["stream"] = json!(true);
        let arriving = self.server.ask_for_events(&body, self.detail)?;
        let mut answer = Answer::default();
        events::each(arriving.into_body().into_reader(), |event, data| answer.take(event, data))?;
        answer.finish();
        self.follow(body, answer.message(), std::mem::take(&mut answer.suggestions));
        self.is_answered = answer.statement.is_some();
        match answer.statement {
            Some(statement) => run(&statement),
            None => Ok(()),
        }
    }

    /// The whole answer as the server gives it.
    pub fn ask_at_once(&mut self, question: &str) -> Result<Value, Box<dyn Error>> {
        let body = self.request(question);
        let answer = self.server.ask(&body, self.detail)?;
        let offered = blocks(&answer).flat_map(|block| block["suggestions"].as_array().into_iter().flatten());
        let offered = offered.filter_map(Value::as_str).map(str::to_owned).collect();
        self.follow(body, answer["message"].clone(), offered);
        self.is_answered = blocks(&answer).any(|block| block["statement"].is_string());
        Ok(answer)
    }

    /// The question behind all that was said before.
    fn request(&self, question: &str) -> Value {
        let asked = json!({"role": "user", "content": [{"type": "text", "text": self.meant(question)}]});
        let messages: Vec<&Value> = self.messages.iter().chain([&asked]).collect();
        let mut body = json!({"messages": messages});
        body[self.field] = json!(self.model);
        body
    }

    /// What was asked and answered goes before the next question.
    fn follow(&mut self, mut asked: Value, answer: Value, offered: Vec<String>) {
        if let Value::Array(messages) = asked["messages"].take() {
            self.messages = messages;
        }
        self.messages.push(answer);
        self.offered = offered;
    }
}

/// The blocks of an answer's message.
pub fn blocks(answer: &Value) -> impl Iterator<Item = &Value> {
    answer["message"]["content"].as_array().into_iter().flatten()
}
