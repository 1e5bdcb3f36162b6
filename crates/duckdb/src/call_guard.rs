//! Guards for callbacks of the engine. A panic becomes an error of the statement: one that unwinds out of a function of
//! the C interface aborts the process. An exception of the engine unwinds through our frames back to it (`throwing`), so
//! our code runs inside of `caught`, and calls of the engine that may throw outside of it. A call ends when its statement
//! is interrupted, and the bytes it writes into one vector are bounded: the engine does not count the texts of vectors
//! against its memory limit.

use std::ffi::{CString, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use firn_values::running_call::{Ended, StopSignal, run_call};
use libduckdb_sys as ffi;

use super::interrupter::Interrupters;
use super::{engine_memory, errors};

/// The share of the memory limit that the values of one vector may take.
const VECTOR_SHARE: u64 = 8;
const VECTOR_BYTES_MIN: u64 = 192 << 20;
/// The share of the memory limit that the intermediate values of one row may take.
const ROW_SHARE: u64 = 4;
const ROW_BYTES_MIN: u64 = 512 << 20;

/// Bytes of a vector between two checks of what the process has taken.
const CHECK_BYTES: usize = 4 << 20;
/// A vector of less is made also when others have exhausted the memory, as in `engine_memory`.
const SPARED_BYTES: u64 = 32 << 20;

/// What holds for the functions of one instance.
pub(crate) struct CallLimits {
    pub(crate) interrupters: Arc<Interrupters>,
    vector_bytes_max: u64,
    pub(super) row_bytes_max: usize,
}

impl CallLimits {
    pub(crate) fn new(interrupters: Arc<Interrupters>, memory_limit_bytes: u64) -> Self {
        Self {
            interrupters,
            vector_bytes_max: (memory_limit_bytes / VECTOR_SHARE).max(VECTOR_BYTES_MIN),
            row_bytes_max: (memory_limit_bytes / ROW_SHARE).max(ROW_BYTES_MIN) as usize,
        }
    }
}

/// The bytes of a setting such as `3.1 GiB`.
pub(super) fn bytes_of_setting(text: &str) -> Option<u64> {
    let (amount, unit) = text.trim().split_once(' ')?;
    let power = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"].iter().position(|known| *known == unit)?;
    let amount: f64 = amount.parse().ok()?;
    Some((amount * 1_024_f64.powi(power as i32)) as u64)
}

/// The extra information of a scalar function: what it does, and its limits.
pub(super) struct Registered<D: 'static> {
    pub(super) definition: &'static D,
    limits: Arc<CallLimits>,
}

/// Gives a function its extra information, and every thread that runs it a `Call`.
///
/// # Safety
/// The function is not registered yet.
pub(super) unsafe fn attach<D: 'static>(
    function: ffi::duckdb_scalar_function,
    definition: &'static D,
    limits: &Arc<CallLimits>,
) {
    let registered = Box::new(Registered { definition, limits: limits.clone() });
    // SAFETY: promised by the caller; the engine gives the extra information back once.
    unsafe {
        let extra = Box::into_raw(registered).cast();
        ffi::duckdb_scalar_function_set_extra_info(function, extra, Some(drop_registered::<D>));
        ffi::duckdb_scalar_function_set_init(function, Some(begin::<D>));
    }
}

unsafe extern "C" fn drop_registered<D: 'static>(extra: *mut c_void) {
    // SAFETY: `attach` made the pointer from a `Box`, and the engine gives it back once.
    drop(unsafe { Box::from_raw(extra.cast::<Registered<D>>()) });
}

/// What a thread that runs a function of a statement knows.
pub(super) struct Call {
    stop_signal: Option<Arc<dyn StopSignal>>,
    vector_bytes_max: u64,
    row_bytes_max: usize,
}

unsafe extern "C" fn begin<D: 'static>(info: ffi::duckdb_init_info) {
    let _callback = engine_memory::in_callback();
    // SAFETY: the extra information is what `attach` gave; the context is destroyed here; the state is given back to
    // `drop_call`.
    unsafe {
        let limits = &(*ffi::duckdb_scalar_function_init_get_extra_info(info).cast::<Registered<D>>()).limits;
        let mut context = std::ptr::null_mut();
        ffi::duckdb_scalar_function_init_get_client_context(info, &mut context);
        let id = ffi::duckdb_client_context_get_connection_id(context);
        ffi::duckdb_destroy_client_context(&mut context);
        let stop_signal = limits.interrupters.find(id).map(|interrupter| interrupter as Arc<dyn StopSignal>);
        let call = Box::new(Call {
            stop_signal,
            vector_bytes_max: limits.vector_bytes_max,
            row_bytes_max: limits.row_bytes_max,
        });
        ffi::duckdb_scalar_function_init_set_state(info, Box::into_raw(call).cast(), Some(drop_call));
    }
}

