//! Runs texts of statements: sends them, shows what becomes of each, and keeps the session.

mod present;
mod wait;

use std::error::Error;
use std::ops::Range;
use std::time::Instant;

use super::batch::{self, Batch};
use super::script::{Kind, Planned, SessionChange, plan};
use super::session::{NAMES_QUERY, Session, variable_query};
use super::source::Source;
use crate::failure::{Failure, is_closed_output};
use crate::interrupts;
use crate::output::format::Layout;
use crate::server::Server;
use crate::server::rows::Cell;
use crate::server::statements::{Outcome, ResultHead, StatementFailure, Submitted};

pub use present::Destination;

pub struct Runner<'a> {
    pub server: &'a Server,
    pub session: Session,
    pub layout: Layout,
    pub destination: Destination,
    pub timing: Timing,
    pub words: Words,
    pub after_failure: AfterFailure,
    pub mode: Mode,
    /// The handle of the last result that was shown.
    pub last_result: Option<String>,
    /// Whether objects have changed since this was last looked at.
    pub definitions_changed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    Shown,
    Hidden,
}

/// What statements without rows say: `Table T successfully created.`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    Shown,
    Hidden,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterFailure {
    Stop,
    Continue,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Batch,
    Prompt,
}

/// Why a request did not come to its end.
pub enum Stopped {
    /// The statement of this number failed; those before it have run.
    Failed(usize, StatementFailure),
    Other(Box<dyn Error>),
}

impl From<Box<dyn Error>> for Stopped {
    fn from(error: Box<dyn Error>) -> Self {
        Self::Other(error)
    }
}

impl Runner<'_> {
    /// Runs every statement of a text. Failures are shown here, with their place.
    pub fn run(&mut self, text: &str, source: &Source) -> Result<(), Box<dyn Error>> {
        let planned = plan(text).map_err(|failure| {
            source.report(&failure.message, failure.code, failure.sql_state, None);
            Failure::Shown
        })?;
        let (mut from, mut failures) = (0, 0_usize);
        while from < planned.len() {
            if is_interrupted() {
                return Err(Failure::Interrupted.into());
            }
            let range = match batch::next(&planned, from) {
                Batch::Request(range) => range,
                Batch::TooLong(begin) => return Err(too_long(&planned[begin], source)),
            };
            from = match self.run_request(&planned, range.clone()) {
                Ok(()) => range.end,
                Err(Stopped::Other(error)) => return Err(error),
                Err(Stopped::Failed(failed, failure)) => {
                    let statement = &planned[failed];
                    source.report(&failure.message, &failure.code, &failure.sql_state, Some(statement));
                    failures += 1;
                    if self.mode == Mode::Prompt || self.after_failure == AfterFailure::Continue {
                        self.keep_session(&planned[range.start..failed])?;
                    }
                    if self.after_failure == AfterFailure::Stop {
                        return Err(Failure::Shown.into());
                    }
                    batch::behind_failure(&planned, &range, failed)
                }
            };
        }
        if failures > 0 { Err(Failure::Shown.into()) } else { Ok(()) }
    }

    fn run_request(&mut self, planned: &[Planned], range: Range<usize>) -> Result<(), Stopped> {
        let statements = &planned[range.clone()];
        if let [secret] = statements
            && secret.kind == Kind::Secret
        {
            return self.run_secret(secret, range.start);
        }
        let texts: Vec<&str> = statements.iter().map(|statement| statement.source.text.as_str()).collect();
        let prelude = self.session.prelude(&texts.join(" "));
        let changes = changes_of(statements);
        let observers = observers_of(&changes);
        let mut sent: Vec<&str> = prelude.iter().map(String::as_str).chain(texts).collect();
        sent.extend(observers.iter().map(|(_, query)| query.as_str()));
        if sent.len() == 1 && statements.iter().any(Planned::needs_company) {
            sent.push(NAMES_QUERY);
        }
        let begun = Instant::now();
        let submitted = self.submit(&sent, range.start)?;
        self.wait_for_prelude(&submitted, prelude.len(), range.start)?;
        for (offset, statement) in statements.iter().enumerate() {
            let handle = submitted.statements.get(prelude.len() + offset).unwrap_or(&submitted.handle);
            let head = self.wait(&submitted, handle)?;
            let head = head.map_err(|failure| Stopped::Failed(range.start + offset, failure))?;
            self.show(head, statement)?;
            self.note(statement);
        }
        self.show_time(begun);
        let observed = submitted.statements.get(prelude.len() + statements.len()..).unwrap_or_default();
        for ((what, _), handle) in observers.iter().zip(observed) {
            if let Ok(head) = self.wait(&submitted, handle)? {
                self.observe(what, head)?;
            }
        }
        Ok(())
    }

    /// A statement whose answer is in its own request alone.
    fn run_secret(&mut self, statement: &Planned, index: usize) -> Result<(), Stopped> {
        let begun = Instant::now();
        match self.server.run_at_once(&statement.source.text, &self.session.names)? {
            Outcome::Succeeded(head) => {
                self.show(head, statement)?;
                self.show_time(begun);
                Ok(())
            }
            Outcome::Failed(failure) => Err(Stopped::Failed(index, failure)),
            Outcome::Running(_) => Err(Stopped::Other("the statement did not end in time".into())),
        }
    }

    fn submit(&self, sent: &[&str], first: usize) -> Result<Submitted, Stopped> {
        let text = sent.join(";\n");
        let submitted = self.server.submit(&text, sent.len(), &self.session.names)?;
        submitted.map_err(|failure| Stopped::Failed(first, failure))
    }

    fn wait_for_prelude(&self, submitted: &Submitted, count: usize, first: usize) -> Result<(), Stopped> {
        for handle in submitted.statements.iter().take(count) {
            if let Err(failure) = self.wait(submitted, handle)? {
                let message = format!("what the session had set cannot be set again: {}", failure.message);
                return Err(Stopped::Failed(first, StatementFailure { message, ..failure }));
            }
        }
        Ok(())
    }

    fn note(&mut self, statement: &Planned) {
        match &statement.kind {
            Kind::Session(change) => {
                self.session.note(change, &statement.source.text);
                self.definitions_changed |= *change == SessionChange::Names;
            }
            Kind::Definition | Kind::TemporaryDefinition => self.definitions_changed = true,
            _ => {}
        }
    }

    /// What the statements before a failed one have set is set again, to be read.
    fn keep_session(&mut self, succeeded: &[Planned]) -> Result<(), Box<dyn Error>> {
        let changes = changes_of(succeeded);
        let observers = observers_of(&changes);
        if observers.is_empty() {
            return Ok(());
        }
        let setting = succeeded.iter().filter(|statement| matches!(statement.kind, Kind::Session(_)));
        let mut sent = self.session.prelude("$");
        sent.extend(setting.map(|statement| statement.source.text.clone()));
        let first_observer = sent.len();
        sent.extend(observers.iter().map(|(_, query)| query.clone()));
        let sent: Vec<&str> = sent.iter().map(String::as_str).collect();
        let Ok(submitted) = self.submit(&sent, 0) else { return Ok(()) };
        for ((what, _), handle) in observers.iter().zip(submitted.statements.iter().skip(first_observer)) {
            if let Ok(head) = self.wait(&submitted, handle)? {
                self.observe(what, head)?;
            }
        }
        Ok(())
    }

    fn observe(&mut self, what: &Observed, mut head: ResultHead) -> Result<(), Box<dyn Error>> {
        let kind = head.columns.first().map(|column| column.kind.clone()).unwrap_or_default();
        let session = &mut self.session;
        head.first_partition().each_row(&mut |cells: &[Cell<'_>]| {
            let row: Vec<Option<String>> = cells.iter().map(|cell| cell.0.as_deref().map(str::to_owned)).collect();
            match what {
                Observed::Names => session.set_names(&row),
                Observed::Variable(name) => session.set_variable(name, &kind, row.first().and_then(Option::as_deref)),
            }
            Ok(())
        })
    }
}

