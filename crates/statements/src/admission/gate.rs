//! The slots of one warehouse, shared fairly: a free slot goes to the user who has the fewest, and among these to the one who
//! was served least recently. A part of the slots is left to others.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::metering::Metered;
use crate::mutex::lock;

/// For so long after a user's last statement, slots are left for more of them.
const RECENT: Duration = Duration::from_secs(60);

/// One slot in so many is left to others.
const LEFT_TO_OTHERS: usize = 4;

/// When slots are left to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reserve {
    Always,
    /// While others use the gate too.
    WhileShared,
}

pub(super) struct Gate {
    reserve: Reserve,
    slots: Mutex<Slots>,
}

struct Slots {
    concurrency_max: usize,
    running: usize,
    /// Those who run or wait.
    users: HashMap<i64, Share>,
    /// The two users who came last.
    recent: Vec<(i64, Instant)>,
    served: u64,
}

/// What one user has of the slots.
#[derive(Default)]
struct Share {
    running: usize,
    waiting: VecDeque<oneshot::Sender<Slot>>,
    served: u64,
}

/// The slot is held while the statement runs.
pub struct Slot {
    gate: Arc<Gate>,
    user_id: i64,
    metered: Option<Metered>,
}

/// What a statement gets when it comes.
pub(super) enum Arrival {
    Free(Slot),
    /// The slot will come here.
    Queued(oneshot::Receiver<Slot>),
}

impl Gate {
    pub(super) fn new(concurrency_max: usize, reserve: Reserve) -> Arc<Self> {
        let slots = Slots { concurrency_max, running: 0, users: HashMap::new(), recent: Vec::new(), served: 0 };
        Arc::new(Self { reserve, slots: Mutex::new(slots) })
    }

    /// More slots are given to those who wait; fewer count as soon as statements end.
    pub(super) fn set_concurrency(self: &Arc<Self>, concurrency_max: usize) {
        let is_wider = {
            let mut slots = lock(&self.slots);
            let before = std::mem::replace(&mut slots.concurrency_max, concurrency_max);
            before < concurrency_max
        };
        if is_wider {
            self.serve();
        }
    }

    /// A slot, else a place in the queue if `may_wait` allows it.
    pub(super) fn enter<E>(
        self: &Arc<Self>,
        user_id: i64,
        may_wait: impl FnOnce() -> Result<(), E>,
    ) -> Result<Arrival, E> {
        let mut slots = lock(&self.slots);
        slots.note_arrival(user_id);
        let waits = slots.users.get(&user_id).map_or(0, |share| share.waiting.len());
        if waits == 0 && slots.may_run(user_id, self.reserve) {
            slots.take(user_id);
            return Ok(Arrival::Free(Slot { gate: Arc::clone(self), user_id, metered: None }));
        }
        may_wait()?;
        let (sender, receiver) = oneshot::channel();
        slots.users.entry(user_id).or_default().waiting.push_back(sender);
        Ok(Arrival::Queued(receiver))
    }

    /// Gives free slots to those who wait. Slots are sent outside of the lock, as one that nobody receives is returned here.
    fn serve(self: &Arc<Self>) {
        loop {
            let next = lock(&self.slots).next(self.reserve);
            let Some((user_id, sender)) = next else { return };
            let _ = sender.send(Slot { gate: Arc::clone(self), user_id, metered: None });
        }
    }
}

impl Slots {
    fn note_arrival(&mut self, user_id: i64) {
        let now = Instant::now();
        match self.recent.iter_mut().find(|(known, _)| *known == user_id) {
            Some((_, seen)) => *seen = now,
            None => {
                self.recent.insert(0, (user_id, now));
                self.recent.truncate(2);
            }
        }
    }

    fn may_run(&self, user_id: i64, reserve: Reserve) -> bool {
        let own = self.users.get(&user_id).map_or(0, |share| share.running);
        self.running < self.concurrency_max + self.beyond_share(user_id) && own < self.own_max(user_id, reserve)
    }

    /// The slots that others took while they were alone and will not get again: who comes now does not wait for their ends.
    fn beyond_share(&self, user_id: i64) -> usize {
        let share_max = self.share_max();
        let others = self.users.iter().filter(|(other, _)| **other != user_id);
        others.map(|(_, share)| share.running.saturating_sub(share_max)).sum()
    }

    /// How many slots a user may have where others use the gate too.
    fn share_max(&self) -> usize {
        self.concurrency_max - self.concurrency_max / LEFT_TO_OTHERS
    }

    /// How many slots the user may have.
    fn own_max(&self, user_id: i64, reserve: Reserve) -> usize {
        let has_others = || self.recent.iter().any(|(other, seen)| *other != user_id && seen.elapsed() < RECENT);
        match reserve == Reserve::Always || has_others() {
            true => self.share_max(),
            false => self.concurrency_max,
        }
    }

