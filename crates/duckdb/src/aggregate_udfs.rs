//! Registers the aggregates of `firn_functions`, which the engine has no equivalent for.

use std::ffi::{CString, c_void};

use firn_engine::EngineError;
use firn_functions::aggregates::{Aggregate, changes, distinct_counts, vector_sums};
use libduckdb_sys as ffi;

use super::call_guard::caught;
use super::engine_memory;
use super::scalar_udfs::{AsLogicalType, Chunk, Output};
use super::throwing;

/// Makes the aggregates known to the whole instance that `connection` belongs to.
pub(super) fn register(connection: ffi::duckdb_connection) -> Result<(), EngineError> {
    register_one::<changes::Changes>(connection)?;
    register_one::<distinct_counts::DistinctCount>(connection)?;
    register_one::<vector_sums::Sum>(connection)?;
    register_one::<vector_sums::Average>(connection)?;
    register_one::<vector_sums::Least>(connection)?;
    register_one::<vector_sums::Greatest>(connection)
}

fn register_one<A: Aggregate>(connection: ffi::duckdb_connection) -> Result<(), EngineError> {
    // SAFETY: the connection is open; every object made here is destroyed here.
    let state = unsafe {
        let mut function = ffi::duckdb_create_aggregate_function();
        ffi::duckdb_aggregate_function_set_name(function, A::NAME.as_ptr());
        for parameter in A::PARAMETERS {
            ffi::duckdb_aggregate_function_add_parameter(function, parameter.logical_type().0);
        }
        ffi::duckdb_aggregate_function_set_return_type(function, A::RETURNS.logical_type().0);
        ffi::duckdb_aggregate_function_set_special_handling(function);
        ffi::duckdb_aggregate_function_set_functions(
            function,
            Some(size),
            Some(begin::<A>),
            throwing::update(update::<A>),
            Some(combine::<A>),
            throwing::finish(finish::<A>),
        );
        ffi::duckdb_aggregate_function_set_destructor(function, Some(destroy::<A>));
        let state = ffi::duckdb_register_aggregate_function(connection, function);
        ffi::duckdb_destroy_aggregate_function(&mut function);
        state
    };
    if state == ffi::DuckDBSuccess {
        Ok(())
    } else {
        Err(EngineError::Internal(format!("the engine refuses the aggregate {:?}", A::NAME)))
    }
}

/// The engine keeps a pointer to each state.
unsafe extern "C" fn size(_: ffi::duckdb_function_info) -> u64 {
    size_of::<*mut c_void>() as u64
}

unsafe extern "C" fn begin<A: Aggregate>(_: ffi::duckdb_function_info, state: ffi::duckdb_aggregate_state) {
    let fresh: *mut A = Box::into_raw(Box::default());
    // SAFETY: the state has room for a pointer.
    unsafe { state.cast::<*mut A>().write_unaligned(fresh) };
}

/// # Safety
/// `state` was begun and not destroyed.
unsafe fn held<'state, A: Aggregate>(state: ffi::duckdb_aggregate_state) -> &'state mut A {
    // SAFETY: promised by the caller; the engine uses a state from one thread at a time.
    unsafe { &mut *state.cast::<*mut A>().read_unaligned() }
}

unsafe extern "C" fn destroy<A: Aggregate>(states: *mut ffi::duckdb_aggregate_state, count: u64) {
    for index in 0..count as usize {
        // SAFETY: each state was begun here and is destroyed once.
        drop(unsafe { Box::from_raw((*states.add(index)).cast::<*mut A>().read_unaligned()) });
    }
}

unsafe extern "C-unwind" fn update<A: Aggregate>(
    info: ffi::duckdb_function_info,
    input: ffi::duckdb_data_chunk,
    states: *mut ffi::duckdb_aggregate_state,
) {
    let _callback = engine_memory::in_callback();
    // SAFETY: the input's vectors live for the call; there is a state for every row.
    unsafe {
        let input = Chunk::of(input);
        let updated = input.pieces().try_for_each(|piece| {
            let vectors = input.vectors(piece.clone());
            let columns = input.read(&vectors)?;
            caught(|| piece.clone().try_for_each(|row| held::<A>(*states.add(row)).add(&columns, row)))
        });
        report(info, updated);
    }
}

unsafe extern "C" fn combine<A: Aggregate>(
    info: ffi::duckdb_function_info,
    sources: *mut ffi::duckdb_aggregate_state,
    targets: *mut ffi::duckdb_aggregate_state,
    count: u64,
) {
    let _callback = engine_memory::in_callback();
    // SAFETY: both arrays have `count` states, all begun; a source is not its own target.
    let merged = caught(|| unsafe {
        (0..count as usize).try_for_each(|index| held::<A>(*targets.add(index)).merge(&*held::<A>(*sources.add(index))))
    });
    report(info, merged);
}

unsafe extern "C-unwind" fn finish<A: Aggregate>(
    info: ffi::duckdb_function_info,
    states: *mut ffi::duckdb_aggregate_state,
    result: ffi::duckdb_vector,
    count: u64,
    offset: u64,
) {
    let _callback = engine_memory::in_callback();
    // SAFETY: there are `count` states, and the result has room for as many rows behind `offset`.
    unsafe {
        let finished = (0..count as usize).try_for_each(|index| {
            let answer = caught(|| Ok(held::<A>(*states.add(index)).answer()))?;
            Output(result).write(offset as usize + index, answer);
            Ok(())
        });
        report(info, finished);
    }
}

fn report(info: ffi::duckdb_function_info, outcome: Result<(), String>) {
    let Err(message) = outcome else { return };
    let message = CString::new(message).unwrap_or_default();
    // SAFETY: the call is running, and the engine copies the message.
    unsafe { ffi::duckdb_aggregate_function_set_error(info, message.as_ptr()) };
}
