//! Commands on the account's own objects.

use bytes::Bytes;
use firn_catalog::registry::ResultFormat;
use firn_engine::{RowBudget, RowStream};
use firn_sql::Failure;
use firn_sql::command::{AccountCommand, UserChange, WarehouseChange};

use super::Run;
use crate::clock::now_ms;
use crate::local_rows::LocalRows;
use crate::partitions::WrittenResult;
use crate::run_error::RunError;
use crate::{account_rows, linked_databases};

impl Run<'_> {
    pub(super) fn account(&self, command: &AccountCommand) -> Result<WrittenResult, RunError> {
        // Users may change themselves: what calls itself with another's rights must not do so for its caller.
        if self.state.has_owners_rights
            && matches!(command, AccountCommand::AlterUser { .. } | AccountCommand::AccessToken { .. })
        {
            return Err(Failure::unsupported("ALTER USER in a procedure with its owner's rights").into());
        }
        let change = self.services.engine.definitions().begin_change();
        let sealed = linked_databases::sealed(self.services.engine.as_ref(), command)?;
        let command = sealed.as_ref().unwrap_or(command);
        let outcome = self.services.catalog.apply(&self.state.caller, &self.state.role, command)?;
        drop(change);
        let settled = self.services.databases.settle_handovers(&self.services.catalog, self.services.engine.as_ref());
        if let AccountCommand::AlterWarehouse { name, change: WarehouseChange::AbortAllQueries, .. } = command {
            self.services.running.stop_on_warehouse(name);
        }
        if matches!(
            command,
            AccountCommand::AlterUser { .. } | AccountCommand::DropUser { .. } | AccountCommand::CreateUser { .. }
        ) {
            let principals = self.services.catalog.principals();
            self.services.running.stop_of_barred(&principals, now_ms());
            self.services.kept_sessions.end_of_shut_out(&principals);
        }
        match command {
            // What they own and were granted in databases goes to others or ends.
            AccountCommand::AlterRole { .. }
            | AccountCommand::DropRole { .. }
            | AccountCommand::AlterDatabaseRole { .. }
            | AccountCommand::DropDatabaseRole { .. }
            | AccountCommand::AlterUser { change: UserChange::Rename(_), .. }
            | AccountCommand::DropUser { .. } => {
                settled?;
                self.services.changes.note_definitions();
            }
            _ => {
                // The change itself is made; what is left is handed over with the next one.
                if let Err(error) = settled {
                    tracing::warn!(?error, "what former owners had cannot be handed over yet");
                }
                self.services.changes.note_account();
            }
        }
        let rows = account_rows::rows(outcome);
        let Some(stored) = rows.stored else { return self.local(rows.returned) };
        let returned = rows_in_memory(rows.returned, self.state.result_format.of_local_rows())?;
        Ok(WrittenResult { first_rows: returned, ..self.local(stored)? })
    }
}

/// Rows that must not touch the disk.
fn rows_in_memory(mut rows: LocalRows, format: ResultFormat) -> Result<Bytes, RunError> {
    let everything = RowBudget { bytes: usize::MAX, rows: u64::MAX };
    let mut out = Vec::new();
    match format {
        ResultFormat::Json => {
            out.push(b'[');
            rows.encode(&mut out, everything)?;
            out.push(b']');
        }
        ResultFormat::Arrow => drop(rows.encode_arrow(&mut out, everything)?),
    }
    Ok(out.into())
}
