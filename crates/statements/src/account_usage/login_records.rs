//! An authentication as a row of the table LOGINS.

use std::net::IpAddr;

use super::record_sql::instant;
use super::record_sql::{Row, text};

const ROW_BYTES: usize = 200;

/// Somebody who showed a credential.
#[derive(Clone, Debug)]
pub struct Login {
    pub at_ms: i64,
    /// The user, or whom the credential claims to be.
    pub user: Option<String>,
    pub address: Option<IpAddr>,
    /// As the client says.
    pub client: Option<String>,
    /// `RSA_KEYPAIR`, `OAUTH_ACCESS_TOKEN`, `PROGRAMMATIC_ACCESS_TOKEN`, `PASSWORD`.
    pub factor: &'static str,
    /// The code and the message that it was refused with.
    pub refused: Option<(&'static str, String)>,
}

pub fn row(login: &Login, event_id: u64) -> Row {
    let (code, message) = match &login.refused {
        Some((code, message)) => (text(code), Some(message.clone())),
        None => (None, None),
    };
    let texts = [&login.user, &login.client, &message];
    let bytes: usize = ROW_BYTES + texts.iter().map(|found| found.as_ref().map_or(0, String::len)).sum::<usize>();
    vec![
        Some(event_id.to_string()),
        Some(instant(login.at_ms)),
        login.user.clone(),
        text(&login.address.map_or_else(|| "0.0.0.0".to_owned(), |address| address.to_canonical().to_string())),
        login.client.clone(),
        text(login.factor),
        text(if login.refused.is_some() { "NO" } else { "YES" }),
        code,
        message,
        Some(bytes.to_string()),
    ]
}
