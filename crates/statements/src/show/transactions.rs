//! SHOW TRANSACTIONS, SHOW LOCKS, SHOW SESSIONS and DESCRIBE TRANSACTION. Everyone sees their own; IN ACCOUNT shows all to who
//! administers the account.

use firn_sql::Failure;
use firn_sql::command::Scope;

use super::listing::{Listing, Viewer, instant, text};
use crate::local_rows::LocalRows;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::transactions::TransactionRecord;

pub(super) fn transactions(viewer: &Viewer, scope: &Scope) -> Listing {
    let mut listing = Listing::of("id:integer user session:integer name started_on:instant state scope:integer");
    for transaction in visible(viewer, scope) {
        listing.add([
            text(&transaction.number),
            text(&transaction.user),
            text(&transaction.session().to_string()),
            text(&transaction.name),
            instant(transaction.started_on_ms),
            text(transaction.state.word()),
            text("0"),
        ]);
    }
    listing
}

/// The sessions that outlast their requests.
pub(super) fn sessions(viewer: &Viewer, scope: &Scope) -> Listing {
    let mut listing = Listing::of(
        "session_id:integer user kind state role warehouse database schema created_on:instant idle_timeout:integer",
    );
    let (own, is_own_alone) = (viewer.state.own_user().map(|user| user.id), !matches!(scope, Scope::Account));
    let sees_all = !is_own_alone && viewer.state.role.is_account_admin();
    for session in viewer.services.kept_sessions.all_where(|user_id| sees_all || own == Some(user_id)) {
        listing.add([
            text(&session.number.to_string()),
            text(&session.user),
            text(session.kind.word()),
            text(if session.is_busy { "busy" } else { "idle" }),
            text(&session.names.role),
            session.names.warehouse,
            session.names.database,
            session.names.schema,
            instant(session.created_on_ms),
            text(&session.idle_max.as_secs().to_string()),
        ]);
    }
    listing
}

pub(super) fn locks(viewer: &Viewer, scope: &Scope) -> Listing {
    let mut listing = Listing::of(
        "resource type transaction:integer transaction_started_on:instant status acquired_on:instant query_id",
    );
    let locks = viewer.services.engine.locks();
    for transaction in visible(viewer, scope) {
        for lock in locks.iter().filter(|lock| lock.owner == transaction.lock_owner) {
            listing.add([
                text(&lock.table.to_string()),
                text(if lock.is_whole_table { "TABLE" } else { "PARTITIONS" }),
                text(&transaction.number),
                instant(transaction.started_on_ms),
                text(if lock.acquired_on_ms.is_some() { "HOLDING" } else { "WAITING" }),
                lock.acquired_on_ms.and_then(instant),
                text(&transaction.handle.to_string()),
            ]);
        }
    }
    listing
}

fn visible(viewer: &Viewer, scope: &Scope) -> Vec<TransactionRecord> {
    let sees_all = matches!(scope, Scope::Account) && viewer.state.role.is_account_admin();
    let mut open = viewer.services.transactions.open();
    open.retain(|transaction| sees_all || is_own(viewer.state, transaction));
    open
}

/// In a procedure with its owner's rights only the one it runs in.
fn is_own(state: &SessionState, transaction: &TransactionRecord) -> bool {
    match state.own_user() {
        Some(user) => transaction.user_id == user.id,
        None => state.transaction.as_ref() == Some(&transaction.number),
    }
}

pub fn described(services: &Services, state: &SessionState, number: &str) -> Result<LocalRows, RunError> {
    let is_visible = |transaction: &TransactionRecord| is_own(state, transaction) || state.role.is_account_admin();
    let found = services.transactions.find(number).filter(is_visible);
    let missing = || Failure::missing_object("Transaction", number);
    let transaction = found.ok_or_else(missing)?;
    let mut listing = Listing::of("id:integer user session:integer name started_on:instant state ended_on:instant");
    listing.add([
        text(&transaction.number),
        text(&transaction.user),
        text(&transaction.session().to_string()),
        text(&transaction.name),
        instant(transaction.started_on_ms),
        text(transaction.state.word()),
        transaction.ended_on_ms.and_then(instant),
    ]);
    Ok(LocalRows::new(listing.columns, listing.rows))
}
