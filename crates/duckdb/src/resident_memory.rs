//! What the process has in memory, and giving back what it has freed. Allocates nothing itself.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::linked_symbol::LinkedSymbol;

/// Pages are given back this often at most.
const PURGE_PAUSE: Duration = Duration::from_millis(50);
const PAGE_BYTES: u64 = 4_096;
/// `MALLCTL_ARENAS_ALL` of jemalloc.
const PURGE_ALL: &CStr = c"arena.4096.purge";

static CONTROL: LinkedSymbol = LinkedSymbol::new(c"duckdb_je_mallctl");
type Control = unsafe extern "C" fn(*const c_char, *mut c_void, *mut usize, *mut c_void, usize) -> c_int;

#[cfg(target_env = "gnu")]
unsafe extern "C" {
    fn malloc_trim(bytes_left: usize) -> c_int;
}

/// `None` where the system does not say.
pub(super) fn resident_bytes() -> Option<u64> {
    static SIZES: OnceLock<Option<File>> = OnceLock::new();
    let sizes = SIZES.get_or_init(|| File::open("/proc/self/statm").ok()).as_ref()?;
    let mut text = [0_u8; 128];
    let length = sizes.read_at(&mut text, 0).ok()?;
    let pages = text.get(..length)?.split(|byte| *byte == b' ').nth(1)?;
    let pages: u64 = str::from_utf8(pages).ok()?.parse().ok()?;
    Some(pages * PAGE_BYTES)
}

/// Gives pages that the engine has freed back to the system, unless it was done a moment ago.
pub(super) fn purge() {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.is_none_or(|last| last.elapsed() >= PURGE_PAUSE) {
        purge_all();
        *last = Some(Instant::now());
    }
}

fn purge_all() {
    let control = CONTROL.address();
    if !control.is_null() {
        // SAFETY: the library's function of this name has this type, and purging takes no values.
        unsafe {
            let control = std::mem::transmute::<*mut c_void, Control>(control);
            control(PURGE_ALL.as_ptr(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), 0);
        }
    }
    // SAFETY: may be called at any time.
    #[cfg(target_env = "gnu")]
    unsafe {
        malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::resident_bytes;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_says_what_is_resident() {
        assert!(resident_bytes().is_some_and(|bytes| bytes > 1 << 20));
    }
}
