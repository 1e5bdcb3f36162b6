//! Words that a reader has a place for and whose query is the same without them. Only names of the model are reported: what
//! denies, measures time or states is often in a query without a column of its own.

use crate::lattice::{Lattice, Meaning};
use crate::links::model_index::{ColumnKind, ModelIndex};

/// A link from here on is as good as the name itself.
const EXACT: f32 = 0.95;

/// Whether a word is part of the name of a table or a column.
pub(super) fn names_model(index: &ModelIndex, lattice: &Lattice<'_>, at: usize) -> bool {
    lattice.items.iter().any(|item| {
        let is_name = match item.meaning {
            Meaning::Table(_) => true,
            Meaning::Column(column) => index.columns[column].kind != ColumnKind::Filter,
            _ => false,
        };
        is_name && item.quality >= EXACT && (item.start..item.end).contains(&at)
    })
}
