//! Admission control: a number of concurrent statements per warehouse, a bounded queue, and a rate limit per user. What
//! exceeds these limits is refused at once.

mod gate;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use firn_catalog::warehouses::Warehouse;
use tokio::sync::oneshot;

use crate::limits::Limits;
use crate::mutex::lock;
use gate::{Arrival, Gate, Reserve};

pub use gate::Slot;

pub struct Admission {
    queue_length_max: usize,
    queue_wait: Duration,
    requests_per_second_max: u32,
    gates: Mutex<HashMap<String, WarehouseGate>>,
    /// For statements without a warehouse.
    without_warehouse: Arc<Gate>,
    queued: Arc<QueuedCounts>,
    rates: Mutex<HashMap<i64, Rate>>,
}

struct WarehouseGate {
    concurrency_max: u32,
    gate: Arc<Gate>,
}

struct Rate {
    tokens: f64,
    refilled: Instant,
}

/// A place in a queue; freed when it is dropped.
pub struct QueuePlace {
    place: Place,
    pub wait_max: Duration,
}

enum Place {
    /// A free slot is taken on arrival, even if the statement starts later.
    Head(Slot),
    Behind {
        turn: oneshot::Receiver<Slot>,
        _queued: Queued,
    },
    Left,
}

/// Those who wait, in all queues.
#[derive(Default)]
struct QueuedCounts {
    all: AtomicUsize,
    by_user: Mutex<HashMap<i64, usize>>,
}

impl QueuedCounts {
    fn of_user(&self, user_id: i64) -> usize {
        lock(&self.by_user).get(&user_id).copied().unwrap_or_default()
    }
}

/// Counts one who waits.
struct Queued {
    counts: Arc<QueuedCounts>,
    user_id: i64,
}

