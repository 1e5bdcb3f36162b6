//! Registers exact division: a function for every pair of scales.

use std::ffi::{CString, c_void};

use firn_engine::EngineError;
use firn_functions::definition::Answer;
use firn_functions::quotients::{SCALE_MAX, Scales, WIDTH, divide_row, function_name, quotient_scale};
use libduckdb_sys as ffi;

use super::call_guard::guarded;
use super::logical_type::LogicalType;
use super::scalar_udfs::Output;
use super::vectors::read_column;

/// Makes the functions known to the whole instance that `connection` belongs to.
pub(super) fn register(connection: ffi::duckdb_connection) -> Result<(), EngineError> {
    for dividend in 0..=SCALE_MAX {
        for divisor in 0..=SCALE_MAX {
            register_one(connection, Scales { dividend, divisor })?;
        }
    }
    Ok(())
}

fn register_one(connection: ffi::duckdb_connection, scales: Scales) -> Result<(), EngineError> {
    let name = function_name(scales.dividend, scales.divisor);
    let refused = || EngineError::Internal(format!("the engine refuses the function {name}"));
    let c_name = CString::new(name.as_str()).map_err(|_| refused())?;
    // SAFETY: the connection is open; every object made here is destroyed here; the engine gives the
    // scales back to `drop_scales`.
    let state = unsafe {
        let mut function = ffi::duckdb_create_scalar_function();
        ffi::duckdb_scalar_function_set_name(function, c_name.as_ptr());
        for scale in [scales.dividend, scales.divisor] {
            let mut parameter = ffi::duckdb_create_decimal_type(WIDTH, scale);
            ffi::duckdb_scalar_function_add_parameter(function, parameter);
            ffi::duckdb_destroy_logical_type(&mut parameter);
        }
        let mut quotient = ffi::duckdb_create_decimal_type(WIDTH, quotient_scale(scales.dividend));
        ffi::duckdb_scalar_function_set_return_type(function, quotient);
        ffi::duckdb_destroy_logical_type(&mut quotient);
        let extra = Box::into_raw(Box::new(scales)).cast();
        ffi::duckdb_scalar_function_set_extra_info(function, extra, Some(drop_scales));
        ffi::duckdb_scalar_function_set_function(function, Some(run));
        let state = ffi::duckdb_register_scalar_function(connection, function);
        ffi::duckdb_destroy_scalar_function(&mut function);
        state
    };
    if state == ffi::DuckDBSuccess { Ok(()) } else { Err(refused()) }
}

unsafe extern "C" fn drop_scales(extra: *mut c_void) {
    // SAFETY: `register_one` made the pointer from a `Box`, and the engine gives it back once.
    drop(unsafe { Box::from_raw(extra.cast::<Scales>()) });
}

unsafe extern "C" fn run(info: ffi::duckdb_function_info, input: ffi::duckdb_data_chunk, output: ffi::duckdb_vector) {
    // SAFETY: the extra information is the `Scales` given at registration; the input has two decimals
    // of 128 bits, flattened, and lives for the call; so has the output room for as many.
    unsafe {
        guarded(info, || {
            let scales = *ffi::duckdb_scalar_function_get_extra_info(info).cast::<Scales>();
            let rows = ffi::duckdb_data_chunk_get_size(input) as usize;
            let dividend_type = LogicalType::Decimal { width: WIDTH, scale: scales.dividend };
            let divisor_type = LogicalType::Decimal { width: WIDTH, scale: scales.divisor };
            let dividends = read_column(ffi::duckdb_data_chunk_get_vector(input, 0), &dividend_type, rows);
            let divisors = read_column(ffi::duckdb_data_chunk_get_vector(input, 1), &divisor_type, rows);
            for row in 0..rows {
                let quotient = divide_row(&dividends, &divisors, row, scales)?;
                Output(output).write(row, quotient.map_or(Answer::Null, Answer::Wide));
            }
            Ok(())
        });
    }
}
