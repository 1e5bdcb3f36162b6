//! Sessions and transactions that nobody goes on with end.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use firn_catalog::{Caller, Principals};
use uuid::Uuid;

use super::{Entry, KeptSessions, NotHad, find};
use crate::handle::session_number;
use crate::mutex::lock;
use crate::services::Services;

const LOOK_MIN: Duration = Duration::from_millis(50);
const LOOK_MAX: Duration = Duration::from_secs(10);

/// Ends idle transactions, until it is aborted with the service that owns it.
pub async fn end_idle_transactions(services: Arc<Services>) -> Infallible {
    let idle_max = services.limits.transaction_idle_max;
    let mut ticks = tokio::time::interval((idle_max / 4).clamp(LOOK_MIN, LOOK_MAX));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let services = services.clone();
        let look = move || services.kept_sessions.end_transactions_idle_for(idle_max, &services);
        if let Err(error) = tokio::task::spawn_blocking(look).await {
            tracing::error!(%error, "idle transactions cannot be ended");
        }
    }
}

impl KeptSessions {
    /// The session was used, though no statement ran.
    pub fn touch(&self, caller: &Caller, id: Uuid) -> Result<(), NotHad> {
        find(&mut lock(&self.entries), caller, id)?.heard = Instant::now();
        Ok(())
    }

    /// Ends those that nobody has used for long enough. The engine's part of them ends without the lock.
    pub fn end_idle(&self) {
        self.end_where(|_, entry| entry.is_over());
    }

    /// Ends those of users who are gone or were disabled, and stops what runs in them.
    pub fn end_of_shut_out(&self, principals: &Principals) {
        self.end_where(|_, entry| entry.owner.is_shut_out(principals));
    }

    pub fn end_all(&self) {
        self.end_where(|_, _| true);
    }

    /// Ends the session of a number, if its owner's it may be. How many there were.
    pub fn abort(&self, number: &str, may_end: impl Fn(i64) -> bool) -> usize {
        self.end_where(|id, entry| session_number(id).to_string() == number && may_end(entry.owner.user_id))
    }

    fn end_where(&self, is_over: impl Fn(Uuid, &Entry) -> bool) -> usize {
        let ended: Vec<(Uuid, Entry)> = lock(&self.entries).extract_if(|id, entry| is_over(*id, entry)).collect();
        let count = ended.len();
        for (id, entry) in ended {
            self.end(id, entry);
        }
        count
    }

    /// Rolls back the transaction of a number in a session that no request has, if its owner's it may be. How many there were.
    pub fn abort_transaction(
        self: &Arc<Self>,
        number: &str,
        may_end: impl Fn(i64) -> bool,
        services: &Services,
    ) -> usize {
        let is_meant = |entry: &Entry| {
            let kept = entry.kept.as_ref().filter(|_| may_end(entry.owner.user_id));
            kept.is_some_and(|kept| kept.state.transaction.as_deref() == Some(number))
        };
        let meant = self.take_where(is_meant);
        let count = meant.len();
        meant.into_iter().for_each(|in_use| in_use.roll_back(services));
        count
    }

    /// Rolls back the transactions of sessions that no request has had for so long, as others may wait for their locks.
    fn end_transactions_idle_for(self: &Arc<Self>, idle_max: Duration, services: &Services) {
        let is_idle = |entry: &Entry| {
            let kept = entry.kept.as_ref().filter(|_| entry.last_used.elapsed() >= idle_max);
            kept.is_some_and(|kept| kept.is_in_transaction())
        };
        for in_use in self.take_where(is_idle) {
            tracing::info!(session = session_number(in_use.id), "an idle transaction is rolled back");
            in_use.roll_back(services);
        }
    }
}
