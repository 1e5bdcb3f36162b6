//! From the objects that GRANT and REVOKE name to their identities.

use std::collections::HashMap;

use firn_catalog::{Catalog, DatabaseRecord, Securable};
use firn_engine::Session;
use firn_sql::command::{Container, GrantTarget, GrantedKind, GrantedName, ObjectKind, OwnershipTarget, RoutineKind};
use firn_sql::names::{SchemaName, display_identifier};
use firn_sql::privileges::{Privilege, PrivilegeSet, SecurableKind};
use firn_sql::routines::signature;
use firn_sql::{Failure, ObjectName};

use crate::authorise::{Authority, Secured, missing_database, missing_schema, within};
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// An object that privileges are granted on.
#[derive(Clone, Debug)]
pub struct Target {
    pub kind: SecurableKind,
    /// What its grants are stored under; none for roles, which are granted themselves.
    pub securable: Option<Securable>,
    pub owner: String,
    pub created_on_ms: i64,
    /// As SHOW GRANTS and errors name it.
    pub shown: String,
    /// Who alone may grant on it, where its schema has managed access: the owner of the schema.
    pub manager: Option<String>,
    pub place: Place,
}

/// How the object is found again to change its owner.
#[derive(Clone, Debug)]
pub enum Place {
    OfAccount(String),
    /// By the id of the database.
    DatabaseRole(i64, String),
    /// With the identity: a temporary object and the permanent one that it hides have one name.
    InDatabase(OwnershipTarget, i64),
    SemanticView(i64),
    LoginPolicy(i64),
}

/// Finds the objects that a role may know of.
pub struct Targets<'a> {
    pub services: &'a Services,
    pub session: &'a dyn Session,
    pub state: &'a SessionState,
}

