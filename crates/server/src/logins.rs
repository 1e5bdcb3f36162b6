//! Logins by password on the server: hashes are computed off the runtime, few at a time, and one at a time for a name.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use firn_auth::{AuthError, PasswordLogins};
use firn_catalog::{Catalog, CatalogError, ClientType, Edited, User};
use firn_statements::StatementError;
use tokio::sync::{Mutex, Semaphore};

use crate::clock::now_ms;
use crate::error::ApiError;

/// Hashes that logins wait for at a time; each takes memory.
const HASHES_MAX: usize = 4;
/// Names share these, so that one that nobody has waits like one of a user.
const NAME_LOCKS: usize = 256;
const TURN_WAIT: Duration = Duration::from_secs(10);

pub struct Logins {
    catalog: Catalog,
    passwords: Arc<PasswordLogins>,
    hashing: RandomState,
    names: Vec<Mutex<()>>,
    hashes: Semaphore,
}

/// What a login sends.
pub struct Credentials {
    pub login: String,
    pub password: String,
}

impl Logins {
    pub fn new(catalog: Catalog) -> Self {
        Self {
            passwords: Arc::new(PasswordLogins::new(catalog.clone())),
            catalog,
            hashing: RandomState::new(),
            names: std::iter::repeat_with(Mutex::default).take(NAME_LOCKS).collect(),
            hashes: Semaphore::new(HASHES_MAX),
        }
    }

    /// The user with that password.
    pub async fn verify(&self, credentials: Credentials) -> Result<Arc<User>, ApiError> {
        let too_many = || ApiError::Statement(StatementError::TooManyRequests { retry_after_s: 1 });
        let index = self.hashing.hash_one(credentials.login.to_uppercase()) as usize % NAME_LOCKS;
        let turn = async { (self.names[index].lock().await, self.hashes.acquire().await) };
        let _turn = tokio::time::timeout(TURN_WAIT, turn).await.map_err(|_| too_many())?;
        let passwords = Arc::clone(&self.passwords);
        let verify = move || passwords.verify(&credentials.login, &credentials.password, now_ms());
        let verified = tokio::task::spawn_blocking(verify).await.unwrap_or(Err(AuthError::Unavailable));
        verified.map_err(ApiError::Unauthenticated)
    }

    /// The user with a password of their own choice, which ends all sessions there were.
    pub async fn replace_password(&self, user: Arc<User>, password: String) -> Result<Arc<User>, ApiError> {
        let catalog = self.catalog.clone();
        let id = user.id;
        if blocking(move || catalog.replace_password(&user, &password)).await? == Edited::No {
            return Err(ApiError::Unauthenticated(AuthError::BadPassword));
        }
        let principals = self.catalog.principals();
        principals.user_by_id(id).cloned().ok_or(ApiError::Unauthenticated(AuthError::BadPassword))
    }

    /// The token of a new session.
    pub async fn open_session(&self, user: Arc<User>, client: ClientType) -> Result<String, ApiError> {
        let catalog = self.catalog.clone();
        blocking(move || catalog.open_login_session(&user, client)).await
    }

    /// `false` where the token is not that of a session.
    pub async fn close_session(&self, token: &str) -> Result<bool, ApiError> {
        let catalog = self.catalog.clone();
        let hash = firn_catalog::secrets::hash_secret(token);
        blocking(move || catalog.close_login_session(&hash)).await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CatalogError> + Send + 'static,
) -> Result<T, ApiError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(CatalogError::Failed(failure))) => Err(ApiError::UnusablePassword(failure)),
        Ok(Err(error)) => Err(ApiError::Statement(StatementError::from(error))),
        Err(_) => Err(ApiError::Panicked),
    }
}
