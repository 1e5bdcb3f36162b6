//! Completes every object name of a statement to three parts, folds all its identifiers, and lists
//! what it touches.
//!
//! Afterwards every relation in the tree is either the name of a visible CTE or three quoted
//! identifiers, so that no engine can take it for a file or anything else of its own; a staged
//! location is two, as `staged_location` reads them. `seq.NEXTVAL`
//! has become `NEXTVAL('"DB"."SCHEMA"."SEQ"')`.

mod commands;
mod file_functions;
mod staged;
mod tree;

use crate::command::FormatChoice;
use crate::names::{Namespace, ObjectName, SchemaName};
use crate::stages::StageName;
use crate::{Failure, Statement};

/// What a statement touches, for authorisation and locking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    pub objects: Vec<ObjectUse>,
    pub schemas: Vec<(SchemaName, Access)>,
    pub databases: Vec<(String, Access)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectUse {
    pub name: ObjectName,
    /// The name as the statement has it, before it was completed.
    pub written: String,
    pub kind: UsedKind,
    pub access: Access,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedKind {
    /// A table or a view.
    Relation,
    Sequence,
    Table,
    View,
    Stage,
    FileFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    Create,
    Change,
    Drop,
}

pub use crate::staged_relations::{DIRECTORY, INFER_SCHEMA};
pub use staged::staged_location;

pub fn resolve(statement: &mut Statement, namespace: &Namespace) -> Result<Uses, Failure> {
    let mut resolution = Resolution { namespace, uses: Uses::default() };
    commands::resolve(&mut statement.command, &mut resolution)?;
    Ok(resolution.uses)
}

/// Names that belong to the engine or to firn's own bookkeeping.
const HIDDEN_SCHEMA: &str = "__FIRN";
const HIDDEN_DATABASES: [&str; 3] = ["MEMORY", "SYSTEM", "TEMP"];

struct Resolution<'a> {
    namespace: &'a Namespace,
    uses: Uses,
}

impl Resolution<'_> {
    /// Qualifies the name of an object and records its use.
    fn object(&mut self, name: &mut ObjectName, kind: UsedKind, access: Access) -> Result<(), Failure> {
        let written = name.to_string();
        name.qualify(self.namespace)?;
        if is_hidden(name.database(), name.schema()) {
            return Err(Failure::missing_object("Object", &written));
        }
        let use_ = ObjectUse { name: name.clone(), written, kind, access };
        if !self.uses.objects.contains(&use_) {
            self.uses.objects.push(use_);
        }
        Ok(())
    }

    /// Qualifies a stage's name and records its use; a user's own stage needs no authorisation.
    fn stage(&mut self, stage: &mut StageName, access: Access) -> Result<(), Failure> {
        match stage {
            StageName::Named(name) => self.object(name, UsedKind::Stage, access),
            StageName::Table(name) => self.object(name, UsedKind::Table, Access::Read),
            StageName::User | StageName::Outside(_) => Ok(()),
        }
    }

    fn format(&mut self, format: &mut FormatChoice) -> Result<(), Failure> {
        match format {
            FormatChoice::Named(name) => self.object(name, UsedKind::FileFormat, Access::Read),
            FormatChoice::Options(_) => Ok(()),
        }
    }

    fn schema(&mut self, name: &mut SchemaName, access: Access) -> Result<(), Failure> {
        name.qualify(self.namespace)?;
        if name.schema.is_empty() {
            let mut current = ObjectName { database: None, schema: None, name: String::new() };
            current.qualify(self.namespace)?;
            current.schema().clone_into(&mut name.schema);
        }
        if is_hidden(name.database(), &name.schema) {
            return Err(Failure::missing_object("Schema", &name.to_string()));
        }
        self.uses.schemas.push((name.clone(), access));
        Ok(())
    }

    /// An empty name is the session's own database.
    fn database(&mut self, name: &mut String, access: Access) -> Result<(), Failure> {
        if name.is_empty() {
            let mut current = SchemaName { database: None, schema: String::new() };
            current.qualify(self.namespace)?;
            current.database().clone_into(name);
        }
        if is_hidden(name, "") {
            return Err(Failure::missing_object("Database", name));
        }
        self.uses.databases.push((name.clone(), access));
        Ok(())
    }
}

fn is_hidden(database: &str, schema: &str) -> bool {
    schema.eq_ignore_ascii_case(HIDDEN_SCHEMA)
        || HIDDEN_DATABASES.iter().any(|hidden| database.eq_ignore_ascii_case(hidden))
}

#[cfg(test)]
mod tests;
