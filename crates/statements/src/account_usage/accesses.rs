//! What a statement read and changed, as a row of the table ACCESSES.

use std::collections::BTreeMap;
use std::sync::Arc;

use firn_engine::{AttachedPolicy, ObjectDescription, Session};
use firn_sql::command::{Command, Ddl, TableSource};
use firn_sql::names::{INFORMATION_SCHEMA, OWN_DATABASE};
use firn_sql::resolve::{Access, UsedKind, Uses};
use firn_sql::{ObjectName, Statement};
use serde_json::{Value, json};
use uuid::Uuid;

use super::accessed::{Accessed, Used};
use super::record_sql::instant;
use super::record_sql::{Row, text};
use super::statement_records::Names;
use super::written_columns::written_columns;
use crate::semantic_views::OwnersReads;
use crate::services::Services;
use crate::table_changes::{AsOf, Sources};
use crate::tags::Tags;
use crate::view_uses::{ViewReads, ViewUses};

const ROW_BYTES: usize = 200;
const SEMANTIC_VIEW: &str = "Semantic view";
/// Objects below views are followed up to this many.
const OBJECTS_MAX: usize = 1_000;

impl Used {
    /// With the columns that are read by semantic views.
    fn with_columns(mut self, by_owners: &OwnersReads, object: Option<&ObjectDescription>) -> Self {
        let read = by_owners.columns_of(&self.name);
        let columns = object.into_iter().flat_map(|object| &object.columns).map(|column| &column.name);
        self.columns = columns.filter(|name| read.contains(name.as_str())).cloned().collect();
        self
    }

    /// With the masks that its columns have by tags.
    fn with_tag_masks(mut self, tags: Option<&Tags<'_>>, object: Option<&ObjectDescription>) -> Self {
        let masks = tags.zip(object).and_then(|(tags, object)| tags.masks(object).ok());
        self.masks.extend(masks.into_iter().flatten().map(|mask| mask.attached));
        self
    }
}

impl Accessed {
    /// `None` where nothing is read or changed that anybody made.
    pub fn of(
        (handle, user_id, at_ms): (Uuid, i64, i64),
        parent: Option<Uuid>,
        (statement, uses, by_owners): (&Statement, &Uses, &OwnersReads),
        services: &Services,
        session: &dyn Session,
    ) -> Option<Self> {
        let views = &services.view_uses;
        let tags = statement.has_policies.then(|| Tags::new(services, session));
        let (mut objects, mut below, mut below_semantic_views) = (Vec::new(), Vec::new(), Vec::new());
        for used in uses.objects.iter().filter(|used| used.kind != UsedKind::FileFormat && of_someone(&used.name)) {
            let object = session.describe(&used.name).ok().flatten();
            let query = object.as_ref().and_then(|object| object.view_query.as_deref());
            if let Some(reads) = query.filter(|_| used.access == Access::Read).and_then(|query| views.find(query)) {
                below.push(reads);
            }
            let recorded = Used::of(&used.name, used.kind, used.access, object.as_deref());
            let mut recorded = recorded.with_tag_masks(tags.as_ref(), object.as_deref());
            if used.access == Access::Write {
                recorded.columns = written_columns(&statement.command, object.as_deref());
            }
            match used.access == Access::Read && by_owners.is_below_view(&used.name) {
                true => below_semantic_views.push(recorded.with_columns(by_owners, object.as_deref())),
                false => objects.push(recorded),
            }
        }
        if fills_new_table(&statement.command) {
            let made = objects.iter().filter(|used| matches!(used.access, Access::Create | Access::Replace));
            let written: Vec<Used> = made.map(|used| filled(used, session)).collect();
            objects.extend(written);
        }
        objects.extend(statement.called.iter().map(Used::function));
        objects.extend(by_owners.views().iter().map(|(name, id)| Used::routine(SEMANTIC_VIEW, name, *id)));
        let mut base = base_objects(session, (views, tags.as_ref()), below, statement);
        base.extend(below_semantic_views.into_iter().filter(|used| used.domain != "View"));
        if !base.is_empty() {
            let is_base = |used: &&Used| {
                used.access == Access::Read && !["View", "Function", SEMANTIC_VIEW].contains(&used.domain)
            };
            base.extend(objects.iter().filter(is_base).cloned());
        }
        (!objects.is_empty()).then_some(Self { handle, user_id, at_ms, parent, objects, base })
    }

