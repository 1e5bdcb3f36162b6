//! Masking policies that columns have by their tags. A policy on the column itself comes first. Two tags that mask one column
//! keep everybody from its table: a nearer one would let an owner get around the other.

use firn_engine::{AttachedPolicy, ObjectDescription, RoutineDescription};
use firn_sql::Failure;
use firn_sql::command::{AssignedTag, DataType, PolicyReference, TagReference};
use firn_sql::names::display_identifier;
use firn_sql::routines::type_word;

use super::{Inherited, Tags};
use crate::policies::attached::find;
use crate::run_error::RunError;

/// A column that a tag masks.
pub struct TagMask {
    pub attached: AttachedPolicy,
    /// The database that the policy is looked up from.
    pub home: String,
    pub tag: RoutineDescription,
}

/// A masking policy of a tag.
struct TagPolicy {
    tag: RoutineDescription,
    tag_reference: TagReference,
    policy: PolicyReference,
    masked: DataType,
}

impl Tags<'_> {
    /// The columns of a table or view that are masked by their tags alone.
    pub fn masks(&self, object: &ObjectDescription) -> Result<Vec<TagMask>, RunError> {
        let levels = self.of_relation(object)?;
        let of_columns = &object.options.policies.column_tags;
        if levels.is_empty() && of_columns.is_empty() {
            return Ok(Vec::new());
        }
        let of_levels = levels.iter().flat_map(|inherited| &inherited.tags);
        let assigned = of_levels.chain(of_columns.iter().flat_map(|column| &column.tags));
        let policies = self.policies_of(assigned)?;
        if policies.is_empty() {
            return Ok(Vec::new());
        }
        let mut masks = Vec::new();
        let unmasked = object.columns.iter().filter(|column| object.options.policies.mask(&column.name).is_none());
        for column in unmasked {
            let own = object.options.policies.tags_of_column(&column.name);
            masks.extend(mask_of(&policies, own, &levels, (&column.name, &column.data_type))?);
        }
        Ok(masks)
    }

    /// The tags that would mask columns of any type.
    pub(super) fn masking(&self, assigned: &[AssignedTag]) -> Result<Vec<AssignedTag>, RunError> {
        let policies = self.policies_of(assigned.iter())?;
        let masks = |known: &&AssignedTag| policies.iter().any(|found| found.tag_reference == known.tag);
        Ok(assigned.iter().filter(masks).cloned().collect())
    }

    /// A policy that is gone keeps everybody from what its tag masks.
    fn policies_of<'tags>(
        &self,
        assigned: impl Iterator<Item = &'tags AssignedTag>,
    ) -> Result<Vec<TagPolicy>, RunError> {
        let mut found: Vec<TagPolicy> = Vec::new();
        for known in assigned {
            if found.iter().any(|policy| policy.tag_reference == known.tag) {
                continue;
            }
            let Some(tag) = self.find(known.tag)? else { continue };
            for policy in &tag.routine.tag.policies {
                let described = find(self.services, self.session, tag.routine.name.database(), policy)?;
                let Some(masked) = described.routine.parameters.first() else { continue };
                found.push(TagPolicy {
                    tag: tag.clone(),
                    tag_reference: known.tag,
                    policy: policy.clone(),
                    masked: masked.data_type.clone(),
                });
            }
        }
        Ok(found)
    }
}

fn mask_of(
    policies: &[TagPolicy],
    own: &[AssignedTag],
    levels: &[Inherited],
    (column, data_type): (&str, &DataType),
) -> Result<Option<TagMask>, RunError> {
    let assigned: Vec<&AssignedTag> = own.iter().chain(levels.iter().flat_map(|inherited| &inherited.tags)).collect();
    let mut fitting = policies.iter().filter(|policy| {
        let is_assigned = assigned.iter().any(|known| known.tag == policy.tag_reference);
        is_assigned && type_word(&policy.masked) == type_word(data_type)
    });
    let Some(first) = fitting.next() else { return Ok(None) };
    if fitting.any(|other| other.policy != first.policy) {
        let message = format!(
            "SQL compilation error:\nColumn '{}' has several tags with masking policies for its type; take all but one off.",
            display_identifier(column)
        );
        return Err(Failure::new("001003", "42601", message).into());
    }
    Ok(Some(TagMask {
        attached: AttachedPolicy { policy: first.policy.clone(), columns: vec![column.to_owned()] },
        home: first.tag.routine.name.database().to_owned(),
        tag: first.tag.clone(),
    }))
}
