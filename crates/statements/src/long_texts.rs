//! The memory of long statements. Their tokens and trees, and what binding and lowering make of these, are large beside the
//! text; it is reserved before it is taken, so that many long statements at a time stay within the memory limit.

use firn_engine::{Engine, MemoryReservation};
use firn_sql::Failure;

/// Shorter texts are not counted.
const LONG_TEXT_BYTES: usize = 32 << 10;
/// What a byte of a list of constants or columns takes until the engine has the statement.
const BYTES_PER_TEXT_BYTE: u64 = 256;

/// For as long as the statement is parsed, bound and lowered; nothing for a short text.
pub fn reserve(engine: &dyn Engine, text: &str) -> Result<Option<MemoryReservation>, Failure> {
    if text.len() < LONG_TEXT_BYTES {
        return Ok(None);
    }
    engine.reserve_memory(text.len() as u64 * BYTES_PER_TEXT_BYTE).map(Some).map_err(|failure| {
        let message = format!(
            "SQL compilation error:\na statement of {} bytes needs more memory than the server has left. Try again when others \
             have ended, or make it shorter: put its constants into a table.",
            text.len()
        );
        Failure::new(failure.code, failure.sql_state, message)
    })
}
