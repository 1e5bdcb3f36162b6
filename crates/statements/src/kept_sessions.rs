//! Sessions that outlast a request: their variables, temporary objects, parameters and chosen names are there for the next one.
//! One request at a time has a session. It belongs to whoever opened it, with the same restrictions of their token, and ends
//! when it is closed or nobody has used it for a while. The engine's part of it is there only while it holds something that the
//! next request could miss, so that an idle one takes little memory.

mod idle;
mod lifecycle;
mod turns;
mod waiting;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use firn_catalog::{Caller, Principals, TiedToken};
use firn_engine::Session;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::execution::{Execution, StopReason};
use crate::handle::session_number;
use crate::limits::Limits;
use crate::mutex::lock;
use crate::session_state::SessionState;
use crate::settings::Commits;
use crate::transactions::{TransactionState, Transactions};

pub use idle::end_idle_transactions;
pub use lifecycle::{SessionNames, SessionView, not_had};
pub use turns::{InUse, OnlyIf};
use waiting::WaitingRequests;

/// The statements that `LAST_QUERY_ID` can go back to.
const PAST_MAX: usize = 1_000;

/// How a session is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionKind {
    /// By the statement API: a request that finds it busy is refused, and a transaction ends with its request.
    Api,
    /// By a driver: requests wait for their turn, and transactions outlast them.
    Driver,
}

impl SessionKind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Api => "API",
            Self::Driver => "DRIVER",
        }
    }
}

pub struct KeptSessions {
    entries: Mutex<HashMap<Uuid, Entry>>,
    waiting: WaitingRequests,
    transactions: Arc<Transactions>,
}

struct Entry {
    kind: SessionKind,
    owner: Owner,
    user: String,
    idle_max: Duration,
    created_on_ms: i64,
    last_used: Instant,
    /// Of its client, who need not have run a statement.
    heard: Instant,
    names: SessionNames,
    parameters: Vec<(String, String)>,
    /// One permit: whoever has it has the session.
    turn: Arc<Semaphore>,
    /// What a statement may begin with that leaves nothing in the session, whoever has it; `None` where the session has what no
    /// other one has.
    snapshot: Option<Box<SessionState>>,
    /// Nothing while a request has it.
    kept: Option<Box<Kept>>,
    /// Statements that ran beside it since then, which its history does not have yet.
    beside: Vec<Uuid>,
    /// The request that has it, once it runs.
    running: Option<Arc<Execution>>,
}

impl Entry {
    /// Nobody has used it for long enough.
    fn is_over(&self) -> bool {
        self.kept.is_some() && self.heard.max(self.last_used).elapsed() >= self.idle_max
    }

    /// Takes the session back as a request has left it.
    fn keep(&mut self, mut kept: Box<Kept>) {
        let past = &mut kept.state.past;
        past.append(&mut self.beside);
        past.drain(..past.len().saturating_sub(PAST_MAX));
        self.running = None;
        self.names = SessionNames::of(&kept.state);
        self.parameters = kept.state.settings.for_clients();
        self.snapshot = kept.snapshot(self.kind);
        self.kept = Some(kept);
    }

    fn view(&self, id: Uuid) -> SessionView {
        SessionView {
            id,
            number: session_number(id),
            kind: self.kind,
            user: self.user.clone(),
            is_busy: self.kept.is_none(),
            names: self.names.clone(),
            parameters: self.parameters.clone(),
            created_on_ms: self.created_on_ms,
            idle_max: self.idle_max,
        }
    }
}

/// What outlasts a request.
pub struct Kept {
    /// The engine's part, while another one could not go on for it.
    session: Option<Box<dyn Session>>,
    /// As the last statement that succeeded has left it.
    pub state: SessionState,
    /// A transaction with changes was rolled back because nobody went on with it.
    pub lost_transaction: bool,
}

impl Kept {
    fn snapshot(&self, kind: SessionKind) -> Option<Box<SessionState>> {
        let is_alone = self.session.is_some() || self.state.settings.commits == Commits::WhenAsked;
        (kind == SessionKind::Driver && !is_alone).then(|| Box::new(self.state.clone()))
    }

    fn is_in_transaction(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.in_transaction())
    }
}

/// Whoever opened a session, with what the token allows.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Owner {
    user_id: i64,
    /// Changes when the user is disabled, which ends the sessions from before for good.
    sessions_ended_on_ms: i64,
    role_restriction: Option<String>,
    tied_token: Option<TiedToken>,
    blocked_roles: Vec<String>,
}

impl Owner {
    fn of(caller: &Caller) -> Self {
        Self {
            user_id: caller.user.id,
            sessions_ended_on_ms: caller.user.sessions_ended_on_ms,
            role_restriction: caller.role_restriction.clone(),
            tied_token: caller.tied_token,
            blocked_roles: caller.blocked_roles.clone(),
        }
    }

