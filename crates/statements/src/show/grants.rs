//! SHOW GRANTS and SHOW FUTURE GRANTS.

use firn_catalog::{DatabaseRecord, FutureGrant, FuturePlace, Holder, PrivilegeGrant, RoleGrant, Securable};
use firn_sql::Failure;
use firn_sql::command::{Container, GrantScope, GrantedKind, GrantedName, Grantee};
use firn_sql::names::{SchemaName, display_identifier};
use firn_sql::privileges::{Privilege, SecurableKind};

use super::listing::{Listing, Viewer, instant, missing_scope, text};
use crate::authorise::{missing_database, missing_schema};
use crate::grants::{Target, holder, named_target, named_within};
use crate::run_error::RunError;

const COLUMNS: &str =
    "created_on:instant privilege granted_on name granted_to grantee_name grant_option granted_by granted_by_role_type";
const ROLE_COLUMNS: &str = "created_on:instant role granted_to grantee_name granted_by";
const FUTURE_COLUMNS: &str = "created_on:instant privilege grant_on name grant_to grantee_name grant_option";

pub fn grants(viewer: &Viewer, scope: &GrantScope) -> Result<Listing, RunError> {
    match scope {
        GrantScope::OfCaller => match viewer.state.own_user() {
            Some(user) => Ok(roles_of_user(viewer, user.id)),
            None => Ok(Listing::of(ROLE_COLUMNS)),
        },
        GrantScope::To(Grantee::User(name)) => {
            let principals = viewer.services.catalog.principals();
            let user = viewer.visible_user(&principals, name)?;
            Ok(roles_of_user(viewer, user.id))
        }
        GrantScope::To(grantee) => to_role(viewer, grantee),
        GrantScope::OfRole(name) => {
            viewer.require_role(name)?;
            Ok(of_role(viewer, name))
        }
        GrantScope::OfDatabaseRole(name) => {
            let holder = viewer.database_role(&Grantee::DatabaseRole(name.clone()))?;
            Ok(of_role(viewer, &holder.key()))
        }
        GrantScope::On { kind, name } => on_object(viewer, *kind, name),
        GrantScope::OnAccount => Ok(on_account(viewer)),
        GrantScope::FutureIn(container) => future_in(viewer, container),
        GrantScope::FutureTo(grantee) => {
            let holder = viewer.role_or_database_role(grantee)?;
            future(viewer, viewer.services.catalog.future_grants_to(&holder.key()))
        }
    }
}

fn roles_of_user(viewer: &Viewer, user: i64) -> Listing {
    let key = Holder::User(user).key();
    role_listing(viewer, |grant| grant.grantee == key)
}

fn of_role(viewer: &Viewer, role: &str) -> Listing {
    role_listing(viewer, |grant| grant.role == role)
}

fn role_listing(viewer: &Viewer, wanted: impl Fn(&RoleGrant) -> bool) -> Listing {
    let mut listing = Listing::of(ROLE_COLUMNS);
    let principals = viewer.services.catalog.principals();
    for grant in principals.role_grants().iter().filter(|grant| wanted(grant)) {
        let (kind, name) = viewer.shown_holder(&grant.grantee);
        let (_, role) = viewer.shown_holder(&grant.role);
        listing.add([instant(grant.created_on_ms), Some(role), text(kind), Some(name), text(&grant.granted_by)]);
    }
    listing
}

fn on_object(viewer: &Viewer, kind: GrantedKind, name: &GrantedName) -> Result<Listing, RunError> {
    let target = named_target(viewer.services, viewer.session, viewer.state, kind, name)?;
    let mut listing = Listing::of(COLUMNS);
    let Target { kind, securable, owner, shown, created_on_ms, .. } = target;
    add_ownership(&mut listing, kind, &shown, &owner, created_on_ms);
    for grant in securable.map(|on| viewer.services.catalog.grants_on(&on)).unwrap_or_default() {
        add(viewer, &mut listing, kind, &shown, &grant);
    }
    Ok(listing)
}

fn on_account(viewer: &Viewer) -> Listing {
    let mut listing = Listing::of(COLUMNS);
    let catalog = &viewer.services.catalog;
    let sees_all = catalog.has_account_privilege(&viewer.state.role, Privilege::ManageGrants);
    for grant in catalog.grants_on(&Securable::Account) {
        if sees_all || viewer.state.role.held.contains(&*grant.grantee) {
            add(viewer, &mut listing, SecurableKind::Account, &catalog.account(), &grant);
        }
    }
    listing
}

