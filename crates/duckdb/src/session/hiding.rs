//! Temporary objects that hide permanent ones of their names. While a procedure runs with the rights of another role, these are set
//! aside: its names mean what its owner means.

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
        let Hiding { tables, stages, formats } = self.hiding()?;
        let mut aside = SetAside::default();
        for name in tables {
            aside.tables.extend(self.temporary.stored(&name).cloned());
            self.temporary.forget(&name);
        }
        aside.stages.extend(stages.iter().filter_map(|name| self.temporary_stages.take(name)));
        aside.formats.extend(formats.iter().filter_map(|name| self.temporary_formats.take(name)));
        self.set_aside.push(aside);
        Ok(())
    }

    /// Restores what was set aside last. What got one of the names meanwhile gives way to it.
    pub(crate) fn restore_hiding(&mut self) {
        let Some(SetAside { tables, stages, formats }) = self.set_aside.pop() else { return };
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

    fn hiding(&self) -> Result<Hiding, EngineError> {
        let mut hiding = Hiding::default();
        for name in self.temporary.names() {
            if self.shared.catalog.object(&self.connection, name)?.is_some() {
                hiding.tables.push(name.clone());
            }
        }
        for name in self.temporary_stages.names() {
            if staging::stage(&self.connection, name)?.is_some() {
                hiding.stages.push(name.clone());
            }
        }
        for name in self.temporary_formats.names() {
            if staging::file_format(&self.connection, name)?.is_some() {
                hiding.formats.push(name.clone());
            }
        }
        Ok(hiding)
    }
}
