//! Which names each kind of command carries, and what it does with them.

use super::containers::{CREATE_DATABASE, CREATE_SCHEMA, MODIFY};
use super::{Access, Resolution, USAGE, UsedKind, containers, grants, namespace_within, row_changes, staged, tree};
use crate::Failure;
use crate::command::{
    Command, CommentTarget, ConstraintKind, CreateTable, Ddl, IfMissing, LoginPolicyChange, LoginPolicyCommand,
    LoginPolicyKind, ObjectKind, OwnershipTarget, Persistence, PolicyChange, RoutineKind, Scope, SequenceChange,
    SessionCommand, TableChange, TableConstraint, TableSource, TagChange, TagCommand, TagTarget, ViewChange,
};
use crate::names::{ObjectName, SchemaName};
use crate::privileges::{Privilege, PrivilegeSet};
use crate::routines::RoutineChange;
use crate::semantic_views::SemanticViewCommand;

pub(super) fn resolve(command: &mut Command, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match command {
        Command::Query(_) | Command::SetVariables(_) => {}
        Command::Explain(explain) => return resolve(&mut explain.command, resolution),
        Command::Dml(dml) => {
            let (needs, if_missing) = (row_changes::needs(dml), row_changes::if_missing(dml));
            resolution.row_change(&mut dml.target, needs, if_missing)?;
        }
        Command::InsertMany(insert) => {
            for target in insert.branches.iter_mut().flat_map(|branch| &mut branch.targets) {
                resolution.object(&mut target.table, UsedKind::Table, Access::Write)?;
            }
        }
        Command::Ddl(ddl) => ddl_names(ddl, resolution)?,
        Command::Stages(command) => staged::names(command, resolution)?,
        Command::Transfer(transfer) => return staged::transfer(transfer, resolution),
        Command::Show(show) => return scope(&mut show.scope, resolution),
        Command::DescribeRoutine { name, .. } => return routine_schema(name, Access::Read, USAGE, resolution),
        Command::Describe { kind, name } => return describe(*kind, name, resolution),
        Command::Session(SessionCommand::UseDatabase(name)) => return resolution.database(name, Access::Read, USAGE),
        Command::Session(SessionCommand::UseSchema(name)) => return resolution.schema(name, Access::Read, USAGE),
        Command::SemanticViews(command) => return semantic_view(command, resolution),
        Command::LoginPolicies(command) => return login_policy(command, resolution),
        Command::Account(command) => return grants::account(command, resolution),
        Command::Access(command) => return grants::access(command, resolution),
        Command::Tags(command) => return tags(command, resolution),
        Command::Session(_) | Command::Block(_) | Command::Transaction(_) => return Ok(()),
    }
    match command {
        Command::Ddl(Ddl::CreateView(_)) => {
            let of_view = namespace_within(command, resolution.namespace)?;
            let mut within = Resolution { namespace: &of_view, uses: std::mem::take(&mut resolution.uses) };
            let resolved = tree::resolve(command, &mut within);
            resolution.uses = within.uses;
            resolved
        }
        _ => tree::resolve(command, resolution),
    }
}

