//! A function of ours: its signature, and the arguments of one row.

use std::cell::RefCell;
use std::ffi::CStr;

use super::derived_key::DerivedKey;
use crate::columns::{Column, Values};
use crate::definition::{Answer, Kind};

/// The result of a function, or the error it raises: `firn:<code>:<message>`.
pub type Evaluated = Result<Answer<'static>, String>;

pub struct Native {
    pub name: &'static CStr,
    pub parameters: &'static [Kind],
    pub returns: Kind,
    pub effect: Effect,
    pub(super) run: fn(&Row<'_>) -> Evaluated,
}

impl Native {
    pub const fn new(
        name: &'static CStr,
        parameters: &'static [Kind],
        returns: Kind,
        run: fn(&Row<'_>) -> Evaluated,
    ) -> Self {
        Self { name, parameters, returns, effect: Effect::None, run }
    }

    /// Every row of a statement has another `Row::ordinal`, which the engine counts.
    pub const fn counting(self) -> Self {
        Self { effect: Effect::Counts, ..self }
    }

    /// Evaluates one row; a NULL argument gives NULL.
    pub fn answer(&self, columns: &[Column<'_>], row: usize, ordinal: u64, memory: &CallMemory) -> Evaluated {
        let arguments: Vec<Argument<'_>> = columns.iter().map(|column| argument(column, row)).collect();
        if arguments.iter().any(|argument| matches!(argument, Argument::Null)) {
            return Ok(Answer::Null);
        }
        (self.run)(&Row { arguments: &arguments, ordinal, memory })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    None,
    Counts,
}

pub enum Argument<'row> {
    Null,
    Integer(i64),
    Wide(i128),
    Double(f64),
    Text(&'row str),
    Bytes(&'row [u8]),
    List(Vec<Argument<'row>>),
}

impl From<String> for Answer<'_> {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Option<String>> for Answer<'_> {
    fn from(text: Option<String>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

/// State that a function shares between the rows of one call.
#[derive(Default)]
pub struct CallMemory {
    pub(super) derived_key: RefCell<Option<DerivedKey>>,
}

/// One row's arguments. The registered parameters make sure that each is of its kind or NULL.
pub struct Row<'row> {
    pub(super) arguments: &'row [Argument<'row>],
    pub ordinal: u64,
    pub(super) memory: &'row CallMemory,
}

impl<'row> Row<'row> {
    pub fn text(&self, index: usize) -> &'row str {
        match &self.arguments[index] {
            Argument::Text(text) => text,
            _ => "",
        }
    }

    pub fn integer(&self, index: usize) -> i64 {
        match &self.arguments[index] {
            Argument::Integer(number) => *number,
            _ => 0,
        }
    }

    pub fn wide(&self, index: usize) -> i128 {
        match &self.arguments[index] {
            Argument::Wide(number) => *number,
            _ => 0,
        }
    }

    pub fn double(&self, index: usize) -> f64 {
        match &self.arguments[index] {
            Argument::Double(number) => *number,
            _ => 0.0,
        }
    }

    pub fn bytes(&self, index: usize) -> &'row [u8] {
        match &self.arguments[index] {
            Argument::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    pub fn list(&self, index: usize) -> &'row [Argument<'row>] {
        match &self.arguments[index] {
            Argument::List(elements) => elements,
            _ => &[],
        }
    }
}

fn argument<'row>(column: &'row Column<'_>, row: usize) -> Argument<'row> {
    if column.is_null(row) {
        return Argument::Null;
    }
    match &column.values {
        Values::Int64 { values, .. } => Argument::Integer(values[row]),
        Values::Int128 { values, .. } => Argument::Wide(values[row].signed()),
        Values::Double(values) => Argument::Double(values[row]),
        // The engine's texts are valid UTF-8.
        Values::Text(values) => Argument::Text(std::str::from_utf8(values[row].get()).unwrap_or_default()),
        Values::Blob(values) => Argument::Bytes(values[row].get()),
        Values::List { entries, element } => {
            let entry = &entries[row];
            let places = entry.offset as usize..(entry.offset + entry.length) as usize;
            Argument::List(places.map(|place| argument(element, place)).collect())
        }
        _ => Argument::Null,
    }
}
