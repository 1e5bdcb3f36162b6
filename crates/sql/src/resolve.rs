//! Completes every object name of a statement to three parts, folds all its identifiers, and lists
//! what it touches.
//!
//! Afterwards every relation in the tree is either the name of a visible CTE or three quoted
//! identifiers, so that no engine can take it for a file or anything else of its own; a staged
//! location is two, as `staged_location` reads them. `seq.NEXTVAL`
//! has become `NEXTVAL('"DB"."SCHEMA"."SEQ"')`.

mod commands;
mod containers;
mod file_functions;
mod grants;
mod row_changes;
mod staged;
mod tree;

use crate::command::{Command, CreateMode, Ddl, FormatChoice, IfMissing};
use crate::names::{Namespace, ObjectName, SchemaName};
use crate::privileges::{Privilege, PrivilegeSet};
use crate::stages::StageName;
use crate::{Failure, Statement};

/// What a statement touches, for authorisation and locking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    pub objects: Vec<ObjectUse>,
    pub schemas: Vec<ContainerUse<SchemaName>>,
    pub databases: Vec<ContainerUse<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectUse {
    pub name: ObjectName,
    /// The name as the statement has it, before it was completed.
    pub written: String,
    pub kind: UsedKind,
    pub access: Access,
    /// Of an object that is created, on its schema; of any other, on the object itself, where none means any of them.
    pub needs: PrivilegeSet,
    /// What the command does if the object does not exist.
    pub if_missing: IfMissing,
}

/// The use of a schema or a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerUse<Name> {
    pub name: Name,
    pub access: Access,
    /// As in `ObjectUse`.
    pub needs: PrivilegeSet,
    pub if_missing: IfMissing,
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
    /// Takes the place of an object of the same name.
    Replace,
    Change,
    Drop,
}

impl Access {
    fn of_mode(mode: CreateMode) -> Self {
        match mode {
            CreateMode::OrReplace => Self::Replace,
            CreateMode::New | CreateMode::IfNotExists => Self::Create,
        }
    }
}

pub use crate::staged_relations::{DIRECTORY, INFER_SCHEMA};
pub use staged::staged_location;

pub fn resolve(statement: &mut Statement, namespace: &Namespace) -> Result<Uses, Failure> {
    let mut resolution = Resolution { namespace, uses: Uses::default() };
    commands::resolve(&mut statement.command, &mut resolution)?;
    Ok(resolution.uses)
}

/// What completes the names in the query of a statement: those of a view are completed by the schema of the view.
pub fn namespace_within(command: &Command, namespace: &Namespace) -> Result<Namespace, Failure> {
    let Command::Ddl(Ddl::CreateView(view)) = command else { return Ok(namespace.clone()) };
    let mut name = view.name.clone();
    name.qualify(namespace)?;
    Ok(Namespace { database: name.database, schema: name.schema })
}

/// Names that belong to the engine or to firn's own bookkeeping.
const HIDDEN_SCHEMA: &str = "__FIRN";
const HIDDEN_DATABASES: [&str; 3] = ["MEMORY", "SYSTEM", "TEMP"];

struct Resolution<'a> {
    namespace: &'a Namespace,
    uses: Uses,
}

