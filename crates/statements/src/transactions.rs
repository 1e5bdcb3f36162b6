//! The transactions that are open, and the last ones that ended.

use std::collections::VecDeque;
use std::sync::Mutex;

use firn_catalog::User;
use firn_engine::Session;
use uuid::Uuid;

use crate::clock::now_ms;
use crate::handle::session_number;
use crate::mutex::lock;

/// Ended transactions that can still be described.
const ENDED_MAX: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionState {
    Running,
    Committed,
    RolledBack,
}

impl TransactionState {
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Committed => "committed",
            Self::RolledBack => "rolled back",
        }
    }
}

#[derive(Clone, Debug)]
pub struct TransactionRecord {
    pub number: String,
    pub name: String,
    pub user_id: i64,
    pub user: String,
    /// The request that began it.
    pub handle: Uuid,
    /// The kept session that it is in, or that request.
    pub owner: Uuid,
    /// Whose its locks are in `Engine::locks`.
    pub lock_owner: u64,
    pub started_on_ms: i64,
    pub ended_on_ms: Option<i64>,
    pub state: TransactionState,
}

impl TransactionRecord {
    pub fn session(&self) -> u64 {
        session_number(self.owner)
    }
}

/// Where a transaction began, as `TransactionRecord` has it.
pub struct Begun<'a> {
    pub handle: Uuid,
    pub owner: Uuid,
    pub session: &'a dyn Session,
}

/// Newest last.
#[derive(Default)]
pub struct Transactions(Mutex<VecDeque<TransactionRecord>>);

impl Transactions {
    /// Notes that a transaction has begun; `text` is the statement that began it.
    pub fn begin(&self, begun: Begun<'_>, user: &User, number: &str, text: &str) {
        let mut known = lock(&self.0);
        if known.iter().any(|transaction| transaction.number == number) {
            return;
        }
        let ended = known.iter().filter(|transaction| transaction.state != TransactionState::Running).count();
        if ended >= ENDED_MAX
            && let Some(oldest) = known.iter().position(|transaction| transaction.state != TransactionState::Running)
        {
            known.remove(oldest);
        }
        known.push_back(TransactionRecord {
            number: number.to_owned(),
            name: given_name(text).unwrap_or_else(|| begun.handle.to_string()),
            user_id: user.id,
            user: user.name.clone(),
            handle: begun.handle,
            owner: begun.owner,
            lock_owner: begun.session.lock_owner(),
            started_on_ms: now_ms(),
            ended_on_ms: None,
            state: TransactionState::Running,
        });
    }

    /// Notes how the open transaction of a request or a kept session ended, if it has one.
    pub fn end(&self, owner: Uuid, state: TransactionState) {
        let mut known = lock(&self.0);
        let open = known.iter_mut().rev();
        let mut open = open.filter(|known| known.owner == owner && known.state == TransactionState::Running);
        if let Some(transaction) = open.next() {
            transaction.state = state;
            transaction.ended_on_ms = Some(now_ms());
        }
    }

    pub fn open(&self) -> Vec<TransactionRecord> {
        let known = lock(&self.0);
        known.iter().filter(|transaction| transaction.state == TransactionState::Running).cloned().collect()
    }

    pub fn find(&self, number: &str) -> Option<TransactionRecord> {
        lock(&self.0).iter().find(|transaction| transaction.number == number).cloned()
    }
}

/// `BEGIN NAME t1`.
fn given_name(text: &str) -> Option<String> {
    let mut words = text.split_whitespace().skip_while(|word| !word.eq_ignore_ascii_case("NAME"));
    words.nth(1).map(|name| match name.trim_end_matches(';') {
        quoted if quoted.starts_with('"') => quoted.trim_matches('"').to_owned(),
        plain => plain.to_uppercase(),
    })
}
