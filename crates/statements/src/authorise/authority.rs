//! What a role may do with databases, schemas and what is in them.

use std::cell::RefCell;
use std::collections::HashMap;

use firn_catalog::semantic_views::SemanticViewRecord;
use firn_catalog::{ActiveRole, Catalog, DatabaseRecord, Holder, LoginPolicy, Securable};
use firn_engine::{FormatDescription, ObjectDescription, RoutineDescription, Session, StageDescription};
use firn_sql::command::{ObjectKind, RoutineKind};
use firn_sql::names::{ACCOUNT_USAGE, INFORMATION_SCHEMA, SchemaName, display_identifier};
use firn_sql::privileges::{Privilege, PrivilegeSet, SecurableKind};
use firn_sql::{Failure, ObjectName};

use crate::own_database;
use crate::reads::{Seen, SeenRecorder};
use crate::run_error::RunError;

/// Privileges on the account that let policies and tags be set on every table and view.
const GOVERNANCE: &[Privilege] = &[Privilege::ApplyMaskingPolicy, Privilege::ApplyRowAccessPolicy, Privilege::ApplyTag];

/// An object in a schema, as privileges see it.
#[derive(Clone, Copy, Debug)]
pub struct Secured<'a> {
    pub kind: SecurableKind,
    pub database: &'a str,
    pub schema: &'a str,
    pub owner: &'a str,
    pub id: i64,
}

impl<'a> Secured<'a> {
    fn new(kind: SecurableKind, name: &'a ObjectName, owner: &'a str, id: i64) -> Self {
        Self { kind, database: name.database(), schema: name.schema(), owner, id }
    }

    pub fn stage(stage: &'a StageDescription) -> Self {
        Self::new(SecurableKind::Stage, &stage.name, &stage.owner, stage.id)
    }

    pub fn file_format(format: &'a FormatDescription) -> Self {
        Self::new(SecurableKind::FileFormat, &format.name, &format.owner, format.id)
    }

    pub fn routine(described: &'a RoutineDescription) -> Self {
        let kind = match described.routine.kind {
            RoutineKind::Function => SecurableKind::Function,
            RoutineKind::Procedure => SecurableKind::Procedure,
            RoutineKind::MaskingPolicy => SecurableKind::MaskingPolicy,
            RoutineKind::RowAccessPolicy => SecurableKind::RowAccessPolicy,
            RoutineKind::Tag => SecurableKind::Tag,
        };
        Self::new(kind, &described.routine.name, &described.owner, described.id)
    }

    pub fn login_policy(policy: &'a LoginPolicy) -> Self {
        let kind = policy.kind.securable();
        Self { kind, database: &policy.database, schema: &policy.schema, owner: &policy.owner, id: policy.id }
    }

    pub fn semantic_view(view: &'a SemanticViewRecord) -> Self {
        let kind = SecurableKind::SemanticView;
        Self { kind, database: &view.database, schema: &view.schema, owner: &view.owner, id: view.id }
    }
}

impl<'a> From<&'a ObjectDescription> for Secured<'a> {
    fn from(object: &'a ObjectDescription) -> Self {
        let kind = match object.kind {
            ObjectKind::View => SecurableKind::View,
            ObjectKind::Sequence => SecurableKind::Sequence,
            _ => SecurableKind::Table,
        };
        Self::new(kind, &object.name, &object.owner, object.id)
    }
}

/// The decisions for one role. What it may do with a schema is looked up once.
pub struct Authority<'a> {
    pub catalog: &'a Catalog,
    pub session: &'a dyn Session,
    pub role: &'a ActiveRole,
    schemas: RefCell<HashMap<(String, String), PrivilegeSet>>,
    /// Records what is seen.
    recorder: Option<SeenRecorder<'a>>,
}

impl<'a> Authority<'a> {
    pub fn new(catalog: &'a Catalog, session: &'a dyn Session, role: &'a ActiveRole) -> Self {
        Self { catalog, session, role, schemas: RefCell::default(), recorder: None }
    }

