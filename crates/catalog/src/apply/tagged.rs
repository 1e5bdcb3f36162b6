//! CREATE … WITH TAG of an object of the account: the object and its tags are written in one transaction.

use firn_sql::command::{AccountCommand, AssignedTag, CreateMode};
use firn_sql::names::DatabaseRoleName;
use rusqlite::params;

use super::Change;
use crate::error::CatalogError;
use crate::tags::{self, Tagged};

impl Change<'_> {
    /// Assigns tags to the object that the command has just created. One that IF NOT EXISTS found keeps those it has.
    pub(super) fn tag_created(&self, create: &AccountCommand, assigned: &[AssignedTag]) -> Result<(), CatalogError> {
        let principals = self.principals();
        let (tagged, mode, existed) = match create {
            AccountCommand::CreateUser { name, mode, .. } => {
                (self.tagged_user(name)?, *mode, principals.user(name).is_some())
            }
            AccountCommand::CreateRole { name, mode, .. } => {
                (Tagged::of_account("ROLE", name), *mode, principals.role(name).is_some())
            }
            AccountCommand::CreateDatabaseRole { name, mode, .. } => {
                let Some(tagged) = self.tagged_database_role(name) else { return Ok(()) };
                let existed = principals.database_role(tagged.database, &name.name).is_some();
                (tagged, *mode, existed)
            }
            AccountCommand::CreateWarehouse { name, mode, .. } => {
                (Tagged::of_account("WAREHOUSE", name), *mode, self.before.warehouses.contains_key(name))
            }
            AccountCommand::CreateIntegration { name, mode, .. } => {
                (Tagged::of_account("INTEGRATION", name), *mode, principals.owner_of_integration(name).is_some())
            }
            AccountCommand::CreateNetworkPolicy { name, mode, .. } => {
                (Tagged::of_account("NETWORK_POLICY", name), *mode, self.before.network_policies.contains_key(name))
            }
            _ => return Ok(()),
        };
        if existed && mode == CreateMode::IfNotExists {
            return Ok(());
        }
        tags::write(self.transaction, &tagged, assigned)
    }

    /// By the id that the user has got in this transaction.
    fn tagged_user(&self, name: &str) -> Result<Tagged, CatalogError> {
        let id: i64 =
            self.transaction.query_row("SELECT id FROM users WHERE name = ?1", params![name], |row| row.get(0))?;
        Ok(Tagged::of_account("USER", &id.to_string()))
    }

    fn tagged_database_role(&self, name: &DatabaseRoleName) -> Option<Tagged> {
        let database = self.before.databases.get(name.database())?;
        Some(Tagged { kind: "DATABASE_ROLE".to_owned(), database: database.id, object: name.name.clone() })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use firn_sql::command::{AccountCommand, AssignedTag, CreateMode, TagReference};

    use crate::apply::tests::Account;
    use crate::{Caller, CatalogError, Tagged};

    fn role(name: &str, mode: CreateMode) -> AccountCommand {
        AccountCommand::CreateRole { name: name.to_owned(), mode, comment: None }
    }

    fn create(account: &Account, command: AccountCommand, ids: &[i64]) -> Result<(), CatalogError> {
        let principals = account.catalog.principals();
        let caller = Caller::new(principals.user("ADMIN").unwrap().clone(), None);
        let active = principals.active_role(&caller, None)?;
        let tag = |id: &i64| AssignedTag { tag: TagReference { database: 1, id: *id }, value: id.to_string() };
        let tags = ids.iter().map(tag).collect();
        account
            .catalog
            .apply(&caller, &active, &AccountCommand::CreateTagged { create: Box::new(command), tags })
            .map(drop)
    }

    fn tags(account: &Account, tagged: &Tagged) -> Vec<String> {
        account.catalog.tags_of(tagged).into_iter().map(|tag| tag.value).collect()
    }

    #[test]
    fn an_object_and_its_tags_are_made_together_or_not_at_all() {
        let account = Account::new();
        let tagged = Tagged::of_account("ROLE", "R");
        assert!(create(&account, role("R", CreateMode::New), &[1, 1]).is_err(), "a tag is assigned once");
        assert!(account.catalog.principals().role("R").is_none());
        create(&account, role("R", CreateMode::New), &[1, 2]).unwrap();
        assert_eq!(tags(&account, &tagged), ["1", "2"]);
        create(&account, role("R", CreateMode::IfNotExists), &[3]).unwrap();
        assert_eq!(tags(&account, &tagged), ["1", "2"]);
        create(&account, role("R", CreateMode::OrReplace), &[3]).unwrap();
        assert_eq!(tags(&account, &tagged), ["3"]);
    }

    #[test]
    fn a_user_has_tags_by_its_id() {
        let account = Account::new();
        let user = AccountCommand::CreateUser { name: "U".to_owned(), mode: CreateMode::New, properties: Vec::new() };
        create(&account, user, &[7]).unwrap();
        let id = account.catalog.principals().user("U").unwrap().id.to_string();
        assert_eq!(tags(&account, &Tagged::of_account("USER", &id)), ["7"]);
    }
}
