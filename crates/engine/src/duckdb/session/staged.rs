//! Staged files that a statement reads: relations that are opened for it and closed before the next one.

use firn_sql::Command;
use firn_sql::command::{Ddl, TableSource};
use firn_sql::names::quote_identifier;
use firn_sql::tree::Tree;

use super::DuckDbSession;
use crate::duckdb::copy;
use crate::duckdb::side_tables::StoredObject;
use crate::duckdb::temporary::engine_identifier;
use crate::{EngineError, ExecutionContext};

impl DuckDbSession {
    pub(in crate::duckdb) fn next_staged_number(&mut self) -> String {
        self.staged_count += 1;
        self.staged_count.to_string()
    }

    /// Makes a relation of staged files known until the next statement.
    pub(in crate::duckdb) fn record_staged(&mut self, stored: &StoredObject) {
        self.staged.push(stored.description.name.clone());
        self.temporary.record(stored.clone());
    }

    /// The command with every staged location opened; `None` for the many that have none.
    pub(super) fn with_staged_relations(
        &mut self,
        command: &Command,
        context: &ExecutionContext,
    ) -> Result<Option<Command>, EngineError> {
        let node: &dyn Tree = match command {
            Command::Query(query) => &**query,
            Command::Dml(dml) => &*dml.statement,
            Command::Ddl(Ddl::CreateTable(table)) => match &table.source {
                TableSource::Query(query) => &**query,
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        if !copy::has_staged_relation(node) {
            return Ok(None);
        }
        let mut command = command.clone();
        match &mut command {
            Command::Query(query) => copy::open_staged_relations(self, &mut **query, context)?,
            Command::Dml(dml) => copy::open_staged_relations(self, &mut *dml.statement, context)?,
            Command::Ddl(Ddl::CreateTable(table)) => {
                if let TableSource::Query(query) = &mut table.source {
                    copy::open_staged_relations(self, &mut **query, context)?;
                }
            }
            _ => {}
        }
        Ok(Some(command))
    }

    pub(super) fn close_staged(&mut self) -> Result<(), EngineError> {
        for name in std::mem::take(&mut self.staged).into_iter().rev() {
            let kind = if name.schema() == "files" { "VIEW" } else { "TABLE" };
            let relation = quote_identifier(&engine_identifier(&name));
            self.connection.execute(&format!("DROP {kind} IF EXISTS temp.main.{relation}"))?;
            self.temporary.forget(&name);
        }
        Ok(())
    }
}
