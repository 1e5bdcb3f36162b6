//! The authorisation step: every object that a statement uses is checked here, before it runs, for the privileges that its
//! use needs. An object on which the role has no privilege at all is reported as missing.

pub mod authority;
mod views;

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use firn_catalog::{ActiveRole, Securable};
use firn_engine::{FormatDescription, ObjectDescription, Session, StageDescription};
use firn_sql::command::{IfMissing, ObjectKind};
use firn_sql::names::{INFORMATION_SCHEMA, OWN_DATABASE, SchemaName, display_identifier};
use firn_sql::privileges::{Privilege, PrivilegeSet, SecurableKind};
use firn_sql::resolve::{Access, ContainerUse, ObjectUse, UsedKind, Uses};
use firn_sql::{Failure, ObjectName};

use crate::own_database;
use crate::run_error::RunError;
use crate::services::Services;

pub use authority::{Authority, Secured, missing_database, missing_schema, role_of_owner, within};
pub use views::{EXPANSION_FAILED, LIMIT_EXCEEDED, NO_WAREHOUSE, expansion_failed, reads_of_owners, reads_of_view};

/// Whether a statement is to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    Allowed,
    /// It bears that its object is missing, and for this role it is. What the statement answers.
    Skipped(String),
}

impl Decision {
    /// What a command answers that skips a missing object.
    pub fn skipped(access: Access, name: &str) -> String {
        match access {
            Access::Drop => {
                format!("Drop statement executed successfully ({} already dropped).", display_identifier(name))
            }
            _ => "Statement executed successfully.".to_owned(),
        }
    }
}

/// As `decide`, for uses that bear nothing missing.
pub fn authorise(services: &Services, session: &dyn Session, role: &ActiveRole, uses: &Uses) -> Result<(), RunError> {
    decide(services, session, role, uses).map(drop)
}

/// As `authorise`, for the names in the body of a function, a policy or a semantic view, which mean permanent objects.
pub fn authorise_stored(
    services: &Services,
    session: &dyn Session,
    role: &ActiveRole,
    uses: &Uses,
) -> Result<(), RunError> {
    decide_meaning(services, session, role, uses, Meaning::Permanent).map(drop)
}

pub fn decide(
    services: &Services,
    session: &dyn Session,
    role: &ActiveRole,
    uses: &Uses,
) -> Result<Decision, RunError> {
    decide_meaning(services, session, role, uses, Meaning::OfSession)
}

/// What names mean that temporary objects of the session have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    OfSession,
    Permanent,
}

fn decide_meaning(
    services: &Services,
    session: &dyn Session,
    role: &ActiveRole,
    uses: &Uses,
    meaning: Meaning,
) -> Result<Decision, RunError> {
    let authorised = RefCell::default();
    let authority = Authority::new(&services.catalog, session, role);
    let is_stored = meaning == Meaning::Permanent;
    let checks = Checks { services, authority, depth: 0, is_stored, authorised: &authorised };
    if own_database::changes_own(uses) && checks.authority.sees_database(OWN_DATABASE) {
        own_database::refuse_changes(&services.catalog)?;
    }
    checks.decide(uses)
}

struct Checks<'a> {
    services: &'a Services,
    authority: Authority<'a>,
    /// How many views are around the objects that are checked.
    depth: usize,
    /// The names are those of a stored definition: they mean no temporary objects.
    is_stored: bool,
    /// The views that were checked, by their ids: views that read the same ones are as many as their paths.
    authorised: &'a RefCell<HashSet<(i64, ObjectName)>>,
}

/// What a use finds.
enum Found {
    /// Its object, with its name as an error shows it.
    Object { kind: &'static str, name: String, privileges: PrivilegeSet },
    /// None that the role may know of.
    Nothing(Failure),
}

impl Checks<'_> {
    fn decide(&self, uses: &Uses) -> Result<Decision, RunError> {
        for object in &uses.objects {
            let decision = self.object(object)?;
            if decision != Decision::Allowed {
                return Ok(decision);
            }
        }
        for schema in &uses.schemas {
            let decision = self.schema(schema)?;
            if decision != Decision::Allowed {
                return Ok(decision);
            }
        }
        for database in &uses.databases {
            let decision = self.database(database)?;
            if decision != Decision::Allowed {
                return Ok(decision);
            }
        }
        Ok(Decision::Allowed)
    }

    fn object(&self, object: &ObjectUse) -> Result<Decision, RunError> {
        let name = &object.name;
        if let Some(failure) = self.unusable_schema(name)? {
            return skipped_or(failure, object.access, object.if_missing, &name.name);
        }
        if matches!(object.access, Access::Create | Access::Replace) {
            return self.creation(object);
        }
        match self.find(object)? {
            Found::Nothing(failure) => skipped_or(failure, object.access, object.if_missing, &name.name),
            Found::Object { kind, name, privileges } => require(privileges, object.needs, kind, &name),
        }
    }

