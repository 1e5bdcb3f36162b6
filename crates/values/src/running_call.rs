//! The limits of the function call that runs on this thread: whether its statement was interrupted, and how much memory
//! the values of one row may take. An engine sets them when it calls a function; outside of such a call nothing is limited.
//!
//! Code deep below a function that reads, sorts or writes values has no error to return. It ends the whole call by
//! unwinding with `Ended`, which the engine's guard around the call turns into the error of the statement. A limit has to
//! be checked before the memory is allocated: an allocation that fails aborts the process.

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const INTERRUPTED: &str = "Interrupted!";
/// No text, value of bytes or semi-structured value is longer.
pub const VALUE_BYTES_MAX: usize = 134_217_728;
/// Bytes that are read or written between two checks for an interruption.
pub const PIECE_BYTES: usize = 1 << 20;
const UNLIMITED: usize = usize::MAX;
/// All calls that run at a time may take so many times what one may.
const CALLS_SHARE: usize = 2;

/// The memory of the rows being evaluated in all threads, in large units only.
static TAKEN_BY_ALL: AtomicUsize = AtomicUsize::new(0);

/// Whether a statement was interrupted.
pub trait StopSignal: Send + Sync {
    fn is_stopped(&self) -> bool;
}

/// Why a call ended in the middle of its work: the payload it unwinds with.
pub struct Ended(pub String);

/// What holds for a call.
struct Limits {
    stop_signal: Option<Arc<dyn StopSignal>>,
    bytes_max: usize,
}

thread_local! {
    static LIMITS: RefCell<Limits> = const { RefCell::new(Limits { stop_signal: None, bytes_max: UNLIMITED }) };
    /// What the row that is evaluated may still take.
    static BYTES_LEFT: Cell<usize> = const { Cell::new(UNLIMITED) };
    /// What of that is counted in `TAKEN_BY_ALL`.
    static COUNTED_FOR_ALL: Cell<usize> = const { Cell::new(0) };
    /// The work until the next check of the stop signal.
    static UNTIL_CHECK: Cell<usize> = const { Cell::new(PIECE_BYTES) };
}

/// The limits of the call around, which are back when the one inside ends.
struct Outer {
    limits: Option<Limits>,
    bytes_left: usize,
    counted_for_all: usize,
}

impl Drop for Outer {
    fn drop(&mut self) {
        if let Some(limits) = self.limits.take() {
            LIMITS.set(limits);
        }
        BYTES_LEFT.set(self.bytes_left);
        release();
        COUNTED_FOR_ALL.set(self.counted_for_all);
    }
}

/// What the row took is free again.
fn release() {
    let counted = COUNTED_FOR_ALL.replace(0);
    if counted > 0 {
        TAKEN_BY_ALL.fetch_sub(counted, Ordering::Relaxed);
    }
}

/// Counts what the row has taken for all calls, a piece at a time, and ends the call if they take too much together.
fn count_for_all(bytes_max: usize, left: usize) {
    let taken = bytes_max - left;
    let more = taken - COUNTED_FOR_ALL.get();
    if more < PIECE_BYTES {
        return;
    }
    COUNTED_FOR_ALL.set(taken);
    let by_all = TAKEN_BY_ALL.fetch_add(more, Ordering::Relaxed) + more;
    let by_all_max = bytes_max.saturating_mul(CALLS_SHARE);
    if by_all > by_all_max {
        end(format!(
            "firn:300010:SQL execution error: the functions that run at present make values of more than {by_all_max} bytes, \
             which is more memory than they may use together; try again, or make fewer or shorter values."
        ));
    }
}

/// Runs a call of a statement that the signal stops, if there is one. The values it makes of one row take `bytes_max`
/// at most.
pub fn run_call<T>(stop_signal: Option<Arc<dyn StopSignal>>, bytes_max: usize, body: impl FnOnce() -> T) -> T {
    let limits = LIMITS.replace(Limits { stop_signal, bytes_max });
    let _outer = Outer {
        limits: Some(limits),
        bytes_left: BYTES_LEFT.replace(bytes_max),
        counted_for_all: COUNTED_FOR_ALL.replace(0),
    };
    body()
}

/// Fails if the statement whose function runs on this thread was stopped.
pub fn check_interrupt() -> Result<(), String> {
    let is_stopped = |limits: &Limits| limits.stop_signal.as_ref().is_some_and(|signal| signal.is_stopped());
    match LIMITS.with_borrow(is_stopped) {
        true => Err(INTERRUPTED.to_owned()),
        false => Ok(()),
    }
}

/// Begins with the next row: what the one before it took is free again.
pub fn begin_row() -> Result<(), String> {
    BYTES_LEFT.set(LIMITS.with_borrow(|limits| limits.bytes_max));
    release();
    check_interrupt()
}

/// Counts work that is proportional to so many bytes, and ends the call if its statement was stopped.
pub fn work(bytes: usize) {
    match UNTIL_CHECK.get().checked_sub(bytes) {
        Some(left) => UNTIL_CHECK.set(left),
        None => {
            UNTIL_CHECK.set(PIECE_BYTES);
            if let Err(message) = check_interrupt() {
                end(message);
            }
        }
    }
}

