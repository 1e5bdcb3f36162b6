//! Functions of the libraries that the executable is linked with, by name: those that none of our declarations may name
//! because a library may lack them, or because the executable has one of the same name itself.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

const RTLD_DEFAULT: *mut c_void = ptr::null_mut();
const RTLD_NEXT: *mut c_void = -1_isize as *mut c_void;

unsafe extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// What calls of the libraries are bound to: the executable's definition if it has one.
pub(super) fn first_definition(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends in NUL.
    unsafe { dlsym(RTLD_DEFAULT, name.as_ptr()) }
}

/// Looked up when it is needed first.
pub(super) struct LinkedSymbol {
    name: &'static CStr,
    found: AtomicPtr<c_void>,
}

impl LinkedSymbol {
    pub(super) const fn new(name: &'static CStr) -> Self {
        Self { name, found: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The definition in a library, or null.
    #[inline]
    pub(super) fn address(&self) -> *mut c_void {
        let found = self.found.load(Ordering::Relaxed);
        if found.is_null() { self.look_up() } else { found }
    }

    #[cold]
    fn look_up(&self) -> *mut c_void {
        // SAFETY: the name ends in NUL.
        let found = unsafe { dlsym(RTLD_NEXT, self.name.as_ptr()) };
        self.found.store(found, Ordering::Relaxed);
        found
    }
}
