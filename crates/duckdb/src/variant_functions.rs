//! Registers the functions and casts of semi-structured values.

mod elements;
mod flatten;

use std::sync::Arc;

use firn_engine::EngineError;
use firn_functions::variant;
use libduckdb_sys as ffi;

use super::call_guard::CallLimits;
use super::{cast_udfs, scalar_udfs};

/// Makes the functions and casts known to the whole instance that `connection` belongs to.
pub(super) fn register(connection: ffi::duckdb_connection, limits: &Arc<CallLimits>) -> Result<(), EngineError> {
    for definitions in variant::FAMILIES {
        scalar_udfs::register(connection, definitions, limits)?;
    }
    flatten::register(connection, limits)?;
    elements::register(connection, limits)?;
    cast_udfs::register(connection, variant::CASTS, limits)
}
