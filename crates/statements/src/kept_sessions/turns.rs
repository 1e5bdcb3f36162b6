//! Who has a kept session: one request at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use firn_catalog::Caller;
use firn_engine::{EngineError, Session};
use firn_sql::command::{Command, Transaction};
use firn_sql::resolve::Uses;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use super::{Entry, Kept, KeptSessions, NotHad, PAST_MAX, SessionKind, find};
use crate::execution::{Execution, StopReason};
use crate::mutex::lock;
use crate::services::Services;
use crate::session_state::{KeptAs, SessionState, TransactionNow};
use crate::transactions::TransactionState;

/// When a statement runs beside its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnlyIf {
    Any,
    Busy,
}

/// A session that a request has. Dropped before it was taken, it is as it was; a session that was taken and not kept again, as after
/// a panic, has ended.
pub struct InUse {
    pub id: Uuid,
    pub kind: SessionKind,
    sessions: Arc<KeptSessions>,
    kept: Option<Box<Kept>>,
    /// Given back once the session is where the next request finds it.
    _turn: OwnedSemaphorePermit,
}

impl KeptSessions {
    /// The session, if nobody has it.
    pub fn take(self: &Arc<Self>, caller: &Caller, id: Uuid) -> Result<InUse, NotHad> {
        let turn = self.turn_of(caller, id)?.try_acquire_owned().map_err(|_| NotHad::Busy)?;
        self.take_with(caller, id, turn)
    }

    /// The session, once those that came before have had it. Busy if that takes longer than a request waits.
    pub async fn take_in_turn(
        self: &Arc<Self>,
        caller: &Caller,
        id: Uuid,
        (request_id, wait): (Option<Uuid>, Duration),
    ) -> Result<InUse, NotHad> {
        let turns = self.turn_of(caller, id)?;
        if let Ok(turn) = Arc::clone(&turns).try_acquire_owned() {
            return self.take_with(caller, id, turn);
        }
        let waiting = self.waiting.add(caller.user.id, request_id.unwrap_or_default());
        let turn = tokio::select! {
            turn = tokio::time::timeout(wait, turns.acquire_owned()) => turn.map_err(|_| NotHad::Busy)?,
            () = waiting.cancelled() => return Err(NotHad::Cancelled),
        };
        self.take_with(caller, id, turn.map_err(|_| NotHad::Unknown)?)
    }

    /// What a statement begins with that leaves nothing in the session and need not wait for it. With `OnlyIf::Busy`, nothing
    /// where the session is free.
    pub fn beside(&self, caller: &Caller, id: Uuid, only_if: OnlyIf) -> Result<Option<Box<SessionState>>, NotHad> {
        let mut entries = lock(&self.entries);
        let entry = find(&mut entries, caller, id)?;
        entry.heard = Instant::now();
        let is_wanted = only_if == OnlyIf::Any || entry.kept.is_none();
        Ok(entry.snapshot.clone().filter(|_| is_wanted))
    }

    /// A statement that runs beside the session is one of its statements.
    pub fn note_beside(&self, id: Uuid, handle: Uuid) {
        let mut entries = lock(&self.entries);
        let Some(entry) = entries.get_mut(&id) else { return };
        if entry.beside.len() < PAST_MAX {
            entry.beside.push(handle);
        }
        if let Some(kept) = entry.kept.take() {
            entry.keep(kept);
        }
    }

    /// Whether a request of this id waited, and has to end.
    pub fn cancel_waiting(&self, user_id: i64, request_id: Uuid) -> bool {
        self.waiting.cancel(user_id, request_id)
    }

    fn turn_of(&self, caller: &Caller, id: Uuid) -> Result<Arc<Semaphore>, NotHad> {
        Ok(Arc::clone(&find(&mut lock(&self.entries), caller, id)?.turn))
    }