    fn described_stage(&self, object: &ObjectUse) -> Result<Option<StageDescription>, RunError> {
        let (session, name) = (self.authority.session, &object.name);
        if object.access != Access::Replace {
            return Ok(session.stage(name)?);
        }
        let all = session.permanent_stages(name.database(), Some(name.schema()))?;
        Ok(all.into_iter().find(|stage| stage.name == *name))
    }

    fn described_format(&self, object: &ObjectUse) -> Result<Option<FormatDescription>, RunError> {
        let (session, name) = (self.authority.session, &object.name);
        if object.access != Access::Replace {
            return Ok(session.file_format(name)?);
        }
        let all = session.permanent_file_formats(name.database(), Some(name.schema()))?;
        Ok(all.into_iter().find(|format| format.name == *name))
    }

    /// What the name means to the engine: what a permanent object replaces is permanent, as is every sequence, whatever has
    /// the name in the session.
    fn described(&self, object: &ObjectUse) -> Result<Option<Arc<ObjectDescription>>, RunError> {
        let session = self.authority.session;
        let is_permanent = self.is_stored || object.access == Access::Replace || object.kind == UsedKind::Sequence;
        Ok(if is_permanent { session.describe_permanent(&object.name)? } else { session.describe(&object.name)? })
    }

    /// Why the schema of an object may not be used, from the outside in.
    fn unusable_schema(&self, name: &ObjectName) -> Result<Option<Failure>, RunError> {
        if own_database::is_open_to_all(self.authority.catalog, name) {
            return Ok(None);
        }
        if !self.authority.database(name.database()).contains(Privilege::Usage) {
            return Ok(Some(missing_database(name.database())));
        }
        if !self.authority.schema(name.database(), name.schema())?.contains(Privilege::Usage) {
            let schema = SchemaName { database: name.database.clone(), schema: name.schema().to_owned() };
            return Ok(Some(missing_schema(&schema)));
        }
        Ok(None)
    }

    fn find(&self, object: &ObjectUse) -> Result<Found, RunError> {
        let changes = matches!(object.access, Access::Change | Access::Drop);
        let kind = match object.kind {
            UsedKind::Stage => "Stage",
            UsedKind::FileFormat => "File format",
            UsedKind::Sequence if changes => "Sequence",
            UsedKind::Table if changes => "Table",
            UsedKind::View if changes => "View",
            _ => "Object",
        };
        let is_refused = own_database::is_refused(self.authority.catalog, &object.name);
        let nothing = || match is_refused {
            true => Found::Nothing(Failure::unsupported(&format!("view {}", object.name))),
            false => Found::Nothing(Failure::missing_object(kind, &object.written)),
        };
        let found = match object.kind {
            UsedKind::Stage => self.described_stage(object)?.map(|found| {
                let privileges = self.authority.on_object(&Secured::stage(&found));
                ("stage", with_usage_of_stage(privileges))
            }),
            UsedKind::FileFormat => self
                .described_format(object)?
                .map(|found| ("file format", self.authority.on_object(&Secured::file_format(&found)))),
            _ => match self.described(object)? {
                Some(found) => Some((kind_word(&found), self.relation(object, &found)?)),
                None => None,
            },
        };
        Ok(match found {
            Some((kind, privileges)) if !privileges.is_empty() => {
                Found::Object { kind, name: display_identifier(&object.name.name), privileges }
            }
            _ => nothing(),
        })
    }

    /// What the role may do with a table, view or sequence. Who reads a view reads with its owner's rights below it.
    fn relation(&self, object: &ObjectUse, found: &ObjectDescription) -> Result<PrivilegeSet, RunError> {
        if object.name.schema() == INFORMATION_SCHEMA {
            return Ok(PrivilegeSet::NONE.with(Privilege::Select));
        }
        let privileges = self.authority.on_object(&Secured::from(found));
        let is_own = own_database::is_own(self.authority.catalog, &object.name);
        let reads = object.access == Access::Read && privileges.contains(Privilege::Select);
        if found.kind == ObjectKind::View && reads && !is_own {
            self.view(found)?;
        }
        Ok(privileges)
    }

    /// The schema has to allow it, and what is replaced has to be the role's own.
    fn creation(&self, object: &ObjectUse) -> Result<Decision, RunError> {
        let name = &object.name;
        let schemas = self.authority.session.schemas(name.database())?;
        let schema = schemas.iter().find(|found| found.name == name.schema());
        let record = self.authority.catalog.database(name.database());
        if let (Some(schema), Some(record)) = (schema, record) {
            let on = within(SecurableKind::Schema, &record, schema.id);
            let privileges = self.authority.to_create(&schema.owner, &on);
            if !privileges.contains_all(object.needs) {
                return Err(Failure::insufficient_privileges("schema", &display_identifier(&schema.name)).into());
            }
        }
        if object.access == Access::Replace
            && let Found::Object { kind, name, privileges } = self.find_to_replace(object)?
        {
            return require(privileges, PrivilegeSet::NONE.with(Privilege::Ownership), kind, &name);
        }
        Ok(Decision::Allowed)
    }