fn ddl_names(ddl: &mut Ddl, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match ddl {
        Ddl::CreateDatabase { .. }
        | Ddl::AlterDatabase { .. }
        | Ddl::DropDatabase { .. }
        | Ddl::CreateSchema { .. }
        | Ddl::AlterSchema { .. }
        | Ddl::DropSchema { .. } => containers::names(ddl, resolution),
        Ddl::CreateTable(table) => create_table(table, resolution),
        Ddl::AlterTable { name, change, if_missing } => {
            match change.is_of_policies() {
                true => resolution.governed(name, UsedKind::Table, *if_missing)?,
                false => resolution.object_if_any(name, UsedKind::Table, Access::Change, *if_missing)?,
            }
            table_change(change, name, resolution)
        }
        Ddl::CreateView(view) => {
            let access = if view.or_alter { Access::Replace } else { Access::of_mode(view.mode) };
            let (access, needs) = match (view.persistence, view.materialized) {
                // It hides what has its name, and replaces a temporary one only.
                (Persistence::Temporary, _) => (Access::Create, PrivilegeSet::NONE),
                (_, true) => (access, PrivilegeSet::NONE.with(Privilege::CreateMaterializedView)),
                (_, false) => (access, PrivilegeSet::NONE.with(Privilege::CreateView)),
            };
            view.policies.iter_mut().try_for_each(|change| policy_name(change, resolution))?;
            resolution.object_needing(&mut view.name, UsedKind::View, access, needs)
        }
        Ddl::AlterView { name, change: ViewChange::SetPolicies(changes), if_missing } => {
            resolution.governed(name, UsedKind::View, *if_missing)?;
            changes.iter_mut().try_for_each(|change| policy_name(change, resolution))
        }
        Ddl::AlterView { name, change, if_missing } => {
            resolution.object_if_any(name, UsedKind::View, Access::Change, *if_missing)?;
            match change {
                ViewChange::Rename(new) => resolution.object(new, UsedKind::View, Access::Create),
                _ => Ok(()),
            }
        }
        Ddl::CreateSequence { name, mode, .. } => resolution.object(name, UsedKind::Sequence, Access::of_mode(*mode)),
        Ddl::AlterSequence { name, change, if_missing } => {
            resolution.object_if_any(name, UsedKind::Sequence, Access::Change, *if_missing)?;
            match change {
                SequenceChange::Rename(new) => resolution.object(new, UsedKind::Sequence, Access::Create),
                SequenceChange::SetIncrement(_) | SequenceChange::SetUnordered | SequenceChange::SetComment(_) => {
                    Ok(())
                }
            }
        }
        Ddl::Undrop(target) => match target {
            OwnershipTarget::Database(name) => resolution.database(name, Access::Create, CREATE_DATABASE),
            OwnershipTarget::Schema(name) => resolution.schema(name, Access::Create, CREATE_SCHEMA),
            OwnershipTarget::Object { kind, name } => resolution.object(name, used_kind(*kind), Access::Create),
            OwnershipTarget::Routine { kind, name, .. } => {
                routine_schema(name, Access::Change, create_routine(*kind), resolution)
            }
        },
        Ddl::Drop { kind, name, if_missing } => {
            resolution.object_if_any(name, used_kind(*kind), Access::Drop, *if_missing)
        }
        Ddl::CreateRoutine { routine, .. } => {
            let needs = create_routine(routine.kind);
            routine_schema(&mut routine.name, Access::Change, needs, resolution)
        }
        Ddl::DropRoutine { name, .. } => routine_schema(name, Access::Read, USAGE, resolution),
        Ddl::AlterRoutine { kind, name, change, .. } => {
            routine_schema(name, Access::Read, USAGE, resolution)?;
            match change {
                RoutineChange::Rename(new) => routine_schema(new, Access::Change, create_routine(*kind), resolution),
                RoutineChange::SetTagPolicies { policies, .. } | RoutineChange::UnsetTagPolicies(policies) => {
                    policies.iter_mut().try_for_each(|policy| policy.name.qualify(resolution.namespace))
                }
                _ => Ok(()),
            }
        }
        Ddl::Comment { target, if_missing, .. } => comment_target(target, *if_missing, resolution),
        Ddl::GrantOwnership { .. } => Ok(()),
    }
}

fn create_routine(kind: RoutineKind) -> PrivilegeSet {
    PrivilegeSet::NONE.with(match kind {
        RoutineKind::Function => Privilege::CreateFunction,
        RoutineKind::Procedure => Privilege::CreateProcedure,
        RoutineKind::MaskingPolicy => Privilege::CreateMaskingPolicy,
        RoutineKind::RowAccessPolicy => Privilege::CreateRowAccessPolicy,
        RoutineKind::Tag => Privilege::CreateTag,
    })
}