    /// For a listing: what the role sees is recorded with what the statement reads.
    pub fn recording(self, recorder: SeenRecorder<'a>) -> Self {
        Self { recorder: Some(recorder), ..self }
    }

    fn record(&self, kind: SecurableKind, database: &str, id: i64) {
        if let (Some(recorder), Some(record)) = (&self.recorder, self.catalog.database(database)) {
            recorder.note(kind, record.id, id);
        }
    }

    /// All where the role owns it, else what was granted.
    pub fn on(&self, owner: &str, securable: &Securable) -> PrivilegeSet {
        match self.role.may_use_what_is_owned_by(owner) {
            true => PrivilegeSet::EVERY,
            false => self.catalog.privileges(self.role, securable),
        }
    }

    /// As `on`, without secondary roles, which do not let anything be created.
    pub fn to_create(&self, owner: &str, securable: &Securable) -> PrivilegeSet {
        let owns = self.role.primary.contains(owner) || self.role.primary.contains("ACCOUNTADMIN");
        match owns {
            true => PrivilegeSet::EVERY,
            false => self.catalog.primary_privileges(self.role, securable),
        }
    }

    pub fn on_database(&self, database: &DatabaseRecord) -> PrivilegeSet {
        if database.is_own() {
            return self.on_own_database(database);
        }
        self.on(&database.owner, &Securable::Database(database.id))
    }

    /// Nobody changes the server's own database. Who has imported privileges on it or one of its database roles uses it.
    fn on_own_database(&self, database: &DatabaseRecord) -> PrivilegeSet {
        let granted = self.catalog.privileges(self.role, &Securable::Database(database.id));
        match granted.contains(Privilege::Usage) || self.has_imported(database) {
            true => PrivilegeSet::NONE.with(Privilege::Usage),
            false => PrivilegeSet::NONE,
        }
    }

    /// Whether the role reads all of the server's own database.
    pub fn has_imported(&self, database: &DatabaseRecord) -> bool {
        let granted = || self.catalog.privileges(self.role, &Securable::Database(database.id));
        self.role.is_account_admin() || granted().contains(Privilege::ImportedPrivileges)
    }

    /// A view of the server's own database is read by the database role that its owner names.
    fn on_own_object(&self, database: &DatabaseRecord, object: &Secured<'_>) -> PrivilegeSet {
        let reader = own_database::role_of_owner(object.owner).map(str::to_owned);
        let key = reader.map(|name| Holder::DatabaseRole { database: database.id, name }.key());
        let reads = key.is_some_and(|key| self.has_imported(database) || self.role.held.contains(&key));
        match reads && object.schema == ACCOUNT_USAGE {
            true => PrivilegeSet::NONE.with(Privilege::Select),
            false => PrivilegeSet::NONE,
        }
    }

    /// Nothing where there is none of that name.
    pub fn database(&self, name: &str) -> PrivilegeSet {
        self.catalog.database(name).map_or(PrivilegeSet::NONE, |database| self.on_database(&database))
    }

    pub fn sees_database(&self, name: &str) -> bool {
        let sees = !self.database(name).is_empty();
        if sees {
            self.record(SecurableKind::Database, name, Seen::DATABASE_ITSELF);
        }
        sees
    }

    /// Nothing where there is none of that name, or its database may not be used.
    pub fn schema(&self, database: &str, schema: &str) -> Result<PrivilegeSet, RunError> {
        let key = (database.to_owned(), schema.to_owned());
        if let Some(known) = self.schemas.borrow().get(&key) {
            return Ok(*known);
        }
        let found = self.find_schema(database, schema)?;
        self.schemas.borrow_mut().insert(key, found);
        Ok(found)
    }