/// Counts memory that is about to be asked for, and ends the call if that is more than it may take.
pub fn reserve(bytes: usize) {
    work(bytes);
    match BYTES_LEFT.get().checked_sub(bytes) {
        Some(left) if is_limited() => {
            BYTES_LEFT.set(left);
            count_for_all(LIMITS.with_borrow(|limits| limits.bytes_max), left);
        }
        Some(left) => BYTES_LEFT.set(left),
        None if !is_limited() => BYTES_LEFT.set(UNLIMITED),
        None => {
            let bytes_max = LIMITS.with_borrow(|limits| limits.bytes_max);
            end(format!(
                "firn:300010:SQL execution error: the values that one function makes of a row take more than {bytes_max} \
                 bytes, which is more memory than they may use; make fewer or shorter values."
            ));
        }
    }
}

/// What the row that is evaluated may still take; `None` outside of a call.
pub fn bytes_left() -> Option<usize> {
    is_limited().then(|| BYTES_LEFT.get())
}

/// Fails for a value that would be longer than any may be.
pub fn check_length(bytes: usize) -> Result<(), String> {
    if bytes <= VALUE_BYTES_MAX {
        return Ok(());
    }
    Err(format!("firn:100082:Max LOB size ({VALUE_BYTES_MAX}) exceeded, actual size of parsed column is {bytes}"))
}

/// As `check_length`, for what has no error to return.
pub fn limit_length(bytes: usize) {
    if let (true, Err(message)) = (is_limited(), check_length(bytes)) {
        end(message);
    }
}

fn is_limited() -> bool {
    LIMITS.with_borrow(|limits| limits.bytes_max != UNLIMITED)
}

/// Unwinds without a report of a panic.
fn end(message: String) -> ! {
    resume_unwind(Box::new(Ended(message)))
}

/// A text that grows piece by piece, never beyond what a value may be, as long as its statement runs.
#[derive(Default)]
pub struct GrowingText(String);

impl GrowingText {
    pub fn push(&mut self, piece: &str) -> Result<(), String> {
        check_length(self.0.len() + piece.len())?;
        work(piece.len() + 1);
        self.0.push_str(piece);
        Ok(())
    }

    pub fn into_text(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::{
        Ended, GrowingText, PIECE_BYTES, StopSignal, VALUE_BYTES_MAX, begin_row, check_interrupt, limit_length,
        reserve, run_call, work,
    };

    impl StopSignal for AtomicBool {
        fn is_stopped(&self) -> bool {
            self.load(Ordering::SeqCst)
        }
    }

    fn ending(body: impl FnOnce()) -> Option<String> {
        let payload = catch_unwind(AssertUnwindSafe(body)).err()?;
        payload.downcast::<Ended>().ok().map(|ended| ended.0)
    }

    #[test]
    fn a_call_ends_with_its_own_statement() {
        let stopped = Arc::new(AtomicBool::new(false));
        run_call(Some(stopped.clone()), 10, || {
            assert_eq!(check_interrupt(), Ok(()));
            stopped.store(true, Ordering::SeqCst);
            assert!(check_interrupt().is_err());
            assert!(ending(|| work(2 * PIECE_BYTES)).is_some_and(|message| message == "Interrupted!"));
            run_call(None, 10, || assert_eq!(check_interrupt(), Ok(())));
            assert!(check_interrupt().is_err());
        });
        assert_eq!(check_interrupt(), Ok(()));
        assert_eq!(ending(|| work(2 * PIECE_BYTES)), None);
    }

    #[test]
    fn every_row_may_take_as_much() {
        let is_refused = |ending: Option<String>| ending.is_some_and(|message| message.starts_with("firn:300010:"));
        run_call(None, 10, || {
            reserve(6);
            assert!(is_refused(ending(|| reserve(6))));
            assert_eq!(begin_row(), Ok(()));
            reserve(10);
            run_call(None, 5, || assert!(is_refused(ending(|| reserve(6)))));
            assert!(is_refused(ending(|| reserve(1))));
        });
        for _ in 0..3 {
            assert_eq!(ending(|| reserve(usize::MAX)), None);
        }
    }

    #[test]
    fn no_value_is_longer_than_any_may_be() {
        let ended = run_call(None, 10, || ending(|| limit_length(VALUE_BYTES_MAX + 1)));
        assert!(ended.is_some_and(|message| message.starts_with("firn:100082:")));
        assert_eq!(ending(|| limit_length(VALUE_BYTES_MAX + 1)), None);
        let mut text = GrowingText::default();
        let piece = "x".repeat(VALUE_BYTES_MAX / 2 + 1);
        assert_eq!(text.push(&piece), Ok(()));
        assert!(text.push(&piece).is_err_and(|message| message.starts_with("firn:100082:")));
        assert_eq!(text.into_text().len(), piece.len());
    }
}
