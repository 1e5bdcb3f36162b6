//! Registers the functions of `firn_functions`, which exist because a macro would be slow to plan or not exact. A
//! function sees one row at a time, and decides itself what a NULL argument means.

use std::ffi::{CString, c_void};

use firn_engine::EngineError;
use firn_functions::columns::Column;
use firn_functions::definition::{Answer, Definition, Kind};
use libduckdb_sys as ffi;

use super::logical_type::LogicalType;
use super::own_types::{self, OwnedType};
use super::vectors::read_column;

/// Makes functions known to the whole instance that `connection` belongs to.
pub(super) fn register(
    connection: ffi::duckdb_connection,
    definitions: &'static [Definition],
) -> Result<(), EngineError> {
    for definition in definitions {
        // SAFETY: the connection is open; the function is destroyed here; the extra information points
        // to a constant, which outlives the instance.
        let state = unsafe {
            let mut function = ffi::duckdb_create_scalar_function();
            ffi::duckdb_scalar_function_set_name(function, definition.name.as_ptr());
            for parameter in definition.parameters {
                ffi::duckdb_scalar_function_add_parameter(function, parameter.logical_type().0);
            }
            if let Some(rest) = definition.rest {
                ffi::duckdb_scalar_function_set_varargs(function, rest.logical_type().0);
            }
            ffi::duckdb_scalar_function_set_return_type(function, definition.returns.logical_type().0);
            ffi::duckdb_scalar_function_set_special_handling(function);
            let extra: *const Definition = definition;
            ffi::duckdb_scalar_function_set_extra_info(function, extra.cast_mut().cast::<c_void>(), None);
            ffi::duckdb_scalar_function_set_function(function, Some(run));
            let state = ffi::duckdb_register_scalar_function(connection, function);
            ffi::duckdb_destroy_scalar_function(&mut function);
            state
        };
        if state != ffi::DuckDBSuccess {
            return Err(EngineError::Internal(format!("the engine refuses the function {:?}", definition.name)));
        }
    }
    Ok(())
}

/// The engine's type of a parameter or an answer.
pub(super) trait AsLogicalType {
    fn logical_type(self) -> OwnedType;
}

impl AsLogicalType for Kind {
    fn logical_type(self) -> OwnedType {
        match self {
            Self::Timestamp => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP),
            Self::SmallInteger => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT),
            Self::Text => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR),
            Self::Interval => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_INTERVAL),
            Self::TimestampLtz => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ),
            Self::TimestampTz => OwnedType::named(own_types::TIMESTAMP_TZ),
            Self::Any => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_ANY),
            Self::Integer => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT),
            Self::Fraction(digits) => OwnedType::decimal(digits, digits),
            Self::Double => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE),
            Self::Boolean => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN),
            Self::Date => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_DATE),
            Self::Time => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIME),
            Self::Binary => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_BLOB),
            Self::Json => OwnedType::named(c"JSON"),
            Self::Variant => OwnedType::named(own_types::VARIANT),
            Self::Object => OwnedType::named(own_types::OBJECT),
            Self::Array => OwnedType::named(own_types::ARRAY),
            Self::Geography => OwnedType::named(own_types::GEOGRAPHY),
            Self::Geometry => OwnedType::named(own_types::GEOMETRY),
            Self::Geographies => OwnedType::list(&Self::Geography.logical_type()),
            Self::Geometries => OwnedType::list(&Self::Geometry.logical_type()),
            Self::Wide => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_HUGEINT),
            Self::Texts => OwnedType::list(&Self::Text.logical_type()),
            Self::Integers => OwnedType::list(&Self::Integer.logical_type()),
            Self::Doubles => OwnedType::list(&Self::Double.logical_type()),
            Self::Binaries => OwnedType::list(&Self::Binary.logical_type()),
        }
    }
}

unsafe extern "C" fn run(info: ffi::duckdb_function_info, input: ffi::duckdb_data_chunk, output: ffi::duckdb_vector) {
    // SAFETY: the extra information is the `Definition` given at registration; the input's vectors are
    // flat and live for the call; the output has room for as many rows.
    unsafe {
        let definition = &*ffi::duckdb_scalar_function_get_extra_info(info).cast::<Definition>();
        let input = Columns::of_chunk(input);
        let columns = input.read();
        let output = Output(output);
        for row in 0..input.rows {
            if !output.tell(info, row, (definition.run)(&columns, row)) {
                return;
            }
        }
    }
}

