//! Registers the functions of `firn_functions`, which exist because a macro would be slow to plan or not exact. A
//! function is evaluated row by row, and handles NULL arguments itself.

use std::ops::Range;
use std::sync::Arc;

use firn_engine::EngineError;
use firn_functions::columns::Column;
use firn_functions::definition::{Answer, Definition, Kind};
use firn_values::running_call::begin_row;
use libduckdb_sys as ffi;

use super::call_guard::{self, CallLimits, VectorBytes, caught};
use super::flat_vectors::{self, FlatVector};
use super::logical_type::LogicalType;
use super::throwing::{self, duckdb_unsafe_vector_assign_string_element_len, duckdb_vector_ensure_validity_writable};
use super::type_aliases::{self, OwnedType};
use super::vectors::read_column;

/// Makes functions known to the whole instance that `connection` belongs to.
pub(super) fn register(
    connection: ffi::duckdb_connection,
    definitions: &'static [Definition],
    limits: &Arc<CallLimits>,
) -> Result<(), EngineError> {
    for definition in definitions {
        // SAFETY: the connection is open; the function is destroyed here.
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
            call_guard::attach(function, definition, limits);
            ffi::duckdb_scalar_function_set_function(function, throwing::scalar(run));
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
            Self::TimestampTz => OwnedType::named(type_aliases::TIMESTAMP_TZ),
            Self::Any => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_ANY),
            Self::Integer => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT),
            Self::Fraction(digits) => OwnedType::decimal(digits, digits),
            Self::Double => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE),
            Self::Boolean => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN),
            Self::Date => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_DATE),
            Self::Time => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIME),
            Self::Binary => OwnedType::plain(ffi::DUCKDB_TYPE_DUCKDB_TYPE_BLOB),
            Self::Json => OwnedType::named(c"JSON"),
            Self::Variant => OwnedType::named(type_aliases::VARIANT),
            Self::Object => OwnedType::named(type_aliases::OBJECT),
            Self::Array => OwnedType::named(type_aliases::ARRAY),
            Self::Geography => OwnedType::named(type_aliases::GEOGRAPHY),
            Self::Geometry => OwnedType::named(type_aliases::GEOMETRY),
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

unsafe extern "C-unwind" fn run(
    info: ffi::duckdb_function_info,
    input: ffi::duckdb_data_chunk,
    output: ffi::duckdb_vector,
) {
    // SAFETY: the function was registered with a `Definition`; the input's vectors live for the call; the output has
    // room for as many rows.
    unsafe {
        call_guard::run(info, |definition: &Definition, bytes| {
            let input = Chunk::of(input);
            for piece in input.pieces() {
                let vectors = input.vectors(piece.clone());
                let columns = input.read(&vectors)?;
                for row in piece {
                    let answer = caught(|| {
                        begin_row()?;
                        (definition.run)(&columns, row)
                    })?;
                    Output(output).write_counted(row, answer, bytes)?;
                }
            }
            Ok(())
        });
    }
}

/// A chunk that a function reads, with the types of its vectors.
pub(super) struct Chunk {
    handle: ffi::duckdb_data_chunk,
    types: Vec<LogicalType>,
    pub(super) rows: usize,
}

impl Chunk {
    /// # Safety
    /// The chunk is alive for as long as this is.
    pub(super) unsafe fn of(handle: ffi::duckdb_data_chunk) -> Self {
        // SAFETY: promised by the caller; every index is in range.
        unsafe {
            let type_of = |index| LogicalType::of_vector(ffi::duckdb_data_chunk_get_vector(handle, index));
            let types = (0..ffi::duckdb_data_chunk_get_column_count(handle)).map(type_of).collect();
            Self { handle, types, rows: ffi::duckdb_data_chunk_get_size(handle) as usize }
        }
    }

    pub(super) fn pieces(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        flat_vectors::pieces(&self.types, self.rows)
    }

    /// The vectors of a piece. The engine may throw.
    pub(super) fn vectors(&self, piece: Range<usize>) -> Vec<FlatVector> {
        let vector = |(index, logical_type): (usize, &LogicalType)| {
            // SAFETY: the chunk is alive and has as many vectors as types, of as many rows; the piece is one of its rows.
            unsafe {
                let vector = ffi::duckdb_data_chunk_get_vector(self.handle, index as u64);
                FlatVector::of(vector, logical_type, self.rows, piece.clone())
            }
        };
        self.types.iter().enumerate().map(vector).collect()
    }

    /// # Safety
    /// The vectors are of this chunk; only rows of their piece are read.
    pub(super) unsafe fn read<'piece>(
        &'piece self,
        vectors: &'piece [FlatVector],
    ) -> Result<Vec<Column<'piece>>, String> {
        let column = |(vector, logical_type): (&FlatVector, &'piece LogicalType)| {
            // SAFETY: promised by the caller.
            unsafe { read_column(vector.handle(), logical_type, self.rows) }
        };
        caught(|| Ok(vectors.iter().zip(&self.types).map(column).collect()))
    }
}

/// The vector answers go to.
pub(super) struct Output(pub(super) ffi::duckdb_vector);

impl Output {
    /// Writes an answer whose bytes count against what a vector may hold.
    ///
    /// # Safety
    /// As `write`.
    pub(super) unsafe fn write_counted(
        &self,
        row: usize,
        answer: Answer<'_>,
        bytes: &mut VectorBytes,
    ) -> Result<(), String> {
        bytes.take(match &answer {
            Answer::Text(text) => text.len(),
            Answer::Piece(text) => text.len(),
            Answer::Bytes(bytes) => bytes.len(),
            _ => 0,
        })?;
        // SAFETY: promised by the caller.
        unsafe { self.write(row, answer) };
        Ok(())
    }

    /// # Safety
    /// The vector is of the answer's type and has room for the row.
    pub(super) unsafe fn write(&self, row: usize, answer: Answer<'_>) {
        // SAFETY: promised by the caller.
        unsafe {
            match answer {
                Answer::Null => {
                    duckdb_vector_ensure_validity_writable(self.0);
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
        unsafe { duckdb_unsafe_vector_assign_string_element_len(self.0, row as u64, start, length) };
    }

    /// # Safety
    /// As `write`, for a type stored as `T`.
    unsafe fn put<T>(&self, row: usize, value: T) {
        // SAFETY: promised by the caller.
        unsafe { ffi::duckdb_vector_get_data(self.0).cast::<T>().add(row).write(value) };
    }
}
