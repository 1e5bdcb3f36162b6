//! The parameters of prepared templates. The engine plans a statement with bound parameters again for every execution; a
//! template therefore has calls in the places of its values, `parameter_integer(0)` or `parameter_text(1)`, which return
//! the values that were set for the connection before it runs. They are volatile, so that the plan does not depend on them.

use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use firn_engine::EngineError;
use firn_functions::columns::Values;
use libduckdb_sys as ffi;

use super::engine_memory;
use super::logical_type::LogicalType;
use super::vectors::read_column;

pub(super) const INTEGER: &CStr = c"parameter_integer";
pub(super) const TEXT: &CStr = c"parameter_text";

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ParameterValue {
    Integer(i64),
    Text(String),
}

/// The parameters of each connection of an instance, by the engine's connection id.
#[derive(Default)]
pub(crate) struct ParameterValues(Mutex<HashMap<u64, Arc<[ParameterValue]>>>);

impl ParameterValues {
    pub(crate) fn put(&self, connection_id: u64, values: Vec<ParameterValue>) {
        self.lock().insert(connection_id, values.into());
    }

    pub(crate) fn remove(&self, connection_id: u64) {
        self.lock().remove(&connection_id);
    }

    fn find(&self, connection_id: u64) -> Option<Arc<[ParameterValue]>> {
        self.lock().get(&connection_id).cloned()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Arc<[ParameterValue]>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes both functions known to the whole instance that `connection` belongs to.
pub(super) fn register(connection: ffi::duckdb_connection, values: &Arc<ParameterValues>) -> Result<(), EngineError> {
    let definitions = [(INTEGER, ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT), (TEXT, ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR)];
    for (name, returns) in definitions {
        let mut function = function(name, returns, values.clone());
        // SAFETY: the connection is open and the function alive; it is destroyed here.
        let state = unsafe {
            let state = ffi::duckdb_register_scalar_function(connection, function);
            ffi::duckdb_destroy_scalar_function(&mut function);
            state
        };
        if state != ffi::DuckDBSuccess {
            return Err(EngineError::Internal(format!("the engine refuses the function {}", name.to_string_lossy())));
        }
    }
    Ok(())
}

/// The caller destroys the function, which keeps its own reference to the values.
fn function(name: &CStr, returns: ffi::duckdb_type, values: Arc<ParameterValues>) -> ffi::duckdb_scalar_function {
    // SAFETY: every logical type made here is destroyed here, and the function is fresh.
    unsafe {
        let function = ffi::duckdb_create_scalar_function();
        ffi::duckdb_scalar_function_set_name(function, name.as_ptr());
        let mut place = ffi::duckdb_create_logical_type(ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT);
        ffi::duckdb_scalar_function_add_parameter(function, place);
        ffi::duckdb_destroy_logical_type(&mut place);
        let mut returns = ffi::duckdb_create_logical_type(returns);
        ffi::duckdb_scalar_function_set_return_type(function, returns);
        ffi::duckdb_destroy_logical_type(&mut returns);
        ffi::duckdb_scalar_function_set_volatile(function);
        let extra = Arc::into_raw(values).cast_mut().cast();
        ffi::duckdb_scalar_function_set_extra_info(function, extra, Some(drop_values));
        ffi::duckdb_scalar_function_set_init(function, Some(begin));
        ffi::duckdb_scalar_function_set_function(function, Some(run));
        function
    }
}

unsafe extern "C" fn drop_values(extra: *mut c_void) {
    // SAFETY: `function` made the pointer from an `Arc`, and the engine gives it back once.
    drop(unsafe { Arc::from_raw(extra.cast::<ParameterValues>()) });
}

/// The state of a thread that runs a function: the parameters of its connection.
type Parameters = Option<Arc<[ParameterValue]>>;

unsafe extern "C" fn begin(info: ffi::duckdb_init_info) {
    let _callback = engine_memory::in_callback();
    // SAFETY: the extra information is the `ParameterValues` given at registration; the context is
    // destroyed here; the state is given back to `drop_parameters`.
    unsafe {
        let values = ffi::duckdb_scalar_function_init_get_extra_info(info).cast::<ParameterValues>();
        let mut context = ptr::null_mut();
        ffi::duckdb_scalar_function_init_get_client_context(info, &mut context);
        let id = ffi::duckdb_client_context_get_connection_id(context);
        ffi::duckdb_destroy_client_context(&mut context);
        let parameters: Box<Parameters> = Box::new((*values).find(id));
        ffi::duckdb_scalar_function_init_set_state(info, Box::into_raw(parameters).cast(), Some(drop_parameters));
    }
}

unsafe extern "C" fn drop_parameters(state: *mut c_void) {
    // SAFETY: `begin` made the pointer from a `Box`, and the engine gives it back once.
    drop(unsafe { Box::from_raw(state.cast::<Parameters>()) });
}

/// All rows of a call have the same parameter number, so the result is a constant vector.
unsafe extern "C" fn run(info: ffi::duckdb_function_info, input: ffi::duckdb_data_chunk, output: ffi::duckdb_vector) {
    let _callback = engine_memory::in_callback();
    // SAFETY: the state is what `begin` set; the input is one column of BIGINT and lives for the call; the
    // output is a vector of the type that was registered, which is the type of the values at its places.
    unsafe {
        let parameters = &*ffi::duckdb_scalar_function_get_state(info).cast::<Parameters>();
        let place = read_column(ffi::duckdb_data_chunk_get_vector(input, 0), &LogicalType::Int64, 1);
        let Values::Int64 { values: places, .. } = &place.values else { return };
        let value =
            parameters.as_ref().zip(places.first()).and_then(|(parameters, place)| parameters.get(*place as usize));
        let mut value = match value {
            Some(ParameterValue::Integer(value)) => ffi::duckdb_create_int64(*value),
            Some(ParameterValue::Text(text)) => {
                ffi::duckdb_create_varchar_length(text.as_ptr().cast(), text.len() as u64)
            }
            None => return ffi::duckdb_scalar_function_set_error(info, c"a parameter without a value".as_ptr()),
        };
        ffi::duckdb_vector_reference_value(output, value);
        ffi::duckdb_destroy_value(&mut value);
    }
}
