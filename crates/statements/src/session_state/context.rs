//! What CURRENT_USER(), IS_ROLE_IN_SESSION() and the other context functions say of a session.

use firn_catalog::{Catalog, Holder, is_account_role};
use firn_sql::command::SecondaryRoles;
use firn_sql::context::SessionContext;
use uuid::Uuid;

use super::SessionState;
use crate::DIALECT_VERSION;

impl SessionState {
    /// `DATABASE.ROLE`, and those of `home` by their names alone too.
    fn database_roles(&self, catalog: &Catalog, home: Option<&str>) -> Vec<String> {
        let databases = catalog.databases();
        let mut found = Vec::new();
        for key in self.role.held.iter() {
            let Holder::DatabaseRole { database, name } = Holder::of_key(key) else { continue };
            let Some(database) = databases.iter().find(|known| known.id == database) else { continue };
            found.push(format!("{}.{name}", database.name));
            if home == Some(database.name.as_str()) {
                found.push(name);
            }
        }
        found
    }

    /// As `sql_context`, for the text of a definition: names of database roles in it are those of its own database, not of the one
    /// that the session has chosen.
    pub fn sql_context_in(&self, catalog: &Catalog, statement: &str, home: &str) -> SessionContext {
        let mut context = self.sql_context(catalog, statement);
        if !context.database_roles.is_empty() {
            context.database_roles = self.database_roles(catalog, Some(home));
        }
        context
    }

    /// The values of CURRENT_USER() and other context functions.
    pub fn sql_context(&self, catalog: &Catalog, statement: &str) -> SessionContext {
        let held = self.role.held.iter().filter(|role| is_account_role(role));
        let mut session_roles: Vec<_> = held.cloned().collect();
        session_roles.sort_unstable();
        let statement = statement.to_ascii_uppercase();
        let available_roles = match statement.contains("CURRENT_AVAILABLE_ROLES") {
            true if self.has_owners_rights => session_roles.clone(),
            true => catalog.principals().roles_available_to(&self.caller),
            false => Vec::new(),
        };
        let users = match statement.contains("ALL_USER_NAMES") {
            true => self.visible_users(catalog),
            false => Vec::new(),
        };
        let database_roles = match statement.contains("IS_DATABASE_ROLE_IN_SESSION") {
            true => self.database_roles(catalog, self.namespace.database.as_deref()),
            false => Vec::new(),
        };
        SessionContext {
            user: self.caller.user.name.clone(),
            role: self.role.name.clone(),
            database: self.namespace.database.clone(),
            schema: self.namespace.schema.clone(),
            warehouse: self.warehouse.clone(),
            account: catalog.account(),
            session_id: self.session_id.clone(),
            client: self.client.to_string(),
            version: format!("{DIALECT_VERSION} firn-{}", env!("CARGO_PKG_VERSION")),
            query_ids: self.past.iter().map(Uuid::to_string).collect(),
            session_roles,
            available_roles,
            database_roles,
            invoker: None,
            secondary_roles: self.secondary_names(),
            users,
            client_address: self.client_address,
            server_address: self.server_address,
            variables: self.variables.values.clone(),
            transaction: self.transaction.clone(),
            last_transaction: self.last_transaction.clone(),
        }
    }

    /// The roles beside the session's own; `None` without secondary roles.
    fn secondary_names(&self) -> Option<Vec<String>> {
        let others =
            || self.role.held.iter().filter(|role| is_account_role(role) && !self.role.primary.contains(*role));
        let mut names: Option<Vec<String>> =
            (self.secondary_roles == SecondaryRoles::All).then(|| others().cloned().collect());
        names.iter_mut().for_each(|names| names.sort_unstable());
        names
    }

    fn visible_users(&self, catalog: &Catalog) -> Vec<String> {
        let (principals, visibility) = (catalog.principals(), self.visibility(catalog));
        let visible = principals.users().filter(|user| visibility.user(user));
        visible.map(|user| user.name.clone()).collect()
    }
}
