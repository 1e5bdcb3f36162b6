//! The temporary objects of a caller. While a procedure runs with the rights of another role, these are set aside: the procedure
//! does not see them, and may make temporary objects of its own by their names.

use firn_duckdb_lower::temporary::TableAside;
use firn_sql::command::ObjectKind;

use crate::session_state::SessionState;
use crate::staging::Record;

/// What was set aside for one procedure.
#[derive(Default)]
pub(crate) struct SetAside {
    tables: Vec<TableAside>,
    stages: Vec<Record>,
    formats: Vec<Record>,
}

impl SessionState {
    pub(super) fn set_temporary_aside(&mut self) {
        let stages: Vec<_> = self.temporary_stages.names().cloned().collect();
        let formats: Vec<_> = self.temporary_formats.names().cloned().collect();
        self.set_aside.push(SetAside {
            tables: self.temporary.set_aside(),
            stages: stages.iter().filter_map(|name| self.temporary_stages.take(name)).collect(),
            formats: formats.iter().filter_map(|name| self.temporary_formats.take(name)).collect(),
        });
    }

    /// Takes back what was set aside last. What got one of the names meanwhile gives way to it.
    pub(crate) fn take_temporary_back(&mut self) {
        let Some(SetAside { tables, stages, formats }) = self.set_aside.pop() else { return };
        for table in tables {
            self.drop_table_of_name(&table);
            self.temporary.take_back(table);
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

    /// What cannot be dropped now, because the transaction is to be rolled back, goes with the session.
    fn drop_table_of_name(&mut self, aside: &TableAside) {
        let Some(meanwhile) = self.temporary.description(aside.name()) else { return };
        let kind = if meanwhile.kind == ObjectKind::View { "VIEW" } else { "TABLE" };
        let relation = self.temporary.engine_name(aside.name());
        drop(self.connection.execute(&format!("DROP {kind} IF EXISTS {relation}")));
        self.temporary.forget(aside.name());
    }
}