unsafe extern "C" fn drop_call(state: *mut c_void) {
    // SAFETY: `begin` made the pointer from a `Box`, and the engine gives it back once.
    drop(unsafe { Box::from_raw(state.cast::<Call>()) });
}

/// Runs a scalar function that `attach` was called for over one chunk, and reports its error to the engine. The body puts
/// what may panic into `caught`.
///
/// # Safety
/// `info` is the running call's.
pub(super) unsafe fn run<D: 'static>(
    info: ffi::duckdb_function_info,
    body: impl FnOnce(&'static D, &mut VectorBytes) -> Result<(), String>,
) {
    let _callback = engine_memory::in_callback();
    // SAFETY: promised by the caller; `attach` gave the extra information, and `begin` made the state.
    unsafe {
        let definition = (*ffi::duckdb_scalar_function_get_extra_info(info).cast::<Registered<D>>()).definition;
        let call = &*ffi::duckdb_scalar_function_get_state(info).cast::<Call>();
        let mut bytes = VectorBytes { written: 0, unchecked: 0, max: call.vector_bytes_max };
        let outcome = run_call(call.stop_signal.clone(), call.row_bytes_max, || body(definition, &mut bytes));
        report(info, outcome);
    }
}

/// As `run`, for scalar functions with extra information and a state of their own, whose answers take no memory. A panic
/// is an error, too.
///
/// # Safety
/// `info` is the running call's.
pub(super) unsafe fn guarded(info: ffi::duckdb_function_info, body: impl FnOnce() -> Result<(), String>) {
    let _callback = engine_memory::in_callback();
    // SAFETY: promised by the caller.
    unsafe { report(info, caught(body)) };
}

/// # Safety
/// `info` is the running call's.
unsafe fn report(info: ffi::duckdb_function_info, outcome: Result<(), String>) {
    let Err(message) = outcome else { return };
    let message = CString::new(message).unwrap_or_default();
    // SAFETY: promised by the caller; the engine copies the message.
    unsafe { ffi::duckdb_scalar_function_set_error(info, message.as_ptr()) };
}

/// The body's outcome; a limit that it met is an error, and so is a panic. The panic itself is in the log.
pub(super) fn caught<T>(body: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        Err(payload.downcast::<Ended>().map_or_else(
            |_| {
                "firn:000603:SQL execution internal error: a function failed on one of its values; the server's log \
                 says where."
                    .to_owned()
            },
            |ended| ended.0,
        ))
    })
}

/// How much was written into the vector of a call.
pub(super) struct VectorBytes {
    written: u64,
    /// Since the process was last found to have room for more.
    unchecked: usize,
    max: u64,
}

impl VectorBytes {
    pub(super) fn of(limits: &CallLimits) -> Self {
        Self { written: 0, unchecked: 0, max: limits.vector_bytes_max }
    }

    pub(super) fn take(&mut self, bytes: usize) -> Result<(), String> {
        self.written += bytes as u64;
        self.unchecked += bytes;
        if self.written > self.max {
            return Err(format!(
                "firn:300010:SQL execution error: the values that one function makes of a batch of rows take more than {} \
                 bytes, which is more memory than they may use; make fewer or shorter values.",
                self.max
            ));
        }
        match self.has_room() {
            true => Ok(()),
            false => Err(errors::raised(&errors::out_of_memory())),
        }
    }

    /// Other vectors may have taken what the process has.
    fn has_room(&mut self) -> bool {
        self.unchecked < CHECK_BYTES
            || self.written < SPARED_BYTES
            || engine_memory::has_room(std::mem::take(&mut self.unchecked))
    }
}

#[cfg(test)]
mod tests {
    use super::{VectorBytes, bytes_of_setting, caught};

    #[test]
    fn a_panic_is_an_error() {
        let failed = caught::<()>(|| panic!("of a test"));
        assert!(failed.is_err_and(|message| message.starts_with("firn:000603:")));
        assert_eq!(caught(|| Ok(1)), Ok(1));
    }

    #[test]
    fn what_a_vector_holds_is_bounded() {
        let mut bytes = VectorBytes { written: 0, unchecked: 0, max: 10 };
        assert!(bytes.take(6).is_ok() && bytes.take(4).is_ok());
        assert!(bytes.take(1).is_err_and(|message| message.starts_with("firn:300010:")));
    }

    #[test]
    fn settings_are_bytes() {
        assert_eq!(bytes_of_setting("200.0 MiB"), Some(200 << 20));
        assert_eq!(bytes_of_setting("0 bytes"), Some(0));
        assert_eq!(bytes_of_setting("much"), None);
    }
}
