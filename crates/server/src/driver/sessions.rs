//! The tokens of drivers' sessions, in memory and as hashes: what they belong to ends with the process. A session token is good for
//! an hour, and the master token renews it; both end with the session, and with the credential that opened it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use firn_auth::Signer;
use firn_catalog::secrets::{SecretHash, generate_secret, hash_secret};
use firn_catalog::{Caller, Catalog, CatalogError};
use uuid::Uuid;

use super::client_family::ClientFamily;
use crate::clock::now_ms;

pub const SESSION_PREFIX: &str = "firn_driver_";
const MASTER_PREFIX: &str = "firn_master_";
/// Requests that are under way may show the tokens from before a renewal.
const TOKENS_PER_SESSION_MAX: usize = 16;
const SWEPT_EVERY: Duration = Duration::from_secs(60);

/// What a session was opened with. When that is no longer good, the session is not.
#[derive(Clone, Debug)]
pub enum Credential {
    Password {
        set_on_ms: i64,
    },
    AccessToken(SecretHash),
    /// A token that was good for a moment.
    Signed(Signer),
}

#[derive(Clone, Debug)]
pub struct DriverSession {
    /// The kept session.
    pub id: Uuid,
    pub caller: Caller,
    pub family: ClientFamily,
    credential: Credential,
    opened: Instant,
}

/// The texts that a driver is given, this once.
pub struct Tokens {
    pub session: String,
    pub master: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenUse {
    Session,
    Master,
}

/// Why a token lets nobody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Expired,
    Gone,
}

struct Token {
    token_use: TokenUse,
    session: Uuid,
    expires: Instant,
}

struct Open {
    session: DriverSession,
    /// The oldest first.
    tokens: Vec<SecretHash>,
}

/// How long tokens and sessions last.
#[derive(Clone, Copy, Debug)]
pub struct Lifetimes {
    pub session_token: Duration,
    pub master_token: Duration,
    /// Of a session, whatever is done to go on with it.
    pub session: Duration,
}

pub struct DriverSessions {
    lifetimes: Lifetimes,
    table: Mutex<Table>,
    swept: Mutex<Instant>,
}

#[derive(Default)]
struct Table {
    open: HashMap<Uuid, Open>,
    tokens: HashMap<SecretHash, Token>,
}

impl DriverSessions {
    pub fn new(lifetimes: Lifetimes) -> Self {
        Self { lifetimes, table: Mutex::default(), swept: Mutex::new(Instant::now()) }
    }

    pub fn lifetimes(&self) -> Lifetimes {
        self.lifetimes
    }

    pub fn open(
        &self,
        id: Uuid,
        caller: Caller,
        family: ClientFamily,
        credential: Credential,
    ) -> Result<Tokens, CatalogError> {
        let session = DriverSession { id, caller, family, credential, opened: Instant::now() };
        self.table().open.insert(id, Open { session, tokens: Vec::new() });
        self.renew(id)
    }

    /// New tokens for a session; its former ones stay good until they expire.
    pub fn renew(&self, id: Uuid) -> Result<Tokens, CatalogError> {
        let (session, master) = (generate_secret(SESSION_PREFIX)?, generate_secret(MASTER_PREFIX)?);
        let now = Instant::now();
        let mut table = self.table();
        table.add(id, &session, TokenUse::Session, now + self.lifetimes.session_token);
        table.add(id, &master, TokenUse::Master, now + self.lifetimes.master_token);
        Ok(Tokens { session, master })
    }

    /// The session of a token, if whoever opened it is still let in by what opened it.
    pub fn find(&self, token: &str, token_use: TokenUse, catalog: &Catalog) -> Result<DriverSession, Refusal> {
        let found = {
            let table = self.table();
            let token = table.tokens.get(&hash_secret(token)).filter(|token| token.token_use == token_use);
            let token = token.ok_or(Refusal::Gone)?;
            if token.expires <= Instant::now() {
                return Err(Refusal::Expired);
            }
            table.open.get(&token.session).ok_or(Refusal::Gone)?.session.clone()
        };
        let current = found.current(catalog).filter(|_| found.opened.elapsed() < self.lifetimes.session);
        current.ok_or_else(|| {
            self.close(found.id);
            Refusal::Gone
        })
    }

    /// The master token is good from now on for as long as a new one.
    pub fn prolong(&self, id: Uuid) {
        let mut table = self.table();
        let Table { open, tokens } = &mut *table;
        for hash in open.get(&id).into_iter().flat_map(|open| &open.tokens) {
            if let Some(token) = tokens.get_mut(hash).filter(|token| token.token_use == TokenUse::Master) {
                token.expires = Instant::now() + self.lifetimes.master_token;
            }
        }
    }

    pub fn close(&self, id: Uuid) {
        let mut table = self.table();
        if let Some(closed) = table.open.remove(&id) {
            for hash in &closed.tokens {
                table.tokens.remove(hash);
            }
        }
    }

    /// Forgets the sessions that are no longer kept, now and then.
    pub fn sweep(&self, is_kept: impl Fn(Uuid) -> bool) {
        {
            let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
            if swept.elapsed() < SWEPT_EVERY {
                return;
            }
            *swept = Instant::now();
        }
        let known: Vec<Uuid> = self.table().open.keys().copied().collect();
        known.into_iter().filter(|id| !is_kept(*id)).for_each(|id| self.close(id));
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn add(&mut self, id: Uuid, token: &str, token_use: TokenUse, expires: Instant) {
        let hash = hash_secret(token);
        let Some(open) = self.open.get_mut(&id) else { return };
        open.tokens.push(hash);
        if open.tokens.len() > 2 * TOKENS_PER_SESSION_MAX {
            self.tokens.remove(&open.tokens.remove(0));
        }
        self.tokens.insert(hash, Token { token_use, session: id, expires });
    }
}

impl DriverSession {
    /// The session with its user as of now.
    fn current(&self, catalog: &Catalog) -> Option<Self> {
        let principals = catalog.principals();
        let now_ms = now_ms();
        let user = principals.user_by_id(self.caller.user.id).filter(|user| user.barred_at(now_ms).is_none())?;
        let is_good = match &self.credential {
            Credential::Password { set_on_ms } => user.password_set_on_ms == *set_on_ms,
            Credential::AccessToken(hash) => {
                principals.token_by_hash(hash).is_some_and(|(_, token)| principals.is_token_active(&token, now_ms))
            }
            Credential::Signed(signer) => signer.is_trusted(user, &principals),
        };
        let is_same = user.sessions_ended_on_ms == self.caller.user.sessions_ended_on_ms;
        let caller = Caller { user: user.clone(), ..self.caller.clone() };
        (is_good && is_same).then(|| Self { caller, ..self.clone() })
    }
}
