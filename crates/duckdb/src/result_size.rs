//! Bounds the bytes of one batch of result rows. The engine copies every batch that a running query hands out, a text once
//! for each row that has it, and does not count the copies against its memory limit. Where a join or a constant repeats a
//! long text, they take thousands of times as much as the values themselves, so they are counted before they are made.

use std::sync::Arc;

use firn_binder::{OutputColumn, Type};
use firn_engine::EngineError;
use firn_functions::columns::{Bytes, Column, Values};
use firn_sql::ObjectName;
use firn_sql::ast::{Query, Select, SetExpr, TableFactor};
use firn_sql::command::DataType;
use libduckdb_sys as ffi;

use super::call_guard::{self, CallLimits, VectorBytes, caught};
use super::chunks::ResultColumn;
use super::flat_vectors::has_children;
use super::logical_type::LogicalType;
use super::scalar_udfs::Output;
use super::vectors::read_column;
use super::{throwing, type_aliases};

const NAME: &std::ffi::CStr = c"firn_result_fits";
const COUNTED: &str = "firn result fits";
/// Texts up to this length are short enough for every row of a batch to have one.
const SHORT_TEXT_MAX: u64 = 10_000;

/// The query, with the bytes of its rows counted by a column that is not part of the result. A filter would change the
/// order in which the engine unnests lists. The first argument is no constant, so that constants of the query are counted
/// once for each row.
pub(crate) fn bounded(sql: &str) -> String {
    format!("SELECT *, firn_result_fits(random(), *COLUMNS(*)) AS \"{COUNTED}\" FROM ({sql}) AS firn_result")
}

/// The columns of a result without the one of `bounded`.
pub(crate) fn shown(columns: &[ResultColumn]) -> &[ResultColumn] {
    match columns {
        [shown @ .., last] if last.name == COUNTED && last.logical_type == LogicalType::Boolean => shown,
        _ => columns,
    }
}

/// False if every long text of a result is read from the one row of a table that has it: then the batch is no larger than
/// what was read, which the engine does count. `query` is a lowered one.
pub(crate) fn may_repeat_texts(
    query: &Query,
    columns: &[OutputColumn],
    is_table: impl Fn(&ObjectName) -> bool,
) -> bool {
    let is_read = |column: &OutputColumn| column.origin.as_ref().is_some_and(|origin| is_table(origin.relation.name()));
    match &*query.body {
        SetExpr::Select(select) if query.with.is_none() && select.from.is_empty() => false,
        SetExpr::Select(select) if query.with.is_none() && reads_one_relation(select) => {
            columns.is_empty() || columns.iter().any(|column| may_be_long(column) && !is_read(column))
        }
        _ => columns.is_empty() || columns.iter().any(may_be_long),
    }
}

fn reads_one_relation(select: &Select) -> bool {
    match select.from.as_slice() {
        [only] => only.joins.is_empty() && matches!(only.relation, TableFactor::Table { args: None, .. }),
        _ => false,
    }
}

fn may_be_long(column: &OutputColumn) -> bool {
    let Type::Of(data_type) = &column.value.data_type else { return column.value.data_type == Type::Unknown };
    match data_type {
        DataType::Varchar { length } | DataType::Binary { length } => length.is_none_or(|bytes| bytes > SHORT_TEXT_MAX),
        DataType::Variant | DataType::Object | DataType::Array | DataType::Geography | DataType::Geometry => true,
        _ => false,
    }
}

/// Makes the function known to the whole instance that `connection` belongs to.
pub(super) fn register(connection: ffi::duckdb_connection, limits: &Arc<CallLimits>) -> Result<(), EngineError> {
    // SAFETY: the connection is open; the function is destroyed here.
    let state = unsafe {
        let mut function = ffi::duckdb_create_scalar_function();
        ffi::duckdb_scalar_function_set_name(function, NAME.as_ptr());
        let any = type_aliases::OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_ANY);
        ffi::duckdb_scalar_function_set_varargs(function, any.0);
        let boolean = type_aliases::OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN);
        ffi::duckdb_scalar_function_set_return_type(function, boolean.0);
        ffi::duckdb_scalar_function_set_special_handling(function);
        ffi::duckdb_scalar_function_set_volatile(function);
        call_guard::attach(function, &(), limits);
        ffi::duckdb_scalar_function_set_function(function, throwing::scalar(run));
        let state = ffi::duckdb_register_scalar_function(connection, function);
        ffi::duckdb_destroy_scalar_function(&mut function);
        state
    };
    match state {
        ffi::DuckDBSuccess => Ok(()),
        _ => Err(EngineError::Internal(format!("the engine refuses the function {NAME:?}"))),
    }
}

unsafe extern "C-unwind" fn run(
    info: ffi::duckdb_function_info,
    input: ffi::duckdb_data_chunk,
    output: ffi::duckdb_vector,
) {
    // SAFETY: the function was registered with this extra information; the input's vectors are flat and live for the call;
    // the output has room for as many rows.
    unsafe {
        call_guard::run(info, |_: &(), bytes| {
            let rows = ffi::duckdb_data_chunk_get_size(input) as usize;
            for index in 0..ffi::duckdb_data_chunk_get_column_count(input) {
                let vector = ffi::duckdb_data_chunk_get_vector(input, index);
                let logical_type = LogicalType::of_vector(vector);
                if !has_children(&logical_type) {
                    caught(|| count(&read_column(vector, &logical_type, rows), rows, bytes))?;
                }
            }
            (0..rows).for_each(|row| Output(output).put_true(row));
            Ok(())
        });
    }
}

fn count(column: &Column<'_>, rows: usize, bytes: &mut VectorBytes) -> Result<(), String> {
    let cells: &[Bytes] = match &column.values {
        Values::Text(cells) | Values::Json(cells) | Values::Blob(cells) => cells,
        Values::Geography(cells) | Values::Geometry(cells) => cells,
        _ => return Ok(()),
    };
    let sizes = (0..rows).filter(|row| !column.is_null(*row)).map(|row| cells[row].get().len());
    bytes.take_result(sizes.sum())
}