/// The roles that a role was granted, what it owns, and its privileges.
fn to_role(viewer: &Viewer, grantee: &Grantee) -> Result<Listing, RunError> {
    let holder = viewer.role_or_database_role(grantee)?;
    let key = holder.key();
    let catalog = &viewer.services.catalog;
    let principals = catalog.principals();
    let mut listing = Listing::of(COLUMNS);
    for grant in principals.role_grants().iter().filter(|grant| grant.grantee == key) {
        let (kind, role) = viewer.shown_holder(&grant.role);
        let (_, name) = viewer.shown_holder(&key);
        listing.add([
            instant(grant.created_on_ms),
            text("USAGE"),
            text(kind),
            Some(role),
            text("ROLE"),
            Some(name),
            text("false"),
            text(&grant.granted_by),
            text("ROLE"),
        ]);
    }
    for role in principals.roles().filter(|role| role.owner == key) {
        add_ownership(&mut listing, SecurableKind::Role, &display_identifier(&role.name), &key, role.created_on_ms);
    }
    for warehouse in catalog.warehouses().into_iter().filter(|warehouse| warehouse.owner == key) {
        let shown = display_identifier(&warehouse.name);
        add_ownership(&mut listing, SecurableKind::Warehouse, &shown, &key, warehouse.created_on_ms);
    }
    for policy in catalog.network_policies().into_iter().filter(|policy| policy.owner == key) {
        let shown = display_identifier(&policy.name);
        add_ownership(&mut listing, SecurableKind::NetworkPolicy, &shown, &key, policy.created_on_ms);
    }
    let granted = catalog.grants_to(&key);
    for database in catalog.databases() {
        in_database(viewer, &mut listing, &database, &key, &granted)?;
    }
    for (on, grant) in &granted {
        let shown = match on {
            Securable::Account => catalog.account(),
            Securable::Warehouse(name) | Securable::ResourceMonitor(name) | Securable::Integration(name) => {
                display_identifier(name)
            }
            Securable::User(id) => {
                let user = principals.users().find(|user| user.id == *id).map(|user| display_identifier(&user.name));
                user.unwrap_or_default()
            }
            Securable::Database(_) | Securable::Within { .. } => continue,
        };
        add(viewer, &mut listing, on.kind(), &shown, grant);
    }
    Ok(listing)
}

fn in_database(
    viewer: &Viewer,
    listing: &mut Listing,
    database: &DatabaseRecord,
    key: &str,
    granted: &[(Securable, PrivilegeGrant)],
) -> Result<(), RunError> {
    if database.owner == key {
        let shown = display_identifier(&database.name);
        add_ownership(listing, SecurableKind::Database, &shown, key, database.created_on_ms);
    }
    let objects = named_within(viewer.services, viewer.session, database)?;
    let schemas = viewer.session.schemas(&database.name)?;
    for schema in schemas.iter().filter(|schema| schema.owner == key) {
        let name = SchemaName { database: Some(database.name.clone()), schema: schema.name.clone() };
        add_ownership(listing, SecurableKind::Schema, &name.to_string(), key, schema.created_on_ms);
    }
    let mut owned: Vec<_> = objects.values().filter(|named| named.owner == key).collect();
    owned.sort_by(|a, b| (a.kind, &a.shown).cmp(&(b.kind, &b.shown)));
    for named in owned {
        add_ownership(listing, named.kind, &named.shown, key, named.created_on_ms);
    }
    for (on, grant) in granted {
        let shown = match on {
            Securable::Database(id) if *id == database.id => Some(display_identifier(&database.name)),
            Securable::Within { kind: SecurableKind::Schema, database: place, id } if *place == database.id => {
                let schema = schemas.iter().find(|schema| schema.id == *id);
                schema.map(|schema| {
                    SchemaName { database: Some(database.name.clone()), schema: schema.name.clone() }.to_string()
                })
            }
            Securable::Within { kind, database: place, id } if *place == database.id => {
                objects.get(&(*kind, *id)).map(|named| named.shown.clone())
            }
            _ => None,
        };
        if let Some(shown) = shown {
            add(viewer, listing, on.kind(), &shown, grant);
        }
    }
    Ok(())
}

fn future_in(viewer: &Viewer, container: &Container) -> Result<Listing, RunError> {
    let catalog = &viewer.services.catalog;
    let (database, schema) = match container {
        Container::Database(name) => (name.as_str(), None),
        Container::Schema(name) => (name.database(), Some(name)),
    };
    let sees_all = catalog.has_account_privilege(&viewer.state.role, Privilege::ManageGrants);
    let record = catalog.database(database).filter(|_| sees_all || viewer.authority.sees_database(database));
    let record = record.ok_or_else(|| missing_scope(missing_database(database)))?;
    let schema = match schema {
        None => None,
        Some(name) => {
            let found = viewer.session.schemas(database)?.into_iter().find(|found| found.name == name.schema);
            let sees = sees_all || viewer.authority.sees_schema(name)?;
            Some(found.filter(|_| sees).ok_or_else(|| missing_scope(missing_schema(name)))?.id)
        }
    };
    future(viewer, catalog.future_grants_in(FuturePlace { database: record.id, schema }))
}

