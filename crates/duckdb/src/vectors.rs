//! The vectors of a chunk as typed slices. The type of each slice follows the result's column types,
//! which is what makes reading them sound; vectors are flat, as the engine flattens what it hands out.

use std::slice;

use firn_functions::columns::{Bytes, Codes, Column, Interval, ListEntry, Values, Wide};
use libduckdb_sys as ffi;

use super::logical_type::LogicalType;

/// The columns' layouts are those of the C interface.
const _: () = {
    assert!(size_of::<Bytes>() == size_of::<ffi::duckdb_string_t>());
    assert!(align_of::<Bytes>() == align_of::<ffi::duckdb_string_t>());
    assert!(size_of::<Interval>() == size_of::<ffi::duckdb_interval>());
    assert!(size_of::<ListEntry>() == size_of::<ffi::duckdb_list_entry>());
    assert!(size_of::<Wide>() == size_of::<ffi::duckdb_hugeint>());
};

/// # Safety
/// `vector` is a flat vector of `logical_type` with `rows` values that lives for `'chunk`.
pub(super) unsafe fn read_column<'chunk>(
    vector: ffi::duckdb_vector,
    logical_type: &'chunk LogicalType,
    rows: usize,
) -> Column<'chunk> {
    let vector = Vector { handle: vector, rows };
    // SAFETY: promised by the caller.
    unsafe { Column::new(vector.mask(), vector.values(logical_type)) }
}

struct Vector {
    handle: ffi::duckdb_vector,
    rows: usize,
}

impl Vector {
    /// # Safety
    /// The vector holds values of `T` and lives for `'chunk`.
    unsafe fn slice<'chunk, T>(&self) -> &'chunk [T] {
        // SAFETY: promised by the caller. An empty vector may have no data.
        unsafe {
            let data = ffi::duckdb_vector_get_data(self.handle);
            if data.is_null() || self.rows == 0 { &[] } else { slice::from_raw_parts(data.cast::<T>(), self.rows) }
        }
    }

    /// # Safety
    /// The vector is flat and lives for `'chunk`.
    unsafe fn mask<'chunk>(&self) -> Option<&'chunk [u64]> {
        // SAFETY: promised by the caller; a mask has one bit per value in words of 64.
        unsafe {
            let mask = ffi::duckdb_vector_get_validity(self.handle);
            if mask.is_null() { None } else { Some(slice::from_raw_parts(mask.cast_const(), self.rows.div_ceil(64))) }
        }
    }

