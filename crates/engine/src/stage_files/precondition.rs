//! What a client expects of the file that it replaces or removes, so that it does not undo what another has written meanwhile.

use std::fmt;
use std::io;

/// Of the file that is there when another takes its place, or when it is removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Precondition {
    #[default]
    None,
    Absent,
    Present,
    /// Its MD5 is one of these.
    Sum(Vec<String>),
}

/// The error of an expectation that does not hold.
#[derive(Debug)]
pub struct UnmetPrecondition;

impl fmt::Display for UnmetPrecondition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the file is not the one that was expected")
    }
}

impl std::error::Error for UnmetPrecondition {}

impl UnmetPrecondition {
    pub fn is_cause_of(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|cause| cause.is::<Self>())
    }
}

impl Precondition {
    /// `sum` is that of the file, if there is one.
    pub(super) fn check(&self, sum: impl FnOnce() -> io::Result<Option<String>>) -> io::Result<()> {
        let holds = match self {
            Self::None => true,
            Self::Absent => sum()?.is_none(),
            Self::Present => sum()?.is_some(),
            Self::Sum(expected) => sum()?.is_some_and(|sum| expected.contains(&sum)),
        };
        if holds { Ok(()) } else { Err(io::Error::other(UnmetPrecondition)) }
    }
}