fn future(viewer: &Viewer, granted: Vec<FutureGrant>) -> Result<Listing, RunError> {
    let mut listing = Listing::of(FUTURE_COLUMNS);
    for FutureGrant { place, kind, grant } in granted {
        let databases = viewer.services.catalog.databases();
        let Some(database) = databases.into_iter().find(|database| database.id == place.database) else { continue };
        let shown = display_identifier(&database.name);
        let within = match place.schema {
            None => shown,
            Some(id) => {
                let schemas = viewer.session.schemas(&database.name)?;
                let Some(schema) = schemas.into_iter().find(|schema| schema.id == id) else { continue };
                format!("{shown}.{}", display_identifier(&schema.name))
            }
        };
        let (to, name) = viewer.shown_holder(&grant.grantee);
        listing.add([
            instant(grant.created_on_ms),
            text(grant.privilege.words()),
            Some(kind.label()),
            Some(format!("{within}.<{}>", kind.label())),
            text(to),
            Some(name),
            Some(grant.grant_option.to_string()),
        ]);
    }
    Ok(listing)
}

fn add(viewer: &Viewer, listing: &mut Listing, kind: SecurableKind, shown: &str, grant: &PrivilegeGrant) {
    let (to, name) = viewer.shown_holder(&grant.grantee);
    let (by_kind, by) = match grant.granted_by.is_empty() {
        true => ("", String::new()),
        false => viewer.shown_holder(&grant.granted_by),
    };
    listing.add([
        instant(grant.created_on_ms),
        text(grant.privilege.words()),
        Some(kind.label()),
        text(shown),
        text(to),
        Some(name),
        Some(grant.grant_option.to_string()),
        Some(by),
        text(by_kind),
    ]);
}

fn add_ownership(listing: &mut Listing, kind: SecurableKind, shown: &str, owner: &str, created_on_ms: i64) {
    listing.add([
        instant(created_on_ms),
        text("OWNERSHIP"),
        Some(kind.label()),
        text(shown),
        text("ROLE"),
        text(owner),
        text("true"),
        text(owner),
        text("ROLE"),
    ]);
}

impl Viewer<'_> {
    /// The kind and the name of whom a key means.
    pub(super) fn shown_holder(&self, key: &str) -> (&'static str, String) {
        let catalog = &self.services.catalog;
        match Holder::of_key(key) {
            Holder::Role(name) => ("ROLE", name),
            Holder::User(id) => {
                let principals = catalog.principals();
                let name = principals.users().find(|user| user.id == id).map(|user| user.name.clone());
                ("USER", name.unwrap_or_default())
            }
            Holder::DatabaseRole { database, name } => {
                let databases = catalog.databases().into_iter();
                let place = databases.filter(|found| found.id == database).map(|found| found.name).next();
                let place = place.as_deref().map(display_identifier).unwrap_or_default();
                ("DATABASE_ROLE", format!("{place}.{}", display_identifier(&name)))
            }
        }
    }

    /// Who may see what a role has: who has or owns it, or manages grants.
    fn require_role(&self, name: &str) -> Result<(), RunError> {
        let catalog = &self.services.catalog;
        let (principals, role) = (catalog.principals(), &self.state.role);
        let may_take = |found: &str| self.state.own_user().is_some_and(|user| principals.may_take_role(user.id, found));
        let found = principals.role(name).filter(|found| {
            role.held.contains(&found.name)
                || may_take(&found.name)
                || role.may_use_what_is_owned_by(&found.owner)
                || catalog.has_account_privilege(role, Privilege::ManageGrants)
        });
        found.map(drop).ok_or_else(|| Failure::missing_object("Role", &display_identifier(name)).into())
    }

    fn role_or_database_role(&self, grantee: &Grantee) -> Result<Holder, RunError> {
        match grantee {
            Grantee::Role(name) => {
                self.require_role(name)?;
                Ok(Holder::Role(name.clone()))
            }
            _ => self.database_role(grantee),
        }
    }

    /// Who may see what a database role has: who has it, owns it or its database, or manages grants.
    fn database_role(&self, grantee: &Grantee) -> Result<Holder, RunError> {
        let Grantee::DatabaseRole(name) = grantee else { return holder(&self.services.catalog, grantee) };
        let missing = || Failure::missing_object("Database role", &name.to_string());
        let (catalog, role) = (&self.services.catalog, &self.state.role);
        let database = catalog.database(name.database()).ok_or_else(missing)?;
        let key = Holder::DatabaseRole { database: database.id, name: name.name.clone() }.key();
        let principals = catalog.principals();
        let found = principals.database_roles_of(database.id).find(|found| found.name == name.name).filter(|found| {
            role.held.contains(&key)
                || role.may_use_what_is_owned_by(&found.owner)
                || role.may_use_what_is_owned_by(&database.owner)
                || catalog.has_account_privilege(role, Privilege::ManageGrants)
        });
        found.map(|_| Holder::of_key(&key)).ok_or_else(|| missing().into())
    }
}
