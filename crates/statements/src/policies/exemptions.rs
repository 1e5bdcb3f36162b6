//! EXEMPT_OTHER_POLICIES: without it, no other policy gets a column that a masking policy masks.

use firn_engine::{ObjectPolicies, RoutineDescription};
use firn_sql::names::display_identifier;

use super::attach::{Attaching, wrong};
use super::attached::find;
use crate::run_error::RunError;

impl Attaching<'_> {
    /// Columns that a policy is to get beside the one that it masks.
    pub(super) fn refuse_masked_arguments(
        &self,
        database: &str,
        policies: &ObjectPolicies,
        columns: &[String],
    ) -> Result<(), RunError> {
        for column in columns {
            let Some(mask) = policies.mask(column) else { continue };
            if !find(self.services, self.session, database, &mask.policy)?.routine.exempt_other_policies {
                return Err(not_exempt(column));
            }
        }
        Ok(())
    }

    /// A column that is to be masked, where other policies get it already.
    pub(super) fn refuse_mask_of_argument(
        &self,
        policies: &ObjectPolicies,
        column: &str,
        policy: &RoutineDescription,
    ) -> Result<(), RunError> {
        let of_masks = policies.masks.iter().flat_map(|mask| mask.columns.iter().skip(1));
        let of_rows = policies.row_access.iter().flat_map(|attached| &attached.columns);
        let is_argument = of_masks.chain(of_rows).any(|argument| argument == column);
        match is_argument && !policy.routine.exempt_other_policies {
            true => Err(not_exempt(column)),
            false => Ok(()),
        }
    }
}

pub(super) fn not_exempt(column: &str) -> RunError {
    wrong(&format!(
        "Column '{}' cannot be an argument of another policy, as its masking policy is without EXEMPT_OTHER_POLICIES = TRUE.",
        display_identifier(column)
    ))
}
