//! The types and functions of our own, registered once with the instance.

use std::sync::Arc;

use firn_engine::EngineError;
use firn_functions::{fraction_texts, plain_instants, remainders, zoned_timestamps};

use super::call_guard::{self, CallLimits};
use super::connection::Connection;
use super::{
    aggregate_udfs, cast_udfs, geospatial, native, quotients, scalar_udfs, template_parameters, type_aliases,
    variant_functions, wait,
};

/// Makes the types and functions of our own known to the whole instance, and returns its memory limit.
pub(super) fn register(connection: &Connection) -> Result<u64, EngineError> {
    let memory_limit_bytes = memory_limit_bytes(connection)?;
    let limits = Arc::new(CallLimits::new(connection.interrupters().clone(), memory_limit_bytes));
    type_aliases::register(connection.raw())?;
    scalar_udfs::register(connection.raw(), zoned_timestamps::DEFINITIONS, &limits)?;
    cast_udfs::register(connection.raw(), zoned_timestamps::CASTS, &limits)?;
    cast_udfs::register(connection.raw(), &fraction_texts::CASTS, &limits)?;
    variant_functions::register(connection.raw(), &limits)?;
    geospatial::register(connection.raw(), &limits)?;
    native::register(connection.raw(), &limits)?;
    aggregate_udfs::register(connection.raw())?;
    quotients::register(connection.raw())?;
    scalar_udfs::register(connection.raw(), remainders::DEFINITIONS, &limits)?;
    scalar_udfs::register(connection.raw(), &plain_instants::FUNCTIONS, &limits)?;
    template_parameters::register(connection.raw(), connection.parameter_values())?;
    wait::register(connection.raw(), connection.interrupters())?;
    Ok(memory_limit_bytes)
}

/// What the instance was given, or has taken as its share of the machine.
fn memory_limit_bytes(connection: &Connection) -> Result<u64, EngineError> {
    let rows = connection.rows("SELECT current_setting('memory_limit')")?;
    let setting = rows.into_iter().flatten().flatten().next().unwrap_or_default();
    call_guard::bytes_of_setting(&setting)
        .ok_or_else(|| EngineError::Internal(format!("the engine has the memory limit {setting}")))
}
