//! Functions of texts that are written here instead of as macros, because a macro would be slow to plan
//! or not exact. Each takes texts and answers with a text, or NULL; a NULL argument answers NULL.

mod instants;
mod written;

use std::ffi::{CStr, CString, c_void};

use libduckdb_sys as ffi;

use super::logical_type::LogicalType;
use super::vectors::{Column, Values};
use crate::EngineError;

type TextFunction = fn(&[&str]) -> Result<Option<String>, String>;

struct Definition {
    name: &'static CStr,
    parameters: usize,
    run: TextFunction,
}

const DEFINITIONS: &[Definition] = &[
    Definition { name: c"firn_written", parameters: 2, run: |texts| Ok(written::as_type(texts[0], texts[1])) },
    Definition { name: c"firn_canonical_date", parameters: 1, run: |texts| instants::date(texts[0]).map(Some) },
    Definition {
        name: c"firn_canonical_timestamp",
        parameters: 1,
        run: |texts| instants::timestamp(texts[0]).map(Some),
    },
    Definition { name: c"firn_canonical_instant", parameters: 1, run: |texts| instants::instant(texts[0]).map(Some) },
    Definition { name: c"firn_given_offset", parameters: 1, run: |texts| Ok(instants::given_offset(texts[0])) },
];

/// Makes the functions known to the whole instance that `connection` belongs to.
pub(super) fn register(connection: ffi::duckdb_connection) -> Result<(), EngineError> {
    for definition in DEFINITIONS {
        // SAFETY: the connection is open; every object made here is destroyed here; the extra
        // information points to a constant, which outlives the instance.
        let state = unsafe {
            let mut text = ffi::duckdb_create_logical_type(ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR);
            let mut function = ffi::duckdb_create_scalar_function();
            ffi::duckdb_scalar_function_set_name(function, definition.name.as_ptr());
            for _ in 0..definition.parameters {
                ffi::duckdb_scalar_function_add_parameter(function, text);
            }
            ffi::duckdb_scalar_function_set_return_type(function, text);
            let extra: *const Definition = definition;
            ffi::duckdb_scalar_function_set_extra_info(function, extra.cast_mut().cast::<c_void>(), None);
            ffi::duckdb_scalar_function_set_function(function, Some(run));
            let state = ffi::duckdb_register_scalar_function(connection, function);
            ffi::duckdb_destroy_scalar_function(&mut function);
            ffi::duckdb_destroy_logical_type(&mut text);
            state
        };
        if state != ffi::DuckDBSuccess {
            return Err(EngineError::Internal(format!("the engine refuses the function {:?}", definition.name)));
        }
    }
    Ok(())
}

unsafe extern "C" fn run(info: ffi::duckdb_function_info, input: ffi::duckdb_data_chunk, output: ffi::duckdb_vector) {
    // SAFETY: the extra information is the `Definition` given at registration; the input has its
    // parameters, flattened, and lives for the call; the output is a vector of text of the same length.
    unsafe {
        let definition = &*ffi::duckdb_scalar_function_get_extra_info(info).cast::<Definition>();
        let rows = ffi::duckdb_data_chunk_get_size(input) as usize;
        let columns: Vec<Column<'_>> = (0..definition.parameters as u64)
            .map(|index| Column::read(ffi::duckdb_data_chunk_get_vector(input, index), &LogicalType::Varchar, rows))
            .collect();
        for row in 0..rows {
            match answer(definition, &columns, row) {
                Ok(Some(text)) => ffi::duckdb_vector_assign_string_element_len(
                    output,
                    row as u64,
                    text.as_ptr().cast(),
                    text.len() as u64,
                ),
                Ok(None) => {
                    ffi::duckdb_vector_ensure_validity_writable(output);
                    ffi::duckdb_validity_set_row_invalid(ffi::duckdb_vector_get_validity(output), row as u64);
                }
                Err(message) => {
                    let message = CString::new(message).unwrap_or_default();
                    ffi::duckdb_scalar_function_set_error(info, message.as_ptr());
                    return;
                }
            }
        }
    }
}

fn answer(definition: &Definition, columns: &[Column<'_>], row: usize) -> Result<Option<String>, String> {
    let mut texts = Vec::with_capacity(columns.len());
    for column in columns {
        let Values::Text(values) = &column.values else { return Ok(None) };
        if column.is_null(row) {
            return Ok(None);
        }
        // The engine's texts are valid UTF-8.
        texts.push(std::str::from_utf8(values[row].get()).unwrap_or_default());
    }
    (definition.run)(&texts)
}