impl Resolution<'_> {
    /// Qualifies the name of an object and records its use, which needs the usual privileges.
    fn object(&mut self, name: &mut ObjectName, kind: UsedKind, access: Access) -> Result<(), Failure> {
        self.object_needing(name, kind, access, usual_needs(kind, access))
    }

    /// As `object`, with privileges of its own.
    fn object_needing(
        &mut self,
        name: &mut ObjectName,
        kind: UsedKind,
        access: Access,
        needs: PrivilegeSet,
    ) -> Result<(), Failure> {
        self.record(
            name,
            ObjectUse {
                name: name.clone(),
                written: name.to_string(),
                kind,
                access,
                needs,
                if_missing: IfMissing::Fail,
            },
        )
    }

    /// As `object`, of a command that may skip what is missing.
    fn object_if_any(
        &mut self,
        name: &mut ObjectName,
        kind: UsedKind,
        access: Access,
        if_missing: IfMissing,
    ) -> Result<(), Failure> {
        let needs = usual_needs(kind, access);
        self.record(name, ObjectUse { name: name.clone(), written: name.to_string(), kind, access, needs, if_missing })
    }

    /// A table or view whose policies or tags change. Who may do so depends on these.
    fn governed(&mut self, name: &mut ObjectName, kind: UsedKind, if_missing: IfMissing) -> Result<(), Failure> {
        let (access, needs) = (Access::Change, PrivilegeSet::NONE);
        self.record(name, ObjectUse { name: name.clone(), written: name.to_string(), kind, access, needs, if_missing })
    }

    /// The table whose rows a statement changes.
    fn row_change(&mut self, name: &mut ObjectName, needs: PrivilegeSet, if_missing: IfMissing) -> Result<(), Failure> {
        let (kind, access) = (UsedKind::Table, Access::Write);
        self.record(name, ObjectUse { name: name.clone(), written: name.to_string(), kind, access, needs, if_missing })
    }

    fn record(&mut self, name: &mut ObjectName, mut use_: ObjectUse) -> Result<(), Failure> {
        let is_marked = name.is_marked();
        name.qualify(self.namespace)?;
        if is_marked || is_hidden(name.database(), name.schema()) {
            return Err(Failure::missing_object("Object", &use_.written));
        }
        use_.name = name.clone();
        if !self.uses.objects.contains(&use_) {
            self.uses.objects.push(use_);
        }
        Ok(())
    }

    /// Qualifies a stage's name and records its use; a user's own stage needs no authorisation.
    fn stage(&mut self, stage: &mut StageName, access: Access) -> Result<(), Failure> {
        match stage {
            StageName::Named(name) => self.object(name, UsedKind::Stage, access),
            // Its files are the owner's alone.
            StageName::Table(name) => self.object_needing(name, UsedKind::Table, Access::Read, OWNERSHIP),
            StageName::User | StageName::Outside(_) => Ok(()),
        }
    }

    fn format(&mut self, format: &mut FormatChoice) -> Result<(), Failure> {
        match format {
            FormatChoice::Named(name) => self.object(name, UsedKind::FileFormat, Access::Read),
            FormatChoice::Options(_) => Ok(()),
        }
    }

    fn schema(&mut self, name: &mut SchemaName, access: Access, needs: PrivilegeSet) -> Result<(), Failure> {
        self.schema_if_any(name, access, needs, IfMissing::Fail)
    }

    /// An empty name is the session's own schema.
    fn schema_if_any(
        &mut self,
        name: &mut SchemaName,
        access: Access,
        needs: PrivilegeSet,
        if_missing: IfMissing,
    ) -> Result<(), Failure> {
        name.qualify(self.namespace)?;
        if name.schema.is_empty() {
            let mut current = ObjectName { database: None, schema: None, name: String::new() };
            current.qualify(self.namespace)?;
            current.schema().clone_into(&mut name.schema);
        }
        if is_hidden(name.database(), &name.schema) {
            return Err(Failure::missing_object("Schema", &name.to_string()));
        }
        self.uses.schemas.push(ContainerUse { name: name.clone(), access, needs, if_missing });
        Ok(())
    }

    fn database(&mut self, name: &mut String, access: Access, needs: PrivilegeSet) -> Result<(), Failure> {
        self.database_if_any(name, access, needs, IfMissing::Fail)
    }

    /// An empty name is the session's own database.
    fn database_if_any(
        &mut self,
        name: &mut String,
        access: Access,
        needs: PrivilegeSet,
        if_missing: IfMissing,
    ) -> Result<(), Failure> {
        if name.is_empty() {
            let mut current = SchemaName { database: None, schema: String::new() };
            current.qualify(self.namespace)?;
            current.database().clone_into(name);
        }
        if is_hidden(name, "") {
            return Err(Failure::missing_object("Database", name));
        }
        self.uses.databases.push(ContainerUse { name: name.clone(), access, needs, if_missing });
        Ok(())
    }
}

const OWNERSHIP: PrivilegeSet = PrivilegeSet::NONE.with(Privilege::Ownership);
const USAGE: PrivilegeSet = PrivilegeSet::NONE.with(Privilege::Usage);

/// What a use of an object needs where nothing else is said.
fn usual_needs(kind: UsedKind, access: Access) -> PrivilegeSet {
    let privilege = match (access, kind) {
        (Access::Read, UsedKind::Relation | UsedKind::Table | UsedKind::View) => Privilege::Select,
        (Access::Read, UsedKind::Sequence | UsedKind::FileFormat) => Privilege::Usage,
        (Access::Read, UsedKind::Stage) => Privilege::Read,
        (Access::Write, UsedKind::Stage) => Privilege::Write,
        (Access::Write, _) => Privilege::Insert,
        (Access::Create | Access::Replace, UsedKind::Relation | UsedKind::Table) => Privilege::CreateTable,
        (Access::Create | Access::Replace, UsedKind::View) => Privilege::CreateView,
        (Access::Create | Access::Replace, UsedKind::Sequence) => Privilege::CreateSequence,
        (Access::Create | Access::Replace, UsedKind::Stage) => Privilege::CreateStage,
        (Access::Create | Access::Replace, UsedKind::FileFormat) => Privilege::CreateFileFormat,
        (Access::Change | Access::Drop, _) => Privilege::Ownership,
    };
    PrivilegeSet::NONE.with(privilege)
}

fn is_hidden(database: &str, schema: &str) -> bool {
    schema.eq_ignore_ascii_case(HIDDEN_SCHEMA)
        || HIDDEN_DATABASES.iter().any(|hidden| database.eq_ignore_ascii_case(hidden))
}

#[cfg(test)]
mod tests;
