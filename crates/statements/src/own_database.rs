//! The server's own database, SNOWFLAKE: who sees what of it, and that nobody changes it.

use firn_catalog::{ActiveRole, Catalog, DatabaseRecord, Holder, Securable};
use firn_sql::names::{ACCOUNT_USAGE, INFORMATION_SCHEMA, OWN_DATABASE, SchemaName};
use firn_sql::privileges::Privilege;
use firn_sql::resolve::{Access, ContainerUse, Uses};
use firn_sql::{Failure, ObjectName};

use crate::account_usage::definitions;

/// The owner of a view names the database role that reads it.
pub fn owner_of(reader: &str) -> String {
    format!("{OWN_DATABASE}.{reader}")
}

pub fn role_of_owner(owner: &str) -> Option<&str> {
    owner.strip_prefix(OWN_DATABASE)?.strip_prefix('.')
}

/// The owners that a role may know of when it looks at the server's own database.
pub fn visible_owners(catalog: &Catalog, role: &ActiveRole, own: &DatabaseRecord) -> Vec<String> {
    let mut owners: Vec<String> = match role.is_account_admin() {
        true => catalog.principals().roles().map(|role| role.name.clone()).collect(),
        false => role.held.iter().cloned().collect(),
    };
    let granted = catalog.privileges(role, &Securable::Database(own.id));
    let reads_all = role.is_account_admin() || granted.contains(Privilege::ImportedPrivileges);
    let readers = definitions::readers().into_iter().filter(|reader| {
        let key = Holder::DatabaseRole { database: own.id, name: (*reader).to_owned() }.key();
        reads_all || role.held.contains(&key)
    });
    owners.extend(readers.map(owner_of));
    // The schema of the views has no owner.
    owners.push(String::new());
    owners
}

pub fn is_own(catalog: &Catalog, name: &ObjectName) -> bool {
    name.database() == OWN_DATABASE && catalog.database(OWN_DATABASE).is_some_and(|found| found.is_own())
}

/// Whether everybody may read it: it shows to each only what is theirs.
pub fn is_open_to_all(catalog: &Catalog, name: &ObjectName) -> bool {
    name.schema() == INFORMATION_SCHEMA && name.name == "QUERY_HISTORY" && is_own(catalog, name)
}

/// Whether it is a view that the vendor has and firn has not.
pub fn is_refused(catalog: &Catalog, name: &ObjectName) -> bool {
    name.schema() == ACCOUNT_USAGE && definitions::is_refused_view(&name.name) && is_own(catalog, name)
}

/// Whether a statement changes or clones something in the server's own database.
pub fn changes_own(uses: &Uses) -> bool {
    let objects = uses.objects.iter().map(|used| (used.name.database(), used.access));
    let schemas = uses.schemas.iter().map(|used| (used.name.database(), used.access));
    let databases = uses.databases.iter().map(|used| (used.name.as_str(), used.access));
    let mut all = objects.chain(schemas).chain(databases);
    let is_own = |used: &ContainerUse<SchemaName>| used.name.database() == OWN_DATABASE;
    all.any(|(database, access)| database == OWN_DATABASE && access != Access::Read)
        || uses.schemas.iter().any(is_own) && uses.schemas.iter().any(|used| used.access != Access::Read)
}

/// Nothing in the server's own database can be changed.
pub fn refuse_changes(catalog: &Catalog) -> Result<(), Failure> {
    match catalog.database(OWN_DATABASE).is_some_and(|found| found.is_own()) {
        true => Err(Failure::read_only_database(OWN_DATABASE)),
        false => Ok(()),
    }
}
