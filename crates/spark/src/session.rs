//! What a session does on clusters: it looks tables up, and runs queries over them.

use std::sync::Arc;

use firn_binder::{RelationSchema, SchemaError, SchemaProvider};
use firn_engine::{
    EngineError, ExecutionContext, Interrupt, ObjectDescription, PlanStep, RowStream, SchemaDescription,
};
use firn_sql::ast::Query;
use firn_sql::{Failure, ObjectName};

use crate::clusters::Clusters;
use crate::connect::{Cluster, ConnectError, Operation};
use crate::interrupter::Interrupter;
use crate::lower::{Lowered, RemoteTable, RemoteTables, lower_query, refused};
use crate::remote_catalog::{Asked, Described, LinkedDatabase, RemoteCatalog, texts};
use crate::result_columns::wire_columns;
use crate::rows::Rows;

pub struct LinkedSession {
    clusters: Arc<Clusters>,
    interrupter: Arc<Interrupter>,
    catalog: RemoteCatalog,
}

impl LinkedSession {
    pub fn new(clusters: Arc<Clusters>) -> Self {
        Self { clusters, interrupter: Arc::new(Interrupter::new()), catalog: RemoteCatalog::default() }
    }

    pub fn interrupter(&self) -> Arc<dyn Interrupt> {
        self.interrupter.clone()
    }

    pub fn renew_interrupter(&mut self) {
        self.interrupter = Arc::new(Interrupter::new());
    }

    /// Whether a statement that failed so may succeed with `Integers::Wide`.
    pub fn wants_wide_integers(failure: &Failure) -> bool {
        failure.code == crate::connect::OVERFLOW_CODE
    }

    /// What was looked up for a statement is not for the next one.
    pub fn forget(&self) {
        self.catalog.forget();
    }

    pub fn schemas(&self, database: &LinkedDatabase) -> Result<Vec<SchemaDescription>, EngineError> {
        self.asking(database, |asked| self.catalog.schemas(asked))
    }

    pub fn objects(
        &self,
        database: &LinkedDatabase,
        schema: Option<&str>,
    ) -> Result<Vec<Arc<ObjectDescription>>, EngineError> {
        self.asking(database, |asked| self.catalog.objects(asked, schema))
    }

    pub fn describe(
        &self,
        database: &LinkedDatabase,
        name: &ObjectName,
    ) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        Ok(self.table(database, name)?.map(|described| described.object))
    }

    /// Runs a query that reads the tables of these databases alone, which are on one cluster.
    pub fn query(
        &self,
        query: &Query,
        databases: &[LinkedDatabase],
        context: &ExecutionContext,
    ) -> Result<Box<dyn RowStream>, EngineError> {
        let cluster = self.cluster_of(databases)?;
        let lowered = self.lower(query, databases, context)?;
        let columns = wire_columns(&lowered.columns)?;
        let (first, operation) = self.begin(&cluster, &lowered.sql, &context.timezone)?;
        Ok(Box::new(Rows::new(first, operation, columns, &context.formats)))
    }

    pub fn explain(
        &self,
        query: &Query,
        databases: &[LinkedDatabase],
        context: &ExecutionContext,
    ) -> Result<Vec<PlanStep>, EngineError> {
        let cluster = self.cluster_of(databases)?;
        let lowered = self.lower(query, databases, context)?;
        let explained =
            cluster.query(&format!("EXPLAIN {}", lowered.sql), &context.timezone, &self.interrupter.control())?;
        let shown: Vec<String> = texts(explained)?.into_iter().flatten().flatten().collect();
        let lines = shown.iter().flat_map(|text| text.lines()).filter(|line| !line.trim().is_empty());
        let step = |(id, line): (usize, &str)| PlanStep {
            id,
            parent: id.checked_sub(1),
            operation: line.trim_start_matches([' ', ':', '+', '-', '*']).to_owned(),
            object: None,
            expressions: None,
        };
        Ok(lines.enumerate().map(step).collect())
    }

    fn lower(
        &self,
        query: &Query,
        databases: &[LinkedDatabase],
        context: &ExecutionContext,
    ) -> Result<Lowered, EngineError> {
        let tables = Tables { session: self, databases };
        lower_query(query, &tables, &tables, context)
    }

    fn cluster_of(&self, databases: &[LinkedDatabase]) -> Result<Arc<Cluster>, EngineError> {
        let Some((first, others)) = databases.split_first() else {
            return Err(EngineError::Internal("a query without linked databases was sent to a cluster".to_owned()));
        };
        let is_same = |other: &LinkedDatabase| {
            (&other.target.endpoint, &other.target.token) == (&first.target.endpoint, &first.target.token)
        };
        match others.iter().all(is_same) {
            true => Ok(self.clusters.cluster(&first.target)?),
            false => Err(refused("statement that reads tables of several clusters").into()),
        }
    }

    /// Starts a query and waits for its first rows, so that what is wrong with it is known. A session that the cluster has lost,
    /// because it was started anew, is replaced.
    fn begin(&self, cluster: &Cluster, sql: &str, timezone: &str) -> Result<(Option<Vec<u8>>, Operation), EngineError> {
        let control = self.interrupter.control();
        let mut operation = cluster.query(sql, timezone, &control)?;
        match operation.next() {
            Ok(first) => Ok((first, operation)),
            Err(error) if is_lost_session(&error) => {
                cluster.forget_sessions();
                let mut operation = cluster.query(sql, timezone, &control)?;
                Ok((operation.next()?, operation))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn table(&self, database: &LinkedDatabase, name: &ObjectName) -> Result<Option<Described>, EngineError> {
        self.asking(database, |asked| self.catalog.table(asked, name))
    }

    /// Asks a cluster, and once more if it was started anew since the last time.
    fn asking<T>(
        &self,
        database: &LinkedDatabase,
        ask: impl Fn(Asked<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let cluster = self.clusters.cluster(&database.target)?;
        let control = self.interrupter.control();
        let asked = Asked { database, cluster: &cluster, control: &control };
        match ask(asked) {
            Err(EngineError::Failed(failure)) if failure.sql_state == crate::connect::LOST_SESSION_STATE => {
                cluster.forget_sessions();
                ask(asked)
            }
            outcome => outcome,
        }
    }
}

fn is_lost_session(error: &ConnectError) -> bool {
    matches!(error, ConnectError::Refused(refusal) if refusal.is_lost_session())
}

/// The tables of linked databases, for the binder and the lowering.
struct Tables<'a> {
    session: &'a LinkedSession,
    databases: &'a [LinkedDatabase],
}

impl Tables<'_> {
    fn find(&self, name: &ObjectName) -> Result<Option<Described>, EngineError> {
        match self.databases.iter().find(|database| database.name == name.database()) {
            Some(database) => self.session.table(database, name),
            None => Ok(None),
        }
    }
}

impl SchemaProvider for Tables<'_> {
    fn relation(&self, name: &ObjectName) -> Result<Option<Arc<dyn RelationSchema>>, SchemaError> {
        match self.find(name) {
            Ok(found) => Ok(found.map(|described| described.object as Arc<dyn RelationSchema>)),
            Err(error) => Err(SchemaError(Box::new(error))),
        }
    }
}

impl RemoteTables for Tables<'_> {
    fn remote(&self, name: &ObjectName) -> Result<Arc<RemoteTable>, Failure> {
        match self.find(name) {
            Ok(Some(described)) => Ok(described.remote),
            Ok(None) => Err(Failure::missing_object("Table", &name.to_string())),
            Err(EngineError::Failed(failure)) => Err(failure),
            Err(_) => Err(refused("table that cannot be looked up")),
        }
    }
}
