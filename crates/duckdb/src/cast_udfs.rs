//! Casts between our own types and the engine's. An implicit cast has a cost, by which the engine chooses among overloads.

use std::ffi::{CString, c_void};
use std::sync::Arc;

use firn_engine::EngineError;
use firn_functions::definition::Cast;
use firn_values::running_call::run_call;
use libduckdb_sys as ffi;

use super::call_guard::{CallLimits, VectorBytes, caught};
use super::engine_memory;
use super::flat_vectors::{FlatVector, pieces};
use super::logical_type::LogicalType;
use super::scalar_udfs::{AsLogicalType, Output};
use super::throwing;
use super::vectors::read_column;

/// Makes casts known to the whole instance that `connection` belongs to.
pub(super) fn register(
    connection: ffi::duckdb_connection,
    casts: &'static [Cast],
    limits: &Arc<CallLimits>,
) -> Result<(), EngineError> {
    for cast in casts {
        // SAFETY: the connection is open; the function is destroyed here; the engine gives the extra information back
        // once.
        let state = unsafe {
            let mut function = ffi::duckdb_create_cast_function();
            ffi::duckdb_cast_function_set_source_type(function, cast.source.logical_type().0);
            ffi::duckdb_cast_function_set_target_type(function, cast.target.logical_type().0);
            if let Some(cost) = cast.implicit_cost {
                ffi::duckdb_cast_function_set_implicit_cast_cost(function, cost);
            }
            let registered = Box::new(Registered { cast, limits: limits.clone() });
            let extra = Box::into_raw(registered).cast();
            ffi::duckdb_cast_function_set_extra_info(function, extra, Some(drop_registered));
            ffi::duckdb_cast_function_set_function(function, throwing::cast(run));
            let state = ffi::duckdb_register_cast_function(connection, function);
            ffi::duckdb_destroy_cast_function(&mut function);
            state
        };
        if state != ffi::DuckDBSuccess {
            let message = format!("the engine refuses the cast from {:?} to {:?}", cast.source, cast.target);
            return Err(EngineError::Internal(message));
        }
    }
    Ok(())
}

/// The extra information of a cast: what it does, and its limits.
struct Registered {
    cast: &'static Cast,
    limits: Arc<CallLimits>,
}

unsafe extern "C" fn drop_registered(extra: *mut c_void) {
    // SAFETY: `register` made the pointer from a `Box`, and the engine gives it back once.
    drop(unsafe { Box::from_raw(extra.cast::<Registered>()) });
}

/// In TRY_CAST mode, values that fail become NULL; returns whether all rows succeeded.
unsafe extern "C-unwind" fn run(
    info: ffi::duckdb_function_info,
    count: ffi::idx_t,
    input: ffi::duckdb_vector,
    output: ffi::duckdb_vector,
) -> bool {
    let _callback = engine_memory::in_callback();
    // SAFETY: the extra information is what was given at registration; the input lives for the call; the output has
    // room for as many rows.
    unsafe {
        let Registered { cast, limits } = &*ffi::duckdb_cast_function_get_extra_info(info).cast::<Registered>();
        let is_trying = ffi::duckdb_cast_function_get_cast_mode(info) == ffi::duckdb_cast_mode_DUCKDB_CAST_TRY;
        let logical_type = LogicalType::of_vector(input);
        let rows = count as usize;
        let mut bytes = VectorBytes::of(limits);
        let mut succeeded = true;
        for piece in pieces(std::slice::from_ref(&logical_type), rows) {
            let vector = FlatVector::of(input, &logical_type, rows, piece.clone());
            let columns = [read_column(vector.handle(), &logical_type, rows)];
            for row in piece {
                let answer = run_call(None, limits.row_bytes_max, || caught(|| (cast.run)(&columns, row)));
                let Err(message) = answer.and_then(|answer| Output(output).write_counted(row, answer, &mut bytes))
                else {
                    continue;
                };
                let message = CString::new(message).unwrap_or_default();
                succeeded = false;
                if is_trying {
                    ffi::duckdb_cast_function_set_row_error(info, message.as_ptr(), row as u64, output);
                } else {
                    ffi::duckdb_cast_function_set_error(info, message.as_ptr());
                    return false;
                }
            }
        }
        succeeded
    }
}
