//! Commands on the account's own objects. Each is checked against the state before it, written in
//! one transaction, and refused as a whole when any part of it is.

mod access_tokens;
mod account;
mod database_roles;
mod integrations;
mod network_policies;
mod ownership;
mod privileges;
mod resource_monitors;
mod roles;
mod tagged;
#[cfg(test)]
pub(crate) mod tests;
mod users;
mod visibility;
mod warehouses;

use std::sync::Arc;

use firn_sql::Failure;
use firn_sql::command::{AccountCommand, CreateMode, IfMissing, WarehouseChange};
use firn_sql::new_names::check_name;
use rusqlite::{Connection, Transaction};

use crate::caller::{ActiveRole, Caller};
use crate::catalog::Catalog;
use crate::clock::now_ms;
use crate::error::CatalogError;
use crate::memory::Memory;
use crate::passwords::{self, Expected};
use crate::principals::{ACCOUNT_ADMIN, Principals};
use crate::resource_monitors::Suspension;
use crate::user::User;

pub use resource_monitors::quota_exceeded;

const NAME_CHARS_MAX: usize = 255;

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccountOutcome {
    /// The text of the `status` column.
    Done(String),
    /// A secret, which is returned this once.
    TokenSecret { name: String, secret: String, rotated_token_name: Option<String> },
}

impl AccountOutcome {
    fn executed() -> Self {
        Self::Done("Statement executed successfully.".to_owned())
    }
}

impl Catalog {
    /// Carries out a command on the account's objects, if the role may.
    pub fn apply(
        &self,
        caller: &Caller,
        role: &ActiveRole,
        command: &AccountCommand,
    ) -> Result<AccountOutcome, CatalogError> {
        let (command, tags) = match command {
            AccountCommand::CreateTagged { create, tags } => (create.as_ref(), tags.as_slice()),
            command => (command, [].as_slice()),
        };
        // What holds for a user whom the role may not know of is not said, and whether a password is one of the latest only to
        // those who may set it.
        let expected_of = |name: &str| {
            self.look(|memory| {
                let user = memory.principals.user(name).filter(|user| memory.visibility(caller, role).user(user));
                let altered = user.filter(|_| matches!(command, AccountCommand::AlterUser { .. }));
                let user = altered.map(Arc::as_ref);
                let may_set = user.filter(|user| {
                    let manages = role.may_use_what_is_owned_by(&user.owner) && memory.may_manage_user(user, role);
                    manages || caller.user.id == user.id && caller.has_all_roles()
                });
                Expected::of(memory.password_rules(user), may_set)
            })
        };
        let command = passwords::hashed(command, expected_of)?;
        let command = command.as_ref();
        let reload = |before: &Memory, connection: &Connection| {
            let after = match changes_grants(command) {
                true => Memory::load(connection)?,
                false => Memory::load_with(connection, Arc::clone(&before.grants))?,
            };
            refuse_loss_of_last_admin(&after.principals)?;
            refuse_own_exclusion(caller, before, &after)?;
            Ok(after)
        };
        let now_ms = now_ms();
        let suspension = match command {
            AccountCommand::AlterWarehouse { name, change: WarehouseChange::Resume { .. }, .. } => {
                self.suspension(name, now_ms)
            }
            _ => None,
        };
        self.change(reload, |transaction, before| {
            let change = Change { transaction, before, caller, role, now_ms, suspension: suspension.as_ref() };
            let outcome = change.apply(command)?;
            if !tags.is_empty() {
                change.tag_created(command, tags)?;
            }
            Ok(outcome)
        })
    }
}

/// One command under way: the state before it, the transaction that changes it, and who asks.
struct Change<'a> {
    transaction: &'a Transaction<'a>,
    before: &'a Memory,
    caller: &'a Caller,
    role: &'a ActiveRole,
    now_ms: i64,
    /// Why the warehouse that is to be resumed may not be.
    suspension: Option<&'a Suspension>,
}

