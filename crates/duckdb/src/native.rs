//! Registers the families of `firn_functions::scalar`.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use firn_engine::EngineError;
use firn_functions::scalar::{CallMemory, Effect, FAMILIES, Native};
use firn_values::running_call::begin_row;
use libduckdb_sys as ffi;

use super::call_guard::{self, CallLimits, caught};
use super::engine_memory;
use super::scalar_udfs::{AsLogicalType, Chunk, Output};
use super::throwing;

/// Makes the functions known to the whole instance that `connection` belongs to.
pub(super) fn register(connection: ffi::duckdb_connection, limits: &Arc<CallLimits>) -> Result<(), EngineError> {
    for native in FAMILIES.iter().copied().flatten() {
        // SAFETY: the connection is open; every object made here is destroyed here.
        let state = unsafe {
            let mut function = ffi::duckdb_create_scalar_function();
            ffi::duckdb_scalar_function_set_name(function, native.name.as_ptr());
            for kind in native.parameters {
                ffi::duckdb_scalar_function_add_parameter(function, kind.logical_type().0);
            }
            ffi::duckdb_scalar_function_set_return_type(function, native.returns.logical_type().0);
            call_guard::attach(function, native, limits);
            if native.effect == Effect::Counts {
                ffi::duckdb_scalar_function_set_volatile(function);
                ffi::duckdb_scalar_function_set_bind(function, Some(begin_counting));
            }
            ffi::duckdb_scalar_function_set_function(function, throwing::scalar(run));
            let state = ffi::duckdb_register_scalar_function(connection, function);
            ffi::duckdb_destroy_scalar_function(&mut function);
            state
        };
        if state != ffi::DuckDBSuccess {
            return Err(EngineError::Internal(format!("the engine refuses the function {:?}", native.name)));
        }
    }
    Ok(())
}

/// The rows a call in a statement has seen, counted by all threads that run it.
type Counter = Arc<AtomicU64>;

unsafe extern "C" fn begin_counting(info: ffi::duckdb_bind_info) {
    let _callback = engine_memory::in_callback();
    // SAFETY: the engine gives the counter back to `drop_counter` once, and copies it with `copy_counter`.
    unsafe {
        let counter: Box<Counter> = Box::default();
        ffi::duckdb_scalar_function_set_bind_data(info, Box::into_raw(counter).cast(), Some(drop_counter));
        ffi::duckdb_scalar_function_set_bind_data_copy(info, Some(copy_counter));
    }
}

unsafe extern "C" fn drop_counter(counter: *mut c_void) {
    // SAFETY: the pointer came from a `Box` made here, and the engine gives it back once.
    drop(unsafe { Box::from_raw(counter.cast::<Counter>()) });
}

unsafe extern "C" fn copy_counter(counter: *mut c_void) -> *mut c_void {
    // SAFETY: the pointer is to a `Counter` made here that is still alive.
    let counter = unsafe { (*counter.cast::<Counter>()).clone() };
    Box::into_raw(Box::new(counter)).cast()
}

unsafe extern "C-unwind" fn run(
    info: ffi::duckdb_function_info,
    input: ffi::duckdb_data_chunk,
    output: ffi::duckdb_vector,
) {
    // SAFETY: the function was registered with a `Native`, and the bind data is its counter; the input has the
    // registered parameters and lives for the call; the output is a vector of the registered type of the same length.
    unsafe {
        call_guard::run(info, |native: &Native, bytes| {
            let input = Chunk::of(input);
            let first_ordinal = match native.effect {
                Effect::Counts => {
                    let counter = &*ffi::duckdb_scalar_function_get_bind_data(info).cast::<Counter>();
                    counter.fetch_add(input.rows as u64, Ordering::Relaxed)
                }
                Effect::None => 0,
            };
            let memory = CallMemory::default();
            for piece in input.pieces() {
                let vectors = input.vectors(piece.clone());
                let columns = input.read(&vectors)?;
                for row in piece {
                    let value = caught(|| {
                        begin_row()?;
                        native.answer(&columns, row, first_ordinal + row as u64, &memory)
                    })?;
                    Output(output).write_counted(row, value, bytes)?;
                }
            }
            Ok(())
        });
    }
}
