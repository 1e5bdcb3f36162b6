//! Roles, warehouses, security integrations, network policies and the account's own parameters.

use super::{Modifiers, Reader, containers, if_exists, login_policies};
use crate::Failure;
use crate::command::{
    AccountCommand, Command, ContainerChange, NetworkPolicyChange, ObjectKind, PolicyHolder, PropertyValue,
    WarehouseChange,
};

pub(super) fn create_role(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("ROLE", &[])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.account_name()?;
    let comment = reader.comment()?;
    Ok(Command::Account(AccountCommand::CreateRole { name, mode, comment }))
}

pub(super) fn alter_role(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.account_name()?;
    let change = containers::container_change(reader, "ALTER ROLE")?;
    Ok(Command::Account(AccountCommand::AlterRole { name, if_missing, change }))
}

pub(super) fn create_database_role(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("DATABASE ROLE", &[])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.database_role_name()?;
    let comment = reader.comment()?;
    Ok(Command::Account(AccountCommand::CreateDatabaseRole { name, mode, comment }))
}

pub(super) fn alter_database_role(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.database_role_name()?;
    let change = match reader.eat("RENAME TO") {
        true => ContainerChange::Rename(reader.database_role_name()?.name),
        false => containers::container_change(reader, "ALTER DATABASE ROLE")?,
    };
    Ok(Command::Account(AccountCommand::AlterDatabaseRole { name, if_missing, change }))
}

pub(super) fn drop_database_role(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.database_role_name()?;
    Ok(Command::Account(AccountCommand::DropDatabaseRole { name, if_missing }))
}

pub(super) fn create_warehouse(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("WAREHOUSE", &[])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.account_name()?;
    reader.eat("WITH");
    let properties = reader.properties()?;
    Ok(Command::Account(AccountCommand::CreateWarehouse { name, mode, properties }))
}

pub(super) fn alter_warehouse(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.account_name()?;
    let verbs = ["RENAME TO", "SUSPEND", "RESUME IF SUSPENDED", "RESUME", "ABORT ALL QUERIES", "SET", "UNSET"];
    let change = match reader.eat_one_of(&verbs) {
        Some("RENAME TO") => WarehouseChange::Rename(reader.account_name()?),
        Some("SUSPEND") => WarehouseChange::Suspend,
        Some("RESUME IF SUSPENDED") => WarehouseChange::Resume { if_suspended: true },
        Some("RESUME") => WarehouseChange::Resume { if_suspended: false },
        Some("ABORT ALL QUERIES") => WarehouseChange::AbortAllQueries,
        Some("SET") => WarehouseChange::Set(reader.some_properties()?),
        Some(_) => WarehouseChange::Unset(reader.unset_names()?),
        None => return Err(reader.unexpected()),
    };
    Ok(Command::Account(AccountCommand::AlterWarehouse { name, if_missing, change }))
}

pub(super) fn create_integration(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("SECURITY INTEGRATION", &[])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.account_name()?;
    let properties = reader.some_properties()?;
    let external_oauth = PropertyValue::Text("EXTERNAL_OAUTH".to_owned());
    match properties.iter().find(|property| property.name == "TYPE") {
        Some(property) if property.value == external_oauth => {
            Ok(Command::Account(AccountCommand::CreateIntegration { name, mode, properties }))
        }
        Some(property) => match &property.value {
            PropertyValue::Text(kind) => Err(Failure::unsupported(&format!("SECURITY INTEGRATION TYPE = {kind}"))),
            _ => Err(Failure::unsupported("SECURITY INTEGRATION TYPE")),
        },
        None => Err(Failure::new(
            "001003",
            "42000",
            "SQL compilation error:\na security integration needs TYPE = EXTERNAL_OAUTH.",
        )),
    }
}

pub(super) fn alter_integration(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.account_name()?;
    let (set, unset) = set_or_unset(reader)?;
    Ok(Command::Account(AccountCommand::AlterIntegration { name, if_missing, set, unset }))
}

pub(super) fn create_network_policy(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("NETWORK POLICY", &[])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.account_name()?;
    let properties = reader.properties()?;
    Ok(Command::Account(AccountCommand::CreateNetworkPolicy { name, mode, properties }))
}

pub(super) fn alter_network_policy(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.account_name()?;
    let change = match reader.eat_one_of(&["RENAME TO", "SET", "UNSET"]) {
        Some("RENAME TO") => NetworkPolicyChange::Rename(reader.account_name()?),
        Some("SET") => NetworkPolicyChange::Set(reader.some_properties()?),
        Some(_) => NetworkPolicyChange::Unset(reader.unset_names()?),
        None => match ["ADD", "REMOVE"].iter().find(|verb| reader.at(verb)) {
            Some(verb) => return Err(Failure::unsupported(&format!("ALTER NETWORK POLICY {verb}"))),
            None => return Err(reader.unexpected()),
        },
    };
    Ok(Command::Account(AccountCommand::AlterNetworkPolicy { name, if_missing, change }))
}

pub(super) fn alter_account(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    if login_policies::follows(reader) {
        return login_policies::of_holder(reader, PolicyHolder::Account);
    }
    if !reader.at("SET") && !reader.at("UNSET") {
        return Err(Failure::unsupported("ALTER ACCOUNT of another account"));
    }
    let (set, unset) = set_or_unset(reader)?;
    Ok(Command::Account(AccountCommand::AlterAccount { set, unset }))
}

type Changes = (Vec<crate::command::Property>, Vec<String>);

fn set_or_unset(reader: &mut Reader<'_>) -> Result<Changes, Failure> {
    match reader.eat_one_of(&["SET", "UNSET"]) {
        Some("SET") => Ok((reader.some_properties()?, Vec::new())),
        Some(_) => Ok((Vec::new(), reader.unset_names()?)),
        None => Err(reader.unexpected()),
    }
}

/// DROP of a user, role, warehouse, network policy, resource monitor or integration.
pub(super) fn drop(reader: &mut Reader<'_>, kind: ObjectKind) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.account_name()?;
    Ok(Command::Account(match kind {
        ObjectKind::User => AccountCommand::DropUser { name, if_missing },
        ObjectKind::Role => AccountCommand::DropRole { name, if_missing },
        ObjectKind::Warehouse => AccountCommand::DropWarehouse { name, if_missing },
        ObjectKind::NetworkPolicy => AccountCommand::DropNetworkPolicy { name, if_missing },
        ObjectKind::ResourceMonitor => AccountCommand::DropResourceMonitor { name, if_missing },
        _ => AccountCommand::DropIntegration { name, if_missing },
    }))
}
