//! Statement handles.

use firn_catalog::registry::PastStatement;
use uuid::Uuid;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StatementHandle(pub Uuid);

impl StatementHandle {
    pub fn fresh() -> Self {
        Self(Uuid::now_v7())
    }

    /// A text that is no UUID is simply a handle nobody has.
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }
}

/// The number of the session that a request opened: its statements share it.
pub fn session_number(of_request: Uuid) -> u64 {
    const RANDOM_BITS: u64 = (1 << 62) - 1;
    of_request.as_u128() as u64 & RANDOM_BITS
}

/// That of a statement in the history, which ran in a kept session or in that of its request.
pub fn session_of(past: &PastStatement) -> u64 {
    past.session.unwrap_or_else(|| session_number(past.parent.unwrap_or(past.handle)))
}

impl std::fmt::Display for StatementHandle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}
