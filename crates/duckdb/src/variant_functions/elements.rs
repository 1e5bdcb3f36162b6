//! `firn_elements(array)`: the elements of an array as a list of the engine's, for its functions of lists.

use std::sync::Arc;

use firn_engine::EngineError;
use firn_functions::definition::{Answer, Kind};
use firn_functions::variant::{Arguments, stored};
use firn_values::running_call::begin_row;
use firn_values::variant::Variant;
use libduckdb_sys as ffi;

use crate::call_guard::{self, CallLimits, VectorBytes, caught};
use crate::scalar_udfs::{AsLogicalType, Chunk, Output};
use crate::throwing::{self, duckdb_list_vector_reserve};

pub(super) fn register(connection: ffi::duckdb_connection, limits: &Arc<CallLimits>) -> Result<(), EngineError> {
    // SAFETY: the connection is open; every object made here is destroyed here or owned by a guard.
    let state = unsafe {
        let element = Kind::Variant.logical_type();
        let mut list = ffi::duckdb_create_list_type(element.0);
        let mut function = ffi::duckdb_create_scalar_function();
        ffi::duckdb_scalar_function_set_name(function, c"firn_elements".as_ptr());
        ffi::duckdb_scalar_function_add_parameter(function, Kind::Any.logical_type().0);
        ffi::duckdb_scalar_function_set_return_type(function, list);
        ffi::duckdb_scalar_function_set_special_handling(function);
        call_guard::attach(function, &(), limits);
        ffi::duckdb_scalar_function_set_function(function, throwing::scalar(run));
        let state = ffi::duckdb_register_scalar_function(connection, function);
        ffi::duckdb_destroy_scalar_function(&mut function);
        ffi::duckdb_destroy_logical_type(&mut list);
        state
    };
    if state == ffi::DuckDBSuccess {
        Ok(())
    } else {
        Err(EngineError::Internal("the engine refuses the function firn_elements".to_owned()))
    }
}

unsafe extern "C-unwind" fn run(
    info: ffi::duckdb_function_info,
    input: ffi::duckdb_data_chunk,
    output: ffi::duckdb_vector,
) {
    // SAFETY: the input's vectors live for the call; the output is a list of semi-structured values and has room for as
    // many rows.
    unsafe {
        call_guard::run(info, |(): &(), bytes| {
            let input = Chunk::of(input);
            let mut end = 0;
            for piece in input.pieces() {
                let vectors = input.vectors(piece.clone());
                let columns = input.read(&vectors)?;
                for row in piece {
                    let array = caught(|| {
                        begin_row()?;
                        (Arguments { columns: &columns, row }).array(0)
                    })?;
                    if array.is_none() {
                        Output(output).write(row, Answer::Null);
                    }
                    end = write(output, row, end, array.unwrap_or_default(), bytes)?;
                }
            }
            Ok(())
        });
    }
}

/// Writes the list of a row behind those before it; where it ends.
///
/// # Safety
/// `output` is a list of semi-structured values, has room for the row, and ends at `start`.
unsafe fn write(
    output: ffi::duckdb_vector,
    row: usize,
    start: usize,
    elements: Vec<Variant>,
    bytes: &mut VectorBytes,
) -> Result<usize, String> {
    let end = start + elements.len();
    // SAFETY: promised by the caller; the child has room for the elements once it is reserved.
    unsafe {
        let entry = ffi::duckdb_list_entry { offset: start as u64, length: elements.len() as u64 };
        ffi::duckdb_vector_get_data(output).cast::<ffi::duckdb_list_entry>().add(row).write(entry);
        duckdb_list_vector_reserve(output, end as u64);
        ffi::duckdb_list_vector_set_size(output, end as u64);
        let child = Output(ffi::duckdb_list_vector_get_child(output));
        for (place, element) in (start..).zip(elements) {
            let element = caught(|| Ok(stored(Some(element).filter(|element| *element != Variant::Undefined))))?;
            child.write_counted(place, element, bytes)?;
        }
    }
    Ok(end)
}