impl Targets<'_> {
    fn catalog(&self) -> &Catalog {
        &self.services.catalog
    }

    pub(super) fn authority(&self) -> Authority<'_> {
        Authority::new(&self.services.catalog, self.session, &self.state.role)
    }

    /// Whether the role may grant anything to anybody.
    pub(super) fn manages_grants(&self) -> bool {
        self.catalog().has_account_privilege(&self.state.role, Privilege::ManageGrants)
    }

    /// The objects that exist now; those of ALL may be none.
    pub(super) fn all(&self, target: &GrantTarget) -> Result<Vec<Target>, RunError> {
        match target {
            GrantTarget::Account => Ok(vec![Target {
                kind: SecurableKind::Account,
                securable: Some(Securable::Account),
                owner: "ACCOUNTADMIN".to_owned(),
                created_on_ms: 0,
                shown: self.catalog().account(),
                manager: None,
                place: Place::OfAccount(String::new()),
            }]),
            GrantTarget::Objects { kind, names } => names.iter().map(|name| self.named(*kind, name)).collect(),
            GrantTarget::All { kind, container } => self.all_in(*kind, container),
            GrantTarget::Future { .. } => Ok(Vec::new()),
        }
    }

    /// An object by its name; one that the role may not know of is missing.
    pub(super) fn named(&self, kind: GrantedKind, name: &GrantedName) -> Result<Target, RunError> {
        let found = self.find(kind, name)?;
        let (target, is_visible) = found.ok_or_else(|| missing(kind, name))?;
        match is_visible || self.manages_grants() {
            true => Ok(target),
            false => Err(missing(kind, name).into()),
        }
    }

    /// The object, and whether the role has any privilege on it.
    fn find(&self, kind: GrantedKind, name: &GrantedName) -> Result<Option<(Target, bool)>, RunError> {
        match (kind, name) {
            (GrantedKind::Of(kind), GrantedName::OfAccount(name)) => Ok(self.of_account(kind, name)),
            (_, GrantedName::DatabaseRole(name)) => {
                let database = self.catalog().database(name.database());
                let found = database
                    .and_then(|database| self.catalog().principals().database_role(database.id, &name.name).cloned());
                Ok(found.map(|role| {
                    let sees = self.authority().sees_database(name.database());
                    let place = Place::DatabaseRole(role.database, role.name);
                    let shown = name.to_string();
                    let kind = SecurableKind::DatabaseRole;
                    let (owner, created_on_ms) = (role.owner, role.created_on_ms);
                    (Target { kind, securable: None, owner, created_on_ms, shown, manager: None, place }, sees)
                }))
            }
            (_, GrantedName::Schema(name)) => self.schema(name),
            (kind, GrantedName::Object(name)) => self.object(kind, name),
            (_, GrantedName::Routine { name, types }) => {
                let wanted = signature(types.iter());
                let kind = match kind {
                    GrantedKind::Of(SecurableKind::Procedure) => RoutineKind::Procedure,
                    _ => RoutineKind::Function,
                };
                let all = self.in_database(name.database(), Some(name.schema()), Meant::ByName)?;
                let is_it = |found: &&Found| match &found.target.place {
                    Place::InDatabase(OwnershipTarget::Routine { kind: of, name: called, types }, _) => {
                        *of == kind && called == name && signature(types.iter()) == wanted
                    }
                    _ => false,
                };
                Ok(all.iter().find(is_it).map(|found| (found.target.clone(), found.is_visible)))
            }
            _ => Ok(None),
        }
    }

    fn of_account(&self, kind: SecurableKind, name: &str) -> Option<(Target, bool)> {
        let (catalog, role) = (self.catalog(), &self.state.role);
        let principals = catalog.principals();
        let (securable, owner, created_on_ms) = match kind {
            SecurableKind::Database => {
                let database = catalog.database(name)?;
                (Some(Securable::Database(database.id)), database.owner, database.created_on_ms)
            }
            SecurableKind::Warehouse => {
                let warehouse = catalog.warehouse(name)?;
                (Some(Securable::Warehouse(name.to_owned())), warehouse.owner, warehouse.created_on_ms)
            }
            SecurableKind::ResourceMonitor => {
                let monitor = catalog.resource_monitor(name)?;
                (Some(Securable::ResourceMonitor(name.to_owned())), monitor.owner, monitor.created_on_ms)
            }
            SecurableKind::Integration => {
                let (owner, created_on_ms) = principals.owner_of_integration(name)?;
                (Some(Securable::Integration(name.to_owned())), owner.to_owned(), created_on_ms)
            }
            SecurableKind::NetworkPolicy => {
                let policy = catalog.network_policies().into_iter().find(|policy| policy.name == name)?;
                (None, policy.owner, policy.created_on_ms)
            }
            SecurableKind::User => {
                let user = principals.user(name)?;
                (Some(Securable::User(user.id)), user.owner.clone(), user.created_on_ms)
            }
            SecurableKind::Role => {
                let role = principals.role(name)?;
                (None, role.owner.clone(), role.created_on_ms)
            }
            _ => return None,
        };
        let has_any = |securable: &Securable| !catalog.privileges(role, securable).is_empty();
        let sees = role.may_use_what_is_owned_by(&owner) || securable.as_ref().is_some_and(has_any);
        let place = Place::OfAccount(name.to_owned());
        let shown = display_identifier(name);
        Some((Target { kind, securable, owner, created_on_ms, shown, manager: None, place }, sees))
    }

    fn schema(&self, name: &SchemaName) -> Result<Option<(Target, bool)>, RunError> {
        let Some(database) = self.catalog().database(name.database()) else { return Ok(None) };
        let schemas = self.session.schemas(name.database())?;
        let Some(found) = schemas.into_iter().find(|schema| schema.name == name.schema) else { return Ok(None) };
        let target = Target {
            kind: SecurableKind::Schema,
            securable: Some(within(SecurableKind::Schema, &database, found.id)),
            manager: None,
            shown: name.to_string(),
            owner: found.owner,
            created_on_ms: found.created_on_ms,
            place: Place::InDatabase(OwnershipTarget::Schema(name.clone()), found.id),
        };
        Ok(Some((target, self.authority().sees_schema(name)?)))
    }

    fn object(&self, kind: GrantedKind, name: &ObjectName) -> Result<Option<(Target, bool)>, RunError> {
        if self.catalog().database(name.database()).is_none() {
            return Ok(None);
        }
        let matches = |found: SecurableKind| match kind {
            GrantedKind::Of(kind) => kind == found,
            _ => matches!(found, SecurableKind::Table | SecurableKind::View),
        };
        let all = self.in_database(name.database(), Some(name.schema()), Meant::ByName)?;
        let found = all.into_iter().find(|found| found.name == *name && matches(found.target.kind));
        Ok(found.map(|found| (found.target, found.is_visible)))
    }

    fn all_in(&self, kind: GrantedKind, container: &Container) -> Result<Vec<Target>, RunError> {
        let (database, schema) = self.visible_container(container)?;
        let GrantedKind::Of(kind) = kind else { return Ok(Vec::new()) };
        let manages = self.manages_grants();
        if kind == SecurableKind::Schema {
            let names = self.session.schemas(&database)?.into_iter();
            let names = names.map(|schema| SchemaName { database: Some(database.clone()), schema: schema.name });
            let found = names.map(|name| self.schema(&name)).collect::<Result<Vec<_>, _>>()?;
            let visible = found.into_iter().flatten().filter(|(_, is_visible)| *is_visible || manages);
            return Ok(visible.map(|(target, _)| target).collect());
        }
        let all = self.in_database(&database, schema.as_deref(), Meant::Permanent)?.into_iter();
        let meant = all.filter(|found| found.target.kind == kind && (found.is_visible || manages));
        Ok(meant.map(|found| found.target).collect())
    }

    /// The database and the schema that ALL and FUTURE name.
    pub(super) fn visible_container(&self, container: &Container) -> Result<(String, Option<String>), RunError> {
        let (database, schema) = match container {
            Container::Database(name) => (name.clone(), None),
            Container::Schema(name) => (name.database().to_owned(), Some(name.clone())),
        };
        let sees = |privileges: PrivilegeSet| !privileges.is_empty() || self.manages_grants();
        if self.catalog().database(&database).is_none() || !sees(self.authority().database(&database)) {
            return Err(missing_database(&database).into());
        }
        if let Some(name) = &schema {
            let exists = self.session.schemas(&database)?.iter().any(|found| found.name == name.schema);
            if !exists || !sees(self.authority().schema(&database, &name.schema)?) {
                return Err(missing_schema(name).into());
            }
        }
        Ok((database, schema.map(|name| name.schema)))
    }

    fn in_database(&self, database: &str, schema: Option<&str>, meant: Meant) -> Result<Vec<Found>, RunError> {
        let Some(record) = self.catalog().database(database) else { return Ok(Vec::new()) };
        let authority = self.authority();
        let schemas = self.session.schemas(database)?;
        let mut found = Vec::new();
        for named in objects_within(self.services, self.session, (&record, schema), meant)? {
            let manager = schemas.iter().find(|schema| schema.name == named.name.schema());
            let manager = manager.filter(|schema| schema.options.managed_access).map(|schema| schema.owner.clone());
            let secured =
                Secured { kind: named.kind, database, schema: named.name.schema(), owner: &named.owner, id: named.id };
            let manages = manager.as_ref().is_some_and(|owner| self.state.role.may_use_what_is_owned_by(owner));
            let is_visible = manages || !authority.object(&secured)?.is_empty();
            let target = Target {
                kind: named.kind,
                securable: Some(within(named.kind, &record, named.id)),
                owner: named.owner,
                created_on_ms: named.created_on_ms,
                shown: named.shown,
                manager,
                place: named.place,
            };
            found.push(Found { name: named.name, target, is_visible });
        }
        Ok(found)
    }
}

