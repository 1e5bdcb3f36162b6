//! Which commands may hide something that somebody has read before. What only grants hides nothing.

use firn_engine::Session;
use firn_sql::command::{
    AccessCommand, AccountCommand, Command, ContainerChange, Ddl, GrantVerb, ObjectKind, RoutineChange, TableChange,
    ViewChange,
};
use firn_sql::routines::RoutineKind;

use crate::routines::{Redefined, is_below_a_policy};
use crate::services::Services;

/// After the command has run.
pub fn may_hide(services: &Services, session: &dyn Session, command: &Command) -> bool {
    if hides_something(command) {
        return true;
    }
    let redefined = match command {
        Command::Ddl(ddl) => redefined(ddl),
        _ => None,
    };
    // Where policies cannot be looked up, it may.
    redefined.is_some_and(|redefined| is_below_a_policy(services, session, &redefined).unwrap_or(true))
}

/// The names under which calls and queries find another function or view, or none, by now.
fn redefined(ddl: &Ddl) -> Option<Redefined<'_>> {
    match ddl {
        Ddl::CreateRoutine { routine, .. } if routine.kind == RoutineKind::Function => {
            Some(Redefined::Functions(vec![&routine.name]))
        }
        Ddl::DropRoutine { kind: RoutineKind::Function, name, .. } => Some(Redefined::Functions(vec![name])),
        Ddl::AlterRoutine { kind: RoutineKind::Function, name, change: RoutineChange::Rename(to), .. } => {
            Some(Redefined::Functions(vec![name, to]))
        }
        Ddl::CreateView(view) => Some(Redefined::Relations(vec![&view.name])),
        Ddl::Drop { kind: ObjectKind::View | ObjectKind::MaterializedView, name, .. } => {
            Some(Redefined::Relations(vec![name]))
        }
        Ddl::AlterView { name, change: ViewChange::Rename(to), .. } => Some(Redefined::Relations(vec![name, to])),
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
    // The names in the bodies of policies may mean other objects after a container has got another name.
    let of_container = |change: &ContainerChange| {
        matches!(change, ContainerChange::SetTags(_) | ContainerChange::Rename(_) | ContainerChange::SwapWith(_))
    };
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
