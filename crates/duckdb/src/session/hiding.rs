//! Temporary objects that hide permanent ones of their names. While a procedure runs with the rights of another role, these are set
//! aside: its names mean what its owner means.

use std::collections::HashSet;

use firn_duckdb_lower::stored::StoredObject;
use firn_engine::EngineError;
use firn_sql::ObjectName;

use crate::session_state::SessionState;
use crate::staging::{self, Record};

/// What was set aside for one procedure.
#[derive(Default)]
pub(crate) struct SetAside {
    tables: Vec<StoredObject>,
    stages: Vec<Record>,
    formats: Vec<Record>,
    /// The identities of what there was before: what the procedure makes itself it means itself.
    of_caller: HashSet<i64>,
}

/// The names of temporary objects that hide permanent ones.
#[derive(Default)]
struct Hiding {
    tables: Vec<ObjectName>,
    stages: Vec<ObjectName>,
    formats: Vec<ObjectName>,
}

impl SessionState {
    pub(super) fn set_hiding_aside(&mut self) -> Result<(), EngineError> {
        let tables = self.temporary.names().filter_map(|name| self.temporary.description(name)).map(|table| table.id);
        let stages = self.temporary_stages.names().filter_map(|name| self.temporary_stages.find(name));
        let formats = self.temporary_formats.names().filter_map(|name| self.temporary_formats.find(name));
        let of_caller = tables.chain(stages.chain(formats).map(|record| record.id)).collect();
        self.set_aside.push(SetAside { of_caller, ..SetAside::default() });
        let outcome = self.set_more_aside();
        if outcome.is_err() {
            self.restore_hiding();
        }
        outcome
    }

    /// Sets aside what hides a permanent object that the procedure has just made.
    pub(super) fn set_more_aside(&mut self) -> Result<(), EngineError> {
        let Some(aside) = self.set_aside.last() else { return Ok(()) };
        let Hiding { tables, stages, formats } = self.hiding(&aside.of_caller)?;
        let tables: Vec<StoredObject> = tables.iter().filter_map(|name| self.temporary.stored(name).cloned()).collect();
        tables.iter().for_each(|table| self.temporary.forget(&table.description.name));
        let stages: Vec<Record> = stages.iter().filter_map(|name| self.temporary_stages.take(name)).collect();
        let formats: Vec<Record> = formats.iter().filter_map(|name| self.temporary_formats.take(name)).collect();
        if let Some(aside) = self.set_aside.last_mut() {
            aside.tables.extend(tables);
            aside.stages.extend(stages);
            aside.formats.extend(formats);
        }
        Ok(())
    }

    /// Restores what was set aside last. What got one of the names meanwhile gives way to it.
    pub(crate) fn restore_hiding(&mut self) {
        let Some(SetAside { tables, stages, formats, .. }) = self.set_aside.pop() else { return };
        for table in tables {
            self.temporary.record(table);
        }
        for stage in stages {
            if let Some(folder) = self.temporary_stages.take(&stage.name).and_then(|meanwhile| meanwhile.folder) {
                self.shared.abandon_folder(&folder);
            }
            self.temporary_stages.put(stage);
        }
        for format in formats {
            drop(self.temporary_formats.take(&format.name));
            self.temporary_formats.put(format);
        }
    }

    fn hiding(&self, among: &HashSet<i64>) -> Result<Hiding, EngineError> {
        let mut hiding = Hiding::default();
        for name in self.temporary.names() {
            let is_among = self.temporary.description(name).is_some_and(|table| among.contains(&table.id));
            if is_among && self.shared.catalog.object(&self.connection, name)?.is_some() {
                hiding.tables.push(name.clone());
            }
        }
        for name in self.temporary_stages.names() {
            let is_among = self.temporary_stages.find(name).is_some_and(|stage| among.contains(&stage.id));
            if is_among && staging::stage(&self.connection, name)?.is_some() {
                hiding.stages.push(name.clone());
            }
        }
        for name in self.temporary_formats.names() {
            let is_among = self.temporary_formats.find(name).is_some_and(|format| among.contains(&format.id));
            if is_among && staging::file_format(&self.connection, name)?.is_some() {
                hiding.formats.push(name.clone());
            }
        }
        Ok(hiding)
    }
}
