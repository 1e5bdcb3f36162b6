//! What the requests of a caller run at the moment, from memory alone.

use std::cmp::Reverse;

use firn_catalog::Caller;

use crate::clock::now_ms;
use crate::error::StatementError;
use crate::handle::StatementHandle;
use crate::progress::Progress;
use crate::service::StatementService;

/// Characters of a statement's text that are shown.
const TEXT_CHARACTERS_MAX: usize = 200;

#[derive(Clone, Debug)]
pub struct RunningView {
    pub handle: StatementHandle,
    /// The beginning of its text.
    pub text: String,
    pub created_on_ms: i64,
    pub elapsed_ms: i64,
    pub progress: Progress,
}

impl StatementService {
    /// The caller's own statements that run or wait for their turn, the latest first.
    pub fn running_of(&self, caller: &Caller, limit: usize) -> Result<Vec<RunningView>, StatementError> {
        self.take_request(caller)?;
        let services = &self.inner.services;
        let principals = services.catalog.principals();
        let mut own = services.running.all();
        own.retain(|execution| {
            execution.user_id == caller.user.id && principals.token_covers_role(caller, &execution.role)
        });
        own.sort_by_key(|execution| Reverse((execution.created_on_ms, execution.handle.0)));
        own.truncate(limit);
        let now = now_ms();
        let view = own.iter().map(|execution| RunningView {
            handle: execution.handle,
            text: execution.record().text.chars().take(TEXT_CHARACTERS_MAX).collect(),
            created_on_ms: execution.created_on_ms,
            elapsed_ms: (now - execution.created_on_ms).max(0),
            progress: execution.progress(),
        });
        Ok(view.collect())
    }
}
