//! The engine's column types, read once per result.

use std::ffi::{CStr, c_char};

use libduckdb_sys as ffi;

use super::type_aliases::{GEOGRAPHY, GEOMETRY, TIMESTAMP_TZ};

/// A column's type with everything needed to read its vectors and to describe it on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LogicalType {
    Null,
    Boolean,
    Int8,
    Int16,
    Int32,
    Int64,
    Int128,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Uint128,
    Float,
    Double,
    Decimal {
        width: u8,
        scale: u8,
    },
    Varchar,
    /// The engine's own JSON, as its readers of files give it.
    Json,
    Variant,
    Object,
    /// An array of semi-structured values; `Array` is the engine's own, of fixed length.
    VariantArray,
    Geography,
    Geometry,
    Blob,
    Bit,
    Uuid,
    Date,
    Time,
    TimeNanoseconds,
    TimeWithOffset,
    Timestamp,
    TimestampSeconds,
    TimestampMilliseconds,
    TimestampNanoseconds,
    TimestampWithZone,
    Interval,
    /// Stored as an interval; see `type_aliases`.
    TimestampTz,
    Enum {
        values: Vec<String>,
    },
    List(Box<LogicalType>),
    Array {
        element: Box<LogicalType>,
        length: u64,
    },
    Struct(Vec<(String, LogicalType)>),
    Map {
        key: Box<LogicalType>,
        value: Box<LogicalType>,
    },
    /// A type the encoder cannot read; a statement has to cast it.
    Unreadable(u32),
}

impl LogicalType {
    /// Reads the type of one column of a result. `result` must be alive.
    pub(super) fn of_column(result: *mut ffi::duckdb_result, column: u64) -> Self {
        // SAFETY: the result is alive; the handle destroys what it is given.
        Handle(unsafe { ffi::duckdb_column_logical_type(result, column) }).read()
    }

    /// Reads the type of one column that a statement will give. `prepared` must be alive.
    pub(super) fn of_planned(prepared: ffi::duckdb_prepared_statement, column: u64) -> Self {
        // SAFETY: the statement is alive; the handle destroys what it is given.
        Handle(unsafe { ffi::duckdb_prepared_statement_column_logical_type(prepared, column) }).read()
    }

    /// Reads the type of a vector. `vector` must be alive.
    pub(super) fn of_vector(vector: ffi::duckdb_vector) -> Self {
        // SAFETY: the vector is alive; the handle destroys what it is given.
        Handle(unsafe { ffi::duckdb_vector_get_column_type(vector) }).read()
    }

    /// Reads the type of one column that an appender writes. `appender` must be alive.
    pub(super) fn of_appended(appender: ffi::duckdb_appender, column: u64) -> Self {
        // SAFETY: the appender is alive; the handle destroys what it is given.
        Handle(unsafe { ffi::duckdb_appender_column_type(appender, column) }).read()
    }
}

struct Handle(ffi::duckdb_logical_type);

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: destroyed once; a null handle is allowed.
        unsafe { ffi::duckdb_destroy_logical_type(&mut self.0) };
    }
}

impl Handle {
    fn read(&self) -> LogicalType {
        // SAFETY: the handle is alive.
        let id = unsafe { ffi::duckdb_get_type_id(self.0) };
        match id {
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_SQLNULL => LogicalType::Null,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN => LogicalType::Boolean,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_TINYINT => LogicalType::Int8,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT => LogicalType::Int16,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_INTEGER => LogicalType::Int32,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT => LogicalType::Int64,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_HUGEINT => LogicalType::Int128,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_UTINYINT => LogicalType::Uint8,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_USMALLINT => LogicalType::Uint16,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER => LogicalType::Uint32,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_UBIGINT => LogicalType::Uint64,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_UHUGEINT => LogicalType::Uint128,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_FLOAT => LogicalType::Float,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE => LogicalType::Double,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR => self.read_text(),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_BLOB => self.read_bytes(),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIT => LogicalType::Bit,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_UUID => LogicalType::Uuid,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_DATE => LogicalType::Date,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIME => LogicalType::Time,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIME_NS => LogicalType::TimeNanoseconds,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIME_TZ => LogicalType::TimeWithOffset,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP => LogicalType::Timestamp,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_S => LogicalType::TimestampSeconds,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_MS => LogicalType::TimestampMilliseconds,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_NS => LogicalType::TimestampNanoseconds,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ => LogicalType::TimestampWithZone,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_INTERVAL if self.alias() == TIMESTAMP_TZ.to_string_lossy() => {
                LogicalType::TimestampTz
            }
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_INTERVAL => LogicalType::Interval,
            _ => self.read_compound(id),
        }
    }

