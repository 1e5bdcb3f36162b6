//! Which names each kind of command carries, and what it does with them.

use super::{Access, Resolution, UsedKind, staged, tree};
use crate::Failure;
use crate::command::{
    Command, CommentTarget, ConstraintKind, ContainerChange, CreateTable, Ddl, ObjectKind, OwnershipTarget, Scope,
    SequenceChange, SessionCommand, TableChange, TableConstraint, TableSource, ViewChange,
};
use crate::names::{ObjectName, SchemaName};
use crate::routines::RoutineChange;
use crate::semantic_views::SemanticViewCommand;

pub(super) fn resolve(command: &mut Command, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match command {
        Command::Query(_) | Command::SetVariables(_) => {}
        Command::Explain(explain) => return resolve(&mut explain.command, resolution),
        Command::Dml(dml) => resolution.object(&mut dml.target, UsedKind::Table, Access::Write)?,
        Command::InsertMany(insert) => {
            for target in insert.branches.iter_mut().flat_map(|branch| &mut branch.targets) {
                resolution.object(&mut target.table, UsedKind::Table, Access::Write)?;
            }
        }
        Command::Ddl(ddl) => ddl_names(ddl, resolution)?,
        Command::Stages(command) => staged::names(command, resolution)?,
        Command::Show(show) => return scope(&mut show.scope, resolution),
        Command::DescribeRoutine { name, .. } => return routine_schema(name, Access::Read, resolution),
        Command::Describe { kind, name } => return describe(*kind, name, resolution),
        Command::Session(SessionCommand::UseDatabase(name)) => return resolution.database(name, Access::Read),
        Command::Session(SessionCommand::UseSchema(name)) => return resolution.schema(name, Access::Read),
        Command::SemanticViews(command) => return semantic_view(command, resolution),
        Command::Session(_) | Command::Block(_) | Command::Transaction(_) | Command::Account(_) => return Ok(()),
    }
    tree::resolve(command, resolution)
}

fn ddl_names(ddl: &mut Ddl, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match ddl {
        Ddl::CreateDatabase { name, clone_of, .. } => {
            resolution.database(name, Access::Create)?;
            clone_of.as_mut().map_or(Ok(()), |source| resolution.database(source, Access::Read))
        }
        Ddl::AlterDatabase { name, change, .. } => {
            resolution.database(name, Access::Change)?;
            match change {
                ContainerChange::SwapWith(other) => resolution.database(other, Access::Change),
                _ => Ok(()),
            }
        }
        Ddl::DropDatabase { name, .. } => resolution.database(name, Access::Drop),
        Ddl::CreateSchema { name, clone_of, .. } => {
            resolution.schema(name, Access::Create)?;
            clone_of.as_mut().map_or(Ok(()), |source| resolution.schema(source, Access::Read))
        }
        Ddl::AlterSchema { name, change, .. } => {
            resolution.schema(name, Access::Change)?;
            match change {
                ContainerChange::SwapWith(other) => {
                    let mut other = SchemaName { database: name.database.clone(), schema: other.clone() };
                    resolution.schema(&mut other, Access::Change)
                }
                _ => Ok(()),
            }
        }
        Ddl::DropSchema { name, .. } => resolution.schema(name, Access::Drop),
        Ddl::CreateTable(table) => create_table(table, resolution),
        Ddl::AlterTable { name, change, .. } => {
            resolution.object(name, UsedKind::Table, Access::Change)?;
            table_change(change, name, resolution)
        }
        Ddl::CreateView(view) => resolution.object(&mut view.name, UsedKind::View, Access::Create),
        Ddl::AlterView { name, change, .. } => {
            resolution.object(name, UsedKind::View, Access::Change)?;
            match change {
                ViewChange::Rename(new) => resolution.object(new, UsedKind::View, Access::Create),
                _ => Ok(()),
            }
        }
        Ddl::CreateSequence { name, .. } => resolution.object(name, UsedKind::Sequence, Access::Create),
        Ddl::AlterSequence { name, change, .. } => {
            resolution.object(name, UsedKind::Sequence, Access::Change)?;
            match change {
                SequenceChange::Rename(new) => resolution.object(new, UsedKind::Sequence, Access::Create),
                SequenceChange::SetIncrement(_) | SequenceChange::SetUnordered | SequenceChange::SetComment(_) => {
                    Ok(())
                }
            }
        }
        Ddl::Undrop(target) => match target {
            OwnershipTarget::Database(name) => resolution.database(name, Access::Create),
            OwnershipTarget::Schema(name) => resolution.schema(name, Access::Create),
            OwnershipTarget::Object { kind, name } => resolution.object(name, used_kind(*kind), Access::Create),
        },
        Ddl::Drop { kind, name, .. } => resolution.object(name, used_kind(*kind), Access::Drop),
        Ddl::CreateRoutine { routine, .. } => routine_schema(&mut routine.name, Access::Change, resolution),
        Ddl::DropRoutine { name, .. } => routine_schema(name, Access::Read, resolution),
        Ddl::AlterRoutine { name, change, .. } => {
            routine_schema(name, Access::Read, resolution)?;
            match change {
                RoutineChange::Rename(new) => routine_schema(new, Access::Change, resolution),
                _ => Ok(()),
            }
        }
        Ddl::Comment { target, .. } => comment_target(target, resolution),
        Ddl::GrantOwnership { target, .. } => match target {
            OwnershipTarget::Database(name) => resolution.database(name, Access::Change),
            OwnershipTarget::Schema(name) => resolution.schema(name, Access::Change),
            OwnershipTarget::Object { kind, name } => resolution.object(name, used_kind(*kind), Access::Change),
        },
    }
}