    /// # Safety
    /// The vector is flat, of `logical_type`, and lives for `'chunk`.
    unsafe fn values<'chunk>(&self, logical_type: &'chunk LogicalType) -> Values<'chunk> {
        // SAFETY: each arm reads the storage of its own type.
        unsafe {
            match logical_type {
                LogicalType::Null | LogicalType::Unreadable(_) => Values::Null,
                LogicalType::Boolean => Values::Boolean(self.slice()),
                LogicalType::Int8 => Values::Int8(self.slice()),
                LogicalType::Int16 => Values::Int16 { values: self.slice(), scale: 0 },
                LogicalType::Int32 => Values::Int32 { values: self.slice(), scale: 0 },
                LogicalType::Int64 => Values::Int64 { values: self.slice(), scale: 0 },
                LogicalType::Int128 => Values::Int128 { values: self.slice(), scale: 0 },
                LogicalType::Uint8 => Values::Uint8(self.slice()),
                LogicalType::Uint16 => Values::Uint16(self.slice()),
                LogicalType::Uint32 => Values::Uint32(self.slice()),
                LogicalType::Uint64 => Values::Uint64(self.slice()),
                LogicalType::Uint128 => Values::Uint128(self.slice()),
                LogicalType::Float => Values::Float(self.slice()),
                LogicalType::Double => Values::Double(self.slice()),
                LogicalType::Decimal { width, scale } => self.decimals(*width, usize::from(*scale)),
                LogicalType::Varchar => Values::Text(self.slice()),
                LogicalType::Json | LogicalType::Variant | LogicalType::Object | LogicalType::VariantArray => {
                    Values::Json(self.slice())
                }
                LogicalType::Blob => Values::Blob(self.slice()),
                LogicalType::Geography => Values::Geography(self.slice()),
                LogicalType::Geometry => Values::Geometry(self.slice()),
                LogicalType::Bit => Values::Bit(self.slice()),
                LogicalType::Uuid => Values::Uuid(self.slice()),
                LogicalType::Date => Values::Date(self.slice()),
                LogicalType::Time => Values::Time { ticks: self.slice(), per_second: 1_000_000 },
                LogicalType::TimeNanoseconds => Values::Time { ticks: self.slice(), per_second: 1_000_000_000 },
                LogicalType::TimeWithOffset => Values::TimeWithOffset(self.slice()),
                LogicalType::Timestamp => Values::Timestamp { ticks: self.slice(), per_second: 1_000_000 },
                LogicalType::TimestampSeconds => Values::Timestamp { ticks: self.slice(), per_second: 1 },
                LogicalType::TimestampMilliseconds => Values::Timestamp { ticks: self.slice(), per_second: 1_000 },
                LogicalType::TimestampNanoseconds => {
                    Values::Timestamp { ticks: self.slice(), per_second: 1_000_000_000 }
                }
                LogicalType::TimestampWithZone => Values::TimestampWithZone(self.slice()),
                LogicalType::Interval => Values::Interval(self.slice()),
                LogicalType::TimestampTz => Values::TimestampTz(self.slice()),
                LogicalType::Enum { values } => Values::Enum { codes: self.codes(values.len()), names: values },
                LogicalType::List(_) | LogicalType::Array { .. } | LogicalType::Struct(_) | LogicalType::Map { .. } => {
                    self.nested(logical_type)
                }
            }
        }
    }

    /// # Safety
    /// The vector holds decimals of `width` digits and lives for `'chunk`.
    unsafe fn decimals<'chunk>(&self, width: u8, scale: usize) -> Values<'chunk> {
        // SAFETY: the storage follows from the width.
        unsafe {
            match width {
                0..=4 => Values::Int16 { values: self.slice(), scale },
                5..=9 => Values::Int32 { values: self.slice(), scale },
                10..=18 => Values::Int64 { values: self.slice(), scale },
                _ => Values::Int128 { values: self.slice(), scale },
            }
        }
    }

    /// # Safety
    /// The vector holds codes of an enumeration of `names` names and lives for `'chunk`.
    unsafe fn codes<'chunk>(&self, names: usize) -> Codes<'chunk> {
        // SAFETY: the storage follows from the number of names.
        unsafe {
            match names {
                0..=0xff => Codes::One(self.slice()),
                0x100..=0xffff => Codes::Two(self.slice()),
                _ => Codes::Four(self.slice()),
            }
        }
    }

    /// # Safety
    /// As `values`, for a nested type.
    unsafe fn nested<'chunk>(&self, logical_type: &'chunk LogicalType) -> Values<'chunk> {
        // SAFETY: each arm asks for the children its type has; child vectors live as long as this one.
        unsafe {
            let child = |index| ffi::duckdb_struct_vector_get_child(self.handle, index);
            match logical_type {
                LogicalType::List(element) => {
                    let (vector, length) = self.list_child();
                    Values::List { entries: self.slice(), element: Box::new(read_column(vector, element, length)) }
                }
                LogicalType::Array { element, length } => {
                    let vector = ffi::duckdb_array_vector_get_child(self.handle);
                    let length = *length as usize;
                    Values::Array { length, element: Box::new(read_column(vector, element, length * self.rows)) }
                }
                LogicalType::Struct(fields) => {
                    let field = |(index, (name, field)): (usize, &'chunk (String, LogicalType))| {
                        (name.as_str(), read_column(child(index as u64), field, self.rows))
                    };
                    Values::Struct(fields.iter().enumerate().map(field).collect())
                }
                LogicalType::Map { key, value } => {
                    let (pairs, length) = self.list_child();
                    let part = |index| ffi::duckdb_struct_vector_get_child(pairs, index);
                    Values::Map {
                        entries: self.slice(),
                        key: Box::new(read_column(part(0), key, length)),
                        value: Box::new(read_column(part(1), value, length)),
                    }
                }
                _ => Values::Null,
            }
        }
    }

    /// # Safety
    /// The vector is a list or a map.
    unsafe fn list_child(&self) -> (ffi::duckdb_vector, usize) {
        // SAFETY: promised by the caller.
        unsafe {
            let child = ffi::duckdb_list_vector_get_child(self.handle);
            (child, ffi::duckdb_list_vector_get_size(self.handle) as usize)
        }
    }
}