/// What is read from the server after statements that changed the session.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Observed {
    Names,
    Variable(String),
}

fn changes_of(statements: &[Planned]) -> Vec<&SessionChange> {
    let change = |statement| match statement {
        &Planned { kind: Kind::Session(ref change), .. } => Some(change),
        _ => None,
    };
    statements.iter().filter_map(change).collect()
}

fn observers_of(changes: &[&SessionChange]) -> Vec<(Observed, String)> {
    let mut observers: Vec<(Observed, String)> = Vec::new();
    for change in changes {
        match change {
            SessionChange::Names => {
                observers.retain(|(what, _)| *what != Observed::Names);
                observers.push((Observed::Names, NAMES_QUERY.to_owned()));
            }
            SessionChange::Variables(names) => {
                for name in names {
                    observers.retain(|(what, _)| *what != Observed::Variable(name.clone()));
                    observers.push((Observed::Variable(name.clone()), variable_query(name)));
                }
            }
            SessionChange::DroppedVariables(names) => {
                observers.retain(|(what, _)| !names.iter().any(|name| *what == Observed::Variable(name.clone())));
            }
            _ => {}
        }
    }
    observers
}

fn too_long(begin: &Planned, source: &Source) -> Box<dyn Error> {
    let message = "the transaction that begins here is too long for one request; split it";
    source.report(message, "000603", "54000", Some(begin));
    Failure::Shown.into()
}

/// At the prompt a reader who leaves the pager is no reason to end.
pub fn unless_closed(outcome: Result<(), Box<dyn Error>>, mode: Mode) -> Result<(), Box<dyn Error>> {
    match outcome {
        Err(error) if is_closed_output(error.as_ref()) && mode == Mode::Prompt => Ok(()),
        Err(error) if is_closed_output(error.as_ref()) => Err(Failure::OutputClosed.into()),
        other => other,
    }
}

/// Whether Ctrl-C asks to stop.
fn is_interrupted() -> bool {
    interrupts::came()
}
