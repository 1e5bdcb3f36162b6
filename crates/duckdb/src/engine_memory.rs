//! The limit of what the process may take while the engine works. The engine counts its blocks against `memory_limit`, but
//! neither the texts of vectors nor the trees of its planner; and while it plans, or evaluates one vector, nothing interrupts
//! it. Its allocator (`engine_allocator.rs`) therefore asks here for every megabyte. An allocation that is refused is an
//! error of the engine like any other, and ends the statement.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::resident_memory::{purge, resident_bytes};

/// What a thread allocates between two checks. A check takes about a microsecond.
const CHECK_BYTES: i64 = 1 << 20;
/// Statements that take less than this are served also when others have exhausted the memory.
const SPARED_BYTES: u64 = 64 << 20;
/// A change is refused only allocations of this size and more, such as those of long texts.
const CHANGE_BYTES_MIN: usize = 1 << 20;
/// A statement outside of a transaction commits, and may checkpoint, when it ends. What a checkpoint allocates at once is
/// less than this: twice the texts of a vector that are compressed together. A database whose checkpoint fails is closed.
const AUTOCOMMIT_BYTES_MIN: usize = 32 << 20;
/// What the planner allocates for one statement in all, whether or not it frees it again. Ordinary statements take a
/// thousandth of it.
const PLAN_BYTES_MAX: u64 = 8 << 30;
/// The memory beyond the limit of the engine's blocks: a share of it, or this much if that is more.
const HEADROOM_SHARE: u64 = 8;
const HEADROOM_BYTES_MIN: u64 = 512 << 20;
/// The live allocations from this size on are counted: the engine allocates the texts of a whole vector before it writes
/// them, and what is not written yet is not resident.
pub(super) const LARGE_BYTES: usize = 64 << 10;
/// More than any allocator has: the library's `operator new` throws `std::bad_alloc` for it.
pub(super) const IMPOSSIBLE_BYTES: usize = isize::MAX as usize - 64;
const NEVER: i64 = i64::MAX;

/// What the process may take; zero before an instance is open.
static BYTES_MAX: AtomicU64 = AtomicU64::new(0);
static LARGE_BYTES_LIVE: AtomicU64 = AtomicU64::new(0);
/// What is about to be allocated outside of the engine.
static RESERVED_BYTES: AtomicU64 = AtomicU64::new(0);
/// The statements that commit or checkpoint at present: the engine's threads work for them too.
static COMMITS: AtomicU64 = AtomicU64::new(0);

/// What a thread of the engine may do at present.
#[derive(Clone, Copy)]
struct Watch {
    /// What it has allocated since it began.
    taken: u64,
    taken_max: u64,
    /// Allocations of at least so many bytes may be refused.
    refused_from: usize,
    /// The same while a statement commits.
    refused_from_in_commits: usize,
    /// Refuses everything once it is set; may be null.
    stop: *const AtomicBool,
}

const IDLE: Watch = Watch {
    taken: 0,
    taken_max: u64::MAX,
    refused_from: usize::MAX,
    refused_from_in_commits: usize::MAX,
    stop: ptr::null(),
};

/// The same for all statements.
const fn from(refused_from: usize) -> Watch {
    Watch { refused_from, refused_from_in_commits: refused_from, ..IDLE }
}

thread_local! {
    static UNTIL_CHECK: Cell<i64> = const { Cell::new(NEVER) };
    static WATCH: Cell<Watch> = const { Cell::new(IDLE) };
    /// Memory was refused since the last watch began.
    static REFUSED: Cell<bool> = const { Cell::new(false) };
    /// What of `RESERVED_BYTES` was reserved on this thread.
    static RESERVED_HERE: Arc<AtomicU64> = Arc::default();
}

/// While it lives, the engine's allocations on this thread are checked.
pub(crate) struct Watched<'stop> {
    outer: (i64, Watch),
    stop: PhantomData<&'stop AtomicBool>,
    /// Belongs to its thread.
    thread: PhantomData<*const ()>,
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        UNTIL_CHECK.set(self.outer.0);
        WATCH.set(self.outer.1);
    }
}

