//! The end of every command's help: two examples, which the tests run as they are.

/// `Examples:`, with two lines.
macro_rules! examples {
    ($first:literal, $second:literal) => {
        concat!("Examples:\n  ", $first, "\n  ", $second)
    };
    ($words:literal; $first:literal, $second:literal) => {
        concat!($words, "\n\nExamples:\n  ", $first, "\n  ", $second)
    };
}

pub(crate) use examples;