/// As for routines: the schema is authorised here, the view's owner where it is used.
fn semantic_view(command: &mut SemanticViewCommand, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match command {
        SemanticViewCommand::Create { name, .. } => {
            routine_schema(name, Access::Change, CREATE_SEMANTIC_VIEW, resolution)
        }
        SemanticViewCommand::Drop { name, .. } | SemanticViewCommand::SetComment { name, .. } => {
            routine_schema(name, Access::Read, USAGE, resolution)
        }
        SemanticViewCommand::Rename { name, to, .. } => {
            routine_schema(name, Access::Read, USAGE, resolution)?;
            routine_schema(to, Access::Change, CREATE_SEMANTIC_VIEW, resolution)
        }
        SemanticViewCommand::FromYaml { schema, .. } => resolution.schema(schema, Access::Change, CREATE_SEMANTIC_VIEW),
    }
}

fn login_policy(command: &mut LoginPolicyCommand, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    let creation = |kind: LoginPolicyKind| PrivilegeSet::NONE.with(kind.creation());
    match command {
        LoginPolicyCommand::Create { kind, name, .. } => {
            routine_schema(name, Access::Change, creation(*kind), resolution)
        }
        LoginPolicyCommand::Alter { kind, name, change, .. } => {
            routine_schema(name, Access::Read, USAGE, resolution)?;
            match change {
                LoginPolicyChange::Rename(to) => routine_schema(to, Access::Change, creation(*kind), resolution),
                LoginPolicyChange::Set(_) | LoginPolicyChange::Unset(_) => Ok(()),
            }
        }
        LoginPolicyCommand::Drop { name, .. } => routine_schema(name, Access::Read, USAGE, resolution),
        LoginPolicyCommand::Attach { policy, .. } => routine_schema(policy, Access::Read, USAGE, resolution),
        LoginPolicyCommand::Detach { .. } => Ok(()),
    }
}

/// Only the schema of a routine is authorised here; its owner is checked where it is used.
fn routine_schema(
    name: &mut ObjectName,
    access: Access,
    needs: PrivilegeSet,
    resolution: &mut Resolution<'_>,
) -> Result<(), Failure> {
    name.qualify(resolution.namespace)?;
    let mut schema = SchemaName { database: name.database.clone(), schema: name.schema().to_owned() };
    resolution.schema(&mut schema, access, needs)
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
    let access = if table.or_alter { Access::Replace } else { Access::of_mode(table.mode) };
    match table.persistence {
        // A session's own tables need no privilege but the schema's USAGE.
        Persistence::Temporary => {
            resolution.object_needing(&mut table.name, UsedKind::Table, Access::Create, PrivilegeSet::NONE)?;
        }
        _ => resolution.object(&mut table.name, UsedKind::Table, access)?,
    }
    table.policies.iter_mut().try_for_each(|change| policy_name(change, resolution))?;
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
    if table == owner {
        return Ok(());
    }
    let needs = PrivilegeSet::NONE.with(Privilege::References);
    resolution.object_needing(table, UsedKind::Table, Access::Read, needs)
}

fn table_change(change: &mut TableChange, table: &ObjectName, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match change {
        TableChange::Rename(new) => resolution.object(new, UsedKind::Table, Access::Create),
        TableChange::SwapWith(other) => resolution.object(other, UsedKind::Table, Access::Change),
        TableChange::Policy(change) => policy_name(change, resolution),
        TableChange::Several(changes) => {
            changes.iter_mut().try_for_each(|change| table_change(change, table, resolution))
        }
        TableChange::AddConstraint(constraint) => constraint_target(constraint, table, resolution),
        TableChange::AddColumns { constraints, columns, .. } => {
            let mut policies = columns.iter_mut().flat_map(|column| &mut column.policies);
            policies.try_for_each(|change| policy_name(change, resolution))?;
            constraints.iter_mut().try_for_each(|constraint| constraint_target(constraint, table, resolution))
        }
        _ => Ok(()),
    }
}