    /// The object of that name, also if the role has no privilege on it.
    fn find_to_replace(&self, object: &ObjectUse) -> Result<Found, RunError> {
        let found = match self.find(object)? {
            Found::Nothing(failure) if self.exists(object)? => {
                drop(failure);
                let name = display_identifier(&object.name.name);
                Found::Object { kind: "object", name, privileges: PrivilegeSet::NONE }
            }
            found => found,
        };
        Ok(found)
    }

    fn exists(&self, object: &ObjectUse) -> Result<bool, RunError> {
        Ok(match object.kind {
            UsedKind::Stage => self.described_stage(object)?.is_some(),
            UsedKind::FileFormat => self.described_format(object)?.is_some(),
            _ => self.described(object)?.is_some(),
        })
    }

    fn schema(&self, used: &ContainerUse<SchemaName>) -> Result<Decision, RunError> {
        let name = &used.name;
        let Some(database) = self.authority.catalog.database(name.database()) else {
            return skipped_or(missing_database(name.database()), used.access, used.if_missing, &name.schema);
        };
        if !self.authority.on_database(&database).contains(Privilege::Usage) {
            return skipped_or(missing_database(name.database()), used.access, used.if_missing, &name.schema);
        }
        if matches!(used.access, Access::Create | Access::Replace) {
            let privileges = self.authority.to_create(&database.owner, &Securable::Database(database.id));
            require(privileges, used.needs, "database", &display_identifier(&database.name))?;
            if used.access == Access::Create || !self.schema_exists(name)? {
                return Ok(Decision::Allowed);
            }
            let privileges = self.authority.schema(name.database(), &name.schema)?;
            return require(privileges, PrivilegeSet::NONE.with(Privilege::Ownership), "schema", &name.to_string());
        }
        let privileges = self.authority.schema(name.database(), &name.schema)?;
        match privileges.is_empty() {
            true => skipped_or(missing_schema(name), used.access, used.if_missing, &name.schema),
            false => require(privileges, used.needs, "schema", &display_identifier(&name.schema)),
        }
    }

    fn schema_exists(&self, name: &SchemaName) -> Result<bool, RunError> {
        Ok(self.authority.session.schemas(name.database())?.iter().any(|found| found.name == name.schema))
    }

    fn database(&self, used: &ContainerUse<String>) -> Result<Decision, RunError> {
        let catalog = self.authority.catalog;
        let privileges = self.authority.database(&used.name);
        if matches!(used.access, Access::Create | Access::Replace) {
            let granted = self.authority.to_create("ACCOUNTADMIN", &Securable::Account);
            require(granted, used.needs, "account", &catalog.account())?;
            return match used.access == Access::Replace && catalog.database(&used.name).is_some() {
                true => {
                    let ownership = PrivilegeSet::NONE.with(Privilege::Ownership);
                    require(privileges, ownership, "database", &display_identifier(&used.name))
                }
                false => Ok(Decision::Allowed),
            };
        }
        match privileges.is_empty() {
            true => skipped_or(missing_database(&used.name), used.access, used.if_missing, &used.name),
            false => require(privileges, used.needs, "database", &display_identifier(&used.name)),
        }
    }
}

fn require(privileges: PrivilegeSet, needs: PrivilegeSet, kind: &str, name: &str) -> Result<Decision, RunError> {
    match privileges.contains_all(needs) {
        true => Ok(Decision::Allowed),
        false => Err(Failure::insufficient_privileges(kind, name).into()),
    }
}

/// What a command answers about an object that is missing or may not be known.
fn skipped_or(missing: Failure, access: Access, if_missing: IfMissing, name: &str) -> Result<Decision, RunError> {
    match if_missing {
        IfMissing::Fail => Err(missing.into()),
        IfMissing::Skip => Ok(Decision::Skipped(Decision::skipped(access, name))),
    }
}

/// USAGE of a stage lets its files be read and written, as READ and WRITE do.
pub fn with_usage_of_stage(privileges: PrivilegeSet) -> PrivilegeSet {
    match privileges.contains(Privilege::Usage) {
        true => privileges.with(Privilege::Read).with(Privilege::Write),
        false => privileges,
    }
}

fn kind_word(object: &ObjectDescription) -> &'static str {
    match object.kind {
        ObjectKind::View => "view",
        ObjectKind::Sequence => "sequence",
        _ => "table",
    }
}
