//! One lock per table, so that statements that write to the same table wait their turn instead of
//! failing. Locks are always taken in the order of their names, and of one table in the order in which they were asked
//! for; a wait ends when it is interrupted.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use firn_sql::ObjectName;

use firn_engine::{EngineError, LockDescription, Waited};

/// How often a waiter checks for an interruption.
const INTERRUPT_CHECK: Duration = Duration::from_millis(20);

/// A transaction that wants a table it did not name at its start gives up after this long: another
/// one may be waiting for the tables it holds.
const UNRESERVED_WAIT: Duration = Duration::from_secs(30);

/// The number of tables whose last change is recorded.
const CHANGED_TABLES_MAX: usize = 10_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LockMode {
    /// Appending rows: any number at once.
    Shared,
    /// Changing rows or the table itself: alone.
    Exclusive,
}

#[derive(Default)]
pub(crate) struct TableLocks {
    held: Mutex<HashMap<ObjectName, Holders>>,
    released: Condvar,
    history: Mutex<History>,
    /// What sessions hold or wait for.
    listed: Mutex<Vec<LockDescription>>,
    owners: AtomicU64,
}

/// When locks were released, which is when their tables last changed.
#[derive(Default)]
struct History {
    clock: u64,
    last: HashMap<ObjectName, u64>,
    /// No table that is not in `last` has changed after this time.
    forgotten_until: u64,
}

impl History {
    fn last_change(&self, name: &ObjectName) -> u64 {
        self.last.get(name).copied().unwrap_or(self.forgotten_until)
    }

    fn note(&mut self, released: &[(ObjectName, LockMode)], tables_max: usize) {
        self.clock += 1;
        if self.last.len() + released.len() > tables_max {
            self.last.clear();
            self.forgotten_until = self.clock;
        }
        self.last.extend(released.iter().map(|(name, _)| (name.clone(), self.clock)));
    }
}

#[derive(Default)]
struct Holders {
    shared: usize,
    exclusive: bool,
    /// Who waits, in the order of their tickets.
    waiting: VecDeque<(Ticket, LockMode)>,
    tickets: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticket(u64);

impl Holders {
    /// Whether a waiter with this ticket, or a new one without a ticket, may take the lock now. Waiters are served in order;
    /// only shared locks may overtake each other.
    fn admits(&self, mode: LockMode, ticket: Option<Ticket>) -> bool {
        let mut before = self.waiting.iter().take_while(|(waiting, _)| Some(*waiting) != ticket);
        match mode {
            LockMode::Shared => !self.exclusive && before.all(|(_, mode)| *mode == LockMode::Shared),
            LockMode::Exclusive => !self.exclusive && self.shared == 0 && before.next().is_none(),
        }
    }

    fn wait(&mut self, mode: LockMode) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        self.waiting.push_back((ticket, mode));
        ticket
    }

    fn wait_no_more(&mut self, ticket: Option<Ticket>) {
        self.waiting.retain(|(waiting, _)| Some(*waiting) != ticket);
    }

    fn take(&mut self, mode: LockMode) {
        match mode {
            LockMode::Shared => self.shared += 1,
            LockMode::Exclusive => self.exclusive = true,
        }
    }

    fn give_back(&mut self, mode: LockMode) {
        match mode {
            LockMode::Shared => self.shared -= 1,
            LockMode::Exclusive => self.exclusive = false,
        }
    }

    fn is_free(&self) -> bool {
        !self.exclusive && self.shared == 0 && self.waiting.is_empty()
    }
}

/// The locks of one statement or transaction; dropping it releases them.
pub(crate) struct HeldLocks {
    locks: Arc<TableLocks>,
    owner: u64,
    held: Vec<(ObjectName, LockMode)>,
}

impl HeldLocks {
    pub(crate) fn none(locks: &Arc<TableLocks>) -> Self {
        Self { locks: locks.clone(), owner: locks.owners.fetch_add(1, Ordering::Relaxed), held: Vec::new() }
    }

