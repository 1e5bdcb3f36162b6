//! What a command gives: rows, counts or a status.

use firn_sql::ObjectName;
use firn_values::formats::Nulls;

use crate::columns::WireColumn;
use crate::error::EngineError;

pub enum Outcome<'session> {
    Rows(Box<dyn RowStream + 'session>),
    Dml(DmlCounts),
    /// Rows inserted into each of the tables of an INSERT ALL or FIRST.
    Inserted(Vec<(ObjectName, u64)>),
    /// Rows made here: LIST, REMOVE and COPY.
    Table(LocalTable),
    /// A DDL or transaction command's status text: `Table X successfully created.`
    Done(String),
}

/// The outcome of a statement whose changes are committed.
pub struct RecordedOutcome {
    pub query_id: String,
    pub nulls: Nulls,
    pub outcome: Outcome<'static>,
}

/// A small result, whole.
#[derive(Clone, Debug)]
pub struct LocalTable {
    pub columns: Vec<WireColumn>,
    pub rows: Vec<Vec<Option<String>>>,
    /// How many rows were put into a table on the way.
    pub inserted: Option<u64>,
}

impl LocalTable {
    pub fn new(columns: Vec<WireColumn>) -> Self {
        Self { columns, rows: Vec::new(), inserted: None }
    }
}

/// Rows changed by a DML command. `None` means that the command has no such clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DmlCounts {
    pub inserted: Option<u64>,
    pub updated: Option<u64>,
    pub deleted: Option<u64>,
    /// Of the updated rows, those that several rows of FROM matched.
    pub updated_by_several: u64,
}

/// A query's rows, pulled and encoded piece by piece.
pub trait RowStream {
    fn columns(&self) -> &[WireColumn];

    /// Appends rows to `out` as `["a",null],["b","c"]` (commas between rows, no outer brackets; a
    /// comma first if `out` already ends in a row) until `budget` is reached or the rows end.
    fn encode(&mut self, out: &mut Vec<u8>, budget: RowBudget) -> Result<Encoded, EngineError>;

    /// Appends rows to `out` as a whole Arrow IPC stream, by the same budget. A result is encoded in one of the two ways from
    /// its first row to its last.
    fn encode_arrow(&mut self, out: &mut Vec<u8>, budget: RowBudget) -> Result<Encoded, EngineError>;
}

#[derive(Clone, Copy, Debug)]
pub struct RowBudget {
    /// Stop after the row that makes `out` at least this long.
    pub bytes: usize,
    pub rows: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Encoded {
    pub rows: u64,
    /// No row is left in the stream.
    pub ended: bool,
}
