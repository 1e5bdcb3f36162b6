//! The outcome of a statement: codes, states and messages of the contract.

use std::time::Duration;

use bytes::Bytes;
use firn_catalog::registry::{EndState, Ended};
use firn_engine::error::{DAMAGED_STATE, DISK_FULL_STATE, IO_STATE};
use firn_sql::names::display_identifier;

use crate::clock::now_ms;
use crate::execution::{Ending, Execution, StopReason};
use crate::limits::Limits;
use crate::partitions::{Completeness, WrittenResult};
use crate::run_error::{RunError, outdated};

/// The longest message of a failure.
const MESSAGE_CHARACTERS_MAX: usize = 10_000;

pub const SUCCESS_CODE: &str = "090001";
pub const CUT_CODE: &str = "391908";
pub const CANCELLED_CODE: &str = "000604";
pub const TOO_MANY_CODE: &str = "390505";
pub const CANCELLED_SQL_STATE: &str = "57014";
const SUCCESS_MESSAGE: &str = "Statement executed successfully.";

pub fn succeeded(written: WrittenResult, limits: &Limits) -> Ending {
    let (code, message) = match written.completeness {
        Completeness::Whole => (SUCCESS_CODE, SUCCESS_MESSAGE.to_owned()),
        Completeness::Cut => (
            CUT_CODE,
            format!(
                "Result set too large: it was cut after {} rows at the server's maximum of {} bytes; fetch less, or raise result_bytes_max.",
                written.stored.rows, limits.result_bytes_max
            ),
        ),
    };
    Ending {
        ended: Ended {
            result: Some(written.stored),
            profile: written.profile,
            ..ended(EndState::Succeeded, code, "00000", message, limits)
        },
        first_rows: written.first_rows,
    }
}

/// The end of a statement of a block, whose result the block has.
pub fn succeeded_inside(limits: &Limits) -> Ended {
    ended(EndState::Succeeded, SUCCESS_CODE, "00000", SUCCESS_MESSAGE.to_owned(), limits)
}

pub fn failed(error: RunError, execution: &Execution, limits: &Limits) -> Ending {
    let ended = match error {
        RunError::Failed(failure) => {
            if [DISK_FULL_STATE, IO_STATE, DAMAGED_STATE].contains(&failure.sql_state) {
                tracing::error!(statement.handle = %execution.handle, "a statement failed: {}", failure.message);
            }
            let message = shortened(execution.without_secrets(&failure.message));
            ended(EndState::Failed, failure.code, failure.sql_state, message, limits)
        }
        RunError::Outdated => return failed(outdated().into(), execution, limits),
        RunError::Stopped => stopped(execution.stop_reason(), limits),
        RunError::Internal(cause) => {
            tracing::error!(statement.handle = %execution.handle, cause, "a statement failed by our fault");
            let message =
                format!("SQL execution internal error: processing of statement {} was aborted.", execution.handle);
            ended(EndState::Failed, "000603", "XX000", message, limits)
        }
    };
    Ending { ended, first_rows: Bytes::new() }
}

/// Messages quote what the statement says, and each is stored as long as the statement's record.
fn shortened(mut message: String) -> String {
    if let Some((end, _)) = message.char_indices().nth(MESSAGE_CHARACTERS_MAX) {
        message.truncate(end);
        message.push('…');
    }
    message
}

pub fn stopped(reason: Option<StopReason>, limits: &Limits) -> Ended {
    match reason {
        Some(StopReason::TimedOut { seconds }) => ended(
            EndState::TimedOut,
            "000630",
            CANCELLED_SQL_STATE,
            format!("Statement reached its statement or warehouse timeout of {seconds} second(s) and was canceled."),
            limits,
        ),
        Some(StopReason::Suspended { warehouse, monitor }) => ended(
            EndState::Failed,
            "090073",
            CANCELLED_SQL_STATE,
            format!(
                "Warehouse '{}' was suspended immediately by resource monitor '{}', statement aborted.",
                display_identifier(&warehouse),
                display_identifier(&monitor)
            ),
            limits,
        ),
        Some(StopReason::ShuttingDown) => ended(
            EndState::Failed,
            "000603",
            "57P01",
            "The server was stopped while the statement ran; send it again.".to_owned(),
            limits,
        ),
        Some(StopReason::Cancelled) | None => {
            ended(EndState::Cancelled, CANCELLED_CODE, CANCELLED_SQL_STATE, "SQL execution canceled".to_owned(), limits)
        }
    }
}

/// The request was refused before anything of it ran.
pub fn refused(code: &str, message: String, limits: &Limits) -> Ended {
    ended(EndState::Failed, code, "42501", shortened(message), limits)
}

/// The server ended before the statement did.
pub fn interrupted(message: String, limits: &Limits) -> Ended {
    ended(EndState::Failed, "000603", "57P02", message, limits)
}

/// The turn in a warehouse's queue did not come in time.
pub fn queue_timed_out(limits: &Limits, waited: Duration) -> Ended {
    let message =
        format!("Too many requests. The statement waited {waited:?} in its warehouse's queue and was canceled.");
    ended(EndState::Failed, TOO_MANY_CODE, CANCELLED_SQL_STATE, message, limits)
}

fn ended(state: EndState, code: &str, sql_state: &str, message: String, limits: &Limits) -> Ended {
    let finished_on_ms = now_ms();
    Ended {
        finished_on_ms,
        expires_on_ms: finished_on_ms + limits.result_retention.as_millis() as i64,
        state,
        code: code.to_owned(),
        sql_state: sql_state.to_owned(),
        message,
        result: None,
        reads: None,
        profile: None,
        queued_ms: 0,
    }
}
