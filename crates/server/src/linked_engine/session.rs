//! A session that reaches linked databases too: it dispatches by the database of a name, and a query by the databases that it reads.

use std::ops::ControlFlow;
use std::sync::Arc;

use firn_engine::{
    DroppedObject, EngineError, ExecutionContext, FormatDescription, Interrupt, ObjectDescription, Outcome, PlanStep,
    PreparedTemplate, ProfiledStep, RoutineDescription, SchemaDescription, Session, StageDescription, TableSize,
    Waited,
};
use firn_spark::{LinkedDatabase, LinkedSession};
use firn_sql::ast::{ObjectName as TreeName, Query, Visitor};
use firn_sql::command::{Ddl, Explain};
use firn_sql::names::INFORMATION_SCHEMA;
use firn_sql::stages::StageName;
use firn_sql::template::TemplateValue;
use firn_sql::tree::{Tree, complete_name};
use firn_sql::{Command, Failure, ObjectName};

use super::links::Links;

pub(super) struct RoutedSession {
    embedded: Box<dyn Session>,
    linked: LinkedSession,
    links: Arc<Links>,
}

impl RoutedSession {
    pub(super) fn new(embedded: Box<dyn Session>, links: Arc<Links>) -> Self {
        Self { embedded, linked: links.open_session(), links }
    }

    /// The linked databases that a query reads.
    fn read_by(&self, query: &Query) -> Result<Vec<LinkedDatabase>, EngineError> {
        let mut names = Databases(Vec::new());
        // The visitor never breaks.
        let _ = query.walk(&mut names);
        let found = names.0.iter().filter_map(|database| self.links.linked(database).transpose());
        found.collect()
    }
}

/// The databases of the relations that a query names.
struct Databases(Vec<String>);

impl Visitor for Databases {
    type Break = Failure;

    fn pre_visit_relation(&mut self, relation: &TreeName) -> ControlFlow<Failure> {
        if let Some(name) = complete_name(relation)
            && !self.0.iter().any(|known| known == name.database())
        {
            self.0.push(name.database().to_owned());
        }
        ControlFlow::Continue(())
    }
}

/// Interrupts both engines: which one works is not known.
struct Both {
    embedded: Arc<dyn Interrupt>,
    linked: Arc<dyn Interrupt>,
}

impl Interrupt for Both {
    fn interrupt(&self) {
        self.linked.interrupt();
        self.embedded.interrupt();
    }

    fn is_interrupted(&self) -> bool {
        self.embedded.is_interrupted()
    }

    fn is_planning(&self) -> bool {
        self.embedded.is_planning()
    }

    fn is_deaf(&self) -> bool {
        self.embedded.is_deaf()
    }

    fn percent_done(&self) -> Option<f64> {
        self.linked.percent_done().or_else(|| self.embedded.percent_done())
    }
}

impl Session for RoutedSession {
    fn interrupter(&self) -> Arc<dyn Interrupt> {
        Arc::new(Both { embedded: self.embedded.interrupter(), linked: self.linked.interrupter() })
    }

    fn renew_interrupter(&mut self) {
        self.embedded.renew_interrupter();
        self.linked.renew_interrupter();
    }

    fn reserve(&mut self, tables: &[ObjectName]) -> Result<(), EngineError> {
        self.embedded.reserve(tables)
    }

    fn lock(&mut self, command: &Command) -> Result<Waited, EngineError> {
        self.embedded.lock(command)
    }

    fn release(&mut self) {
        self.embedded.release();
    }

    fn publish_definitions(&mut self) {
        self.embedded.publish_definitions();
    }

