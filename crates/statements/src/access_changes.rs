//! Which commands may hide something that somebody has read before. What only grants hides nothing.

use firn_engine::Session;
use firn_sql::ObjectName;
use firn_sql::command::{
    AccessCommand, AccountCommand, Command, ContainerChange, Ddl, GrantVerb, RoutineChange, TableChange, ViewChange,
};
use firn_sql::routines::RoutineKind;

use crate::routines::is_below_a_policy;
use crate::services::Services;

/// After the command has run.
pub fn may_hide(services: &Services, session: &dyn Session, command: &Command) -> bool {
    if let Command::Ddl(ddl) = command
        && let Some(names) = changed_function(ddl)
    {
        // Where policies cannot be looked up, it may.
        return is_below_a_policy(services, session, &names).unwrap_or(true);
    }
    hides_something(command)
}

/// The names under which calls find another function, or none, by now.
fn changed_function(ddl: &Ddl) -> Option<Vec<&ObjectName>> {
    match ddl {
        Ddl::CreateRoutine { routine, .. } if routine.kind == RoutineKind::Function => Some(vec![&routine.name]),
        Ddl::DropRoutine { kind: RoutineKind::Function, name, .. } => Some(vec![name]),
        Ddl::AlterRoutine { kind: RoutineKind::Function, name, change: RoutineChange::Rename(to), .. } => {
            Some(vec![name, to])
        }
        _ => None,
    }
}

fn hides_something(command: &Command) -> bool {
    match command {
        Command::Access(AccessCommand::Privileges(change)) => matches!(change.verb, GrantVerb::Revoke(_)),
        Command::Access(AccessCommand::Ownership(_)) | Command::Tags(_) => true,
        Command::Account(command) => matches!(
            command,
            AccountCommand::RevokeRole { .. }
                | AccountCommand::DropRole { .. }
                | AccountCommand::RevokeDatabaseRole { .. }
                | AccountCommand::DropDatabaseRole { .. }
        ),
        Command::Ddl(ddl) => attaches_policies(ddl),
        _ => false,
    }
}

fn attaches_policies(ddl: &Ddl) -> bool {
    let of_container = |change: &ContainerChange| matches!(change, ContainerChange::SetTags(_));
    match ddl {
        Ddl::CreateTable(table) => !table.policies.is_empty(),
        Ddl::CreateView(view) => !view.policies.is_empty(),
        Ddl::AlterTable { change, .. } => changes_policies(change),
        Ddl::AlterView { change: ViewChange::SetPolicies(changes), .. } => !changes.is_empty(),
        Ddl::AlterDatabase { change, .. } | Ddl::AlterSchema { change, .. } => of_container(change),
        Ddl::AlterRoutine { kind, .. } => kind.is_policy() || *kind == RoutineKind::Tag,
        _ => false,
    }
}

fn changes_policies(change: &TableChange) -> bool {
    match change {
        TableChange::Policy(_) => true,
        TableChange::Several(changes) => changes.iter().any(changes_policies),
        _ => false,
    }
}
