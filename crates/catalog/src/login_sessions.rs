//! Sessions that a password opened. Their tokens are stored as hashes and found without touching the disk.
//!
//! A session ends at its time, when it is closed, with the password that opened it, and after so long without a request as a
//! session policy says. A start of the server counts as a request.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use rusqlite::{Connection, params};

use crate::caller::ClientType;
use crate::catalog::Catalog;
use crate::clock::now_ms;
use crate::error::CatalogError;
use crate::secrets::{SESSION_TOKEN_PREFIX, SecretHash, generate_secret, hash_secret};
use crate::store::Durability;
use crate::user::User;

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

impl Catalog {
    /// Opens a session and returns its token, which is shown this once.
    pub fn open_login_session(&self, user: &User, client: ClientType) -> Result<String, CatalogError> {
        let token = generate_secret(SESSION_TOKEN_PREFIX)?;
        let hash = hash_secret(&token);
        let now_ms = now_ms();
        let session = LoginSession {
            user_id: user.id,
            password_set_on_ms: user.password_set_on_ms,
            created_on_ms: now_ms,
            expires_on_ms: now_ms + SESSION_LIFETIME_S * 1_000,
            client,
            used_on_ms: AtomicI64::new(now_ms),
        };
        let surplus = self.login_sessions().take_surplus(user.id, now_ms);
        self.store().write(Durability::Process, |transaction| {
            for hash in &surplus {
                transaction.execute("DELETE FROM login_sessions WHERE token_hash = ?1", [hash])?;
            }
            transaction.execute(
                "INSERT INTO login_sessions (token_hash, user_id, password_set_on_ms, created_on_ms, expires_on_ms, \
                 of_browser) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    hash,
                    session.user_id,
                    session.password_set_on_ms,
                    now_ms,
                    session.expires_on_ms,
                    client == ClientType::Browser
                ],
            )?;
            Ok(())
        })?;
        self.login_sessions().0.write().unwrap_or_else(PoisonError::into_inner).insert(hash, session);
        Ok(token)
    }

    /// The user whose session it is. One that nobody used for longer than the user's session policy allows ends.
    pub fn login_session(&self, hash: &SecretHash, now_ms: i64) -> Option<Arc<User>> {
        let sessions = self.login_sessions().0.read().unwrap_or_else(PoisonError::into_inner);
        let session = sessions.get(hash).filter(|session| now_ms < session.expires_on_ms)?;
        let (user, idle_ms) = self.look(|memory| {
            let user = memory.principals.user_by_id(session.user_id)?;
            let idle_ms = memory.idle_timeout_ms(user, session.client == ClientType::Browser);
            Some((Arc::clone(user), idle_ms))
        })?;
        if user.password_set_on_ms != session.password_set_on_ms || session.created_on_ms <= user.sessions_ended_on_ms {
            return None;
        }
        let unused_ms = now_ms - session.used_on_ms.load(Ordering::Relaxed);
        if idle_ms.is_some_and(|idle_ms| unused_ms >= idle_ms) {
            drop(sessions);
            // It is gone from memory whatever becomes of its row.
            let _ = self.close_login_session(hash);
            return None;
        }
        session.used_on_ms.fetch_max(now_ms, Ordering::Relaxed);
        Some(user)
    }

    /// Whose session it is, whatever state it is in.
    pub fn owner_of_session(&self, hash: &SecretHash) -> Option<Arc<User>> {
        let sessions = self.login_sessions().0.read().unwrap_or_else(PoisonError::into_inner);
        let user_id = sessions.get(hash)?.user_id;
        self.principals().user_by_id(user_id).cloned()
    }

    /// `false` where there is no such session.
    pub fn close_login_session(&self, hash: &SecretHash) -> Result<bool, CatalogError> {
        let removed = self.login_sessions().0.write().unwrap_or_else(PoisonError::into_inner).remove(hash);
        self.store().write(Durability::Process, |transaction| {
            transaction.execute("DELETE FROM login_sessions WHERE token_hash = ?1", [hash])?;
            Ok(())
        })?;
        Ok(removed.is_some())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

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
