//! Ctrl-C, for commands that stop the server's work first: they look whether it came. A second one within two seconds ends the
//! process at once. So does SIGTERM while there is no work to stop.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

const INTERRUPTED: u8 = 130;
const TERMINATED: u8 = 143;

const SECOND_WITHIN: Duration = Duration::from_secs(2);

static CAME: AtomicBool = AtomicBool::new(false);
/// While a pager runs, the keyboard is its own.
static IGNORED: AtomicBool = AtomicBool::new(false);
static LAST: Mutex<Option<Instant>> = Mutex::new(None);
static LISTENING: OnceLock<()> = OnceLock::new();
static IS_WORKING: AtomicBool = AtomicBool::new(false);
/// Whether the process ends with its work.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C does not end the process by itself, and SIGTERM ends it behind its work.
pub fn listen() -> io::Result<()> {
    if LISTENING.set(()).is_err() {
        return Ok(());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (mut interrupts, mut terminations) = runtime
        .block_on(async { Ok::<_, io::Error>((signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)) })?;
    // It listens as long as the process lives.
    std::thread::Builder::new().name("interrupts".to_owned()).spawn(move || {
        runtime.block_on(async {
            loop {
                tokio::select! {
                    Some(()) = interrupts.recv() => take_note(),
                    Some(()) = terminations.recv() => end(),
                    else => return,
                }
            }
        });
    })?;
    Ok(())
}

/// Whether Ctrl-C was pressed since the last `clear`.
pub fn came() -> bool {
    CAME.load(Ordering::SeqCst)
}

pub fn clear() {
    CAME.store(false, Ordering::SeqCst);
}

/// Whether the process was asked to end, and not just its work.
pub fn is_ending() -> bool {
    IS_ENDING.load(Ordering::SeqCst)
}

/// The exit code of a command that was interrupted.
pub fn exit_code() -> u8 {
    if is_ending() { TERMINATED } else { INTERRUPTED }
}

/// Until this is dropped there is work on the server to be stopped before the process ends.
pub struct Working;

impl Working {
    pub fn begin() -> Self {
        IS_WORKING.store(true, Ordering::SeqCst);
        Self
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        IS_WORKING.store(false, Ordering::SeqCst);
    }
}

/// Ctrl-C belongs to another process until this is dropped.
pub struct Ignored;

impl Ignored {
    pub fn begin() -> Self {
        IGNORED.store(true, Ordering::SeqCst);
        Self
    }
}

impl Drop for Ignored {
    fn drop(&mut self) {
        IGNORED.store(false, Ordering::SeqCst);
    }
}

fn take_note() {
    if IGNORED.load(Ordering::SeqCst) {
        return;
    }
    let mut last = LAST.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let is_second = CAME.load(Ordering::SeqCst) && last.is_some_and(|last| last.elapsed() < SECOND_WITHIN);
    if is_second {
        std::process::exit(i32::from(INTERRUPTED));
    }
    *last = Some(Instant::now());
    CAME.store(true, Ordering::SeqCst);
}

fn end() {
    if is_ending() || !IS_WORKING.load(Ordering::SeqCst) {
        std::process::exit(i32::from(TERMINATED));
    }
    IS_ENDING.store(true, Ordering::SeqCst);
    CAME.store(true, Ordering::SeqCst);
}
