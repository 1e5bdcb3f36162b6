//! Staged files that a statement reads: relations that are opened for it and closed before the next one.

use firn_engine::{EngineError, ExecutionContext, IncomingFile, Session};
use firn_sql::command::{Ddl, TableSource};
use firn_sql::names::quote_identifier;
use firn_sql::stages::StageName;
use firn_sql::tree::Tree;
use firn_sql::{Command, Failure};

use super::{DuckDbSession, outside_files};
use crate::copy;
use crate::side_tables::StoredObject;
use crate::temporary::engine_identifier;

impl DuckDbSession {
    pub(crate) fn next_staged_number(&mut self) -> String {
        self.staged_count += 1;
        self.staged_count.to_string()
    }

    /// Makes a relation of staged files known until the next statement.
    pub(crate) fn record_staged(&mut self, stored: &StoredObject) {
        self.staged.push(stored.description.name.clone());
        self.temporary.record(stored.clone());
    }

    /// The command with every staged location opened; `None` for the many that have none.
    pub(super) fn with_staged_relations(
        &mut self,
        command: &Command,
        context: &ExecutionContext,
    ) -> Result<Option<Command>, EngineError> {
        let Some(node) = tree_of(command) else { return Ok(None) };
        let has_outside = self.shared.external().is_ok();
        let is_staged = copy::has_staged_relation(node);
        if !is_staged && !has_outside {
            return Ok(None);
        }
        let mut command = command.clone();
        let Some(node) = tree_of_mut(&mut command) else { return Ok(None) };
        let changed = has_outside && outside_files::readdress(self, node)?;
        if is_staged {
            copy::open_staged_relations(self, node, context)?;
        }
        Ok((changed || is_staged).then_some(command))
    }

    /// Keeps files from outside until the next statement.
    pub(crate) fn keep_fetched(&mut self, files: Vec<IncomingFile>) {
        self.fetched.extend(files);
    }

    /// The files of a stage outside are nobody's to touch but for statements.
    pub(super) fn refuse_outside(&self, stage: &StageName) -> Result<(), EngineError> {
        match stage {
            StageName::Named(name) if self.stage(name)?.is_some_and(|stage| stage.definition.external.is_some()) => {
                Err(Failure::unsupported("files of an external stage by themselves; ask its storage for them").into())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn close_staged(&mut self) -> Result<(), EngineError> {
        for name in std::mem::take(&mut self.staged).into_iter().rev() {
            let kind = if name.schema() == "files" { "VIEW" } else { "TABLE" };
            let relation = quote_identifier(&engine_identifier(&name));
            self.connection.execute(&format!("DROP {kind} IF EXISTS temp.main.{relation}"))?;
            self.temporary.forget(&name);
        }
        self.fetched.clear();
        Ok(())
    }
}

/// What of a command can read staged files.
fn tree_of(command: &Command) -> Option<&dyn Tree> {
    match command {
        Command::Query(query) => Some(&**query),
        Command::Dml(dml) => Some(&*dml.statement),
        Command::Ddl(Ddl::CreateTable(table)) => match &table.source {
            TableSource::Query(query) => Some(&**query),
            _ => None,
        },
        _ => None,
    }
}

fn tree_of_mut(command: &mut Command) -> Option<&mut dyn Tree> {
    match command {
        Command::Query(query) => Some(&mut **query),
        Command::Dml(dml) => Some(&mut *dml.statement),
        Command::Ddl(Ddl::CreateTable(table)) => match &mut table.source {
            TableSource::Query(query) => Some(&mut **query),
            _ => None,
        },
        _ => None,
    }
}