/// As for routines: the schema is authorised here, the view's owner where it is used.
fn semantic_view(command: &mut SemanticViewCommand, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match command {
        SemanticViewCommand::Create { name, .. } => routine_schema(name, Access::Change, resolution),
        SemanticViewCommand::Drop { name, .. } | SemanticViewCommand::SetComment { name, .. } => {
            routine_schema(name, Access::Read, resolution)
        }
        SemanticViewCommand::Rename { name, to, .. } => {
            routine_schema(name, Access::Read, resolution)?;
            routine_schema(to, Access::Change, resolution)
        }
        SemanticViewCommand::FromYaml { schema, .. } => resolution.schema(schema, Access::Change),
    }
}

/// Only the schema of a routine is authorised here; its owner is checked where it is used.
fn routine_schema(name: &mut ObjectName, access: Access, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    name.qualify(resolution.namespace)?;
    let mut schema = SchemaName { database: name.database.clone(), schema: name.schema().to_owned() };
    resolution.schema(&mut schema, access)
}

fn used_kind(kind: ObjectKind) -> UsedKind {
    match kind {
        ObjectKind::Table => UsedKind::Table,
        ObjectKind::View => UsedKind::View,
        ObjectKind::Sequence => UsedKind::Sequence,
        ObjectKind::Stage => UsedKind::Stage,
        ObjectKind::FileFormat => UsedKind::FileFormat,
        _ => UsedKind::Relation,
    }
}

fn create_table(table: &mut CreateTable, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    resolution.object(&mut table.name, UsedKind::Table, Access::Create)?;
    for constraint in &mut table.constraints {
        constraint_target(constraint, &table.name, resolution)?;
    }
    match &mut table.source {
        TableSource::Definition | TableSource::Query(_) | TableSource::Template(_) => Ok(()),
        TableSource::Like(source) | TableSource::Clone(source) => {
            resolution.object(source, UsedKind::Table, Access::Read)
        }
    }
}

/// The table a foreign key points to. A key to the table itself is no use of another one.
fn constraint_target(
    constraint: &mut TableConstraint,
    owner: &ObjectName,
    resolution: &mut Resolution<'_>,
) -> Result<(), Failure> {
    let ConstraintKind::ForeignKey { table, .. } = &mut constraint.kind else { return Ok(()) };
    table.qualify(resolution.namespace)?;
    if table == owner { Ok(()) } else { resolution.object(table, UsedKind::Table, Access::Read) }
}

fn table_change(change: &mut TableChange, table: &ObjectName, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match change {
        TableChange::Rename(new) => resolution.object(new, UsedKind::Table, Access::Create),
        TableChange::SwapWith(other) => resolution.object(other, UsedKind::Table, Access::Change),
        TableChange::AddConstraint(constraint) => constraint_target(constraint, table, resolution),
        TableChange::AddColumns { constraints, .. } => {
            constraints.iter_mut().try_for_each(|constraint| constraint_target(constraint, table, resolution))
        }
        _ => Ok(()),
    }
}

fn comment_target(target: &mut CommentTarget, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match target {
        CommentTarget::Database(name) => resolution.database(name, Access::Change),
        CommentTarget::Schema(name) => resolution.schema(name, Access::Change),
        CommentTarget::Object { kind, name } => resolution.object(name, used_kind(*kind), Access::Change),
        CommentTarget::Column { table, .. } => resolution.object(table, UsedKind::Table, Access::Change),
    }
}

fn scope(scope: &mut Scope, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match scope {
        Scope::Database(name) => resolution.database(name, Access::Read),
        Scope::Schema(name) => resolution.schema(name, Access::Read),
        Scope::Object(name) => resolution.object(name, UsedKind::Relation, Access::Read),
        Scope::SemanticView(view) => routine_schema(&mut view.name, Access::Read, resolution),
        Scope::Session
        | Scope::SchemaOrDatabase(_)
        | Scope::Account
        | Scope::User(_)
        | Scope::Role(_)
        | Scope::RoleMembers(_)
        | Scope::Warehouse(_) => Ok(()),
    }
}

fn describe(kind: ObjectKind, name: &mut ObjectName, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match kind {
        ObjectKind::Table | ObjectKind::View => resolution.object(name, UsedKind::Relation, Access::Read),
        ObjectKind::SemanticView => routine_schema(name, Access::Read, resolution),
        ObjectKind::Sequence => resolution.object(name, UsedKind::Sequence, Access::Read),
        ObjectKind::Stage => resolution.object(name, UsedKind::Stage, Access::Read),
        ObjectKind::FileFormat => resolution.object(name, UsedKind::FileFormat, Access::Read),
        ObjectKind::Schema => {
            let mut schema = SchemaName { database: name.database.take(), schema: name.name.clone() };
            resolution.schema(&mut schema, Access::Read)?;
            name.database = schema.database;
            Ok(())
        }
        ObjectKind::Database => resolution.database(&mut name.name, Access::Read),
        _ => Ok(()),
    }
}
