//! `SYSTEM$WAIT`: a function that sleeps until its time is over or its connection is interrupted.
//!
//! The engine knows it as `system_wait(DOUBLE)`, which counts seconds, and `system_wait(DOUBLE, VARCHAR)`
//! with a unit, so that the dialect pass has only the name to change. It answers with `waited n
//! seconds`, and is volatile: it runs once per row, never while a statement is planned.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::{Duration, Instant};

use firn_engine::EngineError;
use firn_functions::columns::{Column, Values};
use firn_functions::definition::Answer;
use firn_sql::Failure;
use firn_values::cells::numbers::write_float;
use libduckdb_sys as ffi;

use super::call_guard::guarded;
use super::engine_memory;
use super::errors;
use super::interrupter::{Interrupter, Interrupters};
use super::logical_type::LogicalType;
use super::scalar_udfs::Output;
use super::vectors::read_column;

const NAME: &std::ffi::CStr = c"system_wait";
/// An interruption is noticed within this time.
const STEP: Duration = Duration::from_millis(10);
const WAIT_MAX: Duration = Duration::from_secs(604_800);

/// Makes the function known to the whole instance that `connection` belongs to.
pub(super) fn register(
    connection: ffi::duckdb_connection,
    interrupters: &Arc<Interrupters>,
) -> Result<(), EngineError> {
    const AMOUNT: ffi::duckdb_type = ffi::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE;
    const UNIT: ffi::duckdb_type = ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR;
    // SAFETY: the connection is open; every object made here is destroyed here.
    let state = unsafe {
        let mut set = ffi::duckdb_create_scalar_function_set(NAME.as_ptr());
        for parameters in [&[AMOUNT][..], &[AMOUNT, UNIT]] {
            let mut function = function(parameters, interrupters.clone());
            ffi::duckdb_add_scalar_function_to_set(set, function);
            ffi::duckdb_destroy_scalar_function(&mut function);
        }
        let state = ffi::duckdb_register_scalar_function_set(connection, set);
        ffi::duckdb_destroy_scalar_function_set(&mut set);
        state
    };
    if state == ffi::DuckDBSuccess {
        Ok(())
    } else {
        Err(EngineError::Internal("the engine refuses the function system_wait".to_owned()))
    }
}

/// The caller destroys the function, which keeps its own reference to the interrupters.
fn function(parameters: &[ffi::duckdb_type], interrupters: Arc<Interrupters>) -> ffi::duckdb_scalar_function {
    // SAFETY: every logical type made here is destroyed here, and the function is fresh.
    unsafe {
        let function = ffi::duckdb_create_scalar_function();
        ffi::duckdb_scalar_function_set_name(function, NAME.as_ptr());
        for parameter in parameters {
            let mut parameter = ffi::duckdb_create_logical_type(*parameter);
            ffi::duckdb_scalar_function_add_parameter(function, parameter);
            ffi::duckdb_destroy_logical_type(&mut parameter);
        }
        let mut text = ffi::duckdb_create_logical_type(ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR);
        ffi::duckdb_scalar_function_set_return_type(function, text);
        ffi::duckdb_destroy_logical_type(&mut text);
        ffi::duckdb_scalar_function_set_volatile(function);
        ffi::duckdb_scalar_function_set_special_handling(function);
        let extra = Arc::into_raw(interrupters).cast_mut().cast();
        ffi::duckdb_scalar_function_set_extra_info(function, extra, Some(drop_interrupters));
        ffi::duckdb_scalar_function_set_init(function, Some(begin));
        ffi::duckdb_scalar_function_set_function(function, Some(run));
        function
    }
}

unsafe extern "C" fn drop_interrupters(extra: *mut c_void) {
    // SAFETY: `register` made the pointer from an `Arc`, and the engine gives it back once.
    drop(unsafe { Arc::from_raw(extra.cast::<Interrupters>()) });
}

/// What a thread that runs the function knows: who may stop it.
struct Waiter {
    interrupter: Option<Arc<Interrupter>>,
}