    fn take(&mut self, user_id: i64) {
        self.served += 1;
        self.running += 1;
        let share = self.users.entry(user_id).or_default();
        share.running += 1;
        share.served = self.served;
    }

    fn next(&mut self, reserve: Reserve) -> Option<(i64, oneshot::Sender<Slot>)> {
        self.users.values_mut().for_each(|share| share.waiting.retain(|sender| !sender.is_closed()));
        let waiting = self.users.iter().filter(|(_, share)| !share.waiting.is_empty());
        let waiting = waiting.filter(|(user_id, _)| self.may_run(**user_id, reserve));
        let (user_id, _) = waiting.min_by_key(|(_, share)| (share.running, share.served))?;
        let user_id = *user_id;
        let sender = self.users.get_mut(&user_id)?.waiting.pop_front()?;
        self.take(user_id);
        Some((user_id, sender))
    }

    fn give_back(&mut self, user_id: i64) {
        self.running -= 1;
        if let Some(share) = self.users.get_mut(&user_id) {
            share.running -= 1;
            if share.running == 0 && share.waiting.is_empty() {
                self.users.remove(&user_id);
            }
        }
    }
}

impl Slot {
    /// The warehouse works for whoever has the slot.
    pub(crate) fn set_metered(&mut self, metered: Metered) {
        self.metered = Some(metered);
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        lock(&self.gate.slots).give_back(self.user_id);
        self.gate.serve();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(gate: &Arc<Gate>, user_id: i64) -> Arrival {
        let Ok(arrival) = gate.enter::<std::convert::Infallible>(user_id, || Ok(()));
        arrival
    }

    fn running(gate: &Arc<Gate>) -> usize {
        lock(&gate.slots).running
    }

    fn slot(arrival: Arrival) -> Option<Slot> {
        match arrival {
            Arrival::Free(slot) => Some(slot),
            Arrival::Queued(mut receiver) => receiver.try_recv().ok(),
        }
    }

    #[test]
    fn a_free_slot_goes_to_who_has_the_fewest() {
        let gate = Gate::new(2, Reserve::WhileShared);
        let mut held: Vec<Arrival> = (0..5).map(|_| enter(&gate, 1)).collect();
        let other = enter(&gate, 2);
        drop(held.remove(0));
        assert!(slot(other).is_some(), "user 2 comes before the others of user 1");
        drop(held);
        assert_eq!(running(&gate), 0);
    }

    #[test]
    fn some_slots_are_left_to_others_while_there_are_any() {
        let gate = Gate::new(8, Reserve::WhileShared);
        let alone: Vec<Option<Slot>> = (0..8).map(|_| slot(enter(&gate, 1))).collect();
        assert!(alone.iter().all(Option::is_some), "a user alone has all of them");
        drop(alone);
        drop(enter(&gate, 2));
        let first: Vec<Option<Slot>> = (0..8).map(|_| slot(enter(&gate, 1))).collect();
        assert_eq!(first.iter().flatten().count(), 6);
        assert!(slot(enter(&gate, 2)).is_some());
        let reserved = Gate::new(8, Reserve::Always);
        let alone: Vec<Option<Slot>> = (0..8).map(|_| slot(enter(&reserved, 1))).collect();
        assert_eq!(alone.iter().flatten().count(), 6);
    }

    #[test]
    fn who_comes_later_does_not_wait_for_one_who_has_all_slots() {
        let gate = Gate::new(8, Reserve::WhileShared);
        let mut alone: Vec<Option<Slot>> = (0..8).map(|_| slot(enter(&gate, 1))).collect();
        let others: Vec<Option<Slot>> = (0..4).map(|_| slot(enter(&gate, 2))).collect();
        assert_eq!(others.iter().flatten().count(), 2, "as many as are left to others");
        alone.truncate(6);
        assert!(slot(enter(&gate, 1)).is_none() && slot(enter(&gate, 2)).is_none(), "eight run again");
    }

    #[test]
    fn who_went_away_is_passed_over_and_returns_the_slot() {
        let gate = Gate::new(1, Reserve::WhileShared);
        let first = enter(&gate, 1);
        drop(enter(&gate, 1));
        let third = enter(&gate, 1);
        drop(first);
        let slot = slot(third);
        assert!(slot.is_some());
        drop(slot);
        assert_eq!(running(&gate), 0);
        assert!(lock(&gate.slots).users.is_empty());
    }

    #[test]
    fn a_wider_gate_serves_at_once() {
        let gate = Gate::new(1, Reserve::WhileShared);
        let _first = enter(&gate, 1);
        let second = enter(&gate, 1);
        gate.set_concurrency(2);
        assert!(slot(second).is_some());
    }
}