impl Change<'_> {
    fn apply(&self, command: &AccountCommand) -> Result<AccountOutcome, CatalogError> {
        match command {
            AccountCommand::CreateUser { name, mode, properties } => self.create_user(name, *mode, properties),
            AccountCommand::AlterUser { name, if_missing, change } => self.alter_user(name, *if_missing, change),
            AccountCommand::DropUser { name, if_missing } => self.drop_user(name, *if_missing),
            AccountCommand::CreateRole { name, mode, comment } => self.create_role(name, *mode, comment.as_deref()),
            AccountCommand::AlterRole { name, if_missing, change } => self.alter_role(name, *if_missing, change),
            AccountCommand::DropRole { name, if_missing } => self.drop_role(name, *if_missing),
            AccountCommand::GrantRole { role, to } => self.grant_role(role, to),
            AccountCommand::RevokeRole { role, from } => self.revoke_role(role, from),
            AccountCommand::CreateDatabaseRole { name, mode, comment } => {
                self.create_database_role(name, *mode, comment.as_deref())
            }
            AccountCommand::AlterDatabaseRole { name, if_missing, change } => {
                self.alter_database_role(name, *if_missing, change)
            }
            AccountCommand::DropDatabaseRole { name, if_missing } => self.drop_database_role(name, *if_missing),
            AccountCommand::GrantDatabaseRole { role, to } => self.grant_database_role(role, to),
            AccountCommand::RevokeDatabaseRole { role, from } => self.revoke_database_role(role, from),
            AccountCommand::CreateWarehouse { name, mode, properties } => {
                self.create_warehouse(name, *mode, properties)
            }
            AccountCommand::AlterWarehouse { name, if_missing, change } => {
                self.alter_warehouse(name, *if_missing, change)
            }
            AccountCommand::DropWarehouse { name, if_missing } => self.drop_warehouse(name, *if_missing),
            AccountCommand::CreateIntegration { name, mode, properties } => {
                self.create_integration(name, *mode, properties)
            }
            AccountCommand::AlterIntegration { name, if_missing, set, unset } => {
                self.alter_integration(name, *if_missing, set, unset)
            }
            AccountCommand::DropIntegration { name, if_missing } => self.drop_integration(name, *if_missing),
            AccountCommand::CreateNetworkPolicy { name, mode, properties } => {
                self.create_network_policy(name, *mode, properties)
            }
            AccountCommand::AlterNetworkPolicy { name, if_missing, change } => {
                self.alter_network_policy(name, *if_missing, change)
            }
            AccountCommand::DropNetworkPolicy { name, if_missing } => self.drop_network_policy(name, *if_missing),
            AccountCommand::CreateResourceMonitor { name, mode, definition } => {
                self.create_resource_monitor(name, *mode, definition)
            }
            AccountCommand::AlterResourceMonitor { name, if_missing, definition } => {
                self.alter_resource_monitor(name, *if_missing, definition)
            }
            AccountCommand::DropResourceMonitor { name, if_missing } => self.drop_resource_monitor(name, *if_missing),
            AccountCommand::DropUnsupported { name } => missing_to_drop("Object", name, IfMissing::Skip),
            AccountCommand::AlterAccount { set, unset } => self.alter_account(set, unset),
            AccountCommand::AccessToken { user, change } => self.change_access_token(user.as_deref(), change),
            AccountCommand::CreateTagged { create, .. } => self.apply(create),
        }
    }

    fn principals(&self) -> &Principals {
        &self.before.principals
    }
}

/// Whether a command removes or renames somebody who has privileges, or something that they are granted on.
fn changes_grants(command: &AccountCommand) -> bool {
    match command {
        AccountCommand::CreateUser { mode, .. }
        | AccountCommand::CreateRole { mode, .. }
        | AccountCommand::CreateWarehouse { mode, .. }
        | AccountCommand::CreateResourceMonitor { mode, .. }
        | AccountCommand::CreateIntegration { mode, .. } => *mode == CreateMode::OrReplace,
        AccountCommand::DropUser { .. }
        | AccountCommand::DropRole { .. }
        | AccountCommand::AlterRole { .. }
        | AccountCommand::CreateDatabaseRole { .. }
        | AccountCommand::DropDatabaseRole { .. }
        | AccountCommand::AlterDatabaseRole { .. }
        | AccountCommand::DropWarehouse { .. }
        | AccountCommand::AlterWarehouse { change: WarehouseChange::Rename(_), .. }
        | AccountCommand::DropResourceMonitor { .. }
        | AccountCommand::DropIntegration { .. } => true,
        _ => false,
    }
}

