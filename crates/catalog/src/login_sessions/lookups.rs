//! Opens, finds and closes sessions.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError};

use rusqlite::params;

use super::{LoginSession, SESSION_LIFETIME_S};
use crate::caller::ClientType;
use crate::catalog::Catalog;
use crate::clock::now_ms;
use crate::error::CatalogError;
use crate::secrets::{SESSION_TOKEN_PREFIX, SecretHash, generate_secret, hash_secret};
use crate::store::Durability;
use crate::user::User;

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