fn watch<'stop>(until_check: i64, watch: Watch) -> Watched<'stop> {
    let outer = (UNTIL_CHECK.replace(until_check), WATCH.replace(watch));
    if until_check != NEVER {
        REFUSED.set(false);
    }
    Watched { outer, stop: PhantomData, thread: PhantomData }
}

/// The engine plans a statement, and stops when the flag is set.
pub(crate) fn watch_planning(stop: &AtomicBool) -> Watched<'_> {
    watch(CHECK_BYTES, Watch { taken_max: PLAN_BYTES_MAX, stop, ..from(0) })
}

/// The engine runs a query, which has nothing to commit, and stops when the flag is set.
pub(crate) fn watch_query(stop: &AtomicBool) -> Watched<'_> {
    watch(CHECK_BYTES, Watch { stop, ..from(0) })
}

/// The engine runs a change inside of a transaction.
pub(crate) fn watch_change() -> Watched<'static> {
    watch(CHECK_BYTES, from(CHANGE_BYTES_MIN))
}

/// One of the engine's own threads works for any statement.
pub(crate) fn watch_tasks() -> Watched<'static> {
    watch(CHECK_BYTES, Watch { refused_from_in_commits: AUTOCOMMIT_BYTES_MIN, ..from(CHANGE_BYTES_MIN) })
}

/// The engine runs a statement outside of a transaction.
pub(crate) fn watch_autocommit() -> Watched<'static> {
    watch(CHECK_BYTES, from(AUTOCOMMIT_BYTES_MIN))
}

/// The engine ends a transaction or checkpoints. Nothing is refused.
pub(crate) fn watch_commit() -> Watched<'static> {
    watch(NEVER, IDLE)
}

/// While it lives, the engine's own threads may work for a statement that commits or checkpoints.
pub(crate) struct Committing(());

