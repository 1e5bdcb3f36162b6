//! Functions of the engine that throw when memory runs out, declared so that the exception may unwind. `catch_unwind`
//! aborts the process on a foreign exception, so these are called outside of it, in a callback that may unwind, and the
//! engine turns the exception into the error of its statement.

use std::ffi::c_char;

use libduckdb_sys as ffi;

unsafe extern "C-unwind" {
    pub(super) fn duckdb_create_vector(logical_type: ffi::duckdb_logical_type, capacity: u64) -> ffi::duckdb_vector;

    pub(super) fn duckdb_vector_copy_sel(
        source: ffi::duckdb_vector,
        target: ffi::duckdb_vector,
        selection: ffi::duckdb_selection_vector,
        source_count: u64,
        source_offset: u64,
        target_offset: u64,
    );

    pub(super) fn duckdb_list_vector_reserve(vector: ffi::duckdb_vector, capacity: u64) -> ffi::duckdb_state;

    pub(super) fn duckdb_vector_ensure_validity_writable(vector: ffi::duckdb_vector);

    /// Takes the bytes as they are: a text of ours is valid UTF-8.
    pub(super) fn duckdb_unsafe_vector_assign_string_element_len(
        vector: ffi::duckdb_vector,
        row: u64,
        text: *const c_char,
        length: u64,
    );
}

type ScalarCallback =
    unsafe extern "C-unwind" fn(ffi::duckdb_function_info, ffi::duckdb_data_chunk, ffi::duckdb_vector);
type CastCallback =
    unsafe extern "C-unwind" fn(ffi::duckdb_function_info, u64, ffi::duckdb_vector, ffi::duckdb_vector) -> bool;
type UpdateCallback =
    unsafe extern "C-unwind" fn(ffi::duckdb_function_info, ffi::duckdb_data_chunk, *mut ffi::duckdb_aggregate_state);
type FinishCallback = unsafe extern "C-unwind" fn(
    ffi::duckdb_function_info,
    *mut ffi::duckdb_aggregate_state,
    ffi::duckdb_vector,
    u64,
    u64,
);

/// As the engine's interface declares callbacks, which knows nothing of unwinding; C++ code lets exceptions of what it
/// calls pass.
pub(super) fn scalar(callback: ScalarCallback) -> ffi::duckdb_scalar_function_t {
    // SAFETY: both types are pointers to functions that differ only in whether they may unwind.
    unsafe { std::mem::transmute::<Option<ScalarCallback>, ffi::duckdb_scalar_function_t>(Some(callback)) }
}

pub(super) fn cast(callback: CastCallback) -> ffi::duckdb_cast_function_t {
    // SAFETY: as in `scalar`.
    unsafe { std::mem::transmute::<Option<CastCallback>, ffi::duckdb_cast_function_t>(Some(callback)) }
}

pub(super) fn update(callback: UpdateCallback) -> ffi::duckdb_aggregate_update_t {
    // SAFETY: as in `scalar`.
    unsafe { std::mem::transmute::<Option<UpdateCallback>, ffi::duckdb_aggregate_update_t>(Some(callback)) }
}

pub(super) fn finish(callback: FinishCallback) -> ffi::duckdb_aggregate_finalize_t {
    // SAFETY: as in `scalar`.
    unsafe { std::mem::transmute::<Option<FinishCallback>, ffi::duckdb_aggregate_finalize_t>(Some(callback)) }
}
