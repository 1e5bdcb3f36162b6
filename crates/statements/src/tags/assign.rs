//! Who may give an object values for tags and take them off, and which values a tag allows.

use firn_catalog::ActiveRole;
use firn_engine::{ObjectPolicies, RoutineDescription};
use firn_sql::Failure;
use firn_sql::command::{AssignedTag, TagChange, TagReference};
use firn_sql::names::display_identifier;
use firn_sql::privileges::Privilege;

use super::Tags;
use crate::authorise::{Authority, Secured};
use crate::run_error::RunError;
use crate::services::Services;

/// On one object, and on the columns of one table together.
const TAGS_MAX: usize = 50;

/// APPLY TAG on the account.
pub(super) fn applies_all(services: &Services, role: &ActiveRole) -> bool {
    services.catalog.has_account_privilege(role, Privilege::ApplyTag)
}

/// Assigns tags to one object.
pub struct Assigning<'a> {
    pub tags: Tags<'a>,
    pub role: &'a ActiveRole,
    /// The object as an error names it, if the role does not own it: its kind and its name.
    pub not_owned: Option<(&'static str, String)>,
}

impl Assigning<'_> {
    /// Looks up the tags of changes, and decides whether they may be made.
    pub fn prepare(&self, changes: &mut [TagChange]) -> Result<(), RunError> {
        for change in changes {
            let (reference, tag) = self.tags.named(self.role, &change.tag.name)?;
            self.may_apply(&tag)?;
            if let Some(value) = &change.value {
                check_value(&tag, value)?;
            }
            change.tag.reference = Some(reference);
        }
        Ok(())
    }

    /// The account's privilege lets any object have any tag; APPLY on the tag, what is the role's own.
    fn may_apply(&self, tag: &RoutineDescription) -> Result<(), RunError> {
        if applies_all(self.tags.services, self.role) {
            return Ok(());
        }
        let authority = Authority::new(&self.tags.services.catalog, self.tags.session, self.role);
        if !authority.has(Secured::routine(tag), Privilege::Apply)? {
            return Err(Failure::insufficient_privileges("tag", &display_identifier(&tag.routine.name.name)).into());
        }
        match &self.not_owned {
            Some((kind, name)) => Err(Failure::insufficient_privileges(kind, name).into()),
            None => Ok(()),
        }
    }

    /// What an object has after the changes.
    pub fn check_count(&self, assigned: &[AssignedTag]) -> Result<(), RunError> {
        self.count(assigned.iter().map(|known| known.tag).collect())
    }

    /// What a table and its columns have after the changes.
    pub fn check_counts(&self, policies: &ObjectPolicies) -> Result<(), RunError> {
        self.check_count(&policies.tags)?;
        let mut of_columns: Vec<TagReference> = Vec::new();
        for known in policies.column_tags.iter().flat_map(|column| &column.tags) {
            if !of_columns.contains(&known.tag) {
                of_columns.push(known.tag);
            }
        }
        self.count(of_columns)
    }

    fn count(&self, references: Vec<TagReference>) -> Result<(), RunError> {
        if references.len() <= TAGS_MAX {
            return Ok(());
        }
        let mut living = 0;
        for reference in references {
            living += usize::from(self.tags.find(reference)?.is_some());
        }
        match living > TAGS_MAX {
            true => Err(Failure::limit_exceeded("number of tags of an object", TAGS_MAX).into()),
            false => Ok(()),
        }
    }
}

fn check_value(tag: &RoutineDescription, value: &str) -> Result<(), RunError> {
    let allowed = &tag.routine.tag.allowed_values;
    if allowed.is_empty() || allowed.iter().any(|known| known == value) {
        return Ok(());
    }
    let name = &tag.routine.name;
    let message = format!(
        "SQL compilation error:\nTag value '{value}' is not an allowed value for tag '{name}'. \
         SYSTEM$GET_TAG_ALLOWED_VALUES('{name}') lists them."
    );
    Err(Failure::new("001003", "42601", message).into())
}
