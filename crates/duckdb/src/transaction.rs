//! A group of statements that happen together or not at all.

use firn_engine::EngineError;

use super::connection::{COMMIT, Connection};

/// Runs `work` between BEGIN and COMMIT; whatever fails is rolled back.
pub(crate) fn within<T>(
    connection: &Connection,
    work: impl FnOnce() -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    within_then(connection, work, || ())
}

/// As `within`; `before_commit` is called when all is done but the commit.
pub(crate) fn within_then<T>(
    connection: &Connection,
    work: impl FnOnce() -> Result<T, EngineError>,
    before_commit: impl FnOnce(),
) -> Result<T, EngineError> {
    connection.begin_transaction()?;
    let outcome = work().and_then(|value| {
        before_commit();
        connection.end_transaction(COMMIT).map(|()| value)
    });
    if outcome.is_err() {
        // The first error is the one to report; a connection that cannot roll back was interrupted or is broken, and its
        // pool does not reuse it.
        let _ = connection.end_transaction("ROLLBACK");
    }
    outcome
}
