//! Bulk inserts of rows that are made in Rust.

use std::ffi::CString;
use std::marker::PhantomData;
use std::ptr;

use firn_engine::EngineError;
use firn_sql::ObjectName;
use libduckdb_sys as ffi;

use super::connection::Connection;
use super::logical_type::LogicalType;

/// Appends to a table; cells come one by one, in the order of its columns.
pub(crate) struct Appender<'connection> {
    handle: ffi::duckdb_appender,
    connection: &'connection Connection,
    not_shared: PhantomData<*const ()>,
}

impl<'connection> Appender<'connection> {
    /// Of a temporary table.
    pub(crate) fn new(connection: &'connection Connection, table: &str) -> Result<Self, EngineError> {
        Self::open(connection, ["temp", "main", table])
    }

    /// Appends rows of texts and nulls to a table.
    pub(crate) fn append(
        connection: &'connection Connection,
        table: &ObjectName,
        rows: &[Vec<Option<String>>],
    ) -> Result<(), EngineError> {
        let mut appender = Self::open(connection, [table.database(), table.schema(), &table.name])?;
        appender.rows(rows)?;
        appender.finish()
    }

    fn open(connection: &'connection Connection, name: [&str; 3]) -> Result<Self, EngineError> {
        let [Ok(database), Ok(schema), Ok(table)] = name.map(CString::new) else {
            return Err(EngineError::Internal("a table's name has a NUL".to_owned()));
        };
        let mut appender = Self { handle: ptr::null_mut(), connection, not_shared: PhantomData };
        // SAFETY: the connection is open and the names end in NUL; the handle is destroyed on drop.
        let state = unsafe {
            ffi::duckdb_appender_create_ext(
                connection.raw(),
                database.as_ptr(),
                schema.as_ptr(),
                table.as_ptr(),
                &mut appender.handle,
            )
        };
        appender.checked(state).map(|()| appender)
    }

    pub(crate) fn text(&mut self, value: Option<&str>) -> Result<(), EngineError> {
        // SAFETY: the appender is alive and the text is read during the call only.
        let state = unsafe {
            match value {
                Some(text) => {
                    ffi::duckdb_append_varchar_length(self.handle, text.as_ptr().cast(), text.len() as ffi::idx_t)
                }
                None => ffi::duckdb_append_null(self.handle),
            }
        };
        self.checked(state)
    }

    /// Rows of texts and nulls. The engine casts them to the columns' types; a whole number of a wide DECIMAL is parsed here,
    /// because its cast divides 128-bit integers for every digit.
    fn rows(&mut self, rows: &[Vec<Option<String>>]) -> Result<(), EngineError> {
        // SAFETY: the appender is alive.
        let count = unsafe { ffi::duckdb_appender_column_count(self.handle) };
        let is_whole =
            |column| matches!(LogicalType::of_appended(self.handle, column), LogicalType::Decimal { scale: 0, .. });
        let whole: Vec<bool> = (0..count).map(is_whole).collect();
        for row in rows {
            for (column, cell) in row.iter().enumerate() {
                let is_whole = whole.get(column).is_some_and(|is_whole| *is_whole);
                match cell.as_ref().filter(|_| is_whole).and_then(|text| text.parse().ok()) {
                    Some(number) => self.integer(number)?,
                    None => self.text(cell.as_deref())?,
                }
            }
            self.end_row()?;
        }
        Ok(())
    }

    pub(crate) fn number(&mut self, value: u64) -> Result<(), EngineError> {
        self.integer(i64::try_from(value).unwrap_or(i64::MAX))
    }

    fn integer(&mut self, value: i64) -> Result<(), EngineError> {
        // SAFETY: the appender is alive.
        let state = unsafe { ffi::duckdb_append_int64(self.handle, value) };
        self.checked(state)
    }

    pub(crate) fn end_row(&mut self) -> Result<(), EngineError> {
        // SAFETY: the appender is alive.
        let state = unsafe { ffi::duckdb_appender_end_row(self.handle) };
        self.checked(state)
    }

    /// Writes what is left; without this call the last rows are lost.
    pub(crate) fn finish(self) -> Result<(), EngineError> {
        // SAFETY: the appender is alive.
        let state = unsafe { ffi::duckdb_appender_close(self.handle) };
        self.checked(state)
    }

    fn checked(&self, state: ffi::duckdb_state) -> Result<(), EngineError> {
        if state == ffi::DuckDBSuccess {
            return Ok(());
        }
        // SAFETY: a failed appender still carries its error, which lives as long as it does.
        Err(self.connection.failure(unsafe { ffi::duckdb_appender_error(self.handle) }))
    }
}

impl Drop for Appender<'_> {
    fn drop(&mut self) {
        // SAFETY: destroyed once; a null handle is allowed. A failure was reported before.
        unsafe { ffi::duckdb_appender_destroy(&mut self.handle) };
    }
}
