//! Statement handles.

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

impl std::fmt::Display for StatementHandle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}