    fn read_compound(&self, id: ffi::duckdb_type) -> LogicalType {
        // SAFETY: the handle is alive and of the type each arm asks about; child handles destroy
        // what they are given.
        unsafe {
            match id {
                ffi::DUCKDB_TYPE_DUCKDB_TYPE_DECIMAL => LogicalType::Decimal {
                    width: ffi::duckdb_decimal_width(self.0),
                    scale: ffi::duckdb_decimal_scale(self.0),
                },
                ffi::DUCKDB_TYPE_DUCKDB_TYPE_ENUM => {
                    let size = u64::from(ffi::duckdb_enum_dictionary_size(self.0));
                    let value = |index| take_text(ffi::duckdb_enum_dictionary_value(self.0, index));
                    LogicalType::Enum { values: (0..size).map(value).collect() }
                }
                ffi::DUCKDB_TYPE_DUCKDB_TYPE_LIST => {
                    LogicalType::List(Box::new(Handle(ffi::duckdb_list_type_child_type(self.0)).read()))
                }
                ffi::DUCKDB_TYPE_DUCKDB_TYPE_ARRAY => LogicalType::Array {
                    element: Box::new(Handle(ffi::duckdb_array_type_child_type(self.0)).read()),
                    length: ffi::duckdb_array_type_array_size(self.0),
                },
                ffi::DUCKDB_TYPE_DUCKDB_TYPE_STRUCT => {
                    let count = ffi::duckdb_struct_type_child_count(self.0);
                    let name = |index| take_text(ffi::duckdb_struct_type_child_name(self.0, index));
                    let field = |index| Handle(ffi::duckdb_struct_type_child_type(self.0, index)).read();
                    LogicalType::Struct((0..count).map(|index| (name(index), field(index))).collect())
                }
                ffi::DUCKDB_TYPE_DUCKDB_TYPE_MAP => LogicalType::Map {
                    key: Box::new(Handle(ffi::duckdb_map_type_key_type(self.0)).read()),
                    value: Box::new(Handle(ffi::duckdb_map_type_value_type(self.0)).read()),
                },
                other => LogicalType::Unreadable(other),
            }
        }
    }

    /// Several types are VARCHAR under another name.
    fn read_text(&self) -> LogicalType {
        match self.alias().as_str() {
            "JSON" => LogicalType::Json,
            "FIRN_VARIANT" => LogicalType::Variant,
            "FIRN_OBJECT" => LogicalType::Object,
            "FIRN_ARRAY" => LogicalType::VariantArray,
            _ => LogicalType::Varchar,
        }
    }

    /// GEOGRAPHY and GEOMETRY are BLOB under another name.
    fn read_bytes(&self) -> LogicalType {
        match self.alias() {
            alias if alias == GEOGRAPHY.to_string_lossy() => LogicalType::Geography,
            alias if alias == GEOMETRY.to_string_lossy() => LogicalType::Geometry,
            _ => LogicalType::Blob,
        }
    }

    fn alias(&self) -> String {
        // SAFETY: the handle is alive; the alias is ours to free.
        take_text(unsafe { ffi::duckdb_logical_type_get_alias(self.0) })
    }
}

/// Copies and frees a C string of the engine's; a null one is empty.
fn take_text(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: a non-null text is a C string that is ours to free.
    let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    // SAFETY: freed once, after the copy.
    unsafe { ffi::duckdb_free(text.cast()) };
    copy
}
