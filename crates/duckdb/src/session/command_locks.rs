//! The locks that each command needs.

use firn_sql::ObjectName;
use firn_sql::command::{
    Command, ContainerChange, Ddl, Dml, DmlKind, InsertMany, OwnershipTarget, RoutineChange, StageCommand,
};
use firn_sql::names::SchemaName;

use crate::locks::LockMode;
use crate::{copy, ddl, insert_many, stage_commands};

/// Whether the session has a transaction open. What another session appends to a table could conflict with its later
/// statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    Transaction,
    Statement,
}

pub(super) fn wanted(command: &Command, within: Within) -> Vec<(ObjectName, LockMode)> {
    match command {
        Command::Dml(Dml { kind, target, .. }) => vec![(target.clone(), to_write(*kind, within))],
        Command::InsertMany(insert) => {
            let mode = to_write(kind_of(insert), within);
            insert_many::targets(insert).into_iter().map(|table| (table, mode)).collect()
        }
        Command::Ddl(ddl) => within_schemas(ddl::touched(ddl).into_iter().chain(routines(ddl)).collect())
            .into_iter()
            .chain(schemas(ddl).into_iter().map(|schema| (lock_of_schema(&schema), LockMode::Exclusive)))
            .collect(),
        Command::Stages(StageCommand::Load(copy)) => {
            let Some(loading) = copy::loading_mark(copy) else { return Vec::new() };
            vec![(copy.table.clone(), to_write(DmlKind::Insert, within)), (loading, LockMode::Exclusive)]
        }
        Command::Stages(command) => within_schemas(stage_commands::defined(command)),
        _ => Vec::new(),
    }
}

/// The overloads of a routine have one lock, which no table has.
fn routines(ddl: &Ddl) -> Vec<ObjectName> {
    let names = match ddl {
        Ddl::CreateRoutine { routine, .. } => vec![&routine.name],
        Ddl::AlterRoutine { name, change: RoutineChange::Rename(other), .. } => vec![name, other],
        Ddl::AlterRoutine { name, .. } | Ddl::DropRoutine { name, .. } => vec![name],
        _ => Vec::new(),
    };
    names.into_iter().map(|name| ObjectName { name: format!("{}()", name.name), ..name.clone() }).collect()
}

fn to_write(kind: DmlKind, within: Within) -> LockMode {
    match (kind, within) {
        (DmlKind::Insert, Within::Statement) => LockMode::Shared,
        _ => LockMode::Exclusive,
    }
}

fn kind_of(insert: &InsertMany) -> DmlKind {
    if insert.overwrite { DmlKind::Overwrite } else { DmlKind::Insert }
}

/// The schemas that a command makes, hides or brings back: no object comes into one meanwhile, as its record would stay behind.
fn schemas(ddl: &Ddl) -> Vec<SchemaName> {
    match ddl {
        Ddl::AlterSchema {
            name, change: ContainerChange::Rename(other) | ContainerChange::SwapWith(other), ..
        } => {
            vec![name.clone(), SchemaName { schema: other.clone(), ..name.clone() }]
        }
        Ddl::CreateSchema { name, clone_of, .. } => clone_of.iter().chain([name]).cloned().collect(),
        Ddl::AlterSchema { name, .. } | Ddl::DropSchema { name, .. } | Ddl::Undrop(OwnershipTarget::Schema(name)) => {
            vec![name.clone()]
        }
        _ => Vec::new(),
    }
}

/// No object has an empty name.
fn lock_of_schema(schema: &SchemaName) -> ObjectName {
    ObjectName { database: schema.database.clone(), schema: Some(schema.schema.clone()), name: String::new() }
}

/// Objects that a command changes, each in a schema that stays.
fn within_schemas(names: Vec<ObjectName>) -> Vec<(ObjectName, LockMode)> {
    let schemas: Vec<_> =
        names.iter().map(|name| (ObjectName { name: String::new(), ..name.clone() }, LockMode::Shared)).collect();
    names.into_iter().map(|name| (name, LockMode::Exclusive)).chain(schemas).collect()
}
