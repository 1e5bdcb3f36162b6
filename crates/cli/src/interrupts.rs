//! Ctrl-C, for commands that stop the server's work first: they look whether it came. A second one within two seconds ends the
//! process at once.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::failure::INTERRUPTED_CODE;

const SECOND_WITHIN: Duration = Duration::from_secs(2);

static CAME: AtomicBool = AtomicBool::new(false);
/// While a pager runs, the keyboard is its own.
static IGNORED: AtomicBool = AtomicBool::new(false);
static LAST: Mutex<Option<Instant>> = Mutex::new(None);
static LISTENING: OnceLock<()> = OnceLock::new();

/// From now on Ctrl-C does not end the process by itself.
pub fn listen() -> io::Result<()> {
    if LISTENING.set(()).is_err() {
        return Ok(());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let mut interrupts = runtime.block_on(async { signal(SignalKind::interrupt()) })?;
    // It listens as long as the process lives.
    std::thread::Builder::new().name("interrupts".to_owned()).spawn(move || {
        while runtime.block_on(interrupts.recv()).is_some() {
            take_note();
        }
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
        std::process::exit(i32::from(INTERRUPTED_CODE));
    }
    *last = Some(Instant::now());
    CAME.store(true, Ordering::SeqCst);
}
