//! Admission control: a number of concurrent statements per warehouse, a bounded queue, and a rate limit per user. What
//! exceeds these limits is refused at once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use firn_catalog::warehouses::Warehouse;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::Limits;
use crate::mutex::lock;

pub struct Admission {
    queue_length_max: usize,
    queue_wait: Duration,
    requests_per_second_max: u32,
    gates: Mutex<HashMap<String, Gate>>,
    queued: Arc<AtomicUsize>,
    rates: Mutex<HashMap<i64, Rate>>,
}

/// A warehouse's slots. A changed concurrency makes a new gate; statements inside the old one
/// finish there.
struct Gate {
    concurrency_max: u32,
    slots: Arc<Semaphore>,
}

struct Rate {
    tokens: f64,
    refilled: Instant,
}

/// A place in a queue; freed when it is dropped.
pub struct QueuePlace {
    slots: Arc<Semaphore>,
    /// A free slot is taken on arrival, even if the statement starts later.
    free: Option<Slot>,
    /// The number of those who wait, this one among them.
    queued: Option<Arc<AtomicUsize>>,
    pub wait_max: Duration,
}

/// The slot is held while the statement runs.
pub struct Slot {
    _permit: OwnedSemaphorePermit,
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
            queued: Arc::default(),
            rates: Mutex::default(),
        }
    }

    pub fn queued(&self) -> usize {
        self.queued.load(Ordering::Relaxed)
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

    /// A place in the warehouse's queue, which may be its head.
    pub fn enter(&self, warehouse: &Warehouse) -> Result<QueuePlace, TurnedAway> {
        let slots = self.slots_of(warehouse);
        let free = slots.clone().try_acquire_owned().ok().map(|permit| Slot { _permit: permit });
        if free.is_none() && self.queued() >= self.queue_length_max {
            return Err(TurnedAway { retry_after_s: 1 });
        }
        let queued = free.is_none().then(|| self.queued.clone());
        if let Some(queued) = &queued {
            queued.fetch_add(1, Ordering::Relaxed);
        }
        let wait_max = match warehouse.queued_timeout_s {
            0 => self.queue_wait,
            seconds => self.queue_wait.min(Duration::from_secs(u64::from(seconds))),
        };
        Ok(QueuePlace { slots, free, queued, wait_max })
    }

    fn slots_of(&self, warehouse: &Warehouse) -> Arc<Semaphore> {
        let mut gates = lock(&self.gates);
        let fresh = || Gate {
            concurrency_max: warehouse.concurrency_max,
            slots: Arc::new(Semaphore::new(warehouse.concurrency_max as usize)),
        };
        let gate = gates.entry(warehouse.name.clone()).or_insert_with(fresh);
        if gate.concurrency_max != warehouse.concurrency_max {
            *gate = fresh();
        }
        gate.slots.clone()
    }
}

impl QueuePlace {
    /// `None` when somebody else's turn is first.
    pub fn turn_at_once(&mut self) -> Option<Slot> {
        self.free.take()
    }

    /// `None` when the turn did not come in time.
    pub async fn turn(&self) -> Option<Slot> {
        let acquired = tokio::time::timeout(self.wait_max, self.slots.clone().acquire_owned()).await;
        acquired.ok()?.ok().map(|permit| Slot { _permit: permit })
    }
}

impl Drop for QueuePlace {
    fn drop(&mut self) {
        if let Some(queued) = &self.queued {
            queued.fetch_sub(1, Ordering::Relaxed);
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
        let slot = admission.enter(&warehouse(1)).ok().and_then(|mut place| place.turn_at_once());
        assert!(slot.is_some());
        let waiting = admission.enter(&warehouse(1));
        assert!(waiting.is_ok());
        assert_eq!(admission.enter(&warehouse(1)).err(), Some(TurnedAway { retry_after_s: 1 }));
        let Ok(mut place) = waiting else { return };
        assert!(place.turn_at_once().is_none());
        assert!(place.turn().await.is_none(), "the only slot is taken");
        drop(slot);
        assert!(place.turn().await.is_some());
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
