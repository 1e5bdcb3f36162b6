//! What a statement read and changed, as a row of the table ACCESSES.

use std::collections::BTreeMap;

use firn_engine::{ObjectDescription, Session};
use firn_sql::ObjectName;
use firn_sql::command::ObjectKind;
use firn_sql::names::{INFORMATION_SCHEMA, OWN_DATABASE};
use firn_sql::resolve::{Access, UsedKind, Uses};
use serde_json::{Value, json};
use uuid::Uuid;

use super::record_sql::instant;
use super::statement_records::Names;
use super::{Row, text};
use crate::authorise::ViewUses;
use crate::table_changes::Sources;

const ROW_BYTES: usize = 200;
/// Objects below views are followed up to this many.
const OBJECTS_MAX: usize = 1_000;

/// The objects of one statement, as they are when it ends: they may be gone when they are recorded.
#[derive(Clone, Debug)]
pub struct Accessed {
    pub handle: Uuid,
    pub user_id: i64,
    pub at_ms: i64,
    objects: Vec<Used>,
    /// What is read below views, if a view is read.
    base: Vec<Used>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Used {
    name: ObjectName,
    domain: &'static str,
    id: Option<i64>,
    access: Access,
}

impl Used {
    fn of(name: &ObjectName, kind: UsedKind, access: Access, object: Option<&ObjectDescription>) -> Self {
        Self { name: name.clone(), domain: domain(kind, object), id: object.map(|object| object.id), access }
    }
}

impl Accessed {
    /// `None` where nothing is read or changed that anybody made.
    pub fn of(
        (handle, user_id, at_ms): (Uuid, i64, i64),
        uses: &Uses,
        session: &dyn Session,
        views: &ViewUses,
    ) -> Option<Self> {
        let (mut objects, mut below) = (Vec::new(), Vec::new());
        for used in uses.objects.iter().filter(|used| used.kind != UsedKind::FileFormat && of_someone(&used.name)) {
            let object = session.describe(&used.name).ok().flatten();
            let query = object.as_ref().and_then(|object| object.view_query.as_deref());
            if let Some(reads) = query.filter(|_| used.access == Access::Read).and_then(|query| views.find(query)) {
                below.push(reads);
            }
            objects.push(Used::of(&used.name, used.kind, used.access, object.as_deref()));
        }
        let mut base: Vec<Used> = Vec::new();
        let mut seen = 0;
        while let Some(reads) = below.pop() {
            for used in &reads.uses.objects {
                let object = session.describe(&used.name).ok().flatten();
                let query = object.as_ref().and_then(|object| object.view_query.as_deref());
                seen += 1;
                match query.filter(|_| seen < OBJECTS_MAX).and_then(|query| views.find(query)) {
                    Some(reads) => below.push(reads),
                    None => base.push(Used::of(&used.name, used.kind, Access::Read, object.as_deref())),
                }
            }
        }
        if !base.is_empty() {
            base.extend(objects.iter().filter(|used| used.access == Access::Read && used.domain != "View").cloned());
        }
        (!objects.is_empty()).then_some(Self { handle, user_id, at_ms, objects, base })
    }

    /// Of a statement whose plan or result was cached.
    pub fn of_sources((handle, user_id, at_ms): (Uuid, i64, i64), sources: &Sources) -> Option<Self> {
        let Sources::Tables(tables) = sources else { return None };
        let read = tables.iter().filter(|name| of_someone(name));
        let objects: Vec<_> = read.map(|name| Used::of(name, UsedKind::Relation, Access::Read, None)).collect();
        (!objects.is_empty()).then_some(Self { handle, user_id, at_ms, objects, base: Vec::new() })
    }

    fn of_access(&self, access: Access) -> impl Iterator<Item = &Used> {
        self.objects.iter().filter(move |used| used.access == access)
    }
}

fn of_someone(name: &ObjectName) -> bool {
    name.schema() != INFORMATION_SCHEMA && name.database() != OWN_DATABASE
}

fn domain(kind: UsedKind, object: Option<&ObjectDescription>) -> &'static str {
    match (kind, object.map(|object| object.kind)) {
        (UsedKind::Stage, _) => "Stage",
        (UsedKind::Sequence, _) | (_, Some(ObjectKind::Sequence)) => "Sequence",
        (UsedKind::View, _) | (_, Some(ObjectKind::View)) => "View",
        _ => "Table",
    }
}

/// What was said of objects before in the same batch: statements that are repeated access the same ones.
#[derive(Default)]
pub struct Described {
    known: Vec<(Vec<Used>, [Option<String>; 4])>,
}

impl Described {
    /// Past this many, all are forgotten.
    const MAX: usize = 64;

    fn of(&mut self, accessed: &Accessed, session: &dyn Session) -> [Option<String>; 4] {
        if let Some((_, cells)) = self.known.iter().find(|(objects, _)| *objects == accessed.objects) {
            return cells.clone();
        }
        if self.known.len() >= Self::MAX {
            self.known.clear();
        }
        let cells = cells(accessed, session);
        self.known.push((accessed.objects.clone(), cells.clone()));
        cells
    }
}

pub fn row(accessed: &Accessed, names: &Names, session: &dyn Session, described: &mut Described) -> Row {
    let cells = described.of(accessed, session);
    let bytes = ROW_BYTES + cells.iter().flatten().map(String::len).sum::<usize>();
    let mut row = vec![Some(accessed.handle.to_string()), Some(instant(accessed.at_ms)), names.user(accessed.user_id)];
    row.extend(cells);
    row.extend([None, text(&bytes.to_string())]);
    row
}

/// What is read, what of it is no view, what is written, what is defined.
fn cells(accessed: &Accessed, session: &dyn Session) -> [Option<String>; 4] {
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
    [Some(read), Some(base), Some(written), defined]
}

/// Each object once, in the form of the vendor's ACCESS_HISTORY.
fn listed<'a>(objects: impl Iterator<Item = &'a Used>, session: &dyn Session) -> String {
    let mut found: BTreeMap<String, Value> = BTreeMap::new();
    for used in objects {
        let shown = used.name.to_string();
        found.entry(shown.clone()).or_insert_with(|| {
            let id = used.id.or_else(|| Some(session.describe(&used.name).ok().flatten()?.id));
            json!({"objectDomain": used.domain, "objectId": id, "objectName": shown})
        });
    }
    Value::Array(found.into_values().collect()).to_string()
}
