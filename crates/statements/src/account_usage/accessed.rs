//! What a statement read and changed, until it is recorded.

use firn_engine::{AttachedPolicy, ObjectDescription};
use firn_sql::ObjectName;
use firn_sql::command::{CalledFunction, ObjectKind};
use firn_sql::resolve::{Access, UsedKind};
use uuid::Uuid;

/// The objects of one statement, as they are when it ends: they may be gone when they are recorded.
#[derive(Clone, Debug)]
pub struct Accessed {
    pub handle: Uuid,
    pub user_id: i64,
    pub at_ms: i64,
    /// The request that the statement is part of, if it is not the request itself.
    pub(super) parent: Option<Uuid>,
    pub(super) objects: Vec<Used>,
    /// What is read below views, if a view is read.
    pub(super) base: Vec<Used>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Used {
    pub name: ObjectName,
    pub domain: &'static str,
    pub id: Option<i64>,
    pub access: Access,
    pub masks: Vec<AttachedPolicy>,
    pub row_access: Option<AttachedPolicy>,
    /// The columns that are written, or read by a semantic view, as far as the statement names them.
    pub columns: Vec<String>,
}

impl Used {
    pub fn of(name: &ObjectName, kind: UsedKind, access: Access, object: Option<&ObjectDescription>) -> Self {
        let policies = object.map(|object| &object.options.policies);
        Self {
            name: name.clone(),
            domain: domain(kind, object),
            id: object.map(|object| object.id),
            access,
            masks: policies.map(|policies| policies.masks.clone()).unwrap_or_default(),
            row_access: policies.and_then(|policies| policies.row_access.clone()),
            columns: Vec::new(),
        }
    }

    pub fn function(called: &CalledFunction) -> Self {
        Self::routine("Function", &called.name, called.id)
    }

    pub fn routine(domain: &'static str, name: &ObjectName, id: i64) -> Self {
        Self { domain, id: Some(id), ..Self::of(name, UsedKind::Relation, Access::Read, None) }
    }
}

impl Accessed {
    /// Of a block that called these procedures.
    pub fn of_procedures(
        (handle, user_id, at_ms): (Uuid, i64, i64),
        parent: Option<Uuid>,
        procedures: &[(ObjectName, i64)],
    ) -> Option<Self> {
        let objects: Vec<_> = procedures.iter().map(|(name, id)| Used::routine("Procedure", name, *id)).collect();
        (!objects.is_empty()).then_some(Self { handle, user_id, at_ms, parent, objects, base: Vec::new() })
    }

    pub(super) fn of_access(&self, access: Access) -> impl Iterator<Item = &Used> {
        self.objects.iter().filter(move |used| used.access == access)
    }
}

fn domain(kind: UsedKind, object: Option<&ObjectDescription>) -> &'static str {
    match (kind, object.map(|object| object.kind)) {
        (UsedKind::Stage, _) => "Stage",
        (UsedKind::Sequence, _) | (_, Some(ObjectKind::Sequence)) => "Sequence",
        (UsedKind::View, _) | (_, Some(ObjectKind::View)) => "View",
        _ => "Table",
    }
}
