//! Registers the functions and casts of semi-structured values.

mod elements;
mod flatten;

use std::sync::Arc;

use firn_engine::EngineError;
use firn_functions::variant;
use libduckdb_sys as ffi;

use super::call_guard::CallLimits;
use super::{own_casts, own_functions};

/// Makes the functions and casts known to the whole instance that `connection` belongs to.
pub(super) fn register(connection: ffi::duckdb_connection, limits: &Arc<CallLimits>) -> Result<(), EngineError> {
    for definitions in variant::FAMILIES {
        own_functions::register(connection, definitions, limits)?;
    }
    flatten::register(connection)?;
    elements::register(connection)?;
    own_casts::register(connection, variant::CASTS)
}
