//! Logs that a disk does not let the engine truncate. The engine takes back what it has written of a failed commit by truncating
//! its log, and where that fails too, the exception ends the process. The executable's `ftruncate` and `write`, to which
//! the dynamic linker binds the library's calls, let the engine go on: the truncation is made before the next write to
//! that log, and as long as it fails, writes fail. A start that finds such a log ignores what has no end of a commit.

use std::ffi::{c_int, c_void};
use std::fs::{self, File};
use std::mem::{self, ManuallyDrop};
use std::os::fd::FromRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::linked_symbol::{self, LinkedSymbol};

type Truncate = unsafe extern "C" fn(c_int, i64) -> c_int;
type Write = unsafe extern "C" fn(c_int, *const c_void, usize) -> isize;

static NEXT_TRUNCATE: LinkedSymbol = LinkedSymbol::new(c"ftruncate");
static NEXT_WRITE: LinkedSymbol = LinkedSymbol::new(c"write");

/// The truncations that are to be made, and how many there are.
static DEFERRED: Mutex<Vec<Deferred>> = Mutex::new(Vec::new());
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Ends with the descriptor, whose number another file gets.
struct Deferred {
    descriptor: c_int,
    device: u64,
    inode: u64,
    length: i64,
}

impl Deferred {
    fn of(descriptor: c_int, length: i64) -> Option<Self> {
        let (device, inode) = identity(descriptor)?;
        Some(Self { descriptor, device, inode, length })
    }
}

#[cfg_attr(target_os = "linux", unsafe(no_mangle))]
unsafe extern "C" fn ftruncate(descriptor: c_int, length: i64) -> c_int {
    // SAFETY: as the caller has it.
    let outcome = unsafe { next_truncate(descriptor, length) };
    if outcome == 0 {
        if COUNT.load(Ordering::Acquire) > 0 {
            forget(&mut deferred(), descriptor);
        }
        return outcome;
    }
    let error = std::io::Error::last_os_error();
    if is_log_of_engine(descriptor)
        && let Some(wanted) = Deferred::of(descriptor, length)
    {
        tracing::warn!(%error, "a database's log cannot be truncated yet");
        let mut deferred = deferred();
        forget(&mut deferred, descriptor);
        deferred.push(wanted);
        COUNT.store(deferred.len(), Ordering::Release);
        return 0;
    }
    set_error(&error);
    outcome
}

#[cfg_attr(target_os = "linux", unsafe(no_mangle))]
unsafe extern "C" fn write(descriptor: c_int, bytes: *const c_void, count: usize) -> isize {
    if COUNT.load(Ordering::Acquire) > 0
        && let Err(error) = truncate_first(descriptor)
    {
        set_error(&error);
        return -1;
    }
    // SAFETY: the system's function of this name has this type, and gets what the caller gave.
    unsafe { mem::transmute::<*mut c_void, Write>(NEXT_WRITE.address())(descriptor, bytes, count) }
}

