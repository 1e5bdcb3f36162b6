//! DROP TABLE, VIEW and SEQUENCE; dropping a table without retention also drops the sequences of its columns.

use firn_engine::EngineError;
use firn_sql::ObjectName;
use firn_sql::command::{IfMissing, ObjectKind, Persistence};
use firn_sql::names::display_identifier;

use super::columns::Home;
use super::work::{Work, engine_name};
use crate::side_tables::{StoredObject, forget_object};
use crate::staging;

impl Work<'_> {
    pub(super) fn drop_object(
        &mut self,
        kind: ObjectKind,
        name: &ObjectName,
        if_missing: IfMissing,
    ) -> Result<String, EngineError> {
        let shown = display_identifier(&name.name);
        let Some(stored) = self.find_kind(kind, name, if_missing)? else {
            return Ok(format!("Drop statement executed successfully ({shown} already dropped)."));
        };
        match kind {
            ObjectKind::Table => self.drop_table(&stored)?,
            ObjectKind::View => self.drop_recorded("VIEW", &stored)?,
            _ => self.drop_sequence(&stored)?,
        }
        Ok(format!("{shown} successfully dropped."))
    }

    /// Drops a table, its record and the sequences of its columns, or hides them for the retention time.
    pub(super) fn drop_table(&mut self, stored: &StoredObject) -> Result<(), EngineError> {
        match self.table_retention(stored)? {
            0 => self.drop_table_now(stored),
            days => self.retain_table(stored, days),
        }
    }

    pub(super) fn drop_table_now(&mut self, stored: &StoredObject) -> Result<(), EngineError> {
        let name = &stored.description.name;
        let home = if stored.description.persistence == Persistence::Temporary {
            Home::Session
        } else {
            Home::Database(name.database())
        };
        let relation = match home {
            Home::Session => self.relation(name),
            Home::Database(_) => engine_name(name),
        };
        self.connection.execute(&format!("DROP TABLE {relation}"))?;
        for sequence in stored.columns.iter().filter_map(|column| column.sequence_name.as_ref()) {
            self.connection.execute(&format!("DROP SEQUENCE {}", home.sequence(sequence)))?;
        }
        match home {
            Home::Session => self.temporary.forget(name),
            Home::Database(_) => {
                self.abandoned.extend(staging::table_dropped(self.connection, name)?);
                forget_object(self.connection, name)?;
            }
        }
        Ok(())
    }

    pub(super) fn drop_temporary(&mut self, name: &ObjectName) -> Result<(), EngineError> {
        match self.temporary.stored(name).cloned() {
            Some(table) if table.description.kind == ObjectKind::Table => self.drop_table_now(&table),
            Some(view) => self.drop_recorded("VIEW", &view),
            None => Ok(()),
        }
    }

    pub(super) fn drop_recorded(&mut self, word: &str, stored: &StoredObject) -> Result<(), EngineError> {
        let name = &stored.description.name;
        if stored.description.persistence == Persistence::Temporary {
            self.connection.execute(&format!("DROP {word} {}", self.relation(name)))?;
            self.temporary.forget(name);
            return Ok(());
        }
        self.connection.execute(&format!("DROP {word} {}", engine_name(name)))?;
        forget_object(self.connection, name)
    }
}
