//! The memory of a block's values. A value is copied on its way from the result of one statement into the next: into tokens,
//! the tree and the text for the engine. That memory is reserved before it is taken, so that all blocks together stay
//! within the memory limit of the server.

use std::cell::{Cell, RefCell};

use firn_catalog::registry::StoredResult;
use firn_engine::{Engine, MemoryReservation};
use firn_sql::lookups::Rows;
use firn_sql::{Constant, Failure};

/// Smaller values are not counted.
const COUNTED_BYTES_MIN: u64 = 1 << 20;
/// The copies of a value while a statement with it is parsed, lowered and planned.
const COPIES_IN_STATEMENT: u64 = 6;
/// The copies of a cell while a result is read: as JSON, twice, as texts, as values, and as the value of a variable.
const COPIES_WHILE_READ: u64 = 5;
/// What a cell takes beside its text.
const CELL_BYTES: u64 = 64;

/// The memory of one statement of a block, until it is dropped.
pub struct StatementMemory<'engine> {
    engine: &'engine dyn Engine,
    uncounted: Cell<u64>,
    reserved: RefCell<Vec<MemoryReservation>>,
}

impl<'engine> StatementMemory<'engine> {
    pub fn new(engine: &'engine dyn Engine) -> Self {
        Self { engine, uncounted: Cell::new(0), reserved: RefCell::default() }
    }

    /// A value that is about to be substituted.
    pub fn take_value(&self, value: &Constant) -> Result<(), Failure> {
        self.take(bytes_of(value).saturating_mul(COPIES_IN_STATEMENT))
    }

    /// Rows that are about to be made a query.
    pub fn take_rows(&self, rows: &Rows) -> Result<(), Failure> {
        self.take(bytes_of_rows(rows).saturating_mul(COPIES_IN_STATEMENT))
    }

    /// Rows that are about to be copied.
    pub fn take_copy(&self, rows: &Rows) -> Result<(), Failure> {
        self.take(bytes_of_rows(rows))
    }

    /// A result that is about to be read.
    pub fn take_result(&self, result: &StoredResult, columns: usize) -> Result<(), Failure> {
        let written: u64 = result.partitions.iter().map(|partition| partition.uncompressed_bytes).sum();
        let cells = result.rows.saturating_mul(columns as u64).saturating_mul(CELL_BYTES);
        self.take(written.saturating_mul(COPIES_WHILE_READ).saturating_add(cells))
    }

    fn take(&self, bytes: u64) -> Result<(), Failure> {
        let uncounted = self.uncounted.get().saturating_add(bytes);
        if uncounted < COUNTED_BYTES_MIN {
            self.uncounted.set(uncounted);
            return Ok(());
        }
        self.uncounted.set(0);
        self.reserved.borrow_mut().push(self.engine.reserve_memory(uncounted)?);
        Ok(())
    }
}

fn bytes_of(value: &Constant) -> u64 {
    value.text.as_ref().map_or(0, String::len) as u64
}

fn bytes_of_rows(rows: &Rows) -> u64 {
    rows.rows.iter().flatten().map(|value| bytes_of(value) + CELL_BYTES).sum()
}
