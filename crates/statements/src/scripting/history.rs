//! The statements of blocks and procedures in the history: each has an entry below the statement that runs the block. Their
//! results are the block's own, so that nobody can ask for them by these handles.

use firn_catalog::registry::{Ended, StatementRecord};
use firn_sql::lookups::Rows;
use firn_sql::secrets_in_text;
use uuid::Uuid;

use super::errors::{Raised, ScriptError};
use crate::clock::now_ms;
use crate::ending;
use crate::execution::Execution;
use crate::recorded_texts::recorded_text;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// Of a request so many statements have entries; a loop may run any number.
pub const RECORDED_MAX: usize = 1_000;

/// Where the text of a statement comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextSource {
    Written,
    /// EXECUTE IMMEDIATE: it may hold values that were read before.
    Computed,
}

/// A statement of a block while it runs.
pub struct InnerRecord {
    record: StatementRecord,
    source: TextSource,
    /// What was read before a text was computed.
    read_before: Option<String>,
}

impl InnerRecord {
    pub fn begin(execution: &Execution, state: &SessionState, text: &str, source: TextSource) -> Self {
        let read_before = match source {
            TextSource::Written => None,
            TextSource::Computed => state.reads.borrow().of_text(),
        };
        let record = StatementRecord {
            handle: Uuid::now_v7(),
            user_id: execution.user_id,
            request_id: None,
            parent: Some(execution.handle.0),
            children: Vec::new(),
            created_on_ms: now_ms(),
            text: secrets_in_text::hidden(text.trim()).into_owned(),
            query_tag: state.recorded_tag(),
            sender: state.sender,
            session: state.kept_session(),
            role: state.role.name.clone(),
            warehouse: state.warehouse.clone(),
            database: state.namespace.database.clone(),
            schema: state.namespace.schema.clone(),
            ended: None,
        };
        Self { record, source, read_before }
    }

    pub fn handle(&self) -> Uuid {
        self.record.handle
    }

    pub fn end(
        self,
        services: &Services,
        execution: &Execution,
        state: &SessionState,
        ran: &Result<(Rows, Option<u64>), ScriptError>,
    ) {
        let ended = match ran {
            Ok(_) => Ended { reads: self.read_before, ..ending::succeeded_inside(&services.limits) },
            Err(error) => Ended {
                reads: match self.source {
                    TextSource::Written => state.reads.borrow().of_failure(),
                    TextSource::Computed => state.reads.borrow().of_text(),
                },
                ..ending::failed(failure_of(error), execution, &services.limits).ended
            },
        };
        let text = execution.without_secrets(&self.record.text);
        let text = recorded_text(&services.databases.folder, text);
        let record = StatementRecord { ended: Some(ended), text, ..self.record };
        if let Err(error) = services.catalog.registry().insert(&record) {
            tracing::warn!(statement.handle = %record.handle, %error, "a statement of a block cannot be recorded");
        }
        services.account_usage.note_statement(&record);
    }
}

fn failure_of(error: &ScriptError) -> RunError {
    match error {
        ScriptError::Raised(raised) => {
            RunError::Failed(raised.failure.clone().unwrap_or_else(|| Raised::clone(raised).uncaught()))
        }
        ScriptError::Run(RunError::Failed(failure)) => RunError::Failed(failure.clone()),
        ScriptError::Run(RunError::Internal(cause)) => RunError::Internal(cause.clone()),
        ScriptError::Run(RunError::Outdated) => RunError::Outdated,
        ScriptError::Run(RunError::Stopped) => RunError::Stopped,
    }
}
