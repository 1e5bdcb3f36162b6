//! The engine passes flat vectors to functions, but their children need not be flat: a struct may refer to columns that a
//! filter has sliced (dictionary vectors), and a list to one value for all of its rows (a constant vector). Vectors with
//! children are copied; the copy is flat recursively.

use std::ops::Range;

use libduckdb_sys as ffi;

use super::logical_type::LogicalType;
use super::throwing::{duckdb_create_vector, duckdb_vector_copy_sel};
use super::type_aliases::OwnedType;

/// How many rows of values with children are copied at a time. Rows may share one large value, which is copied for each
/// of them.
const COPIED_ROWS: usize = 8;

pub(super) enum FlatVector {
    /// The engine's own.
    Given(ffi::duckdb_vector),
    /// Destroyed on drop.
    Copied(ffi::duckdb_vector),
}

/// The rows of a chunk in pieces that are read one after the other.
pub(super) fn pieces(types: &[LogicalType], rows: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    let step = if types.iter().any(has_children) { COPIED_ROWS } else { rows.max(1) };
    (0..rows).step_by(step).map(move |start| start..(start + step).min(rows))
}

pub(super) fn has_children(logical_type: &LogicalType) -> bool {
    matches!(
        logical_type,
        LogicalType::List(_) | LogicalType::Array { .. } | LogicalType::Struct(_) | LogicalType::Map { .. }
    )
}

impl FlatVector {
    /// The rows of a piece are at their own places; what is copied has no others.
    ///
    /// # Safety
    /// `vector` holds `rows` values of `logical_type`, among them those of the piece; it lives as long as what is made of
    /// it.
    pub(super) unsafe fn of(
        vector: ffi::duckdb_vector,
        logical_type: &LogicalType,
        rows: usize,
        piece: Range<usize>,
    ) -> Self {
        if has_children(logical_type) {
            // SAFETY: promised by the caller.
            unsafe { copy(vector, rows, piece) }
        } else {
            Self::Given(vector)
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
/// `vector` holds `rows` values, among them those of the piece.
unsafe fn copy(vector: ffi::duckdb_vector, rows: usize, piece: Range<usize>) -> FlatVector {
    // SAFETY: promised by the caller; the selection has room for a place for every row of the piece, and the copy for
    // every row.
    unsafe {
        let logical_type = OwnedType(ffi::duckdb_vector_get_column_type(vector));
        let copied = FlatVector::Copied(duckdb_create_vector(logical_type.0, rows.max(1) as u64));
        let count = piece.len() as u64;
        let selection = Selection(ffi::duckdb_create_selection_vector(count.max(1)));
        let places = ffi::duckdb_selection_vector_get_data_ptr(selection.0);
        for (place, row) in piece.clone().enumerate() {
            places.add(place).write(row as ffi::sel_t);
        }
        duckdb_vector_copy_sel(vector, copied.handle(), selection.0, count, 0, piece.start as u64);
        copied
    }
}

/// Destroyed on drop.
struct Selection(ffi::duckdb_selection_vector);

impl Drop for Selection {
    fn drop(&mut self) {
        // SAFETY: the selection was made here and is destroyed once.
        unsafe { ffi::duckdb_destroy_selection_vector(self.0) };
    }
}
