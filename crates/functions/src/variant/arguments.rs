//! The arguments of a function over semi-structured values, and its answers.

use std::borrow::Cow;

use firn_values::variant::objects::Members;
use firn_values::variant::{Number, Variant};

use super::values;
use crate::columns::{Column, Values};
use crate::definition::Answer;

/// No array is made longer than this, however small the arguments that ask for it.
pub(super) const LENGTH_MAX: usize = 16_000_000;

/// One row of a call.
#[derive(Clone, Copy)]
pub struct Arguments<'row> {
    pub columns: &'row [Column<'row>],
    pub row: usize,
}

impl<'row> Arguments<'row> {
    pub(super) fn count(self) -> usize {
        self.columns.len()
    }

    /// `None` for NULL, and for an argument that was not given.
    pub(super) fn value(self, index: usize) -> Option<Variant> {
        self.columns.get(index).and_then(|column| values::variant(column, self.row))
    }

    /// As an element of an array.
    pub(super) fn element(self, index: usize) -> Variant {
        self.value(index).unwrap_or(Variant::Undefined)
    }

    /// The stored text of a value.
    pub(super) fn json(self, index: usize) -> Option<Cow<'row, str>> {
        let column = self.columns.get(index)?;
        match &column.values {
            Values::Json(values) if !column.is_null(self.row) => {
                // The engine's texts are valid UTF-8.
                std::str::from_utf8(values[self.row].get()).ok().map(Cow::Borrowed)
            }
            _ => self.value(index).map(|value| Cow::Owned(value.to_json())),
        }
    }

    pub(super) fn text(self, index: usize) -> Option<String> {
        self.value(index).and_then(|value| value.to_text())
    }

    pub(super) fn boolean(self, index: usize) -> Option<bool> {
        match self.value(index)? {
            Variant::Boolean(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn integer(self, index: usize) -> Result<Option<i64>, String> {
        match self.value(index) {
            None | Some(Variant::Null | Variant::Undefined) => Ok(None),
            Some(Variant::Number(Number { digits, scale: 0 })) => {
                Ok(Some(i64::try_from(digits).unwrap_or(if digits < 0 { i64::MIN } else { i64::MAX })))
            }
            Some(other) => Err(uncastable(&other, "FIXED")),
        }
    }

    /// A null is no array.
    pub fn array(self, index: usize) -> Result<Option<Vec<Variant>>, String> {
        match self.value(index) {
            None | Some(Variant::Null | Variant::Undefined) => Ok(None),
            Some(Variant::Array(elements)) => Ok(Some(elements)),
            Some(other) => Err(uncastable(&other, "ARRAY")),
        }
    }

    pub(super) fn object(self, index: usize) -> Result<Option<Members>, String> {
        match self.value(index) {
            None | Some(Variant::Null | Variant::Undefined) => Ok(None),
            Some(Variant::Object(members)) => Ok(Some(members)),
            Some(other) => Err(uncastable(&other, "OBJECT")),
        }
    }
}

pub(super) fn uncastable(value: &Variant, target: &str) -> String {
    format!("firn:100071:Failed to cast variant value {} to {target}", value.to_shown_json())
}

/// An answer of a semi-structured type.
pub fn stored<'row>(value: Option<Variant>) -> Answer<'row> {
    value.map_or(Answer::Null, |value| Answer::Text(value.to_json()))
}

pub(super) fn array<'row>(elements: Option<Vec<Variant>>) -> Answer<'row> {
    stored(elements.map(Variant::Array))
}

pub(super) fn text<'row>(value: Option<String>) -> Answer<'row> {
    value.map_or(Answer::Null, Answer::Text)
}
