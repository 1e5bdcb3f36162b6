//! Why a command ends, as far as its exit code tells.

use std::error::Error;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use crate::interrupts;
use crate::output::cells::without_steering;
use crate::output::sayln;

/// An error with an exit code of its own. All others end a command with 1.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("{0}")]
    Usage(String),
    /// The server cannot be reached, or does not let the caller in.
    #[error("{0}")]
    NoEntry(String),
    #[error("{0}")]
    Statement(String),
    /// A statement failed, and its message was shown.
    #[error("a statement failed")]
    Shown,
    /// A question was answered with other questions, which were shown.
    #[error("the question was not answered")]
    Unanswered,
    #[error("interrupted")]
    Interrupted,
    /// Nobody reads the output any more, as behind `| head`.
    #[error("the output was closed")]
    OutputClosed,
}

impl Failure {
    pub fn usage(message: impl Into<String>) -> Box<dyn Error> {
        Box::new(Self::Usage(message.into()))
    }

    /// A file that cannot be used.
    pub fn of_file(path: &Path, error: &dyn fmt::Display) -> Box<dyn Error> {
        Self::usage(format!("{}: {error}", path.display()))
    }

    fn code(&self) -> u8 {
        match self {
            Self::OutputClosed => 0,
            Self::Unanswered => 1,
            Self::Usage(_) => 2,
            Self::NoEntry(_) => 3,
            Self::Statement(_) | Self::Shown => 5,
            Self::Interrupted => interrupts::exit_code(),
        }
    }

    /// Whether there is nothing left to say.
    fn is_silent(&self) -> bool {
        matches!(self, Self::OutputClosed | Self::Shown | Self::Unanswered | Self::Interrupted)
    }
}

/// Writes what is to be said about the error, and tells the code to exit with.
pub fn report(error: &(dyn Error + 'static)) -> ExitCode {
    let Some(failure) = error.downcast_ref::<Failure>() else {
        sayln!("firn: {}", without_steering(&error.to_string()));
        return ExitCode::FAILURE;
    };
    if !failure.is_silent() {
        sayln!("firn: {}", without_steering(&failure.to_string()));
    }
    ExitCode::from(failure.code())
}

/// Whether the error is that of a reader who has gone.
pub fn is_closed_output(error: &(dyn Error + 'static)) -> bool {
    let by_pipe =
        error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe);
    by_pipe || error.downcast_ref::<Failure>() == Some(&Failure::OutputClosed)
}
