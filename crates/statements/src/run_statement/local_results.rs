//! Writes the rows that the server makes itself, by the settings of the session.

use firn_catalog::registry::ResultFormat;
use firn_values::formats::Nulls;
use uuid::Uuid;

use crate::local_rows::LocalRows;
use crate::partitions::{PartitionLimits, WrittenResult, write_partitions};
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

pub fn write_local(
    services: &Services,
    state: &SessionState,
    rows: LocalRows,
    handle: Uuid,
) -> Result<WrittenResult, RunError> {
    write_local_as(services, state, rows, state.result_format.of_local_rows(), handle)
}

/// As `write_local`, whatever the request asks for.
pub fn write_local_as(
    services: &Services,
    state: &SessionState,
    rows: LocalRows,
    format: ResultFormat,
    handle: Uuid,
) -> Result<WrittenResult, RunError> {
    let settings = &state.settings;
    let limits = PartitionLimits {
        chunk_bytes_max: settings.chunk_bytes_max,
        result_bytes_max: services.limits.result_bytes_max,
        rows_max: settings.rows_max,
        rows_written: None,
    };
    let nulls = settings.formats.nulls;
    let mut written = write_partitions(&mut rows.with_nulls(nulls), format, &limits, &services.store, handle)?;
    written.stored.cells.null_words = nulls == Nulls::Word && format == ResultFormat::Json;
    Ok(written)
}
