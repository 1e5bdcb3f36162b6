//! A running query's rows as the engine hands them out: chunks of flat vectors.

use std::ffi::CStr;
use std::sync::Arc;

use firn_engine::EngineError;
use firn_functions::columns::Column;
use libduckdb_sys as ffi;

use super::connection::{Connection, Delivery, Prepared, ResultHandle};
use super::encode;
use super::logical_type::LogicalType;
use super::template_parameters::ParameterValue;
use super::vectors::read_column;

impl Connection {
    /// Runs one statement and returns its rows as text, for small results about metadata.
    pub(crate) fn rows(&self, sql: &str) -> Result<Vec<Vec<Option<String>>>, EngineError> {
        let mut chunks = ChunkStream::new(self, self.start(sql, Delivery::Whole)?, Delivery::Whole);
        let mut rows = Vec::new();
        while let Some(chunk) = chunks.next_chunk()? {
            let columns = chunk.columns();
            let row_texts = |row| columns.iter().map(|column| encode::text(column, row)).collect();
            rows.extend((0..chunk.row_count()).map(row_texts));
        }
        Ok(rows)
    }

    /// Starts one statement whose rows are pulled chunk by chunk while it runs.
    pub(crate) fn stream(&self, sql: &str) -> Result<ChunkStream<'_>, EngineError> {
        let result = self.start(sql, Delivery::Streamed)?;
        Ok(ChunkStream::new(self, result, Delivery::Streamed))
    }

    /// The columns of a query's result, without running it.
    pub(crate) fn describe(&self, sql: &str) -> Result<Vec<ResultColumn>, EngineError> {
        let prepared = self.plan_to_describe(sql)?;
        // SAFETY: the statement is alive.
        let count = unsafe { ffi::duckdb_prepared_statement_column_count(prepared.raw()) };
        Ok((0..count).map(|column| planned_column(&prepared, column)).collect())
    }

    /// Starts a prepared statement with the values of its parameters.
    pub(super) fn stream_prepared(
        &self,
        prepared: &Prepared,
        values: Vec<ParameterValue>,
    ) -> Result<ChunkStream<'_>, EngineError> {
        let result = self.run_with_values(prepared, values, Delivery::Streamed)?;
        Ok(ChunkStream::new(self, result, Delivery::Streamed))
    }
}

/// One column of a result as the engine names and types it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResultColumn {
    pub(crate) name: String,
    pub(crate) logical_type: LogicalType,
}

/// A query that runs while its chunks are pulled. Dropping it ends the query.
pub(crate) struct ChunkStream<'connection> {
    connection: &'connection Connection,
    result: Option<ResultHandle>,
    columns: Arc<[ResultColumn]>,
    /// The query runs while rows are pulled; one whose rows are whole has ended, and may be committed.
    is_streamed: bool,
    ended: bool,
}

impl<'connection> ChunkStream<'connection> {
    fn new(connection: &'connection Connection, mut result: ResultHandle, delivery: Delivery) -> Self {
        let columns = read_columns(&mut result).into();
        Self { connection, result: Some(result), columns, is_streamed: delivery == Delivery::Streamed, ended: false }
    }

    pub(crate) fn columns(&self) -> &[ResultColumn] {
        &self.columns
    }

    /// The next chunk that has rows, or `None` at the end.
    pub(crate) fn next_chunk(&mut self) -> Result<Option<Chunk>, EngineError> {
        let Some(result) = &mut self.result else { return Ok(None) };
        while !self.ended {
            if self.connection.was_interrupted() {
                return Err(EngineError::Interrupted);
            }
            let watched = self.connection.watch_query();
            let interrupter = self.connection.stop_signal();
            let uncommitted = self.is_streamed.then(|| interrupter.run_uncommitted());
            let handle = result.fetch();
            drop(uncommitted);
            drop(watched);
            if handle.is_null() {
                self.ended = true;
                let error = result.error();
                if !error.is_null() {
                    return Err(self.connection.failure(error));
                }
                return Ok(None);
            }
            let chunk = Chunk { handle, columns: self.columns.clone() };
            if chunk.row_count() > 0 {
                return Ok(Some(chunk));
            }
        }
        Ok(None)
    }
}

impl Drop for ChunkStream<'_> {
    fn drop(&mut self) {
        self.result = None;
        if !self.ended {
            self.connection.close_abandoned_statement();
        }
    }
}

/// Up to 2048 rows, owned.
pub(crate) struct Chunk {
    handle: ffi::duckdb_data_chunk,
    columns: Arc<[ResultColumn]>,
}

// SAFETY: a chunk owns its memory and refers to no connection.
unsafe impl Send for Chunk {}

impl Chunk {
    pub(crate) fn row_count(&self) -> usize {
        // SAFETY: the chunk is alive.
        unsafe { ffi::duckdb_data_chunk_get_size(self.handle) as usize }
    }

    /// Every column as typed slices.
    pub(crate) fn columns(&self) -> Vec<Column<'_>> {
        let rows = self.row_count();
        let mut columns = Vec::with_capacity(self.columns.len());
        for (index, column) in self.columns.iter().enumerate() {
            // SAFETY: the chunk belongs to a result of these columns, and its vectors live with it.
            columns.push(unsafe {
                let vector = ffi::duckdb_data_chunk_get_vector(self.handle, index as u64);
                read_column(vector, &column.logical_type, rows)
            });
        }
        columns
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: destroyed once.
        unsafe { ffi::duckdb_destroy_data_chunk(&mut self.handle) };
    }
}

fn planned_column(prepared: &Prepared, column: u64) -> ResultColumn {
    // SAFETY: the statement is alive and has the column.
    let name = unsafe { ffi::duckdb_prepared_statement_column_name(prepared.raw(), column) };
    let copied = match name.is_null() {
        true => String::new(),
        // SAFETY: the name is a C string until it is freed.
        false => unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned(),
    };
    // SAFETY: the name was allocated for the caller and is freed once; null is allowed.
    unsafe { ffi::duckdb_free(name.cast_mut().cast()) };
    ResultColumn { name: copied, logical_type: LogicalType::of_planned(prepared.raw(), column) }
}

fn read_columns(result: &mut ResultHandle) -> Vec<ResultColumn> {
    // SAFETY: the result is alive.
    let count = unsafe { ffi::duckdb_column_count(result.raw()) };
    (0..count)
        .map(|column| {
            // SAFETY: the column is in range; the name lives as long as the result.
            let name = unsafe { ffi::duckdb_column_name(result.raw(), column) };
            // SAFETY: a column in range has a name.
            let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
            ResultColumn { name, logical_type: LogicalType::of_column(result.raw(), column) }
        })
        .collect()
}
