//! Which role a caller gets.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

use crate::apply::tests::Account;
use crate::{Caller, CatalogError};

/// Asks for `requested` as `caller` and compares the role's name, `-` standing for a refusal.
fn check(account: &Account, caller: &Caller, requested: Option<&str>, expected: &str) {
    let role = account.catalog.principals().active_role(caller, requested);
    let name = match &role {
        Ok(role) => role.name.as_str(),
        Err(CatalogError::RoleNotGranted(_)) => "-",
        Err(other) => panic!("{other}"),
    };
    assert_eq!(name, expected, "requested {requested:?} with restriction {:?}", caller.role_restriction);
}

#[test]
fn the_requested_role_must_be_granted_and_allowed_by_the_token() {
    let account = Account::new();
    account.run("CREATE ROLE PARENT");
    account.run("CREATE ROLE CHILD");
    account.run("CREATE ROLE OTHER");
    account.run("GRANT ROLE CHILD TO ROLE PARENT");
    account.run("CREATE USER U DEFAULT_ROLE=PARENT");
    account.run("GRANT ROLE PARENT TO USER U");
    let user = account.catalog.principals().user("U").unwrap().clone();
    let free = Caller::new(user.clone(), None);
    let tied = Caller::new(user.clone(), Some("CHILD".to_owned()));
    let blocked = Caller { blocked_roles: vec!["CHILD".to_owned()], ..free.clone() };

    check(&account, &free, None, "PARENT");
    check(&account, &free, Some("CHILD"), "CHILD");
    check(&account, &free, Some("PUBLIC"), "PUBLIC");
    check(&account, &free, Some("OTHER"), "-");
    check(&account, &free, Some("child"), "-");
    check(&account, &free, Some("MISSING"), "-");
    check(&account, &tied, None, "CHILD");
    check(&account, &tied, Some("PARENT"), "-");
    check(&account, &blocked, Some("CHILD"), "-");
    check(&account, &blocked, Some("PARENT"), "-");
    check(&account, &blocked, Some("PUBLIC"), "PUBLIC");

    let held = account.catalog.principals().active_role(&free, None).unwrap().held;
    assert_eq!(*held, ["PARENT", "CHILD", "PUBLIC"].map(str::to_owned).into());

    account.run("REVOKE ROLE PARENT FROM USER U");
    check(&account, &free, None, "PUBLIC");
    check(&account, &free, Some("PARENT"), "-");
    check(&account, &tied, None, "-");
    account.run("DROP USER U");
    check(&account, &free, Some("PUBLIC"), "-");
}

#[test]
fn a_role_granted_to_public_is_everyones() {
    let account = Account::new();
    account.run("CREATE ROLE SHARED");
    account.run("GRANT ROLE SHARED TO ROLE PUBLIC");
    account.run("CREATE USER U");
    let caller = Caller::new(account.catalog.principals().user("U").unwrap().clone(), None);
    check(&account, &caller, None, "PUBLIC");
    check(&account, &caller, Some("SHARED"), "SHARED");
}

#[test]
fn the_built_in_roles_inherit_as_documented() {
    let account = Account::new();
    let principals = account.catalog.principals();
    let held = |role: &str| {
        let mut held: Vec<String> = principals.role_with_inherited(role).unwrap().held.iter().cloned().collect();
        held.sort();
        held.join(" ")
    };
    assert_eq!(held("ACCOUNTADMIN"), "ACCOUNTADMIN PUBLIC SECURITYADMIN SYSADMIN USERADMIN");
    assert_eq!(held("SECURITYADMIN"), "PUBLIC SECURITYADMIN USERADMIN");
    assert_eq!(held("SYSADMIN"), "PUBLIC SYSADMIN");
    assert_eq!(held("PUBLIC"), "PUBLIC");
}
