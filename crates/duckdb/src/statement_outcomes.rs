//! The outcome of a statement, written into the database that it changes, in the transaction of the change. After a crash
//! a statement without a recorded end was committed exactly if its outcome is here. Outcomes whose statements have their
//! end on disk elsewhere are removed before a checkpoint.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use firn_engine::{
    DmlCounts, EngineError, ExecutionContext, LocalTable, Nulls, Outcome, RecordedOutcome, load_report_columns,
};
use firn_sql::ObjectName;
use firn_sql::names::quote_literal;
use serde::{Deserialize, Serialize};

use super::connection::Connection;
use super::shared::Shared;
use super::side_tables::side_table;
use super::transaction;

const TABLE: &str = "statement_outcomes";

/// What an answer is made of.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StoredOutcome {
    Done(String),
    Dml {
        inserted: Option<u64>,
        updated: Option<u64>,
        deleted: Option<u64>,
        updated_by_several: u64,
    },
    /// Database, schema and name of each table, and its rows.
    Inserted(Vec<([String; 3], u64)>),
    /// The answer of COPY INTO a table.
    Loaded {
        rows: Vec<Vec<Option<String>>>,
        inserted: Option<u64>,
    },
}

#[derive(Serialize, Deserialize)]
struct Entry {
    null_words: bool,
    outcome: StoredOutcome,
}

impl StoredOutcome {
    pub(crate) fn of_counts(counts: &DmlCounts) -> Self {
        let DmlCounts { inserted, updated, deleted, updated_by_several } = *counts;
        Self::Dml { inserted, updated, deleted, updated_by_several }
    }

    pub(crate) fn of_tables(tables: &[(ObjectName, u64)]) -> Self {
        let parts = |name: &ObjectName| [name.database(), name.schema(), &name.name].map(str::to_owned);
        Self::Inserted(tables.iter().map(|(table, rows)| (parts(table), *rows)).collect())
    }

    pub(crate) fn of_load(table: LocalTable) -> Self {
        Self::Loaded { rows: table.rows, inserted: table.inserted }
    }

    fn into_outcome(self) -> Outcome<'static> {
        match self {
            Self::Done(status) => Outcome::Done(status),
            Self::Dml { inserted, updated, deleted, updated_by_several } => {
                Outcome::Dml(DmlCounts { inserted, updated, deleted, updated_by_several })
            }
            Self::Inserted(tables) => {
                let named = |([database, schema, name], rows): ([String; 3], u64)| {
                    (ObjectName::qualified(&database, &schema, &name), rows)
                };
                Outcome::Inserted(tables.into_iter().map(named).collect())
            }
            Self::Loaded { rows, inserted } => {
                Outcome::Table(LocalTable { columns: load_report_columns(), rows, inserted })
            }
        }
    }
}

/// Which outcomes have to stay, and where there are any.
#[derive(Default)]
pub(crate) struct UnsettledOutcomes(Mutex<Unsettled>);

#[derive(Default)]
struct Unsettled {
    query_ids: HashSet<String>,
    databases: HashSet<String>,
}

impl UnsettledOutcomes {
    pub(crate) fn settle(&self, query_id: &str) {
        self.state().query_ids.remove(query_id);
    }