    /// Waits for all of `wanted` that are not held yet.
    pub(crate) fn acquire(
        &mut self,
        mut wanted: Vec<(ObjectName, LockMode)>,
        interrupted: impl Fn() -> bool,
    ) -> Result<Waited, EngineError> {
        let mut outcome = Waited::No;
        let unreserved = !self.held.is_empty();
        wanted.sort();
        wanted.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 = earlier.1.max(later.1);
            }
            same
        });
        for (name, mode) in wanted {
            if self.held.iter().any(|(held, _)| *held == name) {
                continue;
            }
            let deadline = unreserved.then(|| Instant::now() + UNRESERVED_WAIT);
            self.locks.list(self.owner, &name, mode);
            let waited = self.locks.wait_for(&name, mode, deadline, &interrupted);
            self.locks.note_outcome(self.owner, &name, waited.is_ok());
            if waited? == Waited::Yes {
                outcome = Waited::Yes;
            }
            self.held.push((name, mode));
        }
        Ok(outcome)
    }

    pub(crate) fn release(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let mut table = self.locks.table();
        self.locks.note_release(&self.held);
        self.locks.listed().retain(|lock| lock.owner != self.owner);
        for (name, mode) in self.held.drain(..) {
            if let Some(holders) = table.get_mut(&name) {
                holders.give_back(mode);
                if holders.is_free() {
                    table.remove(&name);
                }
            }
        }
        drop(table);
        self.locks.released.notify_all();
    }
}

impl HeldLocks {
    pub(crate) fn owner(&self) -> u64 {
        self.owner
    }

    /// Counts the releases of locks.
    pub(crate) fn clock(&self) -> u64 {
        self.locks.history().clock
    }

    /// Whether no other session has changed the table since that time, or may be changing it.
    pub(crate) fn is_unchanged_since(&self, name: &ObjectName, clock: u64) -> bool {
        let is_ours = self.held.iter().any(|(held, _)| held == name);
        let is_free = is_ours || !self.locks.table().contains_key(name);
        is_free && self.locks.history().last_change(name) <= clock
    }

    pub(crate) fn is_everything_unchanged_since(&self, clock: u64) -> bool {
        let is_ours = |name: &ObjectName| self.held.iter().any(|(held, _)| held == name);
        self.locks.table().keys().all(is_ours) && self.locks.history().clock <= clock
    }
}

impl Drop for HeldLocks {
    fn drop(&mut self) {
        self.release();
    }
}

impl TableLocks {
    fn table(&self) -> MutexGuard<'_, HashMap<ObjectName, Holders>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What sessions hold or wait for.
    pub(crate) fn all(&self) -> Vec<LockDescription> {
        self.listed().clone()
    }

