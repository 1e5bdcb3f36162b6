//! `firn_flatten(input, path, outer, recursive, mode, with_this)`: the rows of FLATTEN as a list of structs, which
//! the engine unnests. Every input it is called for gets a number of its own, counted within one query.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use firn_engine::EngineError;
use firn_functions::definition::Answer;
use firn_functions::variant::Arguments;
use firn_functions::variant::flatten::{FIELDS, PARAMETERS, rows_of};
use firn_values::running_call::begin_row;
use firn_values::variant::flatten::Row;
use libduckdb_sys as ffi;

use crate::call_guard::{self, CallLimits, VectorBytes, caught};
use crate::engine_memory;
use crate::scalar_udfs::{AsLogicalType, Chunk, Output};
use crate::throwing::{self, duckdb_list_vector_reserve};

type Counter = Arc<AtomicI64>;

pub(super) fn register(connection: ffi::duckdb_connection, limits: &Arc<CallLimits>) -> Result<(), EngineError> {
    // SAFETY: the connection is open; every object made here is destroyed here or owned by a guard.
    let state = unsafe {
        let types: Vec<_> = FIELDS.iter().map(|(_, kind)| kind.logical_type()).collect();
        let mut members: Vec<_> = types.iter().map(|member| member.0).collect();
        let mut names: Vec<_> = FIELDS.iter().map(|(name, _)| name.as_ptr()).collect();
        let mut row = ffi::duckdb_create_struct_type(members.as_mut_ptr(), names.as_mut_ptr(), FIELDS.len() as u64);
        let mut list = ffi::duckdb_create_list_type(row);
        let mut function = ffi::duckdb_create_scalar_function();
        ffi::duckdb_scalar_function_set_name(function, c"firn_flatten".as_ptr());
        for parameter in PARAMETERS {
            ffi::duckdb_scalar_function_add_parameter(function, parameter.logical_type().0);
        }
        ffi::duckdb_scalar_function_set_return_type(function, list);
        ffi::duckdb_scalar_function_set_special_handling(function);
        call_guard::attach(function, &(), limits);
        ffi::duckdb_scalar_function_set_bind(function, Some(bind));
        ffi::duckdb_scalar_function_set_function(function, throwing::scalar(run));
        let state = ffi::duckdb_register_scalar_function(connection, function);
        ffi::duckdb_destroy_scalar_function(&mut function);
        ffi::duckdb_destroy_logical_type(&mut list);
        ffi::duckdb_destroy_logical_type(&mut row);
        state
    };
    if state == ffi::DuckDBSuccess {
        Ok(())
    } else {
        Err(EngineError::Internal("the engine refuses the function firn_flatten".to_owned()))
    }
}

unsafe extern "C" fn bind(info: ffi::duckdb_bind_info) {
    let _callback = engine_memory::in_callback();
    // SAFETY: the engine gives the counter back to `drop_counter`, and its copies too.
    unsafe {
        let counter: Counter = Arc::default();
        ffi::duckdb_scalar_function_set_bind_data(info, Arc::into_raw(counter).cast_mut().cast(), Some(drop_counter));
        ffi::duckdb_scalar_function_set_bind_data_copy(info, Some(copy_counter));
    }
}

unsafe extern "C" fn drop_counter(data: *mut c_void) {
    // SAFETY: `bind` or `copy_counter` made the pointer from an `Arc`, and the engine gives it back once.
    drop(unsafe { Arc::from_raw(data.cast::<AtomicI64>()) });
}

/// A copy counts together with the original.
unsafe extern "C" fn copy_counter(data: *mut c_void) -> *mut c_void {
    // SAFETY: the pointer came from an `Arc` that is still held.
    unsafe { Arc::increment_strong_count(data.cast::<AtomicI64>()) };
    data
}

unsafe extern "C-unwind" fn run(
    info: ffi::duckdb_function_info,
    input: ffi::duckdb_data_chunk,
    output: ffi::duckdb_vector,
) {
    // SAFETY: the bind data is the counter; the input's vectors live for the call; the output is a list of structs with
    // the fields above and has room for as many rows.
    unsafe {
        call_guard::run(info, |(): &(), bytes| {
            let counter = &*ffi::duckdb_scalar_function_get_bind_data(info).cast::<AtomicI64>();
            let input = Chunk::of(input);
            let mut flat: Vec<(i64, Row)> = Vec::new();
            let mut entries = Vec::with_capacity(input.rows);
            for piece in input.pieces() {
                let vectors = input.vectors(piece.clone());
                let columns = input.read(&vectors)?;
                for row in piece {
                    let rows = caught(|| {
                        begin_row()?;
                        rows_of(Arguments { columns: &columns, row })
                    })?;
                    let sequence = counter.fetch_add(1, Ordering::Relaxed) + 1;
                    entries.push(ffi::duckdb_list_entry { offset: flat.len() as u64, length: rows.len() as u64 });
                    flat.extend(rows.into_iter().map(|row| (sequence, row)));
                }
            }
            write(output, &entries, flat, bytes)
        });
    }
}

/// # Safety
/// `output` is a list of structs with the fields above and has room for the entries.
unsafe fn write(
    output: ffi::duckdb_vector,
    entries: &[ffi::duckdb_list_entry],
    rows: Vec<(i64, Row)>,
    bytes: &mut VectorBytes,
) -> Result<(), String> {
    // SAFETY: promised by the caller; the child has room for all rows once it is reserved.
    unsafe {
        duckdb_list_vector_reserve(output, rows.len() as u64);
        ffi::duckdb_list_vector_set_size(output, rows.len() as u64);
        for (row, entry) in entries.iter().enumerate() {
            ffi::duckdb_vector_get_data(output).cast::<ffi::duckdb_list_entry>().add(row).write(*entry);
        }
        let structs = ffi::duckdb_list_vector_get_child(output);
        let fields: Vec<Output> =
            (0..FIELDS.len() as u64).map(|index| Output(ffi::duckdb_struct_vector_get_child(structs, index))).collect();
        for (place, (sequence, row)) in rows.into_iter().enumerate() {
            let answers = [
                Answer::Integer(sequence),
                row.key.map_or(Answer::Null, Answer::Text),
                Answer::Text(row.path),
                row.index.map_or(Answer::Null, |index| Answer::Integer(index as i64)),
                row.value.map_or(Answer::Null, Answer::Text),
                row.this.map_or(Answer::Null, Answer::Text),
            ];
            for (field, answer) in fields.iter().zip(answers) {
                field.write_counted(place, answer, bytes)?;
            }
        }
    }
    Ok(())
}