    fn state(&self) -> MutexGuard<'_, Unsettled> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether somebody may ask for the outcome of the statement after a crash at this moment.
pub(crate) fn is_wanted(context: &ExecutionContext) -> bool {
    !context.query_id.is_empty() && context.outcome_recorded_from.is_some_and(|from| from <= Instant::now())
}

/// Writes the outcome in the transaction that is open, if it is wanted.
pub(crate) fn record(
    connection: &Connection,
    shared: &Shared,
    database: &str,
    context: &ExecutionContext,
    outcome: impl FnOnce() -> StoredOutcome,
) -> Result<(), EngineError> {
    if !is_wanted(context) || !shared.has_database(database) {
        return Ok(());
    }
    let entry = Entry { null_words: context.formats.nulls == Nulls::Word, outcome: outcome() };
    let text = serde_json::to_string(&entry).map_err(|error| EngineError::Internal(error.to_string()))?;
    let mut unsettled = shared.unsettled_outcomes.state();
    unsettled.query_ids.insert(context.query_id.clone());
    unsettled.databases.insert(database.to_owned());
    drop(unsettled);
    connection.execute(&format!(
        "INSERT INTO {} VALUES ({}, {})",
        side_table(database, TABLE),
        quote_literal(&context.query_id),
        quote_literal(&text)
    ))?;
    Ok(())
}

/// The outcomes of a database. One that cannot be read is an error: nobody would know what was committed.
pub(crate) fn read(
    connection: &Connection,
    shared: &Shared,
    database: &str,
) -> Result<Vec<RecordedOutcome>, EngineError> {
    let rows = connection.rows(&format!("SELECT query_id, outcome FROM {}", side_table(database, TABLE)))?;
    if !rows.is_empty() {
        shared.unsettled_outcomes.state().databases.insert(database.to_owned());
    }
    rows.into_iter().map(|row| parse(row, database)).collect()
}

fn parse(row: Vec<Option<String>>, database: &str) -> Result<RecordedOutcome, EngineError> {
    let unreadable =
        || EngineError::Internal(format!("the outcome of a statement in database {database} is unreadable"));
    let mut cells = row.into_iter().flatten();
    let (Some(query_id), Some(text)) = (cells.next(), cells.next()) else { return Err(unreadable()) };
    let entry: Entry = serde_json::from_str(&text).map_err(|_| unreadable())?;
    let nulls = if entry.null_words { Nulls::Word } else { Nulls::Null };
    Ok(RecordedOutcome { query_id, nulls, outcome: entry.outcome.into_outcome() })
}

/// Two changes after which the database is as before: the engine checkpoints a changed database only. If the second fails,
/// the next `prune` makes up for it.
pub(crate) fn write_and_remove(connection: &Connection, database: &str) -> Result<(), EngineError> {
    let table = side_table(database, TABLE);
    let entry = Entry { null_words: false, outcome: StoredOutcome::Done(String::new()) };
    let text = serde_json::to_string(&entry).map_err(|error| EngineError::Internal(error.to_string()))?;
    connection.execute(&format!("INSERT INTO {table} VALUES ('', {})", quote_literal(&text)))?;
    connection.execute(&format!("DELETE FROM {table} WHERE query_id = ''")).map(drop)
}

/// Removes the outcomes whose statements have their end on disk. What cannot be removed now goes with the next.
pub(crate) fn prune(connection: &Connection, shared: &Shared) {
    let databases = std::mem::take(&mut shared.unsettled_outcomes.state().databases);
    for database in databases.into_iter().filter(|name| shared.has_database(name)) {
        let pruned = transaction::within(connection, || prune_database(connection, shared, &database));
        if !matches!(pruned, Ok(Left::Nothing)) {
            shared.unsettled_outcomes.state().databases.insert(database);
        }
    }
}

#[derive(PartialEq, Eq)]
enum Left {
    Nothing,
    Unsettled,
}

fn prune_database(connection: &Connection, shared: &Shared, database: &str) -> Result<Left, EngineError> {
    let table = side_table(database, TABLE);
    // Begins the transaction before the list is read: an outcome that is committed later is not seen and so not removed.
    connection.execute(&format!("SELECT 1 FROM {table} LIMIT 1"))?;
    let unsettled: Vec<String> =
        shared.unsettled_outcomes.state().query_ids.iter().map(|query_id| quote_literal(query_id)).collect();
    let condition = match unsettled.as_slice() {
        [] => String::new(),
        _ => format!(" WHERE query_id NOT IN ({})", unsettled.join(", ")),
    };
    connection.execute(&format!("DELETE FROM {table}{condition}"))?;
    Ok(if unsettled.is_empty() { Left::Nothing } else { Left::Unsettled })
}
