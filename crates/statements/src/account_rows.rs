//! The answers of commands on users, roles, tokens, warehouses and integrations.

use firn_catalog::AccountOutcome;
use firn_engine::WireColumn;

use crate::local_rows::LocalRows;

/// A token's secret is shown here and nowhere else, ever again.
pub fn rows(outcome: AccountOutcome) -> LocalRows {
    match outcome {
        AccountOutcome::Done(message) => LocalRows::status(&message),
        AccountOutcome::TokenSecret { name, secret, rotated_token_name } => {
            let mut columns = vec![WireColumn::text("token_name"), WireColumn::text("token_secret")];
            let mut row = vec![Some(name), Some(secret)];
            if let Some(rotated) = rotated_token_name {
                columns.push(WireColumn::text("rotated_token_name"));
                row.push(Some(rotated));
            }
            LocalRows::new(columns, vec![row])
        }
    }
}
