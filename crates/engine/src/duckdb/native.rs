//! Functions written here instead of as macros, because a macro would be slow or not exact. Each family is a file with
//! a table of its functions; adding one is a line in a table. A NULL argument answers NULL.

mod addresses;
mod bits;
mod bytes;
mod compression;
mod encodings;
mod encryption;
mod formats;
mod instants;
mod number_formats;
mod patterns;
mod random;
mod row_patterns;
mod similarity;
mod sketches;
mod texts;
mod vectors;
mod written;

use std::ffi::{CStr, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use libduckdb_sys as ffi;

use super::logical_type::LogicalType;
use super::own_functions::Output;
use super::vectors::{Column, Values};
use crate::EngineError;

pub(super) use super::own_functions::{Answer, Kind};

const FAMILIES: &[&[Native]] = &[
    addresses::FUNCTIONS,
    bits::FUNCTIONS,
    bytes::FUNCTIONS,
    compression::FUNCTIONS,
    encodings::FUNCTIONS,
    encryption::FUNCTIONS,
    formats::FUNCTIONS,
    instants::FUNCTIONS,
    number_formats::FUNCTIONS,
    patterns::FUNCTIONS,
    random::FUNCTIONS,
    row_patterns::FUNCTIONS,
    similarity::FUNCTIONS,
    sketches::FUNCTIONS,
    texts::FUNCTIONS,
    vectors::FUNCTIONS,
    written::FUNCTIONS,
];

/// What a function answers, or the failure it raises: `firn:<code>:<message>`.
pub(super) type Told = Result<Answer<'static>, String>;

pub(super) struct Native {
    name: &'static CStr,
    parameters: &'static [Kind],
    returns: Kind,
    effect: Effect,
    run: fn(&Row<'_>) -> Told,
}

impl Native {
    pub(super) const fn new(
        name: &'static CStr,
        parameters: &'static [Kind],
        returns: Kind,
        run: fn(&Row<'_>) -> Told,
    ) -> Self {
        Self { name, parameters, returns, effect: Effect::None, run }
    }

    /// Every row of a statement has another `Row::ordinal`.
    pub(super) const fn counting(self) -> Self {
        Self { effect: Effect::Counts, ..self }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    None,
    Counts,
}

pub(super) enum Argument<'row> {
    Null,
    Integer(i64),
    Wide(i128),
    Double(f64),
    Text(&'row str),
    Bytes(&'row [u8]),
    List(Vec<Argument<'row>>),
}

impl From<String> for Answer<'_> {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Option<String>> for Answer<'_> {
    fn from(text: Option<String>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

/// One row's arguments. The registered parameters make sure that each is of its kind or NULL.
pub(super) struct Row<'row> {
    arguments: &'row [Argument<'row>],
    pub(super) ordinal: u64,
}

impl<'row> Row<'row> {
    pub(super) fn text(&self, index: usize) -> &'row str {
        match &self.arguments[index] {
            Argument::Text(text) => text,
            _ => "",
        }
    }

    pub(super) fn integer(&self, index: usize) -> i64 {
        match &self.arguments[index] {
            Argument::Integer(number) => *number,
            _ => 0,
        }
    }

    pub(super) fn wide(&self, index: usize) -> i128 {
        match &self.arguments[index] {
            Argument::Wide(number) => *number,
            _ => 0,
        }
    }

    pub(super) fn double(&self, index: usize) -> f64 {
        match &self.arguments[index] {
            Argument::Double(number) => *number,
            _ => 0.0,
        }
    }

    pub(super) fn bytes(&self, index: usize) -> &'row [u8] {
        match &self.arguments[index] {
            Argument::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    pub(super) fn list(&self, index: usize) -> &'row [Argument<'row>] {
        match &self.arguments[index] {
            Argument::List(elements) => elements,
            _ => &[],
        }
    }
}

/// Makes the functions known to the whole instance that `connection` belongs to.
pub(super) fn register(connection: ffi::duckdb_connection) -> Result<(), EngineError> {
    for native in FAMILIES.iter().copied().flatten() {
        // SAFETY: the connection is open; every object made here is destroyed here; the extra
        // information points to a constant, which outlives the instance.
        let state = unsafe {
            let mut function = ffi::duckdb_create_scalar_function();
            ffi::duckdb_scalar_function_set_name(function, native.name.as_ptr());
            for kind in native.parameters {
                ffi::duckdb_scalar_function_add_parameter(function, kind.logical_type().0);
            }
            ffi::duckdb_scalar_function_set_return_type(function, native.returns.logical_type().0);
            let extra: *const Native = native;
            ffi::duckdb_scalar_function_set_extra_info(function, extra.cast_mut().cast::<c_void>(), None);
            if native.effect == Effect::Counts {
                ffi::duckdb_scalar_function_set_volatile(function);
                ffi::duckdb_scalar_function_set_bind(function, Some(begin_counting));
            }
            ffi::duckdb_scalar_function_set_function(function, Some(run));
            let state = ffi::duckdb_register_scalar_function(connection, function);
            ffi::duckdb_destroy_scalar_function(&mut function);
            state
        };
        if state != ffi::DuckDBSuccess {
            return Err(EngineError::Internal(format!("the engine refuses the function {:?}", native.name)));
        }
    }
    Ok(())
}

/// The rows a call in a statement has seen, counted by all threads that run it.
type Counter = Arc<AtomicU64>;

unsafe extern "C" fn begin_counting(info: ffi::duckdb_bind_info) {
    // SAFETY: the engine gives the counter back to `drop_counter` once, and copies it with `copy_counter`.
    unsafe {
        let counter: Box<Counter> = Box::default();
        ffi::duckdb_scalar_function_set_bind_data(info, Box::into_raw(counter).cast(), Some(drop_counter));
        ffi::duckdb_scalar_function_set_bind_data_copy(info, Some(copy_counter));
    }
}

unsafe extern "C" fn drop_counter(counter: *mut c_void) {
    // SAFETY: the pointer came from a `Box` made here, and the engine gives it back once.
    drop(unsafe { Box::from_raw(counter.cast::<Counter>()) });
}

unsafe extern "C" fn copy_counter(counter: *mut c_void) -> *mut c_void {
    // SAFETY: the pointer is to a `Counter` made here that is still alive.
    let counter = unsafe { (*counter.cast::<Counter>()).clone() };
    Box::into_raw(Box::new(counter)).cast()
}

unsafe extern "C" fn run(info: ffi::duckdb_function_info, input: ffi::duckdb_data_chunk, output: ffi::duckdb_vector) {
    // SAFETY: the extra information is the `Native` given at registration and the bind data its counter; the
    // input has the registered parameters, flattened, and lives for the call; the output is a vector of the
    // registered type of the same length.
    unsafe {
        let native = &*ffi::duckdb_scalar_function_get_extra_info(info).cast::<Native>();
        let rows = ffi::duckdb_data_chunk_get_size(input) as usize;
        let vectors: Vec<ffi::duckdb_vector> =
            (0..native.parameters.len() as u64).map(|index| ffi::duckdb_data_chunk_get_vector(input, index)).collect();
        let types: Vec<LogicalType> = vectors.iter().map(|vector| LogicalType::of_vector(*vector)).collect();
        let columns: Vec<Column<'_>> =
            vectors.iter().zip(&types).map(|(vector, kind)| Column::read(*vector, kind, rows)).collect();
        let first_ordinal = match native.effect {
            Effect::Counts => {
                let counter = &*ffi::duckdb_scalar_function_get_bind_data(info).cast::<Counter>();
                counter.fetch_add(rows as u64, Ordering::Relaxed)
            }
            Effect::None => 0,
        };
        for row in 0..rows {
            let told = answer(native, &columns, row, first_ordinal + row as u64);
            if !Output(output).tell(info, row, told) {
                return;
            }
        }
    }
}

fn answer(native: &Native, columns: &[Column<'_>], row: usize, ordinal: u64) -> Told {
    let arguments: Vec<Argument<'_>> = columns.iter().map(|column| argument(column, row)).collect();
    if arguments.iter().any(|argument| matches!(argument, Argument::Null)) {
        return Ok(Answer::Null);
    }
    (native.run)(&Row { arguments: &arguments, ordinal })
}

fn argument<'row>(column: &'row Column<'_>, row: usize) -> Argument<'row> {
    if column.is_null(row) {
        return Argument::Null;
    }
    match &column.values {
        Values::Int64 { values, .. } => Argument::Integer(values[row]),
        Values::Int128 { values, .. } => Argument::Wide(values[row].signed()),
        Values::Double(values) => Argument::Double(values[row]),
        // The engine's texts are valid UTF-8.
        Values::Text(values) => Argument::Text(std::str::from_utf8(values[row].get()).unwrap_or_default()),
        Values::Blob(values) => Argument::Bytes(values[row].get()),
        Values::List { entries, element } => {
            let entry = &entries[row];
            let places = entry.offset as usize..(entry.offset + entry.length) as usize;
            Argument::List(places.map(|place| argument(element, place)).collect())
        }
        _ => Argument::Null,
    }
}
