//! Functions implemented here instead of as macros, because a macro would be slow or not exact. Each family is a file
//! with a table of its functions; adding one is a line in a table. A NULL argument gives NULL.

mod addresses;
mod bits;
mod bytes;
mod compression;
mod derived_key;
mod encodings;
mod encryption;
mod formats;
mod growing_texts;
mod instants;
mod native;
mod number_formats;
mod patterns;
mod random;
mod row_patterns;
mod similarity;
pub(crate) mod sketches;
mod texts;
mod vectors;
mod written;

pub use native::{Argument, CallMemory, Effect, Evaluated, Native, Row};

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
            ("firn_split_to_array", vec![text(&long), text(" ")]),
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