    /// Whether the user is gone, or was disabled since the session was opened.
    fn is_shut_out(&self, principals: &Principals) -> bool {
        let user = principals.user_by_id(self.user_id);
        user.is_none_or(|user| user.disabled || user.sessions_ended_on_ms != self.sessions_ended_on_ms)
    }
}

/// Why a session cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotHad {
    /// There is none, not any more, or it is somebody else's.
    Unknown,
    Busy,
    /// The request was cancelled while it waited.
    Cancelled,
}

impl KeptSessions {
    pub fn new(transactions: Arc<Transactions>) -> Self {
        Self { entries: Mutex::default(), waiting: WaitingRequests::default(), transactions }
    }

    /// Refuses with the number that the user has open.
    fn keep(&self, caller: &Caller, entry: Entry, limits: &Limits) -> Result<Uuid, usize> {
        let id = Uuid::new_v4();
        let mut entries = lock(&self.entries);
        have_room(&entries, caller, entry.kind, limits)?;
        entries.insert(id, entry);
        Ok(id)
    }

    fn check_room(&self, caller: &Caller, kind: SessionKind, limits: &Limits) -> Result<(), usize> {
        have_room(&lock(&self.entries), caller, kind, limits)
    }

    fn contains(&self, id: Uuid) -> bool {
        lock(&self.entries).contains_key(&id)
    }

    fn view(&self, caller: &Caller, id: Uuid) -> Result<SessionView, NotHad> {
        Ok(find(&mut lock(&self.entries), caller, id)?.view(id))
    }

    /// Whether the user still has that session.
    pub fn is_open(&self, user_id: i64, id: Uuid) -> bool {
        self.end_idle();
        lock(&self.entries).get(&id).is_some_and(|entry| entry.owner.user_id == user_id)
    }

    /// Those of the caller that the statement API has opened, the latest first.
    fn views(&self, caller: &Caller) -> Vec<SessionView> {
        self.end_idle();
        let (entries, owner) = (lock(&self.entries), Owner::of(caller));
        let own = entries.iter().filter(|(_, entry)| entry.kind == SessionKind::Api && entry.owner == owner);
        let mut views: Vec<SessionView> = own.map(|(id, entry)| entry.view(*id)).collect();
        views.sort_by_key(|view| Reverse((view.created_on_ms, view.id)));
        views
    }

    /// Those of users who are meant, the latest first.
    pub fn all_where(&self, is_meant: impl Fn(i64) -> bool) -> Vec<SessionView> {
        self.end_idle();
        let entries = lock(&self.entries);
        let meant = entries.iter().filter(|(_, entry)| is_meant(entry.owner.user_id));
        let mut views: Vec<SessionView> = meant.map(|(id, entry)| entry.view(*id)).collect();
        views.sort_by_key(|view| Reverse((view.created_on_ms, view.id)));
        views
    }

    /// Ends a session, and stops what runs in it, which is returned.
    fn close(&self, caller: &Caller, id: Uuid) -> Result<Option<Arc<Execution>>, NotHad> {
        let mut entries = lock(&self.entries);
        find(&mut entries, caller, id)?;
        let ended = entries.remove(&id);
        drop(entries);
        Ok(ended.and_then(|entry| self.end(id, entry)))
    }

    /// Ends what was taken out, without the lock: the engine's part may take its time. Stops and returns what runs in it.
    fn end(&self, id: Uuid, mut entry: Entry) -> Option<Arc<Execution>> {
        let running = entry.running.take();
        drop(entry);
        match &running {
            Some(execution) => execution.stop(StopReason::Cancelled),
            None => self.transactions.end(id, TransactionState::RolledBack),
        }
        running
    }
}

/// A session of the caller's. One that nobody has used for long enough is gone, though it may be there still.
fn find<'e>(entries: &'e mut HashMap<Uuid, Entry>, caller: &Caller, id: Uuid) -> Result<&'e mut Entry, NotHad> {
    let own = entries.get_mut(&id).filter(|entry| entry.owner == Owner::of(caller) && !entry.is_over());
    own.ok_or(NotHad::Unknown)
}

/// Refuses with the number that the user has open.
fn have_room(entries: &HashMap<Uuid, Entry>, caller: &Caller, kind: SessionKind, limits: &Limits) -> Result<(), usize> {
    let (of_user_max, all_max) = match kind {
        SessionKind::Api => (limits.sessions_per_user_max, limits.sessions_max),
        SessionKind::Driver => (limits.driver_sessions_per_user_max, limits.driver_sessions_max),
    };
    let of_kind = || entries.values().filter(|entry| entry.kind == kind);
    let of_user = of_kind().filter(|entry| entry.owner.user_id == caller.user.id).count();
    if of_user >= of_user_max || of_kind().count() >= all_max { Err(of_user) } else { Ok(()) }
}
