//! Exceptions: those of statements and expressions, and those a block declares and raises.

use std::sync::LazyLock;

use firn_engine::error::MEMORY_STATE;
use firn_sql::{Failure, ObjectName};

use crate::read_only;
use crate::run_error::RunError;

/// Why a step did not end well: something a handler may catch, or the end of the whole statement.
pub enum ScriptError {
    Raised(Box<Raised>),
    Run(RunError),
}

#[derive(Clone, Debug)]
pub struct Raised {
    /// STATEMENT_ERROR, EXPRESSION_ERROR, or the name of a declared exception.
    pub name: String,
    pub number: i64,
    pub sql_state: String,
    pub message: String,
    pub line: u64,
    pub position: u64,
    /// What a statement or expression failed with.
    pub failure: Option<Failure>,
}

impl Raised {
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name
    }

    /// As it is reported to the caller of the whole block.
    pub fn uncaught(self) -> Failure {
        let mut message = format!("Uncaught exception of type '{}'", self.name);
        if self.line > 0 {
            message.push_str(&format!(" on line {} at position {}", self.line, self.position));
        }
        if !self.message.is_empty() {
            message.push_str(&format!(" : {}", self.message));
        }
        if let Some(failure) = self.failure.as_ref().filter(|failure| KEPT_STATES.contains(&failure.sql_state)) {
            return Failure::new(failure.code, failure.sql_state, message);
        }
        match declared_code(self.number).filter(|_| self.failure.is_none()) {
            Some(code) => Failure::new(code, "P0001", message),
            None => Failure::new("100183", "P0000", message),
        }
    }
}

/// Failures that are the request's own, whatever block it has them in.
const KEPT_STATES: [&str; 2] = [MEMORY_STATE, read_only::SQL_STATE];

/// The numbers that exceptions may be declared with are the codes of their failures.
fn declared_code(number: i64) -> Option<&'static str> {
    static CODES: LazyLock<Vec<String>> = LazyLock::new(|| (20_000..21_000).map(|code| format!("-{code}")).collect());
    let place = usize::try_from(-20_000 - number).ok()?;
    CODES.get(place).map(String::as_str)
}

impl From<RunError> for ScriptError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Failed(failure) => Self::Raised(Box::new(of_failure(failure, "STATEMENT_ERROR"))),
            other => Self::Run(other),
        }
    }
}

impl From<Failure> for ScriptError {
    fn from(failure: Failure) -> Self {
        Self::Raised(Box::new(of_failure(failure, "STATEMENT_ERROR")))
    }
}

fn of_failure(failure: Failure, name: &str) -> Raised {
    Raised {
        name: name.to_owned(),
        number: failure.code.parse().unwrap_or(0),
        sql_state: failure.sql_state.to_owned(),
        message: failure.message.clone(),
        line: 0,
        position: 0,
        failure: Some(failure),
    }
}

/// Failures of rows' values are without the values by then, and limits are those of everybody. Arguments, options, names of files and
/// whatever else does not compile are written in the body, or computed from what it reads.
fn shows_body(failure: &Failure) -> bool {
    const OF_VALUES: [&str; 5] = ["22003", "22007", "22012", "22018", "22026"];
    let is_of_everybody = ["53", "57"].iter().any(|class| failure.sql_state.starts_with(class));
    let is_of_values = OF_VALUES.contains(&failure.sql_state) && !failure.message.contains("SQL compilation error");
    !is_of_everybody && !is_of_values
}

fn hidden(raised: &Raised, failure: &Failure, procedure: &ObjectName) -> Raised {
    let message = format!(
        "SQL execution error:\nFailure in the body of procedure '{procedure}', which runs with the rights of its owner: its owner \
         can find out why by running it."
    );
    let failure = Failure::new(failure.code, failure.sql_state, message.clone());
    Raised { message, failure: Some(failure), ..raised.clone() }
}

impl ScriptError {
    /// As whoever calls a procedure with the rights of another role learns of it, whose body is not theirs to see: without the names
    /// of what the body reads, and where in the body it is. What the body raises itself it says to its callers.
    pub fn without_body(self, procedure: &ObjectName) -> Self {
        match self {
            Self::Raised(raised) => {
                let shown = Raised { line: 0, position: 0, ..*raised };
                match shown.failure.as_ref().filter(|failure| shows_body(failure)) {
                    Some(failure) => Self::Raised(Box::new(hidden(&shown, failure, procedure))),
                    None => Self::Raised(Box::new(shown)),
                }
            }
            other => other,
        }
    }

    /// A failure of an expression, not of a statement.
    pub fn of_expression(self) -> Self {
        match self {
            Self::Raised(raised) => Self::Raised(Box::new(Raised { name: "EXPRESSION_ERROR".to_owned(), ..*raised })),
            other => other,
        }
    }

    /// Adds the position of the step that failed, unless an inner step has added its own.
    pub fn at(self, line: u64, position: u64) -> Self {
        match self {
            Self::Raised(raised) if raised.line == 0 => Self::Raised(Box::new(Raised { line, position, ..*raised })),
            other => other,
        }
    }
}
