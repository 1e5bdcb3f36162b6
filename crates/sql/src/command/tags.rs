//! Tags: what CREATE TAG declares, and the values that objects have for them.

use super::{Command, GrantedName, IfMissing, PolicyReference};
use crate::names::ObjectName;
use crate::privileges::SecurableKind;

/// The part of a tag that routines do not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagDefinition {
    /// None allow every value.
    pub allowed_values: Vec<String>,
    /// They mask the columns that have the tag, one for each type.
    pub policies: Vec<PolicyReference>,
}

/// A tag by its name, and by its identity once it was looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagUse {
    pub name: ObjectName,
    pub reference: Option<TagReference>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TagReference {
    /// The id of the tag's database in the catalog.
    pub database: i64,
    pub id: i64,
}

/// A tag that an object or a column has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignedTag {
    pub tag: TagReference,
    pub value: String,
}

/// One tag of SET TAG, UNSET TAG or a TAG clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagChange {
    pub tag: TagUse,
    /// `None` takes the tag off.
    pub value: Option<String>,
}

impl TagChange {
    /// Changes whose tags were looked up, in the list of what an object has.
    pub fn apply_all(changes: &[Self], assigned: &mut Vec<AssignedTag>) {
        for (change, tag) in changes.iter().filter_map(|change| Some((change, change.tag.reference?))) {
            assigned.retain(|known| known.tag != tag);
            assigned.extend(change.value.clone().map(|value| AssignedTag { tag, value }));
        }
    }
}

/// SET TAG and UNSET TAG of an object that is no database, schema, table or view.
#[derive(Clone, Debug)]
pub struct TagCommand {
    /// The command that creates the object first, for `CREATE … TAG (…)`.
    pub create: Option<Box<Command>>,
    pub target: TagTarget,
    pub if_missing: IfMissing,
    pub changes: Vec<TagChange>,
}

#[derive(Clone, Debug)]
pub enum TagTarget {
    Account,
    Object {
        kind: SecurableKind,
        name: GrantedName,
    },
    /// Privileges are not granted on network policies.
    NetworkPolicy(String),
}