/// The vectors of a chunk with their types.
pub(super) struct Columns {
    vectors: Vec<(ffi::duckdb_vector, LogicalType)>,
    pub(super) rows: usize,
}

impl Columns {
    /// # Safety
    /// The chunk is alive.
    pub(super) unsafe fn of_chunk(chunk: ffi::duckdb_data_chunk) -> Self {
        // SAFETY: promised by the caller; every index is in range.
        unsafe {
            let vector = |index| ffi::duckdb_data_chunk_get_vector(chunk, index);
            let vectors = (0..ffi::duckdb_data_chunk_get_column_count(chunk)).map(vector);
            Self {
                vectors: vectors.map(|vector| (vector, LogicalType::of_vector(vector))).collect(),
                rows: ffi::duckdb_data_chunk_get_size(chunk) as usize,
            }
        }
    }

    /// # Safety
    /// The chunk's vectors are flat and live as long as what is read.
    pub(super) unsafe fn read(&self) -> Vec<Column<'_>> {
        self.vectors
            .iter()
            // SAFETY: promised by the caller.
            .map(|(vector, logical_type)| unsafe { read_column(*vector, logical_type, self.rows) })
            .collect()
    }
}

/// The vector answers go to.
pub(super) struct Output(pub(super) ffi::duckdb_vector);

impl Output {
    /// Writes what a function says of a row; `false` if that is a failure, which ends the call.
    ///
    /// # Safety
    /// As `write`, and `info` is the running call's.
    pub(super) unsafe fn tell(
        &self,
        info: ffi::duckdb_function_info,
        row: usize,
        told: Result<Answer<'_>, String>,
    ) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            match told {
                Ok(answer) => {
                    self.write(row, answer);
                    true
                }
                Err(message) => {
                    let message = CString::new(message).unwrap_or_default();
                    ffi::duckdb_scalar_function_set_error(info, message.as_ptr());
                    false
                }
            }
        }
    }

    /// # Safety
    /// The vector is of the answer's type and has room for the row.
    pub(super) unsafe fn write(&self, row: usize, answer: Answer<'_>) {
        // SAFETY: promised by the caller.
        unsafe {
            match answer {
                Answer::Null => {
                    ffi::duckdb_vector_ensure_validity_writable(self.0);
                    ffi::duckdb_validity_set_row_invalid(ffi::duckdb_vector_get_validity(self.0), row as u64);
                }
                Answer::Text(text) => self.put_bytes(row, text.as_bytes()),
                Answer::Piece(text) => self.put_bytes(row, text.as_bytes()),
                Answer::Bytes(bytes) => self.put_bytes(row, &bytes),
                Answer::Boolean(value) => self.put(row, value),
                Answer::Integer(value) => self.put(row, value),
                Answer::Double(value) => self.put(row, value),
                Answer::Wide(value) => {
                    self.put(row, ffi::duckdb_hugeint { lower: value as u64, upper: (value >> 64) as i64 });
                }
                Answer::SmallInteger(value) => self.put(row, value),
                Answer::Date(value) => self.put(row, value),
                Answer::Timestamp(value) => self.put(row, value),
                Answer::Interval(value) => self.put(row, value),
            }
        }
    }

    /// # Safety
    /// As `write`, for a text or bytes.
    unsafe fn put_bytes(&self, row: usize, bytes: &[u8]) {
        let (start, length) = (bytes.as_ptr().cast(), bytes.len() as u64);
        // SAFETY: promised by the caller; the engine copies the bytes.
        unsafe { ffi::duckdb_vector_assign_string_element_len(self.0, row as u64, start, length) };
    }

    /// # Safety
    /// As `write`, for a type stored as `T`.
    unsafe fn put<T>(&self, row: usize, value: T) {
        // SAFETY: promised by the caller.
        unsafe { ffi::duckdb_vector_get_data(self.0).cast::<T>().add(row).write(value) };
    }
}