    fn take_with(self: &Arc<Self>, caller: &Caller, id: Uuid, turn: OwnedSemaphorePermit) -> Result<InUse, NotHad> {
        let mut entries = lock(&self.entries);
        let entry = find(&mut entries, caller, id)?;
        let kept = entry.kept.take().ok_or(NotHad::Busy)?;
        Ok(InUse { id, kind: entry.kind, sessions: self.clone(), kept: Some(kept), _turn: turn })
    }

    /// Every session that nobody has and that is meant.
    pub(super) fn take_where(self: &Arc<Self>, is_meant: impl Fn(&Entry) -> bool) -> Vec<InUse> {
        let mut entries = lock(&self.entries);
        let meant = entries.iter_mut().filter(|(_, entry)| is_meant(entry));
        let taken = meant.filter_map(|(id, entry)| {
            let turn = Arc::clone(&entry.turn).try_acquire_owned().ok()?;
            let kept = Some(entry.kept.take()?);
            Some(InUse { id: *id, kind: entry.kind, sessions: self.clone(), kept, _turn: turn })
        });
        taken.collect()
    }
}

impl InUse {
    pub fn kept_as(&self) -> KeptAs {
        KeptAs { id: self.id, kind: self.kind }
    }

    /// What the request begins with; nothing once the engine's session was taken.
    pub fn state(&self) -> Option<&SessionState> {
        self.kept.as_ref().map(|kept| &kept.state)
    }

    /// Whether the session's transaction was lost, which is to be reported once.
    pub fn take_lost_transaction(&mut self) -> bool {
        self.kept.as_mut().is_some_and(|kept| std::mem::take(&mut kept.lost_transaction))
    }

    /// From here on the session's end stops the request. If that has come, the request is stopped at once.
    pub fn note_running(&self, execution: &Arc<Execution>) {
        match lock(&self.sessions.entries).get_mut(&self.id) {
            Some(entry) => entry.running = Some(execution.clone()),
            None => execution.stop(StopReason::Cancelled),
        }
    }

    /// The engine's part: the session's own, or one that `open` gives.
    pub fn take_session(
        &mut self,
        open: impl FnOnce() -> Result<Box<dyn Session>, EngineError>,
    ) -> Result<Box<dyn Session>, EngineError> {
        let own = self.kept.as_mut().and_then(|kept| kept.session.take());
        let session = own.map_or_else(open, Ok)?;
        self.kept = None;
        Ok(session)
    }

    /// Rolls back the session's transaction. If it has changed something, its next statement reports it.
    pub(super) fn roll_back(mut self, services: &Services) {
        let Some(mut kept) = self.kept.take() else { return };
        let Some(mut session) = kept.session.take() else { return };
        let owner = session.lock_owner();
        kept.lost_transaction = services.engine.locks().iter().any(|lock| lock.owner == owner);
        let context = kept.state.execution_context(&services.catalog, &Uses::default());
        session.renew_interrupter();
        // A session that cannot roll back ends.
        if session.execute(&Command::Transaction(Transaction::Rollback), &context).is_ok() {
            session.release();
            kept.state.note_transaction(TransactionNow::None);
            kept.session = (!session.is_replaceable()).then_some(session);
            self.sessions.transactions.end(self.id, TransactionState::RolledBack);
            self.kept = Some(kept);
        }
    }

    /// Keeps the session as a request has left it.
    pub fn keep(mut self, session: Box<dyn Session>, state: SessionState) {
        let session = (!session.is_replaceable()).then_some(session);
        self.kept = Some(Box::new(Kept { session, state, lost_transaction: false }));
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut entries = lock(&self.sessions.entries);
        let ended = match (entries.get_mut(&self.id), self.kept.take()) {
            (Some(entry), Some(kept)) => {
                entry.keep(kept);
                entry.last_used = Instant::now();
                return;
            }
            // It was closed meanwhile.
            (None, kept) => (None, kept),
            (Some(_), None) => (entries.remove(&self.id), None),
        };
        drop(entries);
        drop(ended);
        self.sessions.transactions.end(self.id, TransactionState::RolledBack);
    }
}
