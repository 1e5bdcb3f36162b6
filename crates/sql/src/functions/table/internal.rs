//! Internal functions that normalization inserts: sequences, calls of SQL functions, row patterns, cycle detection.

use super::prelude::*;

/// In alphabetical order.
pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    scalar("NEXTVAL", 0, MANY, &[], Fixed(INTEGER)).volatile(),
    scalar("__BOUND", 0, MANY, &[], Unknown).rewritten(),
    scalar("__CANONICAL", 1, 1, &[], Like(0)).rewritten(),
    scalar("__FIRST", 0, MANY, &[], Like(0)).called("arg_min_null"),
    scalar("__LAST", 0, MANY, &[], Like(0)).called("arg_max_null"),
    scalar("__MARKED", 0, MANY, &[], Unknown).called("firn_circle_mark"),
    scalar("__MATCHES", 0, MANY, &[], Unknown),
    scalar("__PIECES", 0, MANY, &[], Unknown).called("string_split"),
    scalar("__UNNEST", 0, MANY, &[], Unknown).called("unnest"),
];
