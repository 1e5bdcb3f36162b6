//! CREATE, ALTER and DROP of functions and procedures.

use firn_engine::{EngineError, RoutineDescription, fresh_object_id};
use firn_sql::command::{CreateMode, DataType, IfMissing};
use firn_sql::names::display_identifier;
use firn_sql::routines::{Routine, RoutineChange, RoutineKind, signature};
use firn_sql::{Failure, ObjectName};

use super::work::Work;
use crate::routines;
use crate::side_tables::Identity;
use crate::status_text::DONE;

impl Work<'_> {
    pub(super) fn create_routine(&mut self, routine: &Routine, mode: CreateMode) -> Result<String, EngineError> {
        let (kind, shown) = (routine.kind, display_identifier(&routine.name.name));
        self.require_schema(&routine.name)?;
        let existing = self.find_routine(kind, &routine.name, &routine.signature())?;
        match (existing, mode) {
            (Some(_), CreateMode::IfNotExists) => {
                return Ok(format!("{shown} already exists, statement succeeded."));
            }
            (Some(_), CreateMode::New) => return Err(Failure::already_exists(&shown).into()),
            (Some(existing), CreateMode::OrReplace) => routines::forget(self.connection, &existing.routine)?,
            (None, _) => {}
        }
        let described = RoutineDescription {
            id: fresh_object_id(),
            routine: routine.clone(),
            owner: self.context.role.clone(),
            created_on_ms: chrono::Utc::now().timestamp_millis(),
        };
        routines::write(self.connection, &described)?;
        // The dialect's message says "Function" for procedures too.
        Ok(format!("Function {shown} successfully created."))
    }

    pub(super) fn drop_routine(
        &mut self,
        kind: RoutineKind,
        name: &ObjectName,
        types: &[DataType],
        if_missing: IfMissing,
    ) -> Result<String, EngineError> {
        let shown = display_identifier(&name.name);
        match self.wanted_routine(kind, name, types, if_missing)? {
            Some(found) => {
                routines::forget(self.connection, &found.routine)?;
                Ok(format!("{shown} successfully dropped."))
            }
            None => Ok(format!("Drop statement executed successfully ({shown} already dropped).")),
        }
    }

    pub(super) fn alter_routine(
        &mut self,
        kind: RoutineKind,
        name: &ObjectName,
        types: &[DataType],
        if_missing: IfMissing,
        change: &RoutineChange,
    ) -> Result<String, EngineError> {
        let Some(mut found) = self.wanted_routine(kind, name, types, if_missing)? else { return Ok(DONE.to_owned()) };
        routines::forget(self.connection, &found.routine)?;
        match change {
            RoutineChange::Rename(new) => {
                self.require_schema(new)?;
                if self.find_routine(kind, new, &found.routine.signature())?.is_some() {
                    return Err(Failure::already_exists(&display_identifier(&new.name)).into());
                }
                found.routine.name = new.clone();
            }
            RoutineChange::SetComment(comment) => found.routine.comment.clone_from(comment),
            RoutineChange::SetSecure(secure) => found.routine.secure = *secure,
            RoutineChange::SetRights(rights) => found.routine.rights = *rights,
        }
        routines::write(self.connection, &found)?;
        Ok(DONE.to_owned())
    }

    pub(super) fn set_routine_owner(
        &mut self,
        kind: RoutineKind,
        name: &ObjectName,
        types: &[DataType],
        owner: &str,
    ) -> Result<(), EngineError> {
        if let Some(mut found) = self.wanted_routine(kind, name, types, IfMissing::Fail)? {
            routines::forget(self.connection, &found.routine)?;
            owner.clone_into(&mut found.owner);
            routines::write(self.connection, &found)?;
        }
        Ok(())
    }

    /// All routines of a schema that is dropped.
    pub(super) fn drop_routines(&self, database: &str, schema: &str) -> Result<(), EngineError> {
        for found in routines::read(self.connection, database)? {
            if found.routine.name.schema() == schema {
                routines::forget(self.connection, &found.routine)?;
            }
        }
        Ok(())
    }

    /// Copies the routines of a schema into another one: database and schema of each.
    pub(super) fn copy_routines(
        &self,
        from: (&str, &str),
        to: (&str, &str),
        identity: Identity,
    ) -> Result<(), EngineError> {
        for mut found in routines::read(self.connection, from.0)? {
            if found.routine.name.schema() == from.1 {
                found.id = identity.of_copy(found.id);
                found.routine.name = ObjectName::qualified(to.0, to.1, &found.routine.name.name);
                routines::write(self.connection, &found)?;
            }
        }
        Ok(())
    }

    fn wanted_routine(
        &self,
        kind: RoutineKind,
        name: &ObjectName,
        types: &[DataType],
        if_missing: IfMissing,
    ) -> Result<Option<RoutineDescription>, EngineError> {
        let found = self.find_routine(kind, name, &signature(types.iter()))?;
        match (&found, if_missing) {
            (None, IfMissing::Fail) => Err(Failure::missing_object(kind.title(), &name.to_string()).into()),
            _ => Ok(found),
        }
    }

    fn find_routine(
        &self,
        kind: RoutineKind,
        name: &ObjectName,
        wanted: &str,
    ) -> Result<Option<RoutineDescription>, EngineError> {
        let all = routines::read(self.connection, name.database())?;
        Ok(all.into_iter().find(|found| {
            found.routine.kind == kind && found.routine.name == *name && found.routine.signature() == wanted
        }))
    }
}
