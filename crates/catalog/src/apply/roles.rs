//! CREATE, ALTER and DROP ROLE; GRANT and REVOKE of roles.

use firn_sql::Failure;
use firn_sql::command::{ContainerChange, CreateMode, Grantee, IfMissing};
use firn_sql::privileges::Privilege;
use rusqlite::params;

use super::{AccountOutcome, Change, Creation, created, creation, dropped, missing, missing_to_alter, missing_to_drop};
use crate::error::CatalogError;
use crate::grants::Securable;
use crate::handovers::{self, Handover};
use crate::principals::holders::Holder;
use crate::principals::{BUILT_IN_ROLES, PUBLIC, Role};

/// Tables that refer to a role by name.
const SEMANTIC_VIEWS: &str = "semantic_views";

const OWNED: &[&str] = &[
    "users",
    "roles",
    "warehouses",
    "resource_monitors",
    "network_policies",
    "integrations",
    "databases",
    SEMANTIC_VIEWS,
    "login_policies",
    "database_roles",
];

/// The database, the object, its kind and the privilege on it.
type GrantedPrivilege = [String; 4];

impl Change<'_> {
    pub(super) fn create_role(
        &self,
        name: &str,
        mode: CreateMode,
        comment: Option<&str>,
    ) -> Result<AccountOutcome, CatalogError> {
        self.require_to_create(Privilege::CreateRole, "account", &self.before.account)?;
        let existing = self.principals().role(name);
        match creation(name, mode, existing.is_some())? {
            Creation::Keep(outcome) => return Ok(outcome),
            Creation::Make => {}
            Creation::Replace => {
                if let Some(role) = existing {
                    self.delete_role(role)?;
                }
            }
        }
        self.transaction.execute(
            "INSERT INTO roles (name, owner, comment, created_on_ms) VALUES (?1, ?2, ?3, ?4)",
            params![name, self.role.name, comment, self.now_ms],
        )?;
        Ok(created("Role", name))
    }

    pub(super) fn alter_role(
        &self,
        name: &str,
        if_missing: IfMissing,
        change: &ContainerChange,
    ) -> Result<AccountOutcome, CatalogError> {
        let Some(role) = self.visible_role(name) else {
            return missing_to_alter("Role", name, if_missing);
        };
        self.require_role_owner(role)?;
        match change {
            ContainerChange::Rename(to) => self.rename_role(role, to)?,
            ContainerChange::SetRetention(_)
            | ContainerChange::SetManagedAccess(_)
            | ContainerChange::SwapWith(_)
            | ContainerChange::SetTags(_) => {
                return Err(Failure::unsupported("ALTER ROLE SET DATA_RETENTION_TIME_IN_DAYS").into());
            }
            ContainerChange::SetComment(comment) => {
                self.transaction.execute("UPDATE roles SET comment = ?2 WHERE name = ?1", params![name, comment])?;
            }
        }
        Ok(AccountOutcome::executed())
    }

    pub(super) fn drop_role(&self, name: &str, if_missing: IfMissing) -> Result<AccountOutcome, CatalogError> {
        let Some(role) = self.visible_role(name) else {
            return missing_to_drop("Role", name, if_missing);
        };
        self.delete_role(role)?;
        Ok(dropped(name))
    }

    pub(super) fn grant_role(&self, role: &str, to: &Grantee) -> Result<AccountOutcome, CatalogError> {
        let role = self.visible_role(role).ok_or_else(|| missing("Role", role))?;
        self.require_role_granter(role)?;
        match to {
            Grantee::User(name) => {
                let user = self.principals().user(name).ok_or_else(|| missing("User", name))?;
                self.transaction.execute(
                    "INSERT OR IGNORE INTO role_grants_to_users (role, user_id, granted_by, created_on_ms) \
                     VALUES (?1, ?2, ?3, ?4)",
                    params![role.name, user.id, self.role.name, self.now_ms],
                )?;
            }
            Grantee::Role(name) => {
                let grantee = self.principals().role(name).ok_or_else(|| missing("Role", name))?;
                self.refuse_cycle(role, grantee)?;
                self.transaction.execute(
                    "INSERT OR IGNORE INTO role_grants_to_roles (role, grantee, granted_by, created_on_ms) \
                     VALUES (?1, ?2, ?3, ?4)",
                    params![role.name, grantee.name, self.role.name, self.now_ms],
                )?;
            }
            Grantee::DatabaseRole(_) => return Err(role_to_database_role(role).into()),
        }
        Ok(AccountOutcome::executed())
    }

    pub(super) fn revoke_role(&self, role: &str, from: &Grantee) -> Result<AccountOutcome, CatalogError> {
        let role = self.visible_role(role).ok_or_else(|| missing("Role", role))?;
        self.require_role_granter(role)?;
        match from {
            Grantee::User(name) => {
                let user = self.principals().user(name).ok_or_else(|| missing("User", name))?;
                self.transaction.execute(
                    "DELETE FROM role_grants_to_users WHERE role = ?1 AND user_id = ?2",
                    params![role.name, user.id],
                )?;
            }
            Grantee::Role(name) => {
                let grantee = self.principals().role(name).ok_or_else(|| missing("Role", name))?;
                refuse_built_in_link(role, grantee)?;
                self.transaction.execute(
                    "DELETE FROM role_grants_to_roles WHERE role = ?1 AND grantee = ?2",
                    params![role.name, grantee.name],
                )?;
            }
            Grantee::DatabaseRole(_) => return Err(role_to_database_role(role).into()),
        }
        Ok(AccountOutcome::executed())
    }

    fn rename_role(&self, role: &Role, to: &str) -> Result<(), CatalogError> {
        refuse_built_in(role)?;
        if role.name == to {
            return Ok(());
        }
        creation(to, CreateMode::New, self.principals().role(to).is_some())?;
        let names = params![role.name, to];
        self.transaction.execute("UPDATE roles SET name = ?2 WHERE name = ?1", names)?;
        self.transaction.execute("UPDATE role_grants_to_roles SET role = ?2 WHERE role = ?1", names)?;
        self.transaction.execute("UPDATE role_grants_to_roles SET grantee = ?2 WHERE grantee = ?1", names)?;
        self.transaction.execute("UPDATE role_grants_to_users SET role = ?2 WHERE role = ?1", names)?;
        self.transaction
            .execute("UPDATE access_tokens SET role_restriction = ?2 WHERE role_restriction = ?1", names)?;
        for column in ["grantee", "granted_by"] {
            for table in ["privilege_grants", "future_grants"] {
                self.transaction.execute(&format!("UPDATE {table} SET {column} = ?2 WHERE {column} = ?1"), names)?;
            }
        }
        self.hand_over(&role.name, to, false)
    }

    /// Ownership is transferred to the role that drops it.
    fn delete_role(&self, role: &Role) -> Result<(), CatalogError> {
        refuse_built_in(role)?;
        self.require_role_owner(role)?;
        self.transaction.execute("DELETE FROM role_grants_to_roles WHERE role = ?1 OR grantee = ?1", [&role.name])?;
        self.transaction.execute("DELETE FROM role_grants_to_users WHERE role = ?1", [&role.name])?;
        self.transaction.execute("DELETE FROM roles WHERE name = ?1", [&role.name])?;
        self.end_tokens_of(role)?;
        self.settle_grants_of(&role.name)?;
        self.forget_grants_to(&Holder::Role(role.name.clone()))?;
        self.transaction.execute(
            "DELETE FROM privilege_grants WHERE kind = 'SEMANTIC_VIEW' AND object IN \
             (SELECT CAST(id AS TEXT) FROM semantic_views WHERE owner = ?1)",
            [&role.name],
        )?;
        self.hand_over(&role.name, &self.role.name, true)
    }

    /// What a role granted with a grant option that goes with it ends, and what depends on that in turn. What it granted as an
    /// owner counts as granted by who owns its objects from now on.
    pub(super) fn settle_grants_of(&self, role: &str) -> Result<(), CatalogError> {
        let mut options = self.options_of(role)?;
        self.transaction.execute("DELETE FROM privilege_grants WHERE grantee = ?1", [role])?;
        while let Some((holder, privilege)) = options.pop() {
            if self.options_of(&holder)?.iter().any(|(_, still)| *still == privilege) {
                continue;
            }
            let [database, object, kind, words] = &privilege;
            let mut ending = self.transaction.prepare_cached(
                "DELETE FROM privilege_grants WHERE granted_by = ?1 AND database_id = ?2 AND object = ?3 AND kind = ?4 \
                 AND privilege = ?5 RETURNING grantee, grant_option",
            )?;
            let ended = ending.query_map(params![holder, database, object, kind, words], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?))
            })?;
            for grant in ended {
                let (grantee, had_option) = grant?;
                options.extend(had_option.then(|| (grantee, privilege.clone())));
            }
        }
        self.transaction.execute(
            "UPDATE OR REPLACE privilege_grants SET granted_by = ?2 WHERE granted_by = ?1",
            params![role, self.role.name],
        )?;
        Ok(())
    }

    /// The privileges that a role may grant to others, each with the role.
    fn options_of(&self, role: &str) -> Result<Vec<(String, GrantedPrivilege)>, CatalogError> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT CAST(database_id AS TEXT), object, kind, privilege FROM privilege_grants \
             WHERE grantee = ?1 AND grant_option = 1",
        )?;
        let rows = statement
            .query_map([role], |row| Ok((role.to_owned(), [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?])))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What was granted on something that no longer exists.
    pub(super) fn forget_grants_on(&self, on: &Securable) -> Result<(), CatalogError> {
        let (database, object) = on.stored();
        self.transaction.execute(
            "DELETE FROM privilege_grants WHERE database_id = ?1 AND object = ?2 AND kind = ?3",
            params![database, object, on.kind().label()],
        )?;
        Ok(())
    }

    /// What was granted to somebody who no longer exists.
    pub(super) fn forget_grants_to(&self, holder: &Holder) -> Result<(), CatalogError> {
        for table in ["privilege_grants", "future_grants"] {
            self.transaction.execute(&format!("DELETE FROM {table} WHERE grantee = ?1"), [holder.key()])?;
        }
        Ok(())
    }

    fn hand_over(&self, from: &str, to: &str, ends_grants: bool) -> Result<(), CatalogError> {
        // Who gets the semantic views of a dropped role depends on their schemas, which are in the databases.
        for table in OWNED.iter().filter(|table| !ends_grants || **table != SEMANTIC_VIEWS) {
            self.transaction.execute(&format!("UPDATE {table} SET owner = ?2 WHERE owner = ?1"), params![from, to])?;
        }
        let (former_owner, owner) = (from.to_owned(), to.to_owned());
        let created_on_ms = self.now_ms;
        handovers::note(self.transaction, &Handover { id: 0, former_owner, owner, created_on_ms, ends_grants })
    }

    fn refuse_cycle(&self, role: &Role, grantee: &Role) -> Result<(), Failure> {
        let inherited = self.principals().role_with_inherited(&role.name);
        let closes_circle = grantee.name != PUBLIC && inherited.is_some_and(|inherited| inherited.holds(&grantee.name));
        if !closes_circle && role.name != grantee.name {
            return Ok(());
        }
        Err(Failure::new(
            "003013",
            "42710",
            format!(
                "SQL compilation error:\nRole '{}' already inherits from role '{}'; granting it back would be a circle.",
                role.name, grantee.name
            ),
        ))
    }
}

fn role_to_database_role(role: &Role) -> Failure {
    Failure::invalid_value("the grantee", &role.name, "a role of the account can be granted to roles and users only")
}

fn refuse_built_in(role: &Role) -> Result<(), Failure> {
    if role.is_built_in() {
        return Err(Failure::insufficient_privileges("the built-in role", &role.name));
    }
    Ok(())
}

fn refuse_built_in_link(role: &Role, grantee: &Role) -> Result<(), Failure> {
    let built_in =
        |(name, parent, _): &(&str, Option<&str>, &str)| *name == role.name && *parent == Some(grantee.name.as_str());
    if BUILT_IN_ROLES.iter().any(built_in) {
        return Err(Failure::insufficient_privileges("the built-in role", &grantee.name));
    }
    Ok(())
}
