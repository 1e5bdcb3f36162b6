//! Records how statements end.

use std::sync::Arc;

use bytes::Bytes;
use firn_catalog::CatalogError;
use firn_catalog::registry::{EndState, StatementRecord};
use firn_engine::error::CLOSED_STATES;

use crate::ending::stopped;
use crate::execution::{Ending, Execution, Finished, OnDisk};
use crate::services::Services;

/// Statements without a record that wait for a disk that takes their ends.
const UNRECORDED_MAX: usize = 1_000;

/// The longest text of a failed statement that waits so.
const UNRECORDED_TEXT_BYTES_MAX: usize = 100_000;

/// Records the end of a statement, once: later endings are ignored.
pub fn record(services: &Services, execution: &Execution, ending: Ending) -> Arc<Finished> {
    execution.end_work();
    let state = ending.ended.state;
    let has_long_text = |record: &StatementRecord| record.text.len() > UNRECORDED_TEXT_BYTES_MAX;
    let recorded = match execution.record_end(services.catalog.registry(), ending) {
        Ok(recorded) => recorded,
        Err(earlier) => return earlier,
    };
    services.outcomes.count_end(state);
    services.ballast.restore();
    if let Err(error) = recorded.written {
        tracing::error!(statement.handle = %execution.handle, %error, "a statement's end cannot be recorded");
    }
    // In this order: a caller that has got the outcome finds it on disk and nowhere else. A statement whose outcome is not
    // on disk stays in the table of running ones until it is.
    let waits_for_disk = services.running.count() <= UNRECORDED_MAX
        && (state == EndState::Succeeded || !has_long_text(&recorded.finished.record));
    let is_known = execution.is_recorded() || waits_for_disk;
    if recorded.finished.on_disk == OnDisk::Yes {
        settle_late_children(services, execution);
        if !may_be_committed(&recorded.finished.record) {
            services.engine.settle_outcome(&execution.handle.to_string());
        }
    }
    if recorded.finished.on_disk == OnDisk::Yes || !is_known {
        services.running.remove(execution.handle);
    }
    services.note_history(&recorded.finished.record);
    services.account_usage.note_statement(&recorded.finished.record);
    execution.announce(recorded.finished.clone());
    recorded.finished
}

/// After the disk has taken the end of a statement. The database that the engine closed under it may be open by now.
pub fn settle_late(services: &Services, execution: &Execution) {
    settle_late_children(services, execution);
    match execution.announced_end() {
        Some(finished) if may_be_committed(&finished.record) => services.correct_closed(),
        _ => services.engine.settle_outcome(&execution.handle.to_string()),
    }
    services.running.remove(execution.handle);
}

/// Whether the outcome has to stay in the database until that is opened again.
fn may_be_committed(record: &StatementRecord) -> bool {
    let ended = record.ended.as_ref();
    ended.is_some_and(|ended| ended.state == EndState::Failed && CLOSED_STATES.contains(&ended.sql_state.as_str()))
}

fn settle_late_children(services: &Services, execution: &Execution) {
    execution.take_late_children().iter().for_each(|child| services.engine.settle_outcome(&child.to_string()));
}

/// Records a statement of a set, which has ended. What a disk does not take is recorded with the end of the set: the statement
/// is what it is, and the set goes on.
pub fn record_child(services: &Services, execution: &Execution, record: StatementRecord) -> Result<(), CatalogError> {
    let written = services.catalog.registry().insert(&record);
    services.note_history(&record);
    services.account_usage.note_statement(&record);
    match written {
        Ok(()) => services.engine.settle_outcome(&record.handle.to_string()),
        Err(error) if execution.record_child_later(record) => {
            tracing::warn!(statement.handle = %execution.handle, %error, "the end of a set's statement cannot be recorded yet");
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Ends a statement that is to be stopped while the engine plans it, or joins a chunk of rows with very many: neither can be
/// interrupted, and what comes of it is discarded.
pub fn record_if_stopped_unnoticed(services: &Services, execution: &Execution) {
    if execution.is_stopped_unnoticed() {
        let ended = stopped(execution.stop_reason(), &services.limits);
        if let Some(child) = execution.take_child() {
            let record = StatementRecord { ended: Some(ended.clone()), ..child };
            if let Err(error) = record_child(services, execution, record) {
                tracing::error!(statement.handle = %execution.handle, %error, "the end of a set's statement cannot be recorded");
            }
        }
        record(services, execution, Ending { ended, first_rows: Bytes::new() });
    }
}
