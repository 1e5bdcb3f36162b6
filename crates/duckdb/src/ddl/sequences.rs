//! Sequences. The engine can neither rename one nor change its increment, so both recreate it with the next value.

use firn_engine::{EngineError, ObjectDescription, ObjectOptions, fresh_object_id};
use firn_sql::command::{Autoincrement, CreateMode, IfMissing, ObjectKind, Persistence, SequenceChange, SequenceOrder};
use firn_sql::names::{display_identifier, quote_identifier, quote_literal};
use firn_sql::{Failure, ObjectName};

use super::work::{Work, engine_name, now_ms};
use crate::side_tables::StoredObject;
use crate::status_text::DONE;
use crate::{describe, errors};

impl Work<'_> {
    pub(super) fn create_sequence(
        &mut self,
        name: &ObjectName,
        mode: CreateMode,
        numbering: Autoincrement,
        order: SequenceOrder,
        comment: Option<&str>,
    ) -> Result<String, EngineError> {
        self.require_schema(name)?;
        if numbering.increment == 0 {
            return Err(Failure::invalid_value("INCREMENT", "0", "a sequence must move").into());
        }
        let existing = self.find_permanent(name)?;
        if let Some(status) = self.make_room(mode, ObjectKind::Sequence, existing.as_ref())? {
            return Ok(status);
        }
        let description = ObjectDescription {
            id: fresh_object_id(),
            name: name.clone(),
            kind: ObjectKind::Sequence,
            owner: self.context.role.clone(),
            comment: comment.map(str::to_owned),
            created_on_ms: now_ms(),
            persistence: Persistence::Permanent,
            columns: Vec::new(),
            constraints: Vec::new(),
            view_text: None,
            view_query: None,
            sequence: None,
            options: ObjectOptions { unordered: order == SequenceOrder::Unordered, ..ObjectOptions::default() },
        };
        self.add_sequence(description, numbering, existing.as_ref())?;
        Ok(format!("Sequence {} successfully created.", display_identifier(&name.name)))
    }

    /// Creates the sequence and its record, in the place of `replaced`.
    fn add_sequence(
        &mut self,
        description: ObjectDescription,
        numbering: Autoincrement,
        replaced: Option<&StoredObject>,
    ) -> Result<(), EngineError> {
        let name = description.name.clone();
        let dependents = self.release_dependents(&name)?;
        if let Some(replaced) = replaced {
            self.drop_recorded("SEQUENCE", replaced)?;
        }
        self.create_engine_sequence(&engine_name(&name), numbering)?;
        self.restore_dependents(dependents, &name, &name)?;
        let description = ObjectDescription { sequence: Some(numbering), ..description };
        self.write(&StoredObject { description, columns: Vec::new(), view_query: None })
    }

    /// A sequence that begins where another one is, described by `description`.
    pub(super) fn continue_sequence(
        &mut self,
        stored: &StoredObject,
        description: ObjectDescription,
    ) -> Result<(), EngineError> {
        let numbering = self.remaining(stored)?;
        self.add_sequence(description, numbering, None)
    }

    pub(super) fn alter_sequence(
        &mut self,
        name: &ObjectName,
        if_missing: IfMissing,
        change: &SequenceChange,
    ) -> Result<String, EngineError> {
        let Some(mut stored) = self.find_kind(ObjectKind::Sequence, name, if_missing)? else {
            return Ok(DONE.to_owned());
        };
        let dependents = self.release_dependents(name)?;
        match change {
            SequenceChange::Rename(to) => {
                if to.database() != name.database() {
                    return Err(Failure::unsupported("renaming a sequence into another database").into());
                }
                self.require_schema(to)?;
                if self.find_stored(to)?.is_some() {
                    return Err(Failure::already_exists(&display_identifier(&to.name)).into());
                }
                self.move_sequence(&mut stored, to)?;
            }
            SequenceChange::SetIncrement(increment) => {
                if *increment == 0 {
                    return Err(Failure::invalid_value("INCREMENT", "0", "a sequence must move").into());
                }
                self.restart_sequence(&mut stored, *increment)?;
            }
            SequenceChange::SetUnordered => stored.description.options.unordered = true,
            SequenceChange::SetComment(comment) => stored.description.comment.clone_from(comment),
        }
        let new_name = stored.description.name.clone();
        self.save(name, stored)?;
        self.restore_dependents(dependents, name, &new_name)?;
        Ok(DONE.to_owned())
    }

    /// A default that uses a dropped sequence stays, and fails when it is evaluated.
    pub(super) fn drop_sequence(&mut self, stored: &StoredObject) -> Result<(), EngineError> {
        let name = &stored.description.name;
        let failure = Failure::missing_object("Sequence", &name.to_string());
        for (table, column) in self.release_dependents(name)? {
            self.connection.execute(&format!(
                "ALTER TABLE {} ALTER COLUMN {} SET DEFAULT error({})",
                engine_name(&table),
                quote_identifier(&column),
                quote_literal(&errors::raised(&failure))
            ))?;
        }
        self.drop_recorded("SEQUENCE", stored)
    }

    /// Drops the defaults that use the sequence, as the engine would otherwise refuse to drop it. Returns the tables and
    /// columns.
    fn release_dependents(&self, sequence: &ObjectName) -> Result<Vec<(ObjectName, String)>, EngineError> {
        let literal = quote_literal(&engine_name(sequence));
        let mut released = Vec::new();
        for stored in describe::read_stored(self.connection, sequence.database(), None)? {
            let table = &stored.description.name;
            for column in stored.columns.iter().map(|column| &column.description) {
                if column.default.as_ref().is_some_and(|default| default.contains(&literal)) {
                    self.connection.execute(&format!(
                        "ALTER TABLE {} ALTER COLUMN {} DROP DEFAULT",
                        engine_name(table),
                        quote_identifier(&column.name)
                    ))?;
                    released.push((table.clone(), column.name.clone()));
                }
            }
        }
        Ok(released)
    }

    /// Gives the columns their defaults back, with the sequence's new name.
    fn restore_dependents(
        &mut self,
        released: Vec<(ObjectName, String)>,
        from: &ObjectName,
        to: &ObjectName,
    ) -> Result<(), EngineError> {
        let (from, to) = (quote_literal(&engine_name(from)), quote_literal(&engine_name(to)));
        for (table, column) in released {
            let Some(mut stored) = self.find_permanent(&table)? else { continue };
            let default = stored.column_mut(&column).and_then(|record| record.description.default.clone());
            self.set_default(&mut stored, &column, &default.unwrap_or_default().replace(&from, &to))?;
            self.save(&table, stored)?;
        }
        Ok(())
    }

    /// Makes the sequence under another name, going on where it was.
    pub(super) fn move_sequence(&self, stored: &mut StoredObject, to: &ObjectName) -> Result<(), EngineError> {
        let numbering = self.remaining(stored)?;
        self.connection.execute(&format!("DROP SEQUENCE {}", engine_name(&stored.description.name)))?;
        stored.description.name = to.clone();
        self.create_engine_sequence(&engine_name(to), numbering)
    }

    fn restart_sequence(&self, stored: &mut StoredObject, increment: i64) -> Result<(), EngineError> {
        let remaining = self.remaining(stored)?;
        let name = stored.description.name.clone();
        self.connection.execute(&format!("DROP SEQUENCE {}", engine_name(&name)))?;
        self.create_engine_sequence(&engine_name(&name), Autoincrement { increment, ..remaining })?;
        if let Some(sequence) = &mut stored.description.sequence {
            sequence.increment = increment;
        }
        Ok(())
    }

    pub(super) fn remaining(&self, stored: &StoredObject) -> Result<Autoincrement, EngineError> {
        let name = &stored.description.name;
        let recorded = stored.description.sequence.unwrap_or(Autoincrement { start: 1, increment: 1 });
        let start = self.next_value(name.database(), name.schema(), &name.name)?.unwrap_or(recorded.start);
        Ok(Autoincrement { start, ..recorded })
    }
}
