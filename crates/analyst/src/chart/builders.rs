//! What the matches of rules stand for.

mod comparing;
mod measuring;
mod ordering;
mod valuing;

pub use comparing::*;
pub use measuring::*;
pub use ordering::*;
pub use valuing::*;

use super::fragment::{Fragment, Kind};
use crate::interpretation::operators::Operator;
use crate::links::model_index::{ColumnId, TableId};

/// The parts of a match by their place; rules name them by their slots, so a wrong kind makes no fragment.
pub(super) struct Parts<'a>(pub &'a [&'a Fragment]);

impl<'a> Parts<'a> {
    pub(super) fn column(&self, at: usize) -> Option<ColumnId> {
        match self.0.get(at)?.kind {
            Kind::Column(column) => Some(column),
            _ => None,
        }
    }

    pub(super) fn table(&self, at: usize) -> Option<TableId> {
        match self.0.get(at)?.kind {
            Kind::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(super) fn number(&self, at: usize) -> Option<f64> {
        match self.0.get(at)?.kind {
            Kind::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn operator(&self, at: usize) -> Option<Operator> {
        match self.0.get(at)?.kind {
            Kind::Operator(operator) => Some(operator),
            _ => None,
        }
    }

    pub(super) fn kind(&self, at: usize) -> Option<&'a Kind> {
        self.0.get(at).map(|fragment| &fragment.kind)
    }
}