unsafe extern "C" fn begin(info: ffi::duckdb_init_info) {
    let _callback = engine_memory::in_callback();
    // SAFETY: the extra information is the `Interrupters` given at registration; the context is
    // destroyed here; the state is given back to `drop_waiter`.
    unsafe {
        let interrupters = ffi::duckdb_scalar_function_init_get_extra_info(info).cast::<Interrupters>();
        let mut context = std::ptr::null_mut();
        ffi::duckdb_scalar_function_init_get_client_context(info, &mut context);
        let id = ffi::duckdb_client_context_get_connection_id(context);
        ffi::duckdb_destroy_client_context(&mut context);
        let waiter = Box::new(Waiter { interrupter: (*interrupters).find(id) });
        ffi::duckdb_scalar_function_init_set_state(info, Box::into_raw(waiter).cast(), Some(drop_waiter));
    }
}

unsafe extern "C" fn drop_waiter(state: *mut c_void) {
    // SAFETY: `begin` made the pointer from a `Box`, and the engine gives it back once.
    drop(unsafe { Box::from_raw(state.cast::<Waiter>()) });
}

unsafe extern "C" fn run(info: ffi::duckdb_function_info, input: ffi::duckdb_data_chunk, output: ffi::duckdb_vector) {
    // SAFETY: the state is what `begin` set; the input has the registered parameters, flattened, and
    // lives for the call; the output is a vector of text of the same length.
    unsafe {
        guarded(info, || {
            let waiter = &*ffi::duckdb_scalar_function_get_state(info).cast::<Waiter>();
            let rows = ffi::duckdb_data_chunk_get_size(input) as usize;
            let amounts = read_column(ffi::duckdb_data_chunk_get_vector(input, 0), &LogicalType::Double, rows);
            let units = (ffi::duckdb_data_chunk_get_column_count(input) > 1)
                .then(|| read_column(ffi::duckdb_data_chunk_get_vector(input, 1), &LogicalType::Varchar, rows));
            for row in 0..rows {
                Output(output).write(row, waiter.wait(&amounts, units.as_ref(), row)?);
            }
            Ok(())
        });
    }
}

impl Waiter {
    fn wait(&self, amounts: &Column<'_>, units: Option<&Column<'_>>, row: usize) -> Result<Answer<'static>, String> {
        let Values::Double(amount_values) = &amounts.values else { return Ok(Answer::Null) };
        if amounts.is_null(row) || units.is_some_and(|units| units.is_null(row)) {
            return Ok(Answer::Null);
        }
        let amount = amount_values[row];
        let unit = match units.map(|units| &units.values) {
            Some(Values::Text(units)) => String::from_utf8_lossy(units[row].get()).to_ascii_lowercase(),
            _ => "seconds".to_owned(),
        };
        let refused =
            |value: String, way_out: &str| errors::raised(&Failure::invalid_value("SYSTEM$WAIT", &value, way_out));
        let per_unit =
            seconds_per(&unit).ok_or_else(|| refused(unit.clone(), "give a unit from MILLISECONDS to DAYS"))?;
        let duration = Duration::try_from_secs_f64(amount * per_unit)
            .map_err(|_| refused(amount.to_string(), "give a number of zero or more"))?;
        self.sleep(duration.min(WAIT_MAX))?;
        let mut text = b"waited ".to_vec();
        write_float(amount, &mut text);
        text.push(b' ');
        text.extend_from_slice(unit.as_bytes());
        Ok(Answer::Bytes(text))
    }

    fn sleep(&self, duration: Duration) -> Result<(), String> {
        let started = Instant::now();
        while let Some(left) = duration.checked_sub(started.elapsed()).filter(|left| !left.is_zero()) {
            if self.interrupter.as_ref().is_some_and(|interrupter| interrupter.is_requested()) {
                return Err("Interrupted!".to_owned());
            }
            std::thread::sleep(left.min(STEP));
        }
        Ok(())
    }
}

fn seconds_per(unit: &str) -> Option<f64> {
    match unit {
        "milliseconds" => Some(0.001),
        "seconds" => Some(1.0),
        "minutes" => Some(60.0),
        "hours" => Some(3_600.0),
        "days" => Some(86_400.0),
        _ => None,
    }
}
