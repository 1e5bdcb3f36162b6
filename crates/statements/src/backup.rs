//! One moment of the whole data folder, for a backup. What is written down at that moment is what a crash would leave:
//! databases with the commits in their logs, the state, and the files of stages and results that these name.

use firn_catalog::StateSnapshot;

use crate::error::StatementError;
use crate::mutex::lock;
use crate::service::StatementService;

impl StatementService {
    /// Runs `pin` at one moment, at which neither the state nor a file of a stage changes, and no outcome is reported; then
    /// `copy` with the state of that moment. Until `copy` has returned, no database is attached, detached or removed, and
    /// the bytes that a database file and its log had at that moment stay as they were. Blocks on the disk.
    pub fn at_one_moment<P, T>(
        &self,
        pin: impl FnOnce() -> P,
        copy: impl FnOnce(StateSnapshot, P) -> T,
    ) -> Result<T, StatementError> {
        let services = &self.inner.services;
        let _no_database_changes = lock(&services.databases.changing);
        let mut steps = Some((pin, copy));
        let mut copied = None;
        let held = services.engine.without_checkpoints(&mut || {
            let Some((pin, copy)) = steps.take() else { return };
            let stage_files = services.engine.stage_files();
            let frozen = stage_files.freeze(|| services.catalog.freeze(pin));
            copied = Some(frozen.map(|(snapshot, pinned)| copy(snapshot, pinned)));
        });
        held.map_err(|error| StatementError::Internal(error.to_string()))?;
        let copied = copied.ok_or_else(|| StatementError::Internal("the backup was not begun".to_owned()))?;
        Ok(copied?)
    }
}
