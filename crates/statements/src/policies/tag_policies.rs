//! ALTER TAG … SET MASKING POLICY: which policies a tag may have, one for each type.

use firn_catalog::ActiveRole;
use firn_engine::{RoutineDescription, Session};
use firn_sql::command::{PolicyReference, RoutineChange};
use firn_sql::names::display_identifier;
use firn_sql::routines::{RoutineKind, type_word};
use firn_sql::{Failure, ObjectName};

use super::attach::{Attaching, missing, named, reference, wrong};
use super::attached::find;
use crate::run_error::RunError;
use crate::services::Services;

impl Attaching<'_> {
    /// Completes a change of a tag that is the role's own.
    pub(super) fn tag_policies(&self, tag: &RoutineDescription, change: &mut RoutineChange) -> Result<(), RunError> {
        match change {
            RoutineChange::SetTagPolicies { policies, force, replaced } => {
                let mut current = tag.routine.tag.policies.clone();
                for policy in policies {
                    let found = self.policy(RoutineKind::MaskingPolicy, &policy.name)?;
                    self.may_apply(&found)?;
                    if found.routine.parameters.len() > 1 {
                        return Err(Failure::unsupported("a masking policy with several arguments on a tag").into());
                    }
                    if let Some(before) = self.of_same_type(tag, &current, &found)? {
                        if before.id != found.id && !*force {
                            return Err(wrong(&format!(
                                "Tag {} already has a masking policy for the type {}; unset it first, or add FORCE.",
                                display_identifier(&tag.routine.name.name),
                                found.routine.parameters.first().map_or("", |masked| type_word(&masked.data_type))
                            )));
                        }
                        self.may_unset(tag, &before)?;
                        current.retain(|known| *known != before);
                        replaced.push(before);
                    }
                    current.push(reference(&found));
                    policy.reference = Some(reference(&found));
                }
                Ok(())
            }
            RoutineChange::UnsetTagPolicies(policies) => {
                for policy in policies {
                    let found = self.policy(RoutineKind::MaskingPolicy, &policy.name)?;
                    let before = tag.routine.tag.policies.iter().find(|known| known.id == found.id);
                    let before = before.ok_or_else(|| missing(RoutineKind::MaskingPolicy, &policy.name))?;
                    self.may_unset(tag, before)?;
                    policy.reference = Some(before.clone());
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn of_same_type(
        &self,
        tag: &RoutineDescription,
        current: &[PolicyReference],
        new: &RoutineDescription,
    ) -> Result<Option<PolicyReference>, RunError> {
        let masked =
            |policy: &RoutineDescription| policy.routine.parameters.first().map(|masked| type_word(&masked.data_type));
        for known in current {
            let found = find(self.services, self.session, tag.routine.name.database(), known)?;
            if masked(&found) == masked(new) {
                return Ok(Some(known.clone()));
            }
        }
        Ok(None)
    }

    /// The owner of a tag alone cannot take a policy off it. One that is gone is taken off by who applies all.
    fn may_unset(&self, tag: &RoutineDescription, policy: &PolicyReference) -> Result<(), RunError> {
        match find(self.services, self.session, tag.routine.name.database(), policy) {
            Ok(found) => self.may_apply(&found),
            Err(_) if self.applies_all(RoutineKind::MaskingPolicy) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Whether a tag has the policy.
pub(super) fn is_on_a_tag(
    services: &Services,
    session: &dyn Session,
    policy: &RoutineDescription,
) -> Result<bool, RunError> {
    for database in services.catalog.databases() {
        for tag in session.routines(&database.name)? {
            for known in tag.routine.tag.policies.iter().filter(|known| known.id == policy.id) {
                let meant = find(services, session, &database.name, known)?;
                if meant.routine.name == policy.routine.name {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// The tag of a change that is the role's own. Of another nothing is said before it is refused.
pub(super) fn own_tag(
    session: &dyn Session,
    role: &ActiveRole,
    name: &ObjectName,
) -> Result<Option<RoutineDescription>, RunError> {
    let found = named(session, RoutineKind::Tag, name)?;
    Ok(found.filter(|found| role.may_use_what_is_owned_by(&found.owner)))
}
