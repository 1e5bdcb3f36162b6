//! Which tables a transaction will write: known before it begins, so that their locks can be taken
//! together and in one order.

use firn_sql::command::{Command, SessionCommand, Transaction};
use firn_sql::resolve::{Access, resolve};
use firn_sql::{Namespace, ObjectName, Statement};

/// For a statement list that starts with BEGIN: what is written up to its COMMIT or ROLLBACK. A
/// statement that does not resolve here will say so when its turn comes.
pub fn tables_written_until_commit(statements: &[Statement], namespace: &Namespace) -> Option<Vec<ObjectName>> {
    let (first, rest) = statements.split_first()?;
    if !matches!(first.command, Command::Transaction(Transaction::Begin)) {
        return None;
    }
    let mut namespace = namespace.clone();
    let mut written = Vec::new();
    for statement in rest {
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
    Some(written)
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