    fn execute<'session>(
        &'session mut self,
        command: &Command,
        context: &ExecutionContext,
    ) -> Result<Outcome<'session>, EngineError> {
        if let Command::Query(query) = command {
            let databases = self.read_by(query)?;
            if !databases.is_empty() {
                return Ok(Outcome::Rows(self.linked.query(query, &databases, context)?));
            }
        }
        self.embedded.execute(command, context)
    }

    fn shield(&mut self) {
        self.embedded.shield();
    }

    fn define(&mut self, commands: &[Ddl], context: &ExecutionContext) -> Result<(), EngineError> {
        self.embedded.define(commands, context)
    }

    fn append(&mut self, tables: &[(ObjectName, Vec<Vec<Option<String>>>)]) -> Result<(), EngineError> {
        self.embedded.append(tables)
    }

    fn prepare_template(
        &self,
        command: &Command,
        values: &[TemplateValue],
        tables: &[ObjectName],
        context: &ExecutionContext,
    ) -> Result<Option<PreparedTemplate>, EngineError> {
        for table in tables {
            if self.links.linked(table.database())?.is_some() {
                return Ok(None);
            }
        }
        self.embedded.prepare_template(command, values, tables, context)
    }

    fn execute_template<'session>(
        &'session mut self,
        template: &PreparedTemplate,
        values: &[TemplateValue],
        context: &ExecutionContext,
    ) -> Result<Outcome<'session>, EngineError> {
        self.embedded.execute_template(template, values, context)
    }

    fn wants_wide_integers(&self, failure: &Failure) -> bool {
        LinkedSession::wants_wide_integers(failure) || self.embedded.wants_wide_integers(failure)
    }

    fn explain(&mut self, command: &Command, context: &ExecutionContext) -> Result<Vec<PlanStep>, EngineError> {
        let query = match command {
            Command::Query(query) => Some(query),
            Command::Explain(Explain { command, .. }) => match command.as_ref() {
                Command::Query(query) => Some(query),
                _ => None,
            },
            _ => None,
        };
        if let Some(query) = query {
            let databases = self.read_by(query)?;
            if !databases.is_empty() {
                return self.linked.explain(query, &databases, context);
            }
        }
        self.embedded.explain(command, context)
    }

    fn begin_profile(&mut self) -> Result<(), EngineError> {
        self.embedded.begin_profile()
    }

    fn end_profile(&mut self) -> Vec<ProfiledStep> {
        self.embedded.end_profile()
    }

    fn describe(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        match self.links.linked(name.database())? {
            Some(database) if name.schema() != INFORMATION_SCHEMA => self.linked.describe(&database, name),
            _ => self.embedded.describe(name),
        }
    }

    fn describe_permanent(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        match self.links.linked(name.database())? {
            Some(database) if name.schema() != INFORMATION_SCHEMA => self.linked.describe(&database, name),
            _ => self.embedded.describe_permanent(name),
        }
    }

    fn schemas(&self, database: &str) -> Result<Vec<SchemaDescription>, EngineError> {
        match self.links.linked(database)? {
            Some(database) => self.linked.schemas(&database),
            None => self.embedded.schemas(database),
        }
    }

    fn objects(&self, database: &str, schema: Option<&str>) -> Result<Vec<Arc<ObjectDescription>>, EngineError> {
        match self.links.linked(database)? {
            Some(database) => self.linked.objects(&database, schema),
            None => self.embedded.objects(database, schema),
        }
    }

    fn permanent_objects(
        &self,
        database: &str,
        schema: Option<&str>,
    ) -> Result<Vec<Arc<ObjectDescription>>, EngineError> {
        match self.links.linked(database)? {
            Some(database) => self.linked.objects(&database, schema),
            None => self.embedded.permanent_objects(database, schema),
        }
    }

    fn permanent_stages(&self, database: &str, schema: Option<&str>) -> Result<Vec<StageDescription>, EngineError> {
        self.embedded.permanent_stages(database, schema)
    }

    fn permanent_file_formats(
        &self,
        database: &str,
        schema: Option<&str>,
    ) -> Result<Vec<FormatDescription>, EngineError> {
        self.embedded.permanent_file_formats(database, schema)
    }

    fn end_orphaned(&mut self) -> Result<(), EngineError> {
        self.linked.forget();
        self.embedded.end_orphaned()
    }

    fn set_temporary_aside(&mut self) {
        self.embedded.set_temporary_aside();
    }

    fn take_temporary_back(&mut self) {
        self.embedded.take_temporary_back();
    }

    fn table_sizes(&self, tables: &[ObjectName]) -> Result<Vec<Option<TableSize>>, EngineError> {
        self.embedded.table_sizes(tables)
    }

    fn stage(&self, name: &ObjectName) -> Result<Option<StageDescription>, EngineError> {
        self.embedded.stage(name)
    }

    fn stages(&self, database: &str, schema: Option<&str>) -> Result<Vec<StageDescription>, EngineError> {
        self.embedded.stages(database, schema)
    }

    fn file_format(&self, name: &ObjectName) -> Result<Option<FormatDescription>, EngineError> {
        self.embedded.file_format(name)
    }

    fn file_formats(&self, database: &str, schema: Option<&str>) -> Result<Vec<FormatDescription>, EngineError> {
        self.embedded.file_formats(database, schema)
    }

    fn stage_folder(&self, stage: &StageName, user_id: i64) -> Result<Option<String>, EngineError> {
        self.embedded.stage_folder(stage, user_id)
    }

    fn stage_folder_for_writing(&mut self, stage: &StageName, user_id: i64) -> Result<Option<String>, EngineError> {
        self.embedded.stage_folder_for_writing(stage, user_id)
    }

    fn routines(&self, database: &str) -> Result<Vec<RoutineDescription>, EngineError> {
        self.embedded.routines(database)
    }

    fn dropped(&self, database: &str) -> Result<Vec<DroppedObject>, EngineError> {
        self.embedded.dropped(database)
    }

    fn retention_days(&self, database: &str, schema: &str) -> Result<u8, EngineError> {
        match self.links.linked(database)? {
            // Nothing there comes back.
            Some(_) if !schema.is_empty() => Ok(0),
            _ => self.embedded.retention_days(database, schema),
        }
    }

    fn in_transaction(&self) -> bool {
        self.embedded.in_transaction()
    }

    fn is_replaceable(&self) -> bool {
        self.embedded.is_replaceable()
    }

    fn lock_owner(&self) -> u64 {
        self.embedded.lock_owner()
    }

    fn note_failure(&mut self) {
        self.embedded.note_failure();
    }

    fn restore_transaction(&mut self) -> Result<(), EngineError> {
        self.embedded.restore_transaction()
    }
}