    fn find_schema(&self, database: &str, schema: &str) -> Result<PrivilegeSet, RunError> {
        let Some(record) = self.catalog.database(database) else { return Ok(PrivilegeSet::NONE) };
        if !self.on_database(&record).contains(Privilege::Usage) {
            return Ok(PrivilegeSet::NONE);
        }
        if schema == INFORMATION_SCHEMA {
            return Ok(PrivilegeSet::NONE.with(Privilege::Usage));
        }
        if record.is_own() && schema != ACCOUNT_USAGE {
            return Ok(PrivilegeSet::NONE);
        }
        let schemas = match self.session.schemas(database) {
            // It was dropped meanwhile.
            Err(_) if self.catalog.database(database).is_none() => return Ok(PrivilegeSet::NONE),
            schemas => schemas?,
        };
        let Some(found) = schemas.iter().find(|found| found.name == schema) else { return Ok(PrivilegeSet::NONE) };
        match record.is_own() {
            true => Ok(PrivilegeSet::NONE.with(Privilege::Usage)),
            false => Ok(self.on(&found.owner, &within(SecurableKind::Schema, &record, found.id))),
        }
    }

    pub fn sees_schema(&self, name: &SchemaName) -> Result<bool, RunError> {
        let sees = !self.schema(name.database(), &name.schema)?.is_empty();
        if sees && self.recorder.is_some() {
            let schemas = self.session.schemas(name.database())?;
            if let Some(found) = schemas.iter().find(|found| found.name == name.schema) {
                self.record(SecurableKind::Schema, name.database(), found.id);
            }
        }
        Ok(sees)
    }

    /// Nothing where its schema may not be used.
    pub fn object(&self, object: &Secured<'_>) -> Result<PrivilegeSet, RunError> {
        if !self.schema(object.database, object.schema)?.contains(Privilege::Usage) {
            return Ok(PrivilegeSet::NONE);
        }
        Ok(self.on_object(object))
    }

    /// Whatever the role may do with its schema.
    pub fn on_object(&self, object: &Secured<'_>) -> PrivilegeSet {
        let Some(record) = self.catalog.database(object.database) else { return PrivilegeSet::NONE };
        if record.is_own() {
            return self.on_own_object(&record, object);
        }
        let privileges = self.on(object.owner, &within(object.kind, &record, object.id));
        if privileges.is_empty() { self.governance(object.kind) } else { privileges }
    }

    /// Who sets policies and tags on everything knows of them, and of all tables and views, without another privilege on them.
    fn governance(&self, kind: SecurableKind) -> PrivilegeSet {
        let governing: &[Privilege] = match kind {
            SecurableKind::Table | SecurableKind::View => GOVERNANCE,
            SecurableKind::MaskingPolicy => &[Privilege::ApplyMaskingPolicy],
            SecurableKind::RowAccessPolicy => &[Privilege::ApplyRowAccessPolicy],
            SecurableKind::Tag => &[Privilege::ApplyTag],
            _ => return PrivilegeSet::NONE,
        };
        let of_account = self.catalog.privileges(self.role, &Securable::Account);
        governing.iter().copied().filter(|privilege| of_account.contains(*privilege)).collect()
    }

    /// The text of a secure view is its owner's alone.
    pub fn may_read_text(&self, view: &ObjectDescription) -> bool {
        !view.options.secure || self.role.may_use_what_is_owned_by(&view.owner)
    }

    /// An object is visible to who has any privilege on it.
    pub fn sees<'object>(&self, object: impl Into<Secured<'object>>) -> Result<bool, RunError> {
        let object = object.into();
        let sees = !self.object(&object)?.is_empty();
        if sees {
            self.record(object.kind, object.database, object.id);
        }
        Ok(sees)
    }

    pub fn has<'object>(&self, object: impl Into<Secured<'object>>, needed: Privilege) -> Result<bool, RunError> {
        Ok(self.object(&object.into())?.contains(needed))
    }
}

pub fn within(kind: SecurableKind, database: &DatabaseRecord, id: i64) -> Securable {
    Securable::Within { kind, database: database.id, id }
}

pub fn missing_database(name: &str) -> Failure {
    Failure::missing_object("Database", &display_identifier(name))
}

pub fn missing_schema(name: &SchemaName) -> Failure {
    Failure::missing_object("Schema", &name.to_string())
}

/// The role that an owner's rights are.
pub fn role_of_owner(catalog: &Catalog, owner: &str) -> Result<ActiveRole, RunError> {
    let role = catalog.principals().role_with_inherited(owner);
    role.ok_or_else(|| Failure::missing_object("Role", owner).into())
}
