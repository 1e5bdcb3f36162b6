//! The engine hands functions vectors that are flat, but their children need not be: a struct may refer to columns that a
//! filter has sliced, and a list to one value for all of its rows. What has children is copied, and the copy is flat all
//! the way down.

use libduckdb_sys as ffi;

use super::logical_type::LogicalType;

pub(super) enum FlatVector {
    /// The engine's own.
    Given(ffi::duckdb_vector),
    /// Destroyed on drop.
    Copied(ffi::duckdb_vector),
}

impl FlatVector {
    /// # Safety
    /// `vector` holds `rows` values of `logical_type`; it lives as long as what is made of it.
    pub(super) unsafe fn of(vector: ffi::duckdb_vector, logical_type: &LogicalType, rows: usize) -> Self {
        match logical_type {
            LogicalType::List(_) | LogicalType::Array { .. } | LogicalType::Struct(_) | LogicalType::Map { .. } => {
                // SAFETY: promised by the caller.
                Self::Copied(unsafe { copy(vector, rows) })
            }
            _ => Self::Given(vector),
        }
    }

    pub(super) fn handle(&self) -> ffi::duckdb_vector {
        match self {
            Self::Given(vector) | Self::Copied(vector) => *vector,
        }
    }
}

impl Drop for FlatVector {
    fn drop(&mut self) {
        if let Self::Copied(vector) = self {
            // SAFETY: the vector was made here and is destroyed once.
            unsafe { ffi::duckdb_destroy_vector(vector) };
        }
    }
}

/// # Safety
/// `vector` holds `rows` values.
unsafe fn copy(vector: ffi::duckdb_vector, rows: usize) -> ffi::duckdb_vector {
    let count = rows as u64;
    // SAFETY: promised by the caller; the type and the selection are destroyed here; the selection has room for a place
    // for every row, and the copy has room for every row.
    unsafe {
        let mut logical_type = ffi::duckdb_vector_get_column_type(vector);
        let copied = ffi::duckdb_create_vector(logical_type, count.max(1));
        ffi::duckdb_destroy_logical_type(&mut logical_type);
        let selection = ffi::duckdb_create_selection_vector(count.max(1));
        let places = ffi::duckdb_selection_vector_get_data_ptr(selection);
        for row in 0..rows {
            places.add(row).write(row as ffi::sel_t);
        }
        ffi::duckdb_vector_copy_sel(vector, copied, selection, count, 0, 0);
        ffi::duckdb_destroy_selection_vector(selection);
        copied
    }
}
