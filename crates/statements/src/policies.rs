//! Masking and row access policies. They are functions of a schema that the server alone calls. `bind` puts them into the tree
//! of a statement, in the place of every table and view that has some; `attach` decides who may attach and change them.

mod attach;
pub mod attached;
mod bind;
mod current_tags;
mod exemptions;
mod named_databases;
mod references;
mod relation;
mod tag_policies;
mod view_queries;

use firn_sql::Failure;

use crate::run_error::RunError;
use crate::unnamed_column::unnamed_column;

pub use attach::{prepare as prepare_change, refuse_change_in_use};
pub use bind::{bind, hidden_plan, is_read_otherwise};
use references::attachments;
pub use references::{PolicyNames, references};

/// A failure of a statement with policies, without the value that caused it: a policy may hide it, or have failed on it. Nor is a
/// column shown that the statement itself does not name: it is one of a secure view or function.
pub fn without_values(error: RunError, text: &str) -> RunError {
    match error {
        RunError::Failed(failure) if unnamed_column(text, &failure).is_some() => {
            let message = "SQL compilation error:\nFailure during expansion of a secure view, a secure function or a policy: its \
                           owner can find out why by running its query.";
            Failure::new("002037", "42601", message).into()
        }
        RunError::Failed(Failure { code, sql_state, .. }) if sql_state.starts_with("22") => {
            let message = "SQL execution error: a value cannot be used as the statement or a policy asks for. It is not shown, as \
                           the statement reads a table with policies.";
            Failure::new(code, sql_state, message).into()
        }
        other => other,
    }
}
