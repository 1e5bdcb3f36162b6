//! The privileges on what is in a database, as INFORMATION_SCHEMA shows them: of each object that the role may know of, its
//! ownership and all that was granted on it.

use firn_catalog::{Holder, PrivilegeGrant};
use firn_sql::names::display_identifier;
use firn_sql::privileges::SecurableKind;

use super::Row;
use super::objects::Asked;
use crate::authorise::{Authority, Secured, within};
use crate::grants::named_within;
use crate::run_error::RunError;

impl Asked<'_> {
    /// Of the kinds that are wanted.
    pub fn privileges(&self, wanted: impl Fn(SecurableKind) -> bool) -> Result<Vec<Row>, RunError> {
        let catalog = &self.services.catalog;
        let Some(database) = catalog.database(self.database) else { return Ok(Vec::new()) };
        let authority = Authority::new(catalog, self.session, &self.state.role);
        let mut rows = Vec::new();
        for schema in self.session.schemas(self.database)?.iter().filter(|_| wanted(SecurableKind::Schema)) {
            if authority.schema(self.database, &schema.name)?.is_empty() {
                continue;
            }
            let object = [None, Some(schema.name.clone()), Some("SCHEMA".to_owned())];
            rows.push(ownership(&schema.owner, &object, schema.created_on_ms));
            let granted = catalog.grants_on(&within(SecurableKind::Schema, &database, schema.id));
            rows.extend(granted.iter().map(|grant| self.grant(grant, &object)));
        }
        let mut objects: Vec<_> = named_within(self.services, self.session, &database)?.into_values().collect();
        objects.sort_by(|a, b| (&a.name, a.kind, &a.shown).cmp(&(&b.name, b.kind, &b.shown)));
        for named in objects.iter().filter(|named| wanted(named.kind)) {
            let (schema, owner) = (named.name.schema(), named.owner.as_str());
            let secured = Secured { kind: named.kind, database: self.database, schema, owner, id: named.id };
            if !authority.sees(secured)? {
                continue;
            }
            let object = [Some(schema.to_owned()), Some(named.name.name.clone()), Some(named.kind.label())];
            rows.push(ownership(&named.owner, &object, named.created_on_ms));
            let granted = catalog.grants_on(&within(named.kind, &database, named.id));
            rows.extend(granted.iter().map(|grant| self.grant(grant, &object)));
        }
        Ok(rows)
    }

    fn grant(&self, grant: &PrivilegeGrant, object: &[Option<String>; 3]) -> Row {
        let (kind, name) = self.shown_holder(&grant.grantee);
        let (_, grantor) = self.shown_holder(&grant.granted_by);
        let grantable = if grant.grant_option { "YES" } else { "NO" };
        row(&grantor, &name, kind, object, grant.privilege.words(), grantable, grant.created_on_ms)
    }

    /// The kind and the name of who holds something on an object of the database.
    fn shown_holder(&self, key: &str) -> (&'static str, String) {
        match Holder::of_key(key) {
            Holder::Role(name) => ("ROLE", name),
            Holder::DatabaseRole { name, .. } => {
                ("DATABASE_ROLE", format!("{}.{}", display_identifier(self.database), display_identifier(&name)))
            }
            Holder::User(id) => {
                let principals = self.services.catalog.principals();
                let user = principals.users().find(|user| user.id == id);
                ("USER", user.map(|user| user.name.clone()).unwrap_or_default())
            }
        }
    }
}

fn ownership(owner: &str, object: &[Option<String>; 3], created_on_ms: i64) -> Row {
    row(owner, owner, "ROLE", object, "OWNERSHIP", "YES", created_on_ms)
}

fn row(
    grantor: &str,
    grantee: &str,
    granted_to: &str,
    object: &[Option<String>; 3],
    privilege: &str,
    grantable: &str,
    created_on_ms: i64,
) -> Row {
    let text = |value: &str| Some(value.to_owned());
    let mut row = vec![text(grantor), text(grantee), text(granted_to)];
    row.extend(object.iter().cloned());
    row.extend([text(privilege), text(grantable), Some(created_on_ms.to_string())]);
    row
}
