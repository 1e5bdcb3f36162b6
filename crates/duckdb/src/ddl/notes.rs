//! Changes of records only: comments and owners.

use firn_engine::EngineError;
use firn_sql::command::{CommentTarget, IfMissing, ObjectKind, OwnershipTarget};
use firn_sql::names::display_identifier;
use firn_sql::{Failure, ObjectName};

use super::work::Work;
use crate::side_tables::{self, StoredObject, forget_schema, write_schema};
use crate::status_text::DONE;
use crate::{errors, staging};

pub(super) fn commented_object(target: &CommentTarget) -> Vec<ObjectName> {
    match target {
        CommentTarget::Object { name, .. } | CommentTarget::Column { table: name, .. } => vec![name.clone()],
        CommentTarget::Database(_) | CommentTarget::Schema(_) => Vec::new(),
    }
}

pub(super) fn owned_object(target: &OwnershipTarget) -> Vec<ObjectName> {
    match target {
        OwnershipTarget::Object { name, .. } => vec![name.clone()],
        OwnershipTarget::Database(_) | OwnershipTarget::Schema(_) | OwnershipTarget::Routine { .. } => Vec::new(),
    }
}

impl Work<'_> {
    pub(super) fn comment(
        &mut self,
        target: &CommentTarget,
        if_missing: IfMissing,
        comment: &str,
    ) -> Result<String, EngineError> {
        let comment = (!comment.is_empty()).then(|| comment.to_owned());
        match target {
            CommentTarget::Database(_) => {
                return Err(EngineError::Internal("a database's comment is not the engine's to keep".to_owned()));
            }
            CommentTarget::Schema(name) => {
                if let Some(mut schema) = self.require_named_schema(name, if_missing)? {
                    schema.comment = comment;
                    forget_schema(self.connection, &schema.database, &schema.name)?;
                    write_schema(self.connection, &schema)?;
                }
            }
            CommentTarget::Object { kind, name } => {
                if let Some(mut stored) = self.find_kind(*kind, name, if_missing)? {
                    stored.description.comment = comment;
                    self.save(name, stored)?;
                }
            }
            CommentTarget::Column { table, column } => {
                let found = match self.find_stored(table)? {
                    Some(stored) if stored.description.kind == ObjectKind::View => Some(stored),
                    _ => self.find_kind(ObjectKind::Table, table, if_missing)?,
                };
                if let Some(mut stored) = found {
                    let Some(record) = stored.column_mut(column) else {
                        return Err(errors::invalid_identifier(&display_identifier(column)).into());
                    };
                    record.description.comment = comment;
                    self.save(table, stored)?;
                }
            }
        }
        Ok(DONE.to_owned())
    }

    fn grant_staging_ownership(
        &self,
        kind: staging::Kind,
        name: &ObjectName,
        (id, role): (i64, &str),
    ) -> Result<(), EngineError> {
        let record = staging::read(self.connection, kind, name)?.filter(|record| record.id == id);
        let record = record.ok_or_else(|| staging::missing(kind, name))?;
        staging::forget(self.connection, kind, name)?;
        staging::write(self.connection, kind, &staging::Record { owner: role.to_owned(), ..record })
    }

    /// Changes the owner of what has the name and the identity: a temporary object and the permanent one that it hides are two.
    pub(super) fn grant_ownership(
        &mut self,
        target: &OwnershipTarget,
        id: i64,
        role: &str,
    ) -> Result<String, EngineError> {
        match target {
            OwnershipTarget::Database(_) => {
                return Err(EngineError::Internal("a database's owner is not the engine's to keep".to_owned()));
            }
            OwnershipTarget::Schema(name) => {
                let schema = self.require_named_schema(name, IfMissing::Fail)?.filter(|schema| schema.id == id);
                let mut schema = schema.ok_or_else(|| Failure::missing_object("Schema", &name.to_string()))?;
                schema.owner = role.to_owned();
                forget_schema(self.connection, &schema.database, &schema.name)?;
                write_schema(self.connection, &schema)?;
            }
            OwnershipTarget::Object { kind: ObjectKind::Stage, name } => {
                self.grant_staging_ownership(staging::Kind::Stage, name, (id, role))?;
            }
            OwnershipTarget::Object { kind: ObjectKind::FileFormat, name } => {
                self.grant_staging_ownership(staging::Kind::FileFormat, name, (id, role))?;
            }
            OwnershipTarget::Routine { kind, name, types } => {
                self.set_routine_owner(*kind, name, types, (id, role))?;
            }
            OwnershipTarget::Object { name, .. } => self.set_relation_owner(name, (id, role))?,
        }
        Ok(DONE.to_owned())
    }

    fn set_relation_owner(&mut self, name: &ObjectName, (id, role): (i64, &str)) -> Result<(), EngineError> {
        let is_it = |stored: &StoredObject| stored.description.id == id;
        if let Some(mut stored) = self.temporary.stored(name).filter(|stored| is_it(stored)).cloned() {
            stored.description.owner = role.to_owned();
            self.temporary.record(stored);
            return Ok(());
        }
        let found = self.find_permanent(name)?.filter(is_it);
        let mut stored = found.ok_or_else(|| Failure::missing_object("Object", &name.to_string()))?;
        stored.description.owner = role.to_owned();
        side_tables::forget_object(self.connection, name)?;
        self.write(&stored)
    }
}