impl Queued {
    fn new(counts: &Arc<QueuedCounts>, user_id: i64) -> Self {
        counts.all.fetch_add(1, Ordering::Relaxed);
        *lock(&counts.by_user).entry(user_id).or_default() += 1;
        Self { counts: Arc::clone(counts), user_id }
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        self.counts.all.fetch_sub(1, Ordering::Relaxed);
        let mut by_user = lock(&self.counts.by_user);
        if let Some(count) = by_user.get_mut(&self.user_id) {
            *count -= 1;
            if *count == 0 {
                by_user.remove(&self.user_id);
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnedAway {
    pub retry_after_s: u64,
}

impl Admission {
    pub fn new(limits: &Limits) -> Self {
        Self {
            queue_length_max: limits.queue_length_max,
            queue_wait: limits.queue_wait,
            requests_per_second_max: limits.requests_per_second_max,
            gates: Mutex::default(),
            without_warehouse: Gate::new(limits.statements_without_warehouse_max, Reserve::Always),
            queued: Arc::default(),
            rates: Mutex::default(),
        }
    }

    pub fn queued(&self) -> usize {
        self.queued.all.load(Ordering::Relaxed)
    }

    /// Takes one request from the user's allowance: a full second's worth at most in one go.
    pub fn take_request(&self, user_id: i64) -> Result<(), TurnedAway> {
        if self.requests_per_second_max == 0 {
            return Ok(());
        }
        let allowance = f64::from(self.requests_per_second_max);
        let now = Instant::now();
        let mut rates = lock(&self.rates);
        let rate = rates.entry(user_id).or_insert(Rate { tokens: allowance, refilled: now });
        let refill = now.duration_since(rate.refilled).as_secs_f64() * allowance;
        rate.tokens = (rate.tokens + refill).min(allowance);
        rate.refilled = now;
        if rate.tokens < 1.0 {
            return Err(TurnedAway { retry_after_s: 1 });
        }
        rate.tokens -= 1.0;
        Ok(())
    }

    /// A place in the queue of the warehouse, or of those that have none.
    pub fn enter(&self, user_id: i64, warehouse: Option<&Warehouse>) -> Result<QueuePlace, TurnedAway> {
        let gate = warehouse.map_or_else(|| self.without_warehouse.clone(), |warehouse| self.gate_of(warehouse));
        let wait_max = match warehouse.map_or(0, |warehouse| warehouse.queued_timeout_s) {
            0 => self.queue_wait,
            seconds => self.queue_wait.min(Duration::from_secs(u64::from(seconds))),
        };
        let place = match gate.enter(user_id, || self.check_queue(user_id))? {
            Arrival::Free(slot) => Place::Head(slot),
            Arrival::Queued(turn) => Place::Behind { turn, _queued: Queued::new(&self.queued, user_id) },
        };
        Ok(QueuePlace { place, wait_max })
    }

    /// A part of all queues together is left to others.
    fn check_queue(&self, user_id: i64) -> Result<(), TurnedAway> {
        let own_max = self.queue_length_max - self.queue_length_max / 4;
        if self.queued.of_user(user_id) >= own_max || self.queued() >= self.queue_length_max {
            return Err(TurnedAway { retry_after_s: 1 });
        }
        Ok(())
    }

    fn gate_of(&self, warehouse: &Warehouse) -> Arc<Gate> {
        let concurrency_max = warehouse.concurrency_max;
        let mut gates = lock(&self.gates);
        if let Some(known) = gates.get_mut(&warehouse.name) {
            let gate = Arc::clone(&known.gate);
            let before = std::mem::replace(&mut known.concurrency_max, concurrency_max);
            drop(gates);
            if before != concurrency_max {
                gate.set_concurrency(concurrency_max as usize);
            }
            return gate;
        }
        let gate = Gate::new(concurrency_max as usize, Reserve::WhileShared);
        gates.insert(warehouse.name.clone(), WarehouseGate { concurrency_max, gate: Arc::clone(&gate) });
        gate
    }
}

impl QueuePlace {
    /// `None` when others are ahead in the queue.
    pub fn turn_at_once(&mut self) -> Option<Slot> {
        match std::mem::replace(&mut self.place, Place::Left) {
            Place::Head(slot) => Some(slot),
            place => {
                self.place = place;
                None
            }
        }
    }

    /// `None` when the turn did not come in time.
    pub async fn turn(&mut self) -> Option<Slot> {
        if let Some(slot) = self.turn_at_once() {
            return Some(slot);
        }
        match &mut self.place {
            Place::Behind { turn, .. } => tokio::time::timeout(self.wait_max, turn).await.ok()?.ok(),
            Place::Head(_) | Place::Left => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warehouse(concurrency_max: u32) -> Warehouse {
        Warehouse {
            name: "W".to_owned(),
            size: "X-Small".to_owned(),
            concurrency_max,
            queued_timeout_s: 0,
            statement_timeout_s: 0,
            auto_suspend_s: None,
            auto_resume: true,
            suspended: false,
            resource_monitor: None,
            comment: None,
            owner: "SYSADMIN".to_owned(),
            created_on_ms: 0,
        }
    }

    fn admission(queue_length_max: usize, requests_per_second_max: u32) -> Admission {
        let queue_wait = Duration::from_millis(20);
        Admission::new(&Limits { queue_length_max, queue_wait, requests_per_second_max, ..Limits::default() })
    }

    #[tokio::test]
    async fn a_full_queue_turns_away_and_a_freed_slot_lets_in() {
        let admission = admission(1, 0);
        let warehouse = warehouse(1);
        let enter = |user_id| admission.enter(user_id, Some(&warehouse));
        let slot = enter(1).ok().and_then(|mut place| place.turn_at_once());
        assert!(slot.is_some());
        let waiting = enter(1);
        assert!(waiting.is_ok());
        assert_eq!(enter(2).err(), Some(TurnedAway { retry_after_s: 1 }));
        let Ok(mut place) = waiting else { return };
        assert!(place.turn_at_once().is_none());
        assert!(place.turn().await.is_none(), "the only slot is taken");
        drop(slot);
        assert!(place.turn().await.is_some());
    }

    #[test]
    fn one_user_cannot_fill_the_queue() {
        let admission = admission(8, 0);
        let warehouse = warehouse(1);
        let held: Vec<_> = (0..20).map(|_| admission.enter(1, Some(&warehouse))).collect();
        assert_eq!(held.iter().filter(|place| place.is_ok()).count(), 1 + 6);
        let elsewhere = Warehouse { name: "OTHER".to_owned(), ..warehouse.clone() };
        let more: Vec<_> = (0..4).map(|_| admission.enter(1, Some(&elsewhere))).collect();
        assert_eq!(more.iter().filter(|place| place.is_ok()).count(), 1, "all queues count together");
        assert!(admission.enter(2, Some(&warehouse)).is_ok());
        drop((held, more));
        assert_eq!(admission.queued(), 0);
    }

    #[test]
    fn statements_without_a_warehouse_have_slots_of_their_own() {
        let limits = Limits { statements_without_warehouse_max: 1, ..Limits::default() };
        let admission = Admission::new(&limits);
        let first = admission.enter(1, None).ok().and_then(|mut place| place.turn_at_once());
        assert!(first.is_some());
        assert!(admission.enter(1, None).ok().and_then(|mut place| place.turn_at_once()).is_none());
        assert!(admission.enter(1, Some(&warehouse(1))).ok().and_then(|mut place| place.turn_at_once()).is_some());
    }

    #[test]
    fn a_user_past_the_rate_waits_and_another_does_not() {
        let admission = admission(1, 2);
        assert!(admission.take_request(1).is_ok());
        assert!(admission.take_request(1).is_ok());
        assert!(admission.take_request(1).is_err());
        assert!(admission.take_request(2).is_ok());
    }
}
