//! Which commands may hide something that somebody has read before. What only grants hides nothing.

use firn_sql::command::{
    AccessCommand, AccountCommand, Command, ContainerChange, Ddl, GrantVerb, TableChange, ViewChange,
};
use firn_sql::routines::RoutineKind;

pub fn may_hide(command: &Command) -> bool {
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
