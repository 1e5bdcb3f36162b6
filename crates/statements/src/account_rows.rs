//! The results of commands on users, roles, tokens, warehouses and integrations.

use firn_catalog::AccountOutcome;
use firn_engine::WireColumn;

use crate::local_rows::LocalRows;

const NOT_STORED: &str = "shown only in the answer to the request that made it";

/// The rows to return, and those to store if they differ: a token's secret is returned once and never stored.
pub struct AccountRows {
    pub returned: LocalRows,
    pub stored: Option<LocalRows>,
}

pub fn rows(outcome: AccountOutcome) -> AccountRows {
    match outcome {
        AccountOutcome::Done(message) => AccountRows { returned: LocalRows::status(&message), stored: None },
        AccountOutcome::TokenSecret { name, secret, rotated_token_name } => {
            let rows = |secret: String| token_rows(&name, secret, rotated_token_name.as_deref());
            AccountRows { returned: rows(secret), stored: Some(rows(NOT_STORED.to_owned())) }
        }
    }
}

fn token_rows(name: &str, secret: String, rotated_token_name: Option<&str>) -> LocalRows {
    let mut columns = vec![WireColumn::text("token_name"), WireColumn::text("token_secret")];
    let mut row = vec![Some(name.to_owned()), Some(secret)];
    if let Some(rotated) = rotated_token_name {
        columns.push(WireColumn::text("rotated_token_name"));
        row.push(Some(rotated.to_owned()));
    }
    LocalRows::new(columns, vec![row])
}
