//! Sessions that a password opened. Their tokens are stored as hashes and found without touching the disk.
//!
//! A session ends at its time, when it is closed, with the password that opened it, and after so long without a request as a
//! session policy says. A start of the server counts as a request.

mod lookups;

use std::collections::HashMap;
use std::sync::atomic::AtomicI64;
use std::sync::{PoisonError, RwLock};

use rusqlite::Connection;

use crate::caller::ClientType;
use crate::clock::now_ms;
use crate::error::CatalogError;
use crate::secrets::SecretHash;

pub const SESSION_LIFETIME_S: i64 = 4 * 3_600;
/// Whoever opens more loses the oldest.
const SESSIONS_PER_USER_MAX: usize = 100;

#[derive(Debug)]
struct LoginSession {
    user_id: i64,
    password_set_on_ms: i64,
    created_on_ms: i64,
    expires_on_ms: i64,
    client: ClientType,
    used_on_ms: AtomicI64,
}

/// The open sessions by the hashes of their tokens.
#[derive(Debug, Default)]
pub(crate) struct LoginSessions(RwLock<HashMap<SecretHash, LoginSession>>);

impl LoginSessions {
    pub(crate) fn load(connection: &Connection) -> Result<Self, CatalogError> {
        let mut statement = connection.prepare(
            "SELECT token_hash, user_id, password_set_on_ms, created_on_ms, expires_on_ms, of_browser FROM login_sessions \
             WHERE expires_on_ms > ?1",
        )?;
        let now_ms = now_ms();
        let sessions = statement.query_map([now_ms], |row| {
            let session = LoginSession {
                user_id: row.get(1)?,
                password_set_on_ms: row.get(2)?,
                created_on_ms: row.get(3)?,
                expires_on_ms: row.get(4)?,
                client: if row.get(5)? { ClientType::Browser } else { ClientType::Driver },
                used_on_ms: AtomicI64::new(now_ms),
            };
            Ok((row.get(0)?, session))
        })?;
        Ok(Self(RwLock::new(sessions.collect::<Result<_, _>>()?)))
    }

    /// Takes out what has expired, and the oldest of a user who has too many.
    fn take_surplus(&self, user_id: i64, now_ms: i64) -> Vec<SecretHash> {
        let mut sessions = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut surplus: Vec<SecretHash> =
            sessions.iter().filter(|(_, session)| session.expires_on_ms <= now_ms).map(|(hash, _)| *hash).collect();
        let mut of_user: Vec<(i64, SecretHash)> = sessions
            .iter()
            .filter(|(_, session)| session.user_id == user_id)
            .map(|(hash, session)| (session.created_on_ms, *hash))
            .collect();
        of_user.sort_unstable();
        let too_many = (of_user.len() + 1).saturating_sub(SESSIONS_PER_USER_MAX);
        surplus.extend(of_user.iter().take(too_many).map(|(_, hash)| *hash));
        for hash in &surplus {
            sessions.remove(hash);
        }
        surplus
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::catalog::Catalog;
    use crate::secrets::hash_secret;

    #[test]
    fn sessions_end_by_closing_by_time_and_by_their_number() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = Catalog::open(folder.path()).unwrap();
        catalog.bootstrap("ACME", None).unwrap();
        let user = catalog.principals().user("ADMIN").unwrap().clone();
        let hashes: Vec<SecretHash> = (0..SESSIONS_PER_USER_MAX + 3)
            .map(|_| hash_secret(&catalog.open_login_session(&user, ClientType::Driver).unwrap()))
            .collect();
        let is_open = |hash: &SecretHash, at_ms: i64| catalog.login_session(hash, at_ms).is_some();
        let open = hashes.iter().filter(|hash| is_open(hash, now_ms())).count();
        assert_eq!(open, SESSIONS_PER_USER_MAX);
        let last = hashes.last().unwrap();
        assert!(is_open(last, now_ms()) && !is_open(last, now_ms() + SESSION_LIFETIME_S * 1_000));
        assert!(catalog.close_login_session(last).unwrap() && !catalog.close_login_session(last).unwrap());
        drop(catalog);
        let again = Catalog::open(folder.path()).unwrap();
        let open = hashes.iter().filter(|hash| again.login_session(hash, now_ms()).is_some()).count();
        assert_eq!(open, SESSIONS_PER_USER_MAX - 1, "closed and surplus ones stay away");
    }
}
