//! GRANT OWNERSHIP of objects of the account. Whether the caller may is decided where the statement runs.

use firn_sql::Failure;
use firn_sql::privileges::SecurableKind;
use rusqlite::params;

use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::memory::Memory;

impl Catalog {
    /// Makes the role the owner of a user, role, warehouse, integration or database.
    pub fn set_account_owner(&self, kind: SecurableKind, name: &str, role: &str) -> Result<(), CatalogError> {
        let table = match kind {
            SecurableKind::User => "users",
            SecurableKind::Role => "roles",
            SecurableKind::Warehouse => "warehouses",
            SecurableKind::Integration => "integrations",
            SecurableKind::NetworkPolicy => "network_policies",
            SecurableKind::Database => "databases",
            _ => return Err(Failure::unsupported(&format!("GRANT OWNERSHIP ON {}", kind.words())).into()),
        };
        self.change(
            |before, connection| Memory::load_with(connection, before.grants.clone()),
            |transaction, _| {
                let sql = format!("UPDATE {table} SET owner = ?2 WHERE name = ?1");
                transaction.execute(&sql, params![name, role])?;
                Ok(())
            },
        )
    }

    pub fn set_database_role_owner(&self, database: i64, name: &str, role: &str) -> Result<(), CatalogError> {
        self.change(
            |before, connection| Memory::load_with(connection, before.grants.clone()),
            |transaction, _| {
                let sql = "UPDATE database_roles SET owner = ?3 WHERE database_id = ?1 AND name = ?2";
                transaction.execute(sql, params![database, name, role])?;
                Ok(())
            },
        )
    }

    pub fn set_semantic_view_owner(&self, id: i64, role: &str) -> Result<(), CatalogError> {
        self.change(
            |before, _| Ok(before.clone()),
            |transaction, _| {
                transaction.execute("UPDATE semantic_views SET owner = ?2 WHERE id = ?1", params![id, role])?;
                Ok(())
            },
        )
    }
}
