//! A session on one connection: queries, DML, DDL and transactions. A table that is written to is
//! locked first, and outside a transaction every command commits by itself.

use std::sync::Arc;

use firn_sql::command::{Ddl, Dml, DmlKind, InsertMany, Transaction};
use firn_sql::tree::Tree;
use firn_sql::{Command, Failure, ObjectName, ast, print};

use super::chunks::{ChunkStream, ResultColumn};
use super::connection::Connection;
use super::describe::{self, Lookup};
use super::dialect::{self, Surroundings, Visibility};
use super::encode::Rows;
use super::locks::{HeldLocks, LockMode};
use super::logical_type::LogicalType;
use super::pool::PooledConnection;
use super::shared::Shared;
use super::temporary::TemporaryTables;
use super::{ddl, dml, errors, information_schema, insert_many, origins, transaction};
use crate::{
    DmlCounts, EngineError, ExecutionContext, Interrupt, ObjectDescription, Outcome, SchemaDescription, Session,
};

/// How often a command that met another writer is tried before the caller hears of it.
const CONFLICT_TRIES: u32 = 5;

pub(crate) struct DuckDbSession {
    pub(super) connection: PooledConnection,
    pub(super) shared: Arc<Shared>,
    pub(super) temporary: TemporaryTables,
    held: HeldLocks,
    transaction_is_open: bool,
}

impl DuckDbSession {
    pub(crate) fn new(connection: PooledConnection, shared: Arc<Shared>) -> Self {
        let held = HeldLocks::none(&shared.locks);
        Self { connection, shared, temporary: TemporaryTables::default(), held, transaction_is_open: false }
    }

    fn query(&self, query: &ast::Query, context: &ExecutionContext) -> Result<Rows<'_>, EngineError> {
        let sql = self.print_query(query, context)?;
        let origins = origins::of_query(query, self)?;
        let stream = self.connection.stream(&sql)?;
        refuse_whole_rows(&stream)?;
        Rows::new(stream, &origins, &context.formats)
    }

    fn print_query(&self, query: &ast::Query, context: &ExecutionContext) -> Result<String, EngineError> {
        let mut query = query.clone();
        dialect::rewrite(&mut query, &self.surroundings(context))?;
        Ok(print::into_sql(query))
    }

    pub(super) fn surroundings<'session>(
        &'session self,
        context: &'session ExecutionContext,
    ) -> Surroundings<'session> {
        Surroundings {
            temporary: &self.temporary,
            visibility: Visibility::of(context),
            lookup: self,
            binary: context.formats.binary,
        }
    }

    fn dml(&mut self, command: &Dml, context: &ExecutionContext) -> Result<DmlCounts, EngineError> {
        let target = self.find(&command.target)?;
        let target = target.ok_or_else(|| Failure::missing_object("Table", &command.target.to_string()))?;
        let prepared = dml::prepare(command, &target, &self.surroundings(context))?;
        if self.transaction_is_open {
            self.lock(vec![(command.target.clone(), LockMode::Exclusive)])?;
            return dml::run(&self.connection, command, &prepared);
        }
        let mode = if command.kind == DmlKind::Insert { LockMode::Shared } else { LockMode::Exclusive };
        self.lock(vec![(command.target.clone(), mode)])?;
        let counts = self.with_retries(|session| {
            let connection: &Connection = &session.connection;
            if prepared.needs_transaction() {
                transaction::within(connection, || dml::run(connection, command, &prepared))
            } else {
                dml::run(connection, command, &prepared)
            }
        });
        self.held.release();
        counts
    }

    fn insert_many(
        &mut self,
        command: &InsertMany,
        context: &ExecutionContext,
    ) -> Result<Vec<(ObjectName, u64)>, EngineError> {
        let in_transaction = self.transaction_is_open;
        let mode = if command.overwrite || in_transaction { LockMode::Exclusive } else { LockMode::Shared };
        self.lock(insert_many::targets(command).into_iter().map(|table| (table, mode)).collect())?;
        let counts = self.with_retries(|session| {
            ddl::with_work(session, context, in_transaction, |connection, work| {
                insert_many::run(connection, work, command)
            })
        });
        if !in_transaction {
            self.held.release();
        }
        counts
    }

    fn ddl(&mut self, command: &Ddl, context: &ExecutionContext) -> Result<String, EngineError> {
        if self.transaction_is_open {
            self.commit()?;
        }
        let touched = ddl::touched(command);
        self.lock(touched.iter().map(|name| (name.clone(), LockMode::Exclusive)).collect())?;
        let done = self.with_retries(|session| ddl::run(session, command, context));
        self.held.release();
        if done.is_ok() {
            ddl::forget(&self.shared.catalog, command, &touched);
        }
        done
    }

    fn transaction(&mut self, command: Transaction) -> Result<String, EngineError> {
        match (command, self.transaction_is_open) {
            (Transaction::Begin, false) => {
                self.connection.execute("BEGIN TRANSACTION")?;
                self.transaction_is_open = true;
            }
            (Transaction::Commit, true) => self.commit()?,
            (Transaction::Rollback, true) => self.end_transaction("ROLLBACK")?,
            (Transaction::Begin, true) | (Transaction::Commit | Transaction::Rollback, false) => {}
        }
        Ok("Statement executed successfully.".to_owned())
    }

    /// The engine would answer the COMMIT of a failed transaction with success, and keep nothing of it.
    fn commit(&mut self) -> Result<(), EngineError> {
        match self.connection.execute("SELECT 1") {
            Ok(_) => self.end_transaction("COMMIT"),
            Err(error) => {
                self.end_transaction("ROLLBACK")?;
                Err(error)
            }
        }
    }

    /// Whatever the engine answers, the transaction is over afterwards and its locks are free.
    fn end_transaction(&mut self, how: &str) -> Result<(), EngineError> {
        let ended = self.connection.execute(how);
        self.transaction_is_open = false;
        self.held.release();
        ended.map(drop)
    }

    fn lock(&mut self, wanted: Vec<(ObjectName, LockMode)>) -> Result<(), EngineError> {
        let connection = &self.connection;
        self.held.acquire(wanted, || connection.was_interrupted())
    }

    fn with_retries<T>(
        &mut self,
        mut attempt: impl FnMut(&mut Self) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        for _ in 1..CONFLICT_TRIES {
            match attempt(self) {
                Err(EngineError::Conflict(_)) => std::thread::yield_now(),
                outcome => return outcome,
            }
        }
        attempt(self)
    }
}

