//! Runs texts of statements: sends them, shows what becomes of each, and keeps the session.

mod lasting;
mod present;
mod wait;

use std::error::Error;
use std::ops::Range;
use std::time::Instant;

use super::batch::{self, Batch};
use super::script::{Kind, Planned, SessionChange, place_in, plan};
use super::session::{NAMES_QUERY, Session, variable_query};
use super::source::Source;
use crate::failure::{Failure, is_closed_output};
use crate::interrupts::{self, Working};
use crate::output::format::Layout;
use crate::server::Server;
use crate::server::rows::Cell;
use crate::server::sessions::{ENDED_CODE, KeptSession};
use crate::server::statements::{Outcome, ResultHead, StatementFailure, Submitted};

pub use present::Destination;

const SYNTAX_ERROR: &str = "syntax error line ";

pub struct Runner<'a> {
    pub server: &'a Server,
    pub session: Session,
    /// The session on the server; without one, what `session` remembers goes along with every request.
    pub kept: Option<KeptSession<'a>>,
    /// Whether the session on the server has more than its names.
    pub has_state: bool,
    /// Whether the names in use may have changed since they were read.
    pub names_changed: bool,
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

impl From<Stopped> for Box<dyn Error> {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Failed(_, failure) => Failure::Statement(failure.message).into(),
            Stopped::Other(error) => error,
        }
    }
}

impl<'a> Runner<'a> {
    /// Runs every statement of a text. Failures are shown here, with their place.
    pub fn run(&mut self, text: &str, source: &Source) -> Result<(), Box<dyn Error>> {
        self.run_all(&[(text.to_owned(), source.clone())])
    }

