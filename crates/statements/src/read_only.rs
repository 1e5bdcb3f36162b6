//! Requests that may only read. What would change something is refused by its parsed form, whether it stands by itself, in a
//! block or in a procedure; what ends with the session is allowed.

use firn_sql::Failure;
use firn_sql::command::{Command, FileTransfer, StageCommand};
use firn_sql::resolve::{Access, UsedKind, Uses};
use firn_sql::stored_views::sequences_in;

use crate::query_type::query_type;
use crate::request::Changes;

pub const CODE: &str = "391913";
/// What other databases say of a read-only transaction.
pub const SQL_STATE: &str = "25006";

/// System functions that act on more than their answer.
const ACTING_FUNCTIONS: [&str; 6] = [
    "SYSTEM$CANCEL_QUERY",
    "SYSTEM$CANCEL_ALL_QUERIES",
    "SYSTEM$ABORT_SESSION",
    "SYSTEM$ABORT_TRANSACTION",
    "SYSTEM$ADD_EVENT",
    "SYSTEM$SET_SPAN_ATTRIBUTES",
];

pub fn check_command(changes: Changes, command: &Command, text: &str) -> Result<(), Failure> {
    match changes == Changes::Refused && changes_something(command) {
        true => Err(refused(&query_type(text))),
        false => Ok(()),
    }
}

/// Whether the command may not take the next value of a sequence, which is given out once.
pub fn refuses_values(changes: Changes, command: &Command) -> bool {
    changes == Changes::Refused && !matches!(command, Command::Describe { .. } | Command::Show(_))
}

pub fn check_uses(changes: Changes, command: &Command, uses: &Uses) -> Result<(), Failure> {
    let mut sequences = uses.objects.iter().filter(|object| object.kind == UsedKind::Sequence);
    let takes_one = sequences.any(|object| object.access == Access::Read);
    if takes_one && refuses_values(changes, command) { Err(taken()) } else { Ok(()) }
}

/// The same of what functions and policies have put into the command.
pub fn check_expanded(changes: Changes, command: &Command) -> Result<(), Failure> {
    let takes_one = refuses_values(changes, command) && !sequences_in(command).is_empty();
    if takes_one { Err(taken()) } else { Ok(()) }
}

/// A value that is taken, be it below a view.
pub fn taken() -> Failure {
    refused("NEXTVAL")
}

pub fn check_system_function(changes: Changes, name: &str) -> Result<(), Failure> {
    match changes == Changes::Refused && ACTING_FUNCTIONS.contains(&name) {
        true => Err(refused(name)),
        false => Ok(()),
    }
}

fn changes_something(command: &Command) -> bool {
    match command {
        Command::Query(_)
        | Command::Explain(_)
        | Command::Show(_)
        | Command::Describe { .. }
        | Command::DescribeRoutine { .. }
        | Command::Session(_)
        | Command::SetVariables(_)
        | Command::Transaction(_)
        // Each of its statements is checked when it runs.
        | Command::Block(_)
        | Command::Stages(StageCommand::List { .. }) => false,
        Command::Transfer(transfer) => matches!(**transfer, FileTransfer::Put(_)),
        Command::Dml(_)
        | Command::InsertMany(_)
        | Command::Ddl(_)
        | Command::Stages(_)
        | Command::Account(_)
        | Command::Access(_)
        | Command::SemanticViews(_)
        | Command::LoginPolicies(_)
        | Command::Tags(_) => true,
    }
}

/// What is refused, by the name of what would change something.
pub fn refused(what: &str) -> Failure {
    let message = format!(
        "SQL access control error:\nThe request may only read, and {what} changes something; send it without \
         X-Firn-Read-Only."
    );
    Failure::new(CODE, SQL_STATE, message)
}
