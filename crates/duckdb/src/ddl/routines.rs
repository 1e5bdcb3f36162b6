//! CREATE, ALTER and DROP of functions, procedures, policies and tags.

use std::collections::HashMap;

use firn_engine::{EngineError, RoutineDescription, fresh_object_id};
use firn_sql::command::{CreateMode, DataType, IfMissing, TagDefinition};
use firn_sql::names::{SchemaName, display_identifier};
use firn_sql::routines::{Routine, RoutineChange, RoutineKind, signature};
use firn_sql::{Failure, ObjectName, check_allowed_values};

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
            id: self.context.new_object_id.unwrap_or_else(fresh_object_id),
            routine: routine.clone(),
            owner: self.context.role.clone(),
            created_on_ms: chrono::Utc::now().timestamp_millis(),
        };
        routines::write(self.connection, &described)?;
        Ok(match kind {
            RoutineKind::MaskingPolicy => format!("Masking policy '{shown}' is successfully created."),
            RoutineKind::RowAccessPolicy => format!("Row access policy '{shown}' is successfully created."),
            RoutineKind::Tag => format!("Tag {shown} successfully created."),
            // The dialect's message says "Function" for procedures too.
            RoutineKind::Function | RoutineKind::Procedure => format!("Function {shown} successfully created."),
        })
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
                match kind {
                    RoutineKind::Tag => self.retain_tag(&found)?,
                    _ => routines::forget(self.connection, &found.routine)?,
                }
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
            RoutineChange::SetBody(body, databases) => {
                found.routine.body.clone_from(body);
                found.routine.databases = Some(databases.clone());
            }
            change => change_tag(&mut found.routine.tag, change)?,
        }
        routines::write(self.connection, &found)?;
        Ok(DONE.to_owned())
    }

    pub(super) fn set_routine_owner(
        &mut self,
        kind: RoutineKind,
        name: &ObjectName,
        types: &[DataType],
        (id, owner): (i64, &str),
    ) -> Result<(), EngineError> {
        let found = self.wanted_routine(kind, name, types, IfMissing::Fail)?.filter(|found| found.id == id);
        let mut found = found.ok_or_else(|| Failure::missing_object(kind.title(), &name.to_string()))?;
        routines::forget(self.connection, &found.routine)?;
        owner.clone_into(&mut found.owner);
        routines::write(self.connection, &found)
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

    /// The routines of a schema that is cloned, each with the id of its copy.
    pub(super) fn routine_copies(&self, source: &SchemaName) -> Result<HashMap<i64, i64>, EngineError> {
        let all = routines::read(self.connection, source.database())?.into_iter();
        let of_schema = all.filter(|found| found.routine.name.schema() == source.schema);
        Ok(of_schema.map(|found| (found.id, fresh_object_id())).collect())
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
                found.id = match identity {
                    Identity::Fresh => self.cloned.id(found.id),
                    Identity::OfSource => found.id,
                };
                for policy in &mut found.routine.tag.policies {
                    policy.id = self.cloned.id(policy.id);
                }
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

    pub(super) fn find_routine(
        &self,
        kind: RoutineKind,
        name: &ObjectName,
        wanted: &str,
    ) -> Result<Option<RoutineDescription>, EngineError> {
        let all = routines::read(self.connection, name.database())?;
        Ok(all.into_iter().find(|found| {
            found.routine.kind == kind
                && found.routine.name == *name
                && (!kind.is_overloaded() || found.routine.signature() == wanted)
        }))
    }
}

/// Policies of a change were looked up, and may be set.
fn change_tag(tag: &mut TagDefinition, change: &RoutineChange) -> Result<(), Failure> {
    let values = &mut tag.allowed_values;
    match change {
        RoutineChange::SetAllowedValues(set) => values.clone_from(set),
        RoutineChange::AddAllowedValues(added) => {
            let new: Vec<String> = added.iter().filter(|value| !values.contains(value)).cloned().collect();
            values.extend(new);
        }
        RoutineChange::DropAllowedValues(dropped) => values.retain(|value| !dropped.contains(value)),
        RoutineChange::UnsetAllowedValues => values.clear(),
        RoutineChange::SetTagPolicies { policies, replaced, .. } => {
            tag.policies.retain(|known| !replaced.contains(known));
            tag.policies.extend(policies.iter().filter_map(|policy| policy.reference.clone()));
        }
        RoutineChange::UnsetTagPolicies(policies) => {
            tag.policies.retain(|known| !policies.iter().any(|policy| policy.reference.as_ref() == Some(known)));
        }
        _ => {}
    }
    check_allowed_values(&tag.allowed_values)
}
