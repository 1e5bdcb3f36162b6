//! The functions with which the engine's library allocates, in front of its own: the dynamic linker binds the library's calls
//! to the definitions of the executable. Each asks `engine_memory` and then calls the next definition. What is freed
//! is counted where it is large. A library without jemalloc has only `operator new` checked.

use std::ffi::{c_int, c_void};
use std::ptr;

use super::engine_memory::{IMPOSSIBLE_BYTES, LARGE_BYTES, count_large, may_allocate, uncount_large};
use super::linked_symbol::{self, LinkedSymbol};

type Allocate = unsafe extern "C-unwind" fn(usize) -> *mut c_void;
type Reallocate = unsafe extern "C-unwind" fn(*mut c_void, usize) -> *mut c_void;

type Free = unsafe extern "C" fn(*mut c_void);
type UsableBytes = unsafe extern "C" fn(*mut c_void, c_int) -> usize;

static NEXT_MALLOC: LinkedSymbol = LinkedSymbol::new(c"duckdb_je_malloc");
static NEXT_REALLOC: LinkedSymbol = LinkedSymbol::new(c"duckdb_je_realloc");
static NEXT_FREE: LinkedSymbol = LinkedSymbol::new(c"duckdb_je_free");
static USABLE_BYTES: LinkedSymbol = LinkedSymbol::new(c"duckdb_je_sallocx");
static NEXT_NEW: LinkedSymbol = LinkedSymbol::new(c"_Znwm");
static NEXT_NEW_ARRAY: LinkedSymbol = LinkedSymbol::new(c"_Znam");

/// `malloc` of the engine's blocks and vectors, which throws where it gets null.
#[cfg_attr(target_os = "linux", unsafe(no_mangle))]
unsafe extern "C-unwind" fn duckdb_je_malloc(bytes: usize) -> *mut c_void {
    let next = NEXT_MALLOC.address();
    if next.is_null() || !may_allocate(bytes) {
        return ptr::null_mut();
    }
    // SAFETY: the library's function of this name has this type.
    unsafe {
        let memory = std::mem::transmute::<*mut c_void, Allocate>(next)(bytes);
        if bytes >= LARGE_BYTES {
            count_large(usable_bytes(memory));
        }
        memory
    }
}

/// As `duckdb_je_malloc`; what is there stays if it is refused.
#[cfg_attr(target_os = "linux", unsafe(no_mangle))]
unsafe extern "C-unwind" fn duckdb_je_realloc(memory: *mut c_void, bytes: usize) -> *mut c_void {
    let next = NEXT_REALLOC.address();
    if next.is_null() || !may_allocate(bytes) {
        return ptr::null_mut();
    }
    // SAFETY: as in `duckdb_je_malloc`; the caller's memory is of the same allocator.
    unsafe {
        let before = usable_bytes(memory);
        let grown = std::mem::transmute::<*mut c_void, Reallocate>(next)(memory, bytes);
        if !grown.is_null() {
            uncount_large(before);
            count_large(usable_bytes(grown));
        }
        grown
    }
}

#[cfg_attr(target_os = "linux", unsafe(no_mangle))]
unsafe extern "C" fn duckdb_je_free(memory: *mut c_void) {
    let next = NEXT_FREE.address();
    if next.is_null() {
        return;
    }
    // SAFETY: as in `duckdb_je_malloc`; the caller's memory is of the same allocator.
    unsafe {
        uncount_large(usable_bytes(memory));
        std::mem::transmute::<*mut c_void, Free>(next)(memory);
    }
}

/// # Safety
/// The memory is jemalloc's, or null.
#[inline]
unsafe fn usable_bytes(memory: *mut c_void) -> usize {
    let sizes = USABLE_BYTES.address();
    if memory.is_null() || sizes.is_null() {
        return 0;
    }
    // SAFETY: the library's function of this name has this type.
    unsafe { std::mem::transmute::<*mut c_void, UsableBytes>(sizes)(memory, 0) }
}

/// `operator new(size_t)`.
#[cfg_attr(target_os = "linux", unsafe(no_mangle))]
unsafe extern "C-unwind" fn _Znwm(bytes: usize) -> *mut c_void {
    // SAFETY: the standard library's function of this name has this type.
    unsafe { allocate_or_throw(&NEXT_NEW, bytes) }
}

/// `operator new[](size_t)`.
#[cfg_attr(target_os = "linux", unsafe(no_mangle))]
unsafe extern "C-unwind" fn _Znam(bytes: usize) -> *mut c_void {
    // SAFETY: as in `_Znwm`.
    unsafe { allocate_or_throw(&NEXT_NEW_ARRAY, bytes) }
}

/// # Safety
/// `next` is an `operator new`, which the C++ standard library has.
#[inline]
unsafe fn allocate_or_throw(next: &LinkedSymbol, bytes: usize) -> *mut c_void {
    let bytes = if may_allocate(bytes) { bytes } else { IMPOSSIBLE_BYTES };
    // SAFETY: promised by the caller.
    unsafe { std::mem::transmute::<*mut c_void, Allocate>(next.address())(bytes) }
}

/// Whether the library calls these functions. A linker leaves out what nothing refers to, and some systems bind a library to
/// its own definitions.
pub(super) fn is_in_place() -> bool {
    let ours = [
        duckdb_je_malloc as Allocate as *mut c_void,
        duckdb_je_realloc as Reallocate as *mut c_void,
        duckdb_je_free as Free as *mut c_void,
        _Znwm as Allocate as *mut c_void,
        _Znam as Allocate as *mut c_void,
    ];
    let names = [c"duckdb_je_malloc", c"duckdb_je_realloc", c"duckdb_je_free", c"_Znwm", c"_Znam"];
    ours == names.map(linked_symbol::first_definition)
}
