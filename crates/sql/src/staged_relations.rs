//! Staged locations in the place of relations.

use crate::ast::{ObjectName, ObjectNamePart};

/// The first part of a resolved location's name in the tree; relations have one part or three.
pub(crate) const MARK: &str = "@";

/// The argument behind a location that asks for the columns of its files instead of their rows. No
/// statement can write it; INFER_SCHEMA becomes it.
pub const INFER_SCHEMA: &str = "INFER_SCHEMA";

/// As `INFER_SCHEMA`, for the list of files that a stage keeps.
pub const DIRECTORY: &str = "DIRECTORY";

/// Whether a relation of the tree is a staged location that has not been resolved yet.
pub(crate) fn is_staged(name: &ObjectName) -> bool {
    matches!(name.0.as_slice(), [ObjectNamePart::Identifier(only)]
        if only.quote_style.is_none() && only.value.starts_with(MARK))
}