    /// Of a statement whose plan or result was cached.
    pub fn of_sources((handle, user_id, at_ms): (Uuid, i64, i64), read: &AsOf) -> Option<Self> {
        if let Some(accessed) = &read.accessed {
            return Some(Self { handle, user_id, at_ms, parent: None, ..Self::clone(accessed) });
        }
        let Sources::Tables(tables) = &*read.sources else { return None };
        let read = tables.iter().filter(|name| of_someone(name));
        let objects: Vec<_> = read.map(|name| Used::of(name, UsedKind::Relation, Access::Read, None)).collect();
        (!objects.is_empty()).then_some(Self { handle, user_id, at_ms, parent: None, objects, base: Vec::new() })
    }
}

/// What is read below views and by functions.
fn base_objects(
    session: &dyn Session,
    (views, tags): (&ViewUses, Option<&Tags<'_>>),
    mut below: Vec<Arc<ViewReads>>,
    statement: &Statement,
) -> Vec<Used> {
    let mut base: Vec<Used> = statement.called_in_views.iter().map(Used::function).collect();
    let mut seen = 0;
    let mut note = |read: &ObjectName, kind: UsedKind, below: &mut Vec<Arc<ViewReads>>| {
        if of_someone(read) {
            let object = session.describe(read).ok().flatten();
            let query = object.as_ref().and_then(|object| object.view_query.as_deref());
            seen += 1;
            match query.filter(|_| seen < OBJECTS_MAX).and_then(|query| views.find(query)) {
                Some(reads) => below.push(reads),
                None => {
                    let used = Used::of(read, kind, Access::Read, object.as_deref());
                    base.push(used.with_tag_masks(tags, object.as_deref()));
                }
            }
        }
    };
    let called = statement.called.iter().chain(&statement.called_in_views);
    called.flat_map(|called| &called.reads).for_each(|name| note(name, UsedKind::Relation, &mut below));
    while let Some(reads) = below.pop() {
        reads.uses.objects.iter().for_each(|used| note(&used.name, used.kind, &mut below));
    }
    base
}

/// A new table as what is written, with all its columns.
fn filled(made: &Used, session: &dyn Session) -> Used {
    let object = session.describe(&made.name).ok().flatten();
    let columns = object.iter().flat_map(|object| &object.columns).map(|column| column.name.clone()).collect();
    Used { access: Access::Write, id: object.as_ref().map(|object| object.id), columns, ..made.clone() }
}

/// CREATE TABLE … AS.
fn fills_new_table(command: &Command) -> bool {
    matches!(command, Command::Ddl(Ddl::CreateTable(table)) if matches!(table.source, TableSource::Query(_)))
}

fn of_someone(name: &ObjectName) -> bool {
    name.schema() != INFORMATION_SCHEMA && name.database() != OWN_DATABASE
}

/// What is read, what of it is no view, what is written, what is defined, and the policies of all these.
type Cells = [Option<String>; 5];

/// What was said of objects before in the same batch: statements that are repeated access the same ones.
#[derive(Default)]
pub struct Described {
    known: Vec<([Vec<Used>; 2], Cells)>,
}

impl Described {
    /// Past this many, all are forgotten.
    const MAX: usize = 64;

    fn of(&mut self, accessed: &Accessed, session: &dyn Session) -> Cells {
        if let Some((_, cells)) =
            self.known.iter().find(|([objects, base], _)| *objects == accessed.objects && *base == accessed.base)
        {
            return cells.clone();
        }
        if self.known.len() >= Self::MAX {
            self.known.clear();
        }
        let cells = cells(accessed, session);
        self.known.push(([accessed.objects.clone(), accessed.base.clone()], cells.clone()));
        cells
    }
}

pub fn row(accessed: &Accessed, names: &Names, session: &dyn Session, described: &mut Described) -> Row {
    let cells = described.of(accessed, session);
    let bytes = ROW_BYTES + cells.iter().flatten().map(String::len).sum::<usize>();
    let mut row = vec![Some(accessed.handle.to_string()), Some(instant(accessed.at_ms)), names.user(accessed.user_id)];
    let [read, base, written, defined, policies] = cells;
    row.extend([read, base, written, defined]);
    row.extend([accessed.parent.map(|parent| parent.to_string()), text(&bytes.to_string()), policies]);
    row
}

fn cells(accessed: &Accessed, session: &dyn Session) -> Cells {
    let read = listed(accessed.of_access(Access::Read), session);
    let base = match accessed.base.is_empty() {
        true => read.clone(),
        false => listed(accessed.base.iter(), session),
    };
    let written = listed(accessed.of_access(Access::Write), session);
    let is_definition = |used: &&Used| !matches!(used.access, Access::Read | Access::Write);
    let defined = accessed.objects.iter().find(is_definition).map(|used| {
        let operation = match used.access {
            Access::Create => "CREATE",
            Access::Replace => "REPLACE",
            Access::Drop => "DROP",
            Access::Change | Access::Read | Access::Write => "ALTER",
        };
        let name = used.name.to_string();
        json!({"objectDomain": used.domain, "objectId": used.id, "objectName": name, "operationType": operation})
            .to_string()
    });
    [Some(read), Some(base), Some(written), defined, Some(policies(accessed, session))]
}

/// Each object once, in the form of the vendor's ACCESS_HISTORY.
fn listed<'a>(objects: impl Iterator<Item = &'a Used>, session: &dyn Session) -> String {
    let mut found: BTreeMap<String, Value> = BTreeMap::new();
    for used in objects {
        let shown = used.name.to_string();
        found.entry(shown.clone()).or_insert_with(|| {
            let id = used.id.or_else(|| Some(session.describe(&used.name).ok().flatten()?.id));
            let mut object = json!({"objectDomain": used.domain, "objectId": id, "objectName": shown});
            if !used.columns.is_empty() {
                object["columns"] = used.columns.iter().map(|name| json!({"columnName": name})).collect();
            }
            object
        });
    }
    Value::Array(found.into_values().collect()).to_string()
}

