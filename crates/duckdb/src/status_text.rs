//! What a statement that returns no rows answers.

pub(crate) const DONE: &str = "Statement executed successfully.";