impl Lookup for DuckDbSession {
    /// A table, view or sequence; temporary tables hide permanent ones.
    fn find(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        if let Some(description) = self.temporary.description(name) {
            return Ok(Some(description));
        }
        if let Some(view) = information_schema::describe(name) {
            return Ok(Some(view));
        }
        if !self.shared.has_database(name.database()) {
            return Ok(None);
        }
        self.shared.catalog.object(&self.connection, name)
    }
}

impl Session for DuckDbSession {
    fn interrupter(&self) -> Arc<dyn Interrupt> {
        self.connection.interrupter()
    }

    fn reserve(&mut self, tables: &[ObjectName]) -> Result<(), EngineError> {
        self.lock(tables.iter().map(|name| (name.clone(), LockMode::Exclusive)).collect())
    }

    fn execute<'session>(
        &'session mut self,
        command: &Command,
        context: &ExecutionContext,
    ) -> Result<Outcome<'session>, EngineError> {
        self.connection.set_timezone(&context.timezone)?;
        match command {
            Command::Query(query) => match self.query(query, context) {
                Ok(rows) => Ok(Outcome::Rows(Box::new(rows))),
                Err(error) => Err(located(error, &**query)),
            },
            Command::Dml(dml) => match self.dml(dml, context) {
                Ok(counts) => Ok(dml::outcome(dml, counts)),
                Err(error) => Err(located(error, &*dml.statement)),
            },
            Command::InsertMany(insert) => self.insert_many(insert, context).map(Outcome::Inserted),
            Command::Ddl(ddl) => self.ddl(ddl, context).map(Outcome::Done),
            Command::Transaction(transaction) => self.transaction(*transaction).map(Outcome::Done),
            Command::Show(_)
            | Command::Describe { .. }
            | Command::Session(_)
            | Command::SetVariables(_)
            | Command::Account(_) => {
                Err(EngineError::Internal("a command that is not the engine's was sent to it".to_owned()))
            }
        }
    }

    fn describe(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        self.find(name)
    }

    fn schemas(&self, database: &str) -> Result<Vec<SchemaDescription>, EngineError> {
        if !self.shared.has_database(database) {
            return Ok(Vec::new());
        }
        Ok(self.shared.catalog.schemas(&self.connection, database)?.to_vec())
    }

    fn objects(&self, database: &str, schema: Option<&str>) -> Result<Vec<Arc<ObjectDescription>>, EngineError> {
        if !self.shared.has_database(database) {
            return Ok(Vec::new());
        }
        let mut objects: Vec<Arc<ObjectDescription>> =
            describe::read_objects(&self.connection, database, schema)?.into_iter().map(Arc::new).collect();
        objects.retain(|object| self.temporary.description(&object.name).is_none());
        objects.extend(self.temporary.within(database, schema));
        objects.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(objects)
    }

    fn in_transaction(&self) -> bool {
        self.transaction_is_open
    }
}

impl Drop for DuckDbSession {
    fn drop(&mut self) {
        let rolled_back = !self.transaction_is_open || self.connection.execute("ROLLBACK").is_ok();
        if !rolled_back || !self.temporary.is_empty() {
            self.connection.retire();
        }
    }
}

/// The engine takes a relation's name for its whole row; in the dialect it is no column.
fn refuse_whole_rows(stream: &ChunkStream<'_>) -> Result<(), Failure> {
    let is_row = |column: &&ResultColumn| matches!(column.logical_type, LogicalType::Struct(_));
    match stream.columns().iter().find(is_row) {
        Some(column) => Err(errors::invalid_identifier(&column.name)),
        None => Ok(()),
    }
}

/// An unknown column is told with its place in the statement's text.
fn located(error: EngineError, node: &dyn Tree) -> EngineError {
    match error {
        EngineError::Failed(failure) => {
            EngineError::Failed(errors::locate_identifier(failure, |name| dialect::place_of_identifier(node, name)))
        }
        other => other,
    }
}
