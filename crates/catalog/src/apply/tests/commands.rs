//! A small notation for account commands, so that a test reads as the SQL it stands for.

use firn_sql::command::{
    AccessTokenChange, AccountCommand, ContainerChange, CreateMode, Grantee, IfMissing, Property, PropertyValue,
    TokenChange, UserChange, WarehouseChange,
};

pub(super) fn parse(text: &str) -> AccountCommand {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["GRANT", "ROLE", role, "TO", kind, name] => {
            AccountCommand::GrantRole { role: role.to_owned(), to: grantee(kind, name) }
        }
        ["REVOKE", "ROLE", role, "FROM", kind, name] => {
            AccountCommand::RevokeRole { role: role.to_owned(), from: grantee(kind, name) }
        }
        ["CREATE", kind, "OR_REPLACE", name, ref rest @ ..] => create(kind, name, CreateMode::OrReplace, rest),
        ["CREATE", kind, "IF_NOT_EXISTS", name, ref rest @ ..] => create(kind, name, CreateMode::IfNotExists, rest),
        ["CREATE", kind, name, ref rest @ ..] => create(kind, name, CreateMode::New, rest),
        ["DROP", kind, "IF_EXISTS", name] => drop_command(kind, name, IfMissing::Skip),
        ["DROP", kind, name] => drop_command(kind, name, IfMissing::Fail),
        ["ALTER", "ACCOUNT", "SET", ref rest @ ..] => {
            AccountCommand::AlterAccount { set: properties(rest), unset: Vec::new() }
        }
        ["ALTER", kind, "IF_EXISTS", name, ref rest @ ..] => alter(kind, name, IfMissing::Skip, rest),
        ["ALTER", kind, name, ref rest @ ..] => alter(kind, name, IfMissing::Fail, rest),
        ["TOKEN", user, ref rest @ ..] => {
            AccountCommand::AccessToken { user: Some(user.to_owned()), change: token_change(rest) }
        }
        _ => panic!("no such command: {text}"),
    }
}

fn create(kind: &str, name: &str, mode: CreateMode, rest: &[&str]) -> AccountCommand {
    let (name, properties) = (name.to_owned(), properties(rest));
    match kind {
        "USER" => AccountCommand::CreateUser { name, mode, properties },
        "ROLE" => AccountCommand::CreateRole { name, mode, comment: None },
        "WAREHOUSE" => AccountCommand::CreateWarehouse { name, mode, properties },
        "INTEGRATION" => AccountCommand::CreateIntegration { name, mode, properties },
        _ => panic!("no such kind: {kind}"),
    }
}

fn drop_command(kind: &str, name: &str, if_missing: IfMissing) -> AccountCommand {
    let name = name.to_owned();
    match kind {
        "USER" => AccountCommand::DropUser { name, if_missing },
        "ROLE" => AccountCommand::DropRole { name, if_missing },
        "WAREHOUSE" => AccountCommand::DropWarehouse { name, if_missing },
        "INTEGRATION" => AccountCommand::DropIntegration { name, if_missing },
        _ => panic!("no such kind: {kind}"),
    }
}

fn alter(kind: &str, name: &str, if_missing: IfMissing, rest: &[&str]) -> AccountCommand {
    let name = name.to_owned();
    match (kind, rest) {
        ("USER", ["RENAME", to]) => {
            AccountCommand::AlterUser { name, if_missing, change: UserChange::Rename((*to).to_owned()) }
        }
        ("USER", ["SET", rest @ ..]) => {
            AccountCommand::AlterUser { name, if_missing, change: UserChange::Set(properties(rest)) }
        }
        ("USER", ["UNSET", rest @ ..]) => {
            AccountCommand::AlterUser { name, if_missing, change: UserChange::Unset(names(rest)) }
        }
        ("ROLE", ["RENAME", to]) => {
            AccountCommand::AlterRole { name, if_missing, change: ContainerChange::Rename((*to).to_owned()) }
        }
        ("WAREHOUSE", rest) => AccountCommand::AlterWarehouse { name, if_missing, change: warehouse_change(rest) },
        ("INTEGRATION", ["SET", rest @ ..]) => {
            AccountCommand::AlterIntegration { name, if_missing, set: properties(rest), unset: Vec::new() }
        }
        ("INTEGRATION", ["UNSET", rest @ ..]) => {
            AccountCommand::AlterIntegration { name, if_missing, set: Vec::new(), unset: names(rest) }
        }
        _ => panic!("no such change: {kind} {rest:?}"),
    }
}

fn warehouse_change(rest: &[&str]) -> WarehouseChange {
    match rest {
        ["SUSPEND"] => WarehouseChange::Suspend,
        ["RENAME", to] => WarehouseChange::Rename((*to).to_owned()),
        ["SET", rest @ ..] => WarehouseChange::Set(properties(rest)),
        ["UNSET", rest @ ..] => WarehouseChange::Unset(names(rest)),
        _ => panic!("no such change: {rest:?}"),
    }
}

fn token_change(rest: &[&str]) -> AccessTokenChange {
    let modify = |name: &str, change| AccessTokenChange::Modify { name: name.to_owned(), change };
    match rest {
        ["ADD", name, rest @ ..] => AccessTokenChange::Add { name: (*name).to_owned(), properties: properties(rest) },
        ["ROTATE", name, rest @ ..] => {
            AccessTokenChange::Rotate { name: (*name).to_owned(), properties: properties(rest) }
        }
        ["REMOVE", name] => AccessTokenChange::Remove { name: (*name).to_owned() },
        ["RENAME", name, to] => modify(name, TokenChange::Rename((*to).to_owned())),
        ["SET", name, rest @ ..] => modify(name, TokenChange::Set(properties(rest))),
        ["UNSET", name, rest @ ..] => modify(name, TokenChange::Unset(names(rest))),
        _ => panic!("no such change: {rest:?}"),
    }
}

fn grantee(kind: &str, name: &str) -> Grantee {
    match kind {
        "USER" => Grantee::User(name.to_owned()),
        _ => Grantee::Role(name.to_owned()),
    }
}

fn names(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn properties(words: &[&str]) -> Vec<Property> {
    words.iter().map(|word| property(word)).collect()
}

fn property(word: &str) -> Property {
    let (name, value) = word.split_once('=').unwrap_or_else(|| panic!("no property: {word}"));
    let value = match value {
        "NULL" => PropertyValue::Null,
        text => PropertyValue::Text(text.trim_matches('\'').to_owned()),
    };
    Property { name: name.to_owned(), value }
}
