//! SHOW TRANSACTIONS, SHOW LOCKS and DESCRIBE TRANSACTION. Everyone sees their own; IN ACCOUNT shows all to who
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

pub(super) fn locks(viewer: &Viewer, scope: &Scope) -> Listing {
    let mut listing = Listing::of(
        "resource type transaction:integer transaction_started_on:instant status acquired_on:instant query_id",
    );
    let locks = viewer.services.engine.locks();
    for transaction in visible(viewer, scope) {
        let owner = viewer.services.running.lock_owner(transaction.handle);
        for lock in locks.iter().filter(|lock| Some(lock.owner) == owner) {
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