/// The objects with policies that are read, changed, or below a view that is read.
fn policies(accessed: &Accessed, session: &dyn Session) -> String {
    let mut found: BTreeMap<String, Value> = BTreeMap::new();
    let is_concerned = |used: &&Used| {
        matches!(used.access, Access::Read | Access::Write) && (!used.masks.is_empty() || used.row_access.is_some())
    };
    for used in accessed.objects.iter().chain(&accessed.base).filter(is_concerned) {
        let shown = used.name.to_string();
        let policy = |attached: &AttachedPolicy| policy(&used.name, attached, session);
        let masked = |mask: &AttachedPolicy| json!({"columnName": mask.columns.first(), "policies": [policy(mask)]});
        let columns: Vec<Value> = used.masks.iter().map(masked).collect();
        let policies: Vec<Value> = used.row_access.iter().map(policy).collect();
        found.entry(shown.clone()).or_insert_with(|| {
            json!({"objectDomain": used.domain, "objectId": used.id, "objectName": shown, "columns": columns, "policies": policies})
        });
    }
    Value::Array(found.into_values().collect()).to_string()
}

/// A policy is in the database of its object, or where it was when it was attached.
fn policy(object: &ObjectName, attached: &AttachedPolicy, session: &dyn Session) -> Value {
    let id = attached.policy.id;
    let within = |database: &str| {
        let routines = session.routines(database).ok()?;
        routines.into_iter().find(|found| found.id == id && found.routine.kind.is_policy())
    };
    let found = within(object.database()).or_else(|| within(&attached.policy.database));
    let kind = found.as_ref().map(|found| found.routine.kind.word().replace(' ', "_"));
    json!({"policyName": found.map(|found| found.routine.name.to_string()), "policyId": id, "policyKind": kind})
}