    fn listed(&self) -> MutexGuard<'_, Vec<LockDescription>> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn list(&self, owner: u64, table: &ObjectName, mode: LockMode) {
        // The lock of a schema, which only definitions take.
        if table.name.is_empty() {
            return;
        }
        let is_whole_table = mode == LockMode::Exclusive;
        self.listed().push(LockDescription { owner, table: table.clone(), is_whole_table, acquired_on_ms: None });
    }

    fn note_outcome(&self, owner: u64, table: &ObjectName, acquired: bool) {
        let mut listed = self.listed();
        let Some(place) = listed.iter().position(|lock| lock.owner == owner && lock.table == *table) else { return };
        if acquired {
            listed[place].acquired_on_ms = Some(chrono::Utc::now().timestamp_millis());
        } else {
            listed.remove(place);
        }
    }

    fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_release(&self, released: &[(ObjectName, LockMode)]) {
        self.history().note(released, CHANGED_TABLES_MAX);
    }

    fn wait_for(
        &self,
        name: &ObjectName,
        mode: LockMode,
        deadline: Option<Instant>,
        interrupted: &impl Fn() -> bool,
    ) -> Result<Waited, EngineError> {
        let mut table = self.table();
        let mut ticket = None;
        loop {
            let holders = table.entry(name.clone()).or_default();
            if holders.admits(mode, ticket) {
                holders.wait_no_more(ticket);
                holders.take(mode);
                return Ok(if ticket.is_some() { Waited::Yes } else { Waited::No });
            }
            ticket = ticket.or_else(|| Some(holders.wait(mode)));
            let refused = if interrupted() {
                Some(EngineError::Interrupted)
            } else if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                Some(EngineError::Conflict(format!("another transaction holds table {name}")))
            } else {
                None
            };
            if let Some(refused) = refused {
                holders.wait_no_more(ticket);
                if holders.is_free() {
                    table.remove(name);
                }
                self.released.notify_all();
                return Err(refused);
            }
            table = self.released.wait_timeout(table, INTERRUPT_CHECK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use firn_engine::EngineError;
    use firn_sql::ObjectName;

    use super::{HeldLocks, History, LockMode, TableLocks, Waited};

    fn table(name: &str) -> ObjectName {
        ObjectName::qualified("DB", "PUBLIC", name)
    }

    #[test]
    fn writers_of_one_table_take_turns() -> Result<(), EngineError> {
        let locks = Arc::new(TableLocks::default());
        let inside = AtomicUsize::new(0);
        thread::scope(|scope| {
            let workers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        for _ in 0..50 {
                            let mut held = HeldLocks::none(&locks);
                            held.acquire(
                                vec![(table("B"), LockMode::Exclusive), (table("A"), LockMode::Exclusive)],
                                || false,
                            )?;
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            inside.fetch_sub(1, Ordering::SeqCst);
                        }
                        Ok::<(), EngineError>(())
                    })
                })
                .collect();
            workers.into_iter().try_for_each(|worker| worker.join().unwrap_or(Err(EngineError::Interrupted)))
        })?;
        assert!(locks.table().is_empty());
        Ok(())
    }

    #[test]
    fn what_is_forgotten_counts_as_changed() {
        let mut history = History::default();
        for name in ["A", "B", "C"] {
            history.note(&[(table(name), LockMode::Shared)], 2);
        }
        assert_eq!(history.last.len(), 1);
        assert_eq!(["A", "B", "C", "D"].map(|name| history.last_change(&table(name))), [3, 3, 3, 3]);
        history.note(&[(table("D"), LockMode::Shared)], 2);
        assert_eq!(["A", "D"].map(|name| history.last_change(&table(name))), [3, 4]);
    }

    /// A steady stream of shared locks must not starve an exclusive one.
    #[test]
    fn who_waits_for_a_table_is_not_passed_by() -> Result<(), EngineError> {
        let locks = Arc::new(TableLocks::default());
        let mut appender = HeldLocks::none(&locks);
        appender.acquire(vec![(table("A"), LockMode::Shared)], || false)?;
        thread::scope(|scope| {
            let changer = scope.spawn(|| {
                let mut changer = HeldLocks::none(&locks);
                changer.acquire(vec![(table("A"), LockMode::Exclusive)], || false)
            });
            while locks.table().get(&table("A")).is_none_or(|holders| holders.waiting.is_empty()) {
                thread::yield_now();
            }
            let late = HeldLocks::none(&locks).acquire(vec![(table("A"), LockMode::Shared)], || true);
            assert!(matches!(late, Err(EngineError::Interrupted)));
            appender.release();
            changer.join().unwrap_or(Err(EngineError::Interrupted)).map(|waited| assert_eq!(waited, Waited::Yes))
        })?;
        assert!(locks.table().is_empty());
        Ok(())
    }

    #[test]
    fn appenders_share_and_a_waiter_can_be_interrupted() -> Result<(), EngineError> {
        let locks = Arc::new(TableLocks::default());
        let mut first = HeldLocks::none(&locks);
        let mut second = HeldLocks::none(&locks);
        first.acquire(vec![(table("A"), LockMode::Shared)], || false)?;
        second.acquire(vec![(table("A"), LockMode::Shared)], || false)?;
        let mut third = HeldLocks::none(&locks);
        let started = std::time::Instant::now();
        let refused =
            third.acquire(vec![(table("A"), LockMode::Exclusive)], || started.elapsed() > Duration::from_millis(30));
        assert!(matches!(refused, Err(EngineError::Interrupted)));
        Ok(())
    }
}
