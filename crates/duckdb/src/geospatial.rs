//! Registers the functions and casts of GEOGRAPHY and GEOMETRY.

use std::sync::Arc;

use firn_engine::EngineError;
use firn_functions::geospatial::{CASTS, FAMILIES};
use libduckdb_sys as ffi;

use super::call_guard::CallLimits;
use super::{cast_udfs, scalar_udfs};

/// Makes the functions and casts known to the whole instance that `connection` belongs to.
pub(super) fn register(connection: ffi::duckdb_connection, limits: &Arc<CallLimits>) -> Result<(), EngineError> {
    for definitions in FAMILIES.iter().copied().flatten() {
        scalar_udfs::register(connection, definitions, limits)?;
    }
    cast_udfs::register(connection, CASTS, limits)
}
