//! Our own types, which are aliases of the engine's: the alias makes the engine and overloaded macros distinguish them
//! from the type they are stored as.

use std::ffi::CStr;
use std::ptr;

use libduckdb_sys as ffi;

use firn_engine::EngineError;

/// TIMESTAMP_TZ is an interval; see `firn_functions::zoned_timestamps`.
pub(crate) const TIMESTAMP_TZ: &CStr = c"FIRN_TIMESTAMP_TZ";

/// Semi-structured values are texts; see `firn_values::variant`.
pub(crate) const VARIANT: &CStr = c"FIRN_VARIANT";
pub(crate) const OBJECT: &CStr = c"FIRN_OBJECT";
pub(crate) const ARRAY: &CStr = c"FIRN_ARRAY";

/// GEOGRAPHY and GEOMETRY are bytes; see `firn_values::geo`.
pub(crate) const GEOGRAPHY: &CStr = c"FIRN_GEOGRAPHY";
pub(crate) const GEOMETRY: &CStr = c"FIRN_GEOMETRY";

/// Makes the types known to the whole instance that `connection` belongs to.
pub(super) fn register(connection: ffi::duckdb_connection) -> Result<(), EngineError> {
    for name in [TIMESTAMP_TZ, VARIANT, OBJECT, ARRAY, GEOGRAPHY, GEOMETRY] {
        let logical_type = OwnedType::named(name);
        // SAFETY: the connection is open and the type alive.
        let state = unsafe { ffi::duckdb_register_logical_type(connection, logical_type.0, ptr::null_mut()) };
        if state != ffi::DuckDBSuccess {
            return Err(EngineError::Internal(format!("the engine refuses the type {name:?}")));
        }
    }
    Ok(())
}

/// A logical type for the engine's C interface, destroyed on drop.
pub(super) struct OwnedType(pub(super) ffi::duckdb_logical_type);

impl OwnedType {
    pub(super) fn plain(id: ffi::duckdb_type) -> Self {
        // SAFETY: any id is allowed; the handle is destroyed on drop.
        Self(unsafe { ffi::duckdb_create_logical_type(id) })
    }

    pub(super) fn decimal(width: u8, scale: u8) -> Self {
        // SAFETY: the handle is destroyed on drop.
        Self(unsafe { ffi::duckdb_create_decimal_type(width, scale) })
    }

    pub(super) fn list(element: &Self) -> Self {
        // SAFETY: the element's type is alive and is copied; the handle is destroyed on drop.
        Self(unsafe { ffi::duckdb_create_list_type(element.0) })
    }

    /// One of the types above.
    pub(super) fn named(name: &CStr) -> Self {
        let own = Self::plain(match name {
            _ if name == TIMESTAMP_TZ => ffi::DUCKDB_TYPE_DUCKDB_TYPE_INTERVAL,
            _ if name == GEOGRAPHY || name == GEOMETRY => ffi::DUCKDB_TYPE_DUCKDB_TYPE_BLOB,
            _ => ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR,
        });
        // SAFETY: the type is alive and the name ends in NUL.
        unsafe { ffi::duckdb_logical_type_set_alias(own.0, name.as_ptr()) };
        own
    }
}

impl Drop for OwnedType {
    fn drop(&mut self) {
        // SAFETY: destroyed once.
        unsafe { ffi::duckdb_destroy_logical_type(&mut self.0) };
    }
}
