//! CREATE, ALTER and DROP DATABASE ROLE; GRANT and REVOKE of database roles.

use firn_sql::Failure;
use firn_sql::command::{ContainerChange, CreateMode, Grantee, IfMissing};
use firn_sql::names::DatabaseRoleName;
use firn_sql::privileges::Privilege;
use rusqlite::params;

use super::{AccountOutcome, Change, Creation, created, creation, dropped, missing, missing_to_alter, missing_to_drop};
use crate::database_records::DatabaseRecord;
use crate::error::CatalogError;
use crate::grants::Securable;
use crate::principals::DatabaseRole;
use crate::principals::holders::Holder;

const KIND: &str = "Database role";

impl Change<'_> {
    pub(super) fn create_database_role(
        &self,
        name: &DatabaseRoleName,
        mode: CreateMode,
        comment: Option<&str>,
    ) -> Result<AccountOutcome, CatalogError> {
        let database = self.usable_database(name)?;
        refuse_own(database)?;
        let granted = self.privileges_on(&Securable::Database(database.id));
        if !self.role.may_use_what_is_owned_by(&database.owner) && !granted.contains(Privilege::CreateDatabaseRole) {
            return Err(Failure::insufficient_privileges("database", &database.name).into());
        }
        let existing = self.principals().database_role(database.id, &name.name);
        match creation(&name.name, mode, existing.is_some())? {
            Creation::Keep(outcome) => return Ok(outcome),
            Creation::Make => {}
            Creation::Replace => drop(self.drop_database_role(name, IfMissing::Fail)?),
        }
        self.transaction.execute(
            "INSERT INTO database_roles (database_id, name, owner, comment, created_on_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![database.id, name.name, self.role.name, comment, self.now_ms],
        )?;
        let holder = Holder::DatabaseRole { database: database.id, name: name.name.clone() };
        self.transaction.execute(
            "INSERT INTO privilege_grants (database_id, object, kind, privilege, grantee, granted_by, grant_option, \
             created_on_ms) VALUES (?1, '', 'DATABASE', 'USAGE', ?2, ?3, 0, ?4)",
            params![database.id, holder.key(), database.owner, self.now_ms],
        )?;
        Ok(created("Database role", &name.name))
    }

    pub(super) fn alter_database_role(
        &self,
        name: &DatabaseRoleName,
        if_missing: IfMissing,
        change: &ContainerChange,
    ) -> Result<AccountOutcome, CatalogError> {
        let Some(role) = self.visible_database_role(name) else {
            return missing_to_alter(KIND, &name.to_string(), if_missing);
        };
        self.before.databases.get(name.database()).map_or(Ok(()), refuse_own)?;
        self.require_database_role_owner(role, name)?;
        match change {
            ContainerChange::Rename(to) => self.rename_database_role(role, to)?,
            ContainerChange::SetComment(comment) => {
                self.transaction.execute(
                    "UPDATE database_roles SET comment = ?3 WHERE database_id = ?1 AND name = ?2",
                    params![role.database, role.name, comment],
                )?;
            }
            ContainerChange::SetRetention(_)
            | ContainerChange::SetManagedAccess(_)
            | ContainerChange::SwapWith(_)
            | ContainerChange::SetTags(_) => {
                return Err(Failure::unsupported("ALTER DATABASE ROLE SET DATA_RETENTION_TIME_IN_DAYS").into());
            }
        }
        Ok(AccountOutcome::executed())
    }

    pub(super) fn drop_database_role(
        &self,
        name: &DatabaseRoleName,
        if_missing: IfMissing,
    ) -> Result<AccountOutcome, CatalogError> {
        let Some(role) = self.visible_database_role(name) else {
            return missing_to_drop(KIND, &name.to_string(), if_missing);
        };
        self.before.databases.get(name.database()).map_or(Ok(()), refuse_own)?;
        self.require_database_role_owner(role, name)?;
        let holder = holder_of(role);
        self.settle_grants_of(&holder.key())?;
        self.forget_grants_to(&holder)?;
        self.transaction.execute("DELETE FROM role_grants_to_roles WHERE role = ?1 OR grantee = ?1", [holder.key()])?;
        self.transaction.execute(
            "DELETE FROM database_roles WHERE database_id = ?1 AND name = ?2",
            params![role.database, role.name],
        )?;
        Ok(dropped(&name.name))
    }

    pub(super) fn grant_database_role(
        &self,
        name: &DatabaseRoleName,
        to: &Grantee,
    ) -> Result<AccountOutcome, CatalogError> {
        let role = self.visible_database_role(name).ok_or_else(|| missing(KIND, &name.to_string()))?;
        self.require_database_role_owner(role, name)?;
        let grantee = self.holder_of_database_role(role, to)?;
        let inherited = self.principals().held_by_database_role(role.database, &role.name);
        if inherited.contains(&grantee) {
            let message = format!(
                "SQL compilation error:\nDatabase role '{name}' already inherits from '{to}'; granting it back would be a circle.",
                to = shown(to)
            );
            return Err(Failure::new("003013", "42710", message).into());
        }
        self.transaction.execute(
            "INSERT OR IGNORE INTO role_grants_to_roles (role, grantee, granted_by, created_on_ms) VALUES (?1, ?2, ?3, ?4)",
            params![holder_of(role).key(), grantee, self.role.name, self.now_ms],
        )?;
        Ok(AccountOutcome::executed())
    }

    pub(super) fn revoke_database_role(
        &self,
        name: &DatabaseRoleName,
        from: &Grantee,
    ) -> Result<AccountOutcome, CatalogError> {
        let role = self.visible_database_role(name).ok_or_else(|| missing(KIND, &name.to_string()))?;
        self.require_database_role_owner(role, name)?;
        let grantee = self.holder_of_database_role(role, from)?;
        self.transaction.execute(
            "DELETE FROM role_grants_to_roles WHERE role = ?1 AND grantee = ?2",
            params![holder_of(role).key(), grantee],
        )?;
        Ok(AccountOutcome::executed())
    }

    /// The key of a role of the account, or of another role of the same database.
    fn holder_of_database_role(&self, role: &DatabaseRole, grantee: &Grantee) -> Result<String, Failure> {
        match grantee {
            Grantee::Role(name) => {
                self.principals().role(name).map(|role| role.name.clone()).ok_or_else(|| missing("Role", name))
            }
            Grantee::DatabaseRole(name) => {
                let other = self.visible_database_role(name).ok_or_else(|| missing(KIND, &name.to_string()))?;
                match other.database == role.database {
                    true => Ok(holder_of(other).key()),
                    false => Err(Failure::invalid_value(
                        "the grantee",
                        &name.to_string(),
                        "a database role can be granted to roles of the same database only",
                    )),
                }
            }
            Grantee::User(name) => Err(Failure::invalid_value(
                "the grantee",
                name,
                "a database role can be granted to roles only; grant it to a role of the user",
            )),
        }
    }

    fn rename_database_role(&self, role: &DatabaseRole, to: &str) -> Result<(), CatalogError> {
        if role.name == to {
            return Ok(());
        }
        creation(to, CreateMode::New, self.principals().database_role(role.database, to).is_some())?;
        let renamed = Holder::DatabaseRole { database: role.database, name: to.to_owned() }.key();
        let keys = params![holder_of(role).key(), renamed];
        for (table, column) in [
            ("role_grants_to_roles", "role"),
            ("role_grants_to_roles", "grantee"),
            ("privilege_grants", "grantee"),
            ("privilege_grants", "granted_by"),
            ("future_grants", "grantee"),
        ] {
            self.transaction.execute(&format!("UPDATE {table} SET {column} = ?2 WHERE {column} = ?1"), keys)?;
        }
        self.transaction.execute(
            "UPDATE database_roles SET name = ?3 WHERE database_id = ?1 AND name = ?2",
            params![role.database, role.name, to],
        )?;
        Ok(())
    }

    fn require_database_role_owner(&self, role: &DatabaseRole, name: &DatabaseRoleName) -> Result<(), Failure> {
        match self.manages_grants() || self.role.may_use_what_is_owned_by(&role.owner) {
            true => Ok(()),
            false => Err(Failure::insufficient_privileges("database role", &name.to_string())),
        }
    }

    fn usable_database(&self, name: &DatabaseRoleName) -> Result<&DatabaseRecord, Failure> {
        let found = self.before.databases.get(name.database()).filter(|database| {
            self.role.may_use_what_is_owned_by(&database.owner)
                || !self.privileges_on(&Securable::Database(database.id)).is_empty()
        });
        found.ok_or_else(|| missing("Database", name.database()))
    }

    /// Whoever may use the database, owns the role or manages grants sees its roles.
    fn visible_database_role(&self, name: &DatabaseRoleName) -> Option<&DatabaseRole> {
        let database = match self.manages_grants() {
            true => self.before.databases.get(name.database())?,
            false => self.usable_database(name).ok()?,
        };
        self.principals().database_role(database.id, &name.name)
    }
}

fn holder_of(role: &DatabaseRole) -> Holder {
    Holder::DatabaseRole { database: role.database, name: role.name.clone() }
}

fn shown(grantee: &Grantee) -> String {
    match grantee {
        Grantee::User(name) | Grantee::Role(name) => name.clone(),
        Grantee::DatabaseRole(name) => name.to_string(),
    }
}

/// The roles of the server's own database stay as they are.
fn refuse_own(database: &DatabaseRecord) -> Result<(), Failure> {
    match database.is_own() {
        true => Err(Failure::read_only_database(&database.name)),
        false => Ok(()),
    }
}
