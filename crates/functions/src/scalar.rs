//! Functions implemented here instead of as macros, because a macro would be slow or not exact. Each family is a file
//! with a table of its functions; adding one is a line in a table. A NULL argument gives NULL.

mod addresses;
mod bits;
mod bytes;
mod compression;
mod encodings;
mod encryption;
mod formats;
mod growing_texts;
mod instants;
mod number_formats;
mod patterns;
mod random;
mod row_patterns;
mod similarity;
pub(crate) mod sketches;
mod texts;
mod vectors;
mod written;

use std::cell::RefCell;
use std::ffi::CStr;

use crate::columns::{Column, Values};

pub use crate::definition::{Answer, Kind};

pub const FAMILIES: &[&[Native]] = &[
    addresses::FUNCTIONS,
    bits::FUNCTIONS,
    bytes::FUNCTIONS,
    compression::FUNCTIONS,
    encodings::FUNCTIONS,
    encryption::FUNCTIONS,
    formats::FUNCTIONS,
    growing_texts::FUNCTIONS,
    instants::FUNCTIONS,
    number_formats::FUNCTIONS,
    patterns::FUNCTIONS,
    random::FUNCTIONS,
    row_patterns::FUNCTIONS,
    similarity::FUNCTIONS,
    sketches::FUNCTIONS,
    texts::FUNCTIONS,
    vectors::FUNCTIONS,
    written::FUNCTIONS,
];

/// The result of a function, or the error it raises: `firn:<code>:<message>`.
pub type Evaluated = Result<Answer<'static>, String>;

pub struct Native {
    pub name: &'static CStr,
    pub parameters: &'static [Kind],
    pub returns: Kind,
    pub effect: Effect,
    run: fn(&Row<'_>) -> Evaluated,
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
    derived_key: RefCell<Option<encryption::DerivedKey>>,
}

/// One row's arguments. The registered parameters make sure that each is of its kind or NULL.
pub struct Row<'row> {
    arguments: &'row [Argument<'row>],
    pub ordinal: u64,
    memory: &'row CallMemory,
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

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    use firn_values::running_call::{Ended, StopSignal, run_call};

    use super::{Argument, CallMemory, FAMILIES, Native, Row};

    struct Stopped;

    impl StopSignal for Stopped {
        fn is_stopped(&self) -> bool {
            true
        }
    }

    /// Whether a call notices that its statement was stopped, in an error or by unwinding.
    fn ends(native: &Native, arguments: &[Argument<'_>]) -> bool {
        let memory = CallMemory::default();
        let call = || (native.run)(&Row { arguments, ordinal: 0, memory: &memory });
        let outcome = run_call(Some(Arc::new(Stopped)), usize::MAX - 1, || catch_unwind(AssertUnwindSafe(call)));
        match outcome {
            Ok(answer) => answer.is_err_and(|message| message == "Interrupted!"),
            Err(payload) => payload.downcast::<Ended>().is_ok_and(|ended| ended.0 == "Interrupted!"),
        }
    }

    #[test]
    fn what_takes_long_for_one_row_ends_with_its_statement() {
        let long = "ab ".repeat(2_000_000);
        let vowels = "a".repeat(6_000_000);
        let (text, bytes) = (Argument::Text, Argument::Bytes);
        let (one, many) = (|| Argument::Integer(1), || Argument::Integer(1_900_000));
        let calls = [
            ("firn_capitals", vec![text(&long)]),
            ("firn_initcap", vec![text(&long)]),
            ("firn_soundex", vec![text(&vowels)]),
            ("firn_split", vec![text(&long), text(" ")]),
            ("firn_split_piece", vec![text(&long), text(" "), many()]),
            ("firn_splittable", vec![text(&long), text(" ")]),
            ("firn_strtok", vec![text(&long), text(" "), many()]),
            ("firn_strtok_to_array", vec![text(&long), text(" ")]),
            ("firn_tokenizable", vec![text(&long), text(" ")]),
            ("firn_replaced", vec![text(&long), text("a"), text("b")]),
            ("firn_regexp_count", vec![text(&long), text("a"), one(), text("c")]),
            ("firn_regexp_replace", vec![text(&long), text("a"), text("b"), one(), Argument::Integer(0), text("c")]),
            ("firn_regexp_substr", vec![text(&long), text("a"), one(), many(), text("c"), Argument::Integer(-1)]),
            ("firn_regexp_substr_all", vec![text(&long), text("a"), one(), one(), text("c"), Argument::Integer(-1)]),
            ("firn_compress_bytes", vec![bytes(long.as_bytes()), text("BZ2")]),
            ("firn_compress_bytes", vec![bytes(long.as_bytes()), text("ZSTD(19)")]),
            ("firn_bytes_replace", vec![bytes(long.as_bytes()), bytes(b"a"), bytes(b"b")]),
            ("firn_base64_encode_bytes", vec![bytes(long.as_bytes()), Argument::Integer(76), text("")]),
        ];
        for (name, arguments) in calls {
            let known = FAMILIES
                .iter()
                .copied()
                .flatten()
                .find(|native| native.name.to_str() == Ok(name) && native.parameters.len() == arguments.len());
            assert!(known.is_some_and(|native| ends(native, &arguments)), "{name}");
        }
    }
}
