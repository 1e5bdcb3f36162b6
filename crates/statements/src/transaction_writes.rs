//! Which tables a transaction will write: known before it begins, so that their locks can be taken
//! together and in one order.

use firn_sql::command::{Command, SessionCommand};
use firn_sql::resolve::{Access, resolve};
use firn_sql::{Namespace, ObjectName, Statement};

/// The tables that the statements of a transaction write up to COMMIT or ROLLBACK. A statement that does not resolve here
/// reports its error when it runs.
pub fn tables_written_until_commit(statements: &[Statement], namespace: &Namespace) -> Vec<ObjectName> {
    let mut namespace = namespace.clone();
    let mut written = Vec::new();
    for statement in statements {
        match &statement.command {
            Command::Transaction(_) => break,
            Command::Session(command) => follow(command, &mut namespace),
            _ => {
                let uses = resolve(&mut statement.clone(), &namespace).unwrap_or_default();
                let changed = uses.objects.into_iter().filter(|object| object.access != Access::Read);
                written.extend(changed.map(|object| object.name));
            }
        }
    }
    written.sort_unstable();
    written.dedup();
    written
}

fn follow(command: &SessionCommand, namespace: &mut Namespace) {
    match command {
        SessionCommand::UseDatabase(name) => {
            *namespace = Namespace { database: Some(name.clone()), schema: Some("PUBLIC".to_owned()) };
        }
        SessionCommand::UseSchema(name) => {
            namespace.database = name.database.clone().or_else(|| namespace.database.take());
            namespace.schema = Some(name.schema.clone());
        }
        _ => {}
    }
}