    /// Runs the statements of texts as if they were one.
    pub fn run_all(&mut self, texts: &[(String, Source)]) -> Result<(), Box<dyn Error>> {
        let _working = Working::begin();
        let planned = plan_all(texts)?;
        let source_of = |statement: &Planned| &texts[statement.text_number].1;
        if self.kept.is_none() && self.takes_several_requests(&planned) {
            self.open_session()?;
        }
        let (mut from, mut failures) = (0, 0_usize);
        while from < planned.len() {
            if is_interrupted() {
                return Err(Failure::Interrupted.into());
            }
            let range = match batch::next(&planned, from) {
                Batch::Request(range) => range,
                Batch::Refused(index, why) => {
                    let statement = &planned[index];
                    source_of(statement).report(why, "000603", "54000", Some(statement));
                    return Err(Failure::Shown.into());
                }
            };
            from = match self.run_request(&planned, range.clone()) {
                Ok(()) => range.end,
                Err(Stopped::Other(error)) => return Err(error),
                Err(Stopped::Failed(failed, failure)) => {
                    let statement = &planned[failed];
                    source_of(statement).report(&failure.message, &failure.code, &failure.sql_state, Some(statement));
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

    fn takes_several_requests(&self, planned: &[Planned]) -> bool {
        let goes_on = self.after_failure == AfterFailure::Continue && planned.len() > 1;
        goes_on || batch::next(planned, 0) != Batch::Request(0..planned.len())
    }

    fn run_request(&mut self, planned: &[Planned], range: Range<usize>) -> Result<(), Stopped> {
        let statements = &planned[range.clone()];
        if let [secret] = statements
            && secret.kind == Kind::Secret
        {
            return self.run_secret(secret, range.start);
        }
        let texts: Vec<&str> = statements.iter().map(|statement| statement.source.text.as_str()).collect();
        let (prelude, observers) = match self.kept {
            Some(_) => (Vec::new(), Vec::new()),
            None => (self.session.prelude(&texts.join(" ")), observers_of(&changes_of(statements))),
        };
        let mut sent: Vec<&str> = prelude.iter().map(String::as_str).chain(texts).collect();
        sent.extend(observers.iter().map(|(_, query)| query.as_str()));
        if sent.len() == 1 && statements.iter().any(Planned::needs_company) {
            sent.push(NAMES_QUERY);
        }
        let begun = Instant::now();
        let submitted = self.submit(&sent, prelude.len(), &range)?;
        self.wait_for_prelude(&submitted, &prelude, range.start)?;
        for (offset, statement) in statements.iter().enumerate() {
            let handle = submitted.statements.get(prelude.len() + offset).unwrap_or(&submitted.handle);
            let head = self.wait(&submitted, handle)?;
            let head = head.map_err(|failure| Stopped::Failed(range.start + offset, failure))?;
            self.show(head, statement)?;
            self.note(statement);
        }
        self.show_time(begun);
        self.read_names();
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
        let mut outcome = self.server.run_at_once(&statement.source.text, self.context())?;
        let has_ended = matches!(&outcome, Outcome::Failed(failure) if failure.code == ENDED_CODE);
        if has_ended && self.kept.is_some() {
            self.begin_anew()?;
            outcome = self.server.run_at_once(&statement.source.text, self.context())?;
        }
        match outcome {
            Outcome::Succeeded(head) => {
                self.show(head, statement)?;
                self.show_time(begun);
                Ok(())
            }
            Outcome::Failed(failure) => Err(Stopped::Failed(index, failure)),
            Outcome::Running(_) => Err(Stopped::Other("the statement did not end in time".into())),
        }
    }

    /// Sends a request whose first statements are a prelude, the next ones those of a range.
    fn submit(&mut self, sent: &[&str], prelude: usize, range: &Range<usize>) -> Result<Submitted, Stopped> {
        let text = sent.join(";\n");
        let mut submitted = self.server.submit(&text, sent.len(), self.context())?;
        if self.kept.is_some() && submitted.as_ref().is_err_and(|failure| failure.code == ENDED_CODE) {
            self.begin_anew()?;
            submitted = self.server.submit(&text, sent.len(), self.context())?;
        }
        let submitted = submitted.map_err(|failure| refused(sent, prelude, range, failure))?;
        if submitted.statements.len() >= sent.len() {
            return Ok(submitted);
        }
        match self.wait(&submitted, &submitted.handle)? {
            Err(failure) => Err(refused(sent, prelude, range, failure)),
            Ok(_) => Err(Stopped::Other("the server answered for fewer statements than were sent".into())),
        }
    }

    fn wait_for_prelude(&self, submitted: &Submitted, prelude: &[String], first: usize) -> Result<(), Stopped> {
        for (statement, handle) in prelude.iter().zip(&submitted.statements) {
            let Err(failure) = self.wait(submitted, handle)? else { continue };
            if let Some(name) = self.session.defined_by(statement) {
                return Err(Stopped::Other(Failure::usage(format!("-D {name}: {}", failure.message))));
            }
            let message = format!("what the session had set cannot be set again: {}", failure.message);
            return Err(Stopped::Failed(first, StatementFailure { message, ..failure }));
        }
        Ok(())
    }

    fn note(&mut self, statement: &Planned) {
        match &statement.kind {
            Kind::Session(change) => {
                self.session.note(change, &statement.source.text);
                self.definitions_changed |= *change == SessionChange::Names;
                self.names_changed |= *change == SessionChange::Names;
                self.has_state |= *change != SessionChange::Names || self.mode == Mode::Batch;
            }
            Kind::Definition => (self.definitions_changed, self.names_changed) = (true, true),
            Kind::TemporaryDefinition => (self.definitions_changed, self.has_state) = (true, true),
            Kind::Block | Kind::Other | Kind::Unknown => self.has_state = true,
            _ => {}
        }
    }

    /// After a failure: what the statements before it have set is set again, to be read.
    fn keep_session(&mut self, succeeded: &[Planned]) -> Result<(), Box<dyn Error>> {
        if self.kept.is_some() {
            self.read_names();
            return Ok(());
        }
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
        let Ok(submitted) = self.submit(&sent, 0, &(0..1)) else { return Ok(()) };
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

fn plan_all(texts: &[(String, Source)]) -> Result<Vec<Planned>, Failure> {
    let mut planned = Vec::new();
    for (text_number, (text, source)) in texts.iter().enumerate() {
        let statements = plan(text).map_err(|failure| {
            source.report(&failure.message, failure.code, failure.sql_state, None);
            Failure::Shown
        })?;
        planned.extend(statements.into_iter().map(|statement| Planned { text_number, ..statement }));
    }
    Ok(planned)
}

/// The failure of a request that was refused as a whole, at the statement it is about. Syntax errors count lines over all that
/// was sent.
fn refused(sent: &[&str], prelude: usize, range: &Range<usize>, failure: StatementFailure) -> Stopped {
    let place = place_in(&failure.message).filter(|_| failure.message.contains(SYNTAX_ERROR));
    let Some((line, _)) = place else { return Stopped::Failed(range.start, failure) };
    let mut begun = 1;
    for (index, text) in sent.iter().enumerate() {
        let next = begun + text.matches('\n').count() as u64 + 1;
        if line < next {
            let failed = (range.start + index.saturating_sub(prelude)).min(range.end - 1);
            let own_line = format!("{SYNTAX_ERROR}{} at", line + 1 - begun);
            let message = failure.message.replacen(&format!("{SYNTAX_ERROR}{line} at"), &own_line, 1);
            return Stopped::Failed(failed, StatementFailure { message, ..failure });
        }
        begun = next;
    }
    Stopped::Failed(range.start, failure)
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