/// A policy that shuts out who sets it is a mistake that nobody could take back.
pub(crate) fn refuse_own_exclusion(caller: &Caller, before: &Memory, after: &Memory) -> Result<(), Failure> {
    let as_of = |memory: &Memory| {
        let user = memory.principals.user_by_id(caller.user.id);
        user.is_none_or(|user| memory.admits_method(&Caller { user: Arc::clone(user), ..caller.clone() }))
    };
    if as_of(before) && !as_of(after) {
        return Err(Failure::new(
            "001492",
            "42601",
            "SQL compilation error:\nThe authentication policy would shut you out: authenticate by a method and a client that \
             it allows, and set it then.",
        ));
    }
    let Some(address) = caller.address else { return Ok(()) };
    let admitted = |memory: &Memory| {
        memory.principals.user_by_id(caller.user.id).is_none_or(|user| memory.admits(user, Some(address)))
    };
    if admitted(after) || !admitted(before) {
        return Ok(());
    }
    Err(Failure::new(
        "001492",
        "42601",
        format!(
            "SQL compilation error:\nThe network policy would shut you out: add your address {address} to its \
             ALLOWED_IP_LIST first."
        ),
    ))
}

/// Without an enabled user who can act as ACCOUNTADMIN the account could not be administered any more.
fn refuse_loss_of_last_admin(after: &Principals) -> Result<(), Failure> {
    let lasts = |user: &User| !user.disabled && user.expires_on_ms.is_none();
    if after.users().any(|user| lasts(user) && after.may_take_role(user.id, ACCOUNT_ADMIN)) {
        return Ok(());
    }
    Err(Failure::new(
        "003553",
        "42501",
        "SQL access control error:\nThe account must keep one enabled user without expiry who has the role ACCOUNTADMIN; grant it to \
         another user first.",
    ))
}

/// What CREATE does when the name may be taken.
enum Creation {
    Make,
    Replace,
    /// IF NOT EXISTS, and it does: the answer is ready.
    Keep(AccountOutcome),
}

fn creation(name: &str, mode: CreateMode, exists: bool) -> Result<Creation, Failure> {
    // Keys of other holders of privileges begin with control characters.
    check_name(name)?;
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX {
        return Err(Failure::invalid_value("the name", name, "1 to 255 characters are expected"));
    }
    match (exists, mode) {
        (false, _) => Ok(Creation::Make),
        (true, CreateMode::OrReplace) => Ok(Creation::Replace),
        (true, CreateMode::IfNotExists) => {
            Ok(Creation::Keep(AccountOutcome::Done(format!("{name} already exists, statement succeeded."))))
        }
        (true, CreateMode::New) => Err(Failure::already_exists(name)),
    }
}

fn missing(kind: &str, name: &str) -> Failure {
    Failure::new(
        "002003",
        "02000",
        format!("SQL compilation error:\n{kind} '{name}' does not exist or not authorized."),
    )
}

/// The answer of ALTER for what is not there.
fn missing_to_alter(kind: &str, name: &str, if_missing: IfMissing) -> Result<AccountOutcome, CatalogError> {
    match if_missing {
        IfMissing::Fail => Err(missing(kind, name).into()),
        IfMissing::Skip => Ok(AccountOutcome::executed()),
    }
}

/// The answer of DROP for what is not there.
fn missing_to_drop(kind: &str, name: &str, if_missing: IfMissing) -> Result<AccountOutcome, CatalogError> {
    match if_missing {
        IfMissing::Fail => Err(missing(kind, name).into()),
        IfMissing::Skip => {
            Ok(AccountOutcome::Done(format!("Drop statement executed successfully ({name} already dropped).")))
        }
    }
}

fn created(kind: &str, name: &str) -> AccountOutcome {
    AccountOutcome::Done(format!("{kind} {name} successfully created."))
}

fn dropped(name: &str) -> AccountOutcome {
    AccountOutcome::Done(format!("{name} successfully dropped."))
}