/// Makes the truncation that a file waits for, if there is one.
fn truncate_first(descriptor: c_int) -> std::io::Result<()> {
    let mut deferred = deferred();
    let Some(found) = deferred.iter().find(|deferred| deferred.descriptor == descriptor) else { return Ok(()) };
    let is_same_file = identity(descriptor) == Some((found.device, found.inode));
    // SAFETY: the descriptor is open.
    if is_same_file && unsafe { next_truncate(descriptor, found.length) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    forget(&mut deferred, descriptor);
    // A message is written, too.
    drop(deferred);
    if is_same_file {
        tracing::info!("a database's log is truncated, and is written to again");
    }
    Ok(())
}

/// # Safety
/// As that of `ftruncate`.
unsafe fn next_truncate(descriptor: c_int, length: i64) -> c_int {
    // SAFETY: the system's function of this name has this type.
    unsafe { mem::transmute::<*mut c_void, Truncate>(NEXT_TRUNCATE.address())(descriptor, length) }
}

fn deferred() -> MutexGuard<'static, Vec<Deferred>> {
    DEFERRED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn forget(deferred: &mut Vec<Deferred>, descriptor: c_int) {
    deferred.retain(|deferred| deferred.descriptor != descriptor);
    COUNT.store(deferred.len(), Ordering::Release);
}

/// The device and the number of an open file.
fn identity(descriptor: c_int) -> Option<(u64, u64)> {
    // SAFETY: the file is not closed, and gone before the descriptor is.
    let file = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
    let metadata = file.metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

fn is_log_of_engine(descriptor: c_int) -> bool {
    let path = fs::read_link(Path::new("/proc/self/fd").join(descriptor.to_string())).unwrap_or_default();
    let has_extension = |path: &Path, wanted: &str| path.extension().is_some_and(|extension| extension == wanted);
    has_extension(&path, "wal") && path.file_stem().is_some_and(|stem| has_extension(Path::new(stem), "duckdb"))
}

/// What the caller finds as the reason.
fn set_error(error: &std::io::Error) {
    #[cfg(target_os = "linux")]
    {
        unsafe extern "C" {
            fn __errno_location() -> *mut c_int;
        }
        // SAFETY: the thread's own place for errors.
        unsafe { *__errno_location() = error.raw_os_error().unwrap_or_default() };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = error;
}

/// Whether the library calls these functions. A linker leaves out what nothing refers to.
pub(super) fn is_in_place() -> bool {
    let ours = [ftruncate as Truncate as *mut c_void, write as Write as *mut c_void];
    ours == [c"ftruncate", c"write"].map(linked_symbol::first_definition)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use std::fs::OpenOptions;
    use std::io::Write;
    use std::os::fd::{AsRawFd, OwnedFd};

    use super::*;

    unsafe extern "C" {
        fn dup2(from: c_int, to: c_int) -> c_int;
    }

    /// Files that are open for reading alone are refused to be truncated, as those on a disk that turned read-only.
    fn open_for_reading(path: &Path) -> File {
        fs::write(path, "kept, taken back").unwrap();
        File::open(path).unwrap()
    }

    #[test]
    fn a_log_is_truncated_before_it_is_written_to_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("D.duckdb.wal");
        let mut log = open_for_reading(&path);
        log.set_len(4).unwrap_err();
        // SAFETY: the descriptor is open.
        assert_eq!(unsafe { ftruncate(log.as_raw_fd(), 4) }, 0);
        log.write_all(b"x").unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"kept, taken back");

        let writable: OwnedFd = OpenOptions::new().append(true).open(&path).unwrap().into();
        // SAFETY: both descriptors are open.
        unsafe { dup2(writable.as_raw_fd(), log.as_raw_fd()) };
        log.write_all(b" and more").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"kept and more");
    }

    #[test]
    fn another_file_with_the_number_of_a_log_that_was_closed_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let log = open_for_reading(&folder.path().join("D.duckdb.wal"));
        // SAFETY: the descriptor is open.
        assert_eq!(unsafe { ftruncate(log.as_raw_fd(), 4) }, 0);
        let path = folder.path().join("other");
        fs::write(&path, "longer than 4").unwrap();
        let other: OwnedFd = OpenOptions::new().append(true).open(&path).unwrap().into();
        // SAFETY: both descriptors are open.
        unsafe { dup2(other.as_raw_fd(), log.as_raw_fd()) };
        let mut log = log;
        log.write_all(b"!").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"longer than 4!");
    }

    #[test]
    fn other_files_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = open_for_reading(&folder.path().join("firn.sqlite-wal"));
        // SAFETY: the descriptor is open.
        assert_eq!(unsafe { ftruncate(file.as_raw_fd(), 4) }, -1);
        assert_eq!(std::io::Error::last_os_error().kind(), std::io::ErrorKind::InvalidInput);
    }
}