/// Completes the names of policies and tags; whoever attaches them looks them up.
fn policy_name(change: &mut PolicyChange, resolution: &Resolution<'_>) -> Result<(), Failure> {
    if let PolicyChange::Tags { changes, .. } = change {
        return tag_names(changes, resolution);
    }
    match change.policy_mut() {
        Some(policy) => policy.name.qualify(resolution.namespace),
        None => Ok(()),
    }
}

pub(super) fn tag_names(changes: &mut [TagChange], resolution: &Resolution<'_>) -> Result<(), Failure> {
    changes.iter_mut().try_for_each(|change| change.tag.name.qualify(resolution.namespace))
}

fn tags(command: &mut TagCommand, resolution: &Resolution<'_>) -> Result<(), Failure> {
    tag_names(&mut command.changes, resolution)?;
    match &mut command.target {
        TagTarget::Object { name, .. } => grants::name(name, resolution),
        TagTarget::Account | TagTarget::NetworkPolicy(_) => Ok(()),
    }
}

fn comment_target(
    target: &mut CommentTarget,
    if_missing: IfMissing,
    resolution: &mut Resolution<'_>,
) -> Result<(), Failure> {
    match target {
        CommentTarget::Database(name) => resolution.database_if_any(name, Access::Change, MODIFY, if_missing),
        CommentTarget::Schema(name) => resolution.schema_if_any(name, Access::Change, MODIFY, if_missing),
        CommentTarget::Object { kind, name } => {
            resolution.object_if_any(name, used_kind(*kind), Access::Change, if_missing)
        }
        CommentTarget::Column { table, .. } => {
            resolution.object_if_any(table, UsedKind::Table, Access::Change, if_missing)
        }
    }
}

fn scope(scope: &mut Scope, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match scope {
        Scope::Database(name) => resolution.database(name, Access::Read, PrivilegeSet::NONE),
        Scope::Schema(name) => resolution.schema(name, Access::Read, PrivilegeSet::NONE),
        Scope::Object(name) => resolution.object_needing(name, UsedKind::Relation, Access::Read, PrivilegeSet::NONE),
        Scope::SemanticView(view) => routine_schema(&mut view.name, Access::Read, USAGE, resolution),
        Scope::Grants(scope) => grants::scope(scope, resolution),
        Scope::Session | Scope::SchemaOrDatabase(_) | Scope::Account | Scope::User(_) | Scope::Warehouse(_) => Ok(()),
    }
}

/// Any privilege on an object lets it be described.
fn describe(kind: ObjectKind, name: &mut ObjectName, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    let mut described = |kind: UsedKind| resolution.object_needing(name, kind, Access::Read, PrivilegeSet::NONE);
    match kind {
        ObjectKind::Table | ObjectKind::View => described(UsedKind::Relation),
        ObjectKind::Sequence => described(UsedKind::Sequence),
        ObjectKind::Stage => described(UsedKind::Stage),
        ObjectKind::FileFormat => described(UsedKind::FileFormat),
        ObjectKind::SemanticView | ObjectKind::LoginPolicy(_) => routine_schema(name, Access::Read, USAGE, resolution),
        ObjectKind::Schema => {
            let mut schema = SchemaName { database: name.database.take(), schema: name.name.clone() };
            resolution.schema(&mut schema, Access::Read, PrivilegeSet::NONE)?;
            name.database = schema.database;
            Ok(())
        }
        ObjectKind::Database => resolution.database(&mut name.name, Access::Read, PrivilegeSet::NONE),
        _ => Ok(()),
    }
}

const CREATE_SEMANTIC_VIEW: PrivilegeSet = PrivilegeSet::NONE.with(Privilege::CreateSemanticView);
