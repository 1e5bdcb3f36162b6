//! Sessions that outlast a request: their variables, temporary objects, parameters and chosen names are there for the next one.
//! One request at a time has a session. It belongs to whoever opened it, with the same restrictions of their token, and ends
//! when it is closed or nobody has used it for a while.

mod lifecycle;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use firn_catalog::{Caller, Principals, TiedToken};
use firn_engine::Session;
use uuid::Uuid;

use crate::clock::now_ms;
use crate::execution::{Execution, StopReason};
use crate::limits::Limits;
use crate::mutex::lock;
use crate::session_state::SessionState;

use lifecycle::SessionNames;
pub use lifecycle::{SessionView, not_had};

/// The statements that `LAST_QUERY_ID` can go back to.
const PAST_MAX: usize = 1_000;

#[derive(Default)]
pub struct KeptSessions(Mutex<HashMap<Uuid, Entry>>);

struct Entry {
    owner: Owner,
    idle_max: Duration,
    created_on_ms: i64,
    last_used: Instant,
    names: SessionNames,
    /// Nothing while a request has it.
    kept: Option<Box<Kept>>,
    /// The request that has it, once it runs.
    running: Option<Arc<Execution>>,
}

impl Entry {
    fn view(&self, id: Uuid) -> SessionView {
        SessionView {
            id,
            is_busy: self.kept.is_none(),
            names: self.names.clone(),
            created_on_ms: self.created_on_ms,
            idle_max: self.idle_max,
        }
    }
}

/// What outlasts a request.
pub struct Kept {
    session: Box<dyn Session>,
    /// As the last statement that succeeded has left it.
    pub state: SessionState,
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
}

/// A session that a request has. Dropped before it was taken, it is as it was; a session that was taken and not kept again, as after
/// a panic, has ended.
pub struct InUse {
    pub id: Uuid,
    sessions: Arc<KeptSessions>,
    kept: Option<Box<Kept>>,
}

impl KeptSessions {
    /// Refuses with the number that the user has open.
    fn keep(&self, caller: &Caller, kept: Kept, idle_max: Duration, limits: &Limits) -> Result<Uuid, usize> {
        let id = Uuid::new_v4();
        let entry = Entry {
            owner: Owner::of(caller),
            idle_max,
            created_on_ms: now_ms(),
            last_used: Instant::now(),
            names: SessionNames::of(&kept.state),
            kept: Some(Box::new(kept)),
            running: None,
        };
        let mut entries = lock(&self.0);
        have_room(&entries, caller, limits)?;
        entries.insert(id, entry);
        Ok(id)
    }

    fn check_room(&self, caller: &Caller, limits: &Limits) -> Result<(), usize> {
        have_room(&lock(&self.0), caller, limits)
    }

    pub fn take(self: &Arc<Self>, caller: &Caller, id: Uuid) -> Result<InUse, NotHad> {
        self.end_idle();
        let mut entries = lock(&self.0);
        let entry = entries.get_mut(&id).filter(|entry| entry.owner == Owner::of(caller)).ok_or(NotHad::Unknown)?;
        let kept = entry.kept.take().ok_or(NotHad::Busy)?;
        Ok(InUse { id, sessions: self.clone(), kept: Some(kept) })
    }

    fn view(&self, caller: &Caller, id: Uuid) -> Result<SessionView, NotHad> {
        self.end_idle();
        let entries = lock(&self.0);
        let entry = entries.get(&id).filter(|entry| entry.owner == Owner::of(caller)).ok_or(NotHad::Unknown)?;
        Ok(entry.view(id))
    }

    /// Those of the caller, the latest first.
    fn views(&self, caller: &Caller) -> Vec<SessionView> {
        self.end_idle();
        let (entries, owner) = (lock(&self.0), Owner::of(caller));
        let own = entries.iter().filter(|(_, entry)| entry.owner == owner);
        let mut views: Vec<SessionView> = own.map(|(id, entry)| entry.view(*id)).collect();
        views.sort_by_key(|view| Reverse((view.created_on_ms, view.id)));
        views
    }

    /// Ends those that nobody has used for long enough. The engine's part of them ends without the lock.
    pub fn end_idle(&self) {
        let is_over = |entry: &Entry| entry.kept.is_some() && entry.last_used.elapsed() >= entry.idle_max;
        let ended: Vec<(Uuid, Entry)> = lock(&self.0).extract_if(|_, entry| is_over(entry)).collect();
        drop(ended);
    }

    /// Ends those of users who are gone or were disabled, and stops what runs in them.
    pub fn end_of_shut_out(&self, principals: &Principals) {
        let ended: Vec<(Uuid, Entry)> =
            lock(&self.0).extract_if(|_, entry| entry.owner.is_shut_out(principals)).collect();
        for execution in ended.iter().filter_map(|(_, entry)| entry.running.as_ref()) {
            execution.stop(StopReason::Cancelled);
        }
    }

    pub fn end_all(&self) {
        let ended = std::mem::take(&mut *lock(&self.0));
        drop(ended);
    }

    /// Ends a session, and stops what runs in it, which is returned.
    fn close(&self, caller: &Caller, id: Uuid) -> Result<Option<Arc<Execution>>, NotHad> {
        self.end_idle();
        let mut entries = lock(&self.0);
        entries.get(&id).filter(|entry| entry.owner == Owner::of(caller)).ok_or(NotHad::Unknown)?;
        let mut ended = entries.remove(&id);
        drop(entries);
        let running = ended.as_mut().and_then(|entry| entry.running.take());
        drop(ended);
        if let Some(execution) = &running {
            execution.stop(StopReason::Cancelled);
        }
        Ok(running)
    }
}

/// Refuses with the number that the user has open.
fn have_room(entries: &HashMap<Uuid, Entry>, caller: &Caller, limits: &Limits) -> Result<(), usize> {
    let of_user = entries.values().filter(|entry| entry.owner.user_id == caller.user.id).count();
    let is_full = of_user >= limits.sessions_per_user_max || entries.len() >= limits.sessions_max;
    if is_full { Err(of_user) } else { Ok(()) }
}

impl InUse {
    /// What the request begins with; nothing once the engine's session was taken.
    pub fn state(&self) -> Option<&SessionState> {
        self.kept.as_ref().map(|kept| &kept.state)
    }

    /// From here on the session's end stops the request. If that has come, the request is stopped at once.
    pub fn note_running(&self, execution: &Arc<Execution>) {
        match lock(&self.sessions.0).get_mut(&self.id) {
            Some(entry) => entry.running = Some(execution.clone()),
            None => execution.stop(StopReason::Cancelled),
        }
    }

    pub fn take_session(&mut self) -> Option<Box<dyn Session>> {
        self.kept.take().map(|kept| kept.session)
    }

    /// Keeps the session as a request has left it.
    pub fn keep(mut self, session: Box<dyn Session>, mut state: SessionState) {
        let too_many = state.past.len().saturating_sub(PAST_MAX);
        state.past.drain(..too_many);
        self.kept = Some(Box::new(Kept { session, state }));
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut entries = lock(&self.sessions.0);
        let ended = match (entries.get_mut(&self.id), self.kept.take()) {
            (Some(entry), Some(kept)) => {
                entry.running = None;
                entry.names = SessionNames::of(&kept.state);
                entry.kept = Some(kept);
                entry.last_used = Instant::now();
                return;
            }
            // It was closed meanwhile.
            (None, kept) => (None, kept),
            (Some(_), None) => (entries.remove(&self.id), None),
        };
        drop(entries);
        drop(ended);
    }
}