struct Found {
    name: ObjectName,
    target: Target,
    is_visible: bool,
}

/// An object of a database by its identity.
#[derive(Clone, Debug)]
pub struct Named {
    pub kind: SecurableKind,
    pub id: i64,
    pub name: ObjectName,
    pub owner: String,
    pub created_on_ms: i64,
    /// With the types of its parameters, if it is a routine.
    pub shown: String,
    pub(super) place: Place,
}

/// Every permanent object of a database that privileges are granted on, by kind and id.
pub fn named_within(
    services: &Services,
    session: &dyn Session,
    database: &DatabaseRecord,
) -> Result<HashMap<(SecurableKind, i64), Named>, RunError> {
    let all = objects_within(services, session, (database, None), Meant::Permanent)?;
    Ok(all.into_iter().map(|named| ((named.kind, named.id), named)).collect())
}

/// What of a database is meant where temporary objects of the session hide permanent ones.
#[derive(Clone, Copy)]
enum Meant {
    /// What a name means: the temporary ones.
    ByName,
    /// What stays, whatever hides it.
    Permanent,
}

fn objects_within(
    services: &Services,
    session: &dyn Session,
    (database, schema): (&DatabaseRecord, Option<&str>),
    meant: Meant,
) -> Result<Vec<Named>, RunError> {
    let mut found = Vec::new();
    let mut add =
        |kind: SecurableKind, object: ObjectKind, name: ObjectName, owner: &str, id: i64, created_on_ms: i64| {
            let place = Place::InDatabase(OwnershipTarget::Object { kind: object, name: name.clone() }, id);
            let shown = name.to_string();
            found.push(Named { kind, id, name, owner: owner.to_owned(), created_on_ms, shown, place });
        };
    let (objects, stages, formats) = match meant {
        Meant::ByName => (
            session.objects(&database.name, schema)?,
            session.stages(&database.name, schema)?,
            session.file_formats(&database.name, schema)?,
        ),
        Meant::Permanent => (
            session.permanent_objects(&database.name, schema)?,
            session.permanent_stages(&database.name, schema)?,
            session.permanent_file_formats(&database.name, schema)?,
        ),
    };
    for object in objects {
        let kind = Secured::from(object.as_ref()).kind;
        add(kind, object.kind, object.name.clone(), &object.owner, object.id, object.created_on_ms);
    }
    for stage in stages {
        let created_on_ms = stage.created_on_ms;
        add(SecurableKind::Stage, ObjectKind::Stage, stage.name, &stage.owner, stage.id, created_on_ms);
    }
    for format in formats {
        let created_on_ms = format.created_on_ms;
        add(SecurableKind::FileFormat, ObjectKind::FileFormat, format.name, &format.owner, format.id, created_on_ms);
    }
    for described in session.routines(&database.name)? {
        let routine = &described.routine;
        if schema.is_some_and(|schema| schema != routine.name.schema()) {
            continue;
        }
        let types = routine.parameters.iter().map(|parameter| parameter.data_type.clone()).collect();
        let place = OwnershipTarget::Routine { kind: routine.kind, name: routine.name.clone(), types };
        found.push(Named {
            kind: Secured::routine(&described).kind,
            id: described.id,
            name: routine.name.clone(),
            owner: described.owner.clone(),
            created_on_ms: described.created_on_ms,
            shown: match routine.kind.is_overloaded() {
                false => routine.name.to_string(),
                true => format!("{}({})", routine.name, routine.signature()),
            },
            place: Place::InDatabase(place, described.id),
        });
    }
    for policy in services.catalog.login_policies(&database.name, schema) {
        let name = ObjectName::qualified(&policy.database, &policy.schema, &policy.name);
        found.push(Named {
            kind: policy.kind.securable(),
            id: policy.id,
            shown: name.to_string(),
            name,
            owner: policy.owner,
            created_on_ms: policy.created_on_ms,
            place: Place::LoginPolicy(policy.id),
        });
    }
    for view in services.catalog.semantic_views(&database.name, schema)? {
        let name = ObjectName::qualified(&view.database, &view.schema, &view.name);
        found.push(Named {
            kind: SecurableKind::SemanticView,
            id: view.id,
            shown: name.to_string(),
            name,
            owner: view.owner,
            created_on_ms: view.created_on_ms,
            place: Place::SemanticView(view.id),
        });
    }
    Ok(found)
}

fn missing(kind: GrantedKind, name: &GrantedName) -> Failure {
    let word = match kind {
        GrantedKind::Of(kind) => {
            let words = kind.words().to_ascii_lowercase();
            format!("{}{}", words[..1].to_ascii_uppercase(), &words[1..])
        }
        _ => "Object".to_owned(),
    };
    let shown = match name {
        GrantedName::OfAccount(name) => display_identifier(name),
        GrantedName::DatabaseRole(name) => name.to_string(),
        GrantedName::Schema(name) => name.to_string(),
        GrantedName::Object(name) => name.to_string(),
        GrantedName::Routine { name, types } => format!("{name}({})", signature(types.iter())),
    };
    Failure::missing_object(&word, &shown)
}