impl Committing {
    pub(crate) fn begin() -> Self {
        COMMITS.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Committing {
    fn drop(&mut self) {
        COMMITS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The engine has called a function of ours. What that calls of the engine is declared not to unwind, so nothing is refused
/// there; what the function makes is bounded by `VectorBytes`.
pub(crate) fn in_callback() -> Watched<'static> {
    watch(NEVER, IDLE)
}

/// Sets the limit for an engine whose blocks may take so many bytes, by its operator's choice or by its own, which leaves a
/// fifth of the machine.
pub(crate) fn set_limit(memory_limit_bytes: u64, is_chosen: bool) {
    let share = memory_limit_bytes / HEADROOM_SHARE;
    let headroom = if is_chosen { share.max(HEADROOM_BYTES_MIN) } else { share };
    BYTES_MAX.store(memory_limit_bytes.saturating_add(headroom), Ordering::Relaxed);
}

/// Whether the engine may allocate so many bytes now.
#[inline]
pub(crate) fn may_allocate(bytes: usize) -> bool {
    let left = UNTIL_CHECK.get().saturating_sub_unsigned(bytes as u64);
    UNTIL_CHECK.set(left);
    left >= 0 || check(bytes)
}

#[cold]
fn check(bytes: usize) -> bool {
    let taken = CHECK_BYTES.saturating_sub(UNTIL_CHECK.get()).unsigned_abs();
    UNTIL_CHECK.set(CHECK_BYTES);
    // A refused `operator new[]` comes again as an `operator new` of an impossible size.
    if bytes >= IMPOSSIBLE_BYTES {
        return false;
    }
    let mut watch = WATCH.get();
    watch.taken = watch.taken.saturating_add(taken);
    WATCH.set(watch);
    let is_in_commit = || bytes < watch.refused_from_in_commits && COMMITS.load(Ordering::SeqCst) > 0;
    if bytes < watch.refused_from || is_in_commit() {
        return true;
    }
    // SAFETY: the flag outlives the `Watched` that set it.
    let is_stopped = !watch.stop.is_null() && unsafe { (*watch.stop).load(Ordering::Relaxed) };
    let is_allowed = !is_stopped && watch.taken <= watch.taken_max && (watch.taken < SPARED_BYTES || has_room(bytes));
    if !is_allowed {
        REFUSED.set(true);
    }
    is_allowed
}

/// Whether the engine was refused memory on this thread in what it did last. It may have none left to report that.
pub(crate) fn was_refused() -> bool {
    REFUSED.get()
}

/// Memory that counts as taken for all other threads until it is dropped, on the thread that has reserved it or on another.
pub(crate) struct Reservation {
    bytes: u64,
    /// The count of the thread that has reserved it.
    reserved_there: Arc<AtomicU64>,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        RESERVED_BYTES.fetch_sub(self.bytes, Ordering::SeqCst);
        self.reserved_there.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}

/// Reserves memory for what is about to be allocated outside of the engine; `None` where the process may not take it.
pub(crate) fn reserve(bytes: u64) -> Option<Reservation> {
    let reservation = Reservation { bytes, reserved_there: RESERVED_HERE.with(Arc::clone) };
    RESERVED_BYTES.fetch_add(bytes, Ordering::SeqCst);
    let before = reservation.reserved_there.fetch_add(bytes, Ordering::SeqCst);
    has_room(usize::try_from(before.saturating_add(bytes)).unwrap_or(usize::MAX)).then_some(reservation)
}

fn reserved_here() -> u64 {
    RESERVED_HERE.try_with(|reserved| reserved.load(Ordering::SeqCst)).unwrap_or(0)
}

/// Whether the process may take so many bytes more.
pub(crate) fn has_room(bytes: usize) -> bool {
    let bytes_max = BYTES_MAX.load(Ordering::Relaxed);
    if bytes_max == 0 {
        return true;
    }
    let by_others = RESERVED_BYTES.load(Ordering::SeqCst).saturating_sub(reserved_here());
    let fits = |taken: u64| taken.saturating_add(by_others).saturating_add(bytes as u64) <= bytes_max;
    let fits_resident = || resident_bytes().is_none_or(fits);
    fits(large_bytes())
        && (fits_resident() || {
            purge();
            fits_resident()
        })
}

/// The large allocations of the engine that live at present, such as its blocks.
pub(crate) fn large_bytes() -> u64 {
    LARGE_BYTES_LIVE.load(Ordering::Relaxed)
}

/// Memory of so many bytes was allocated.
#[inline]
pub(super) fn count_large(bytes: usize) {
    if bytes >= LARGE_BYTES {
        LARGE_BYTES_LIVE.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// Memory of so many bytes is freed.
#[inline]
pub(super) fn uncount_large(bytes: usize) {
    if bytes >= LARGE_BYTES {
        LARGE_BYTES_LIVE.fetch_sub(bytes as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::{
        CHECK_BYTES, IMPOSSIBLE_BYTES, PLAN_BYTES_MAX, in_callback, may_allocate, reserve, reserved_here,
        watch_planning, watch_query,
    };

    const PIECE: usize = CHECK_BYTES as usize + 1;

    #[test]
    fn a_stopped_statement_gets_no_memory() {
        let stop = AtomicBool::new(false);
        let watched = watch_query(&stop);
        assert!(may_allocate(PIECE));
        stop.store(true, Ordering::Relaxed);
        assert!(may_allocate(1), "nothing is checked for small pieces");
        assert!(!may_allocate(PIECE));
        {
            let _callback = in_callback();
            assert!(may_allocate(PIECE));
        }
        assert!(!may_allocate(PIECE));
        drop(watched);
        assert!(may_allocate(PIECE));
    }

    #[test]
    fn a_refused_size_does_not_count_as_taken() {
        let stop = AtomicBool::new(false);
        let _watched = watch_planning(&stop);
        assert!(!may_allocate(IMPOSSIBLE_BYTES));
        assert!(may_allocate(PIECE));
    }

    #[test]
    fn a_plan_takes_only_so_much() {
        let stop = AtomicBool::new(false);
        let _watched = watch_planning(&stop);
        let pieces = (0..).take_while(|_| may_allocate(1 << 25)).count() as u64;
        assert!(pieces << 25 <= PLAN_BYTES_MAX && (pieces + 2) << 25 >= PLAN_BYTES_MAX, "{pieces}");
    }

    #[test]
    fn a_reservation_may_end_on_another_thread() {
        let (stays, sent) = (reserve(1 << 10), reserve(1 << 20));
        assert!(stays.is_some() && sent.is_some());
        let there = std::thread::spawn(move || {
            drop(sent);
            reserved_here()
        });
        assert_eq!(there.join().ok(), Some(0));
        assert_eq!(reserved_here(), 1 << 10);
    }
}
