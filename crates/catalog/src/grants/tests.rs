#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

use firn_sql::privileges::{Privilege, SecurableKind};

use super::{FuturePlace, GrantEdit, Securable};
use crate::apply::tests::Account;
use crate::{ActiveRole, Catalog};

fn role(catalog: &Catalog, name: &str) -> ActiveRole {
    catalog.principals().role_with_inherited(name).unwrap()
}

fn grant(on: &Securable, privilege: Privilege, grantee: &str) -> GrantEdit {
    let granted_by = "ACCOUNTADMIN".to_owned();
    GrantEdit::Grant { on: on.clone(), privilege, grantee: grantee.to_owned(), granted_by, grant_option: false }
}

fn table(id: i64) -> Securable {
    Securable::Within { kind: SecurableKind::Table, database: 1, id }
}

#[test]
fn what_is_granted_counts_at_once_for_the_role_and_those_that_inherit_it() {
    let account = Account::new();
    let catalog = &account.catalog;
    for text in ["CREATE ROLE READER", "CREATE ROLE WRITER", "CREATE ROLE OTHER", "GRANT ROLE READER TO ROLE WRITER"] {
        account.run(text);
    }
    catalog.edit_grants(&[grant(&table(7), Privilege::Select, "READER")]).unwrap();
    for (name, expected) in [("READER", true), ("WRITER", true), ("OTHER", false)] {
        assert_eq!(catalog.privileges(&role(catalog, name), &table(7)).contains(Privilege::Select), expected, "{name}");
    }
    assert!(catalog.privileges(&role(catalog, "READER"), &table(8)).is_empty());
    let revoke = GrantEdit::Revoke {
        on: table(7),
        privilege: Privilege::Select,
        grantee: "READER".to_owned(),
        granted_by: None,
    };
    catalog.edit_grants(&[revoke]).unwrap();
    assert!(catalog.privileges(&role(catalog, "WRITER"), &table(7)).is_empty());
}

#[test]
fn grants_follow_the_names_of_roles_and_end_with_them() {
    let account = Account::new();
    let catalog = &account.catalog;
    account.run("CREATE ROLE READER");
    catalog.edit_grants(&[grant(&table(7), Privilege::Select, "READER")]).unwrap();
    account.run("ALTER ROLE READER RENAME VIEWER");
    assert!(catalog.privileges(&role(catalog, "VIEWER"), &table(7)).contains(Privilege::Select));
    account.run("CREATE ROLE READER");
    assert!(catalog.privileges(&role(catalog, "READER"), &table(7)).is_empty());
    account.run("DROP ROLE VIEWER");
    account.run("CREATE ROLE VIEWER");
    assert!(catalog.grants_on(&table(7)).is_empty());
    assert!(catalog.privileges(&role(catalog, "VIEWER"), &table(7)).is_empty());
}

#[test]
fn a_new_warehouse_of_an_old_name_has_no_grants() {
    let account = Account::new();
    let catalog = &account.catalog;
    account.run("CREATE WAREHOUSE W");
    let warehouse = Securable::Warehouse("W".to_owned());
    catalog.edit_grants(&[grant(&warehouse, Privilege::Usage, "PUBLIC")]).unwrap();
    account.run("ALTER WAREHOUSE W RENAME V");
    assert!(catalog.grants_on(&warehouse).is_empty());
    assert_eq!(catalog.grants_on(&Securable::Warehouse("V".to_owned())).len(), 1);
    account.run("DROP WAREHOUSE V");
    assert!(catalog.grants_on(&Securable::Warehouse("V".to_owned())).is_empty());
}

#[test]
fn grants_outlive_a_restart_and_are_copied() {
    let folder = tempfile::TempDir::new().unwrap();
    let copied = Securable::Within { kind: SecurableKind::Table, database: 2, id: 7 };
    let place = FuturePlace { database: 1, schema: Some(3) };
    {
        let catalog = Catalog::open(folder.path()).unwrap();
        catalog.bootstrap("ACME", Some("admin-token")).unwrap();
        let future = GrantEdit::GrantFuture {
            place,
            kind: SecurableKind::Table,
            privilege: Privilege::Insert,
            grantee: "PUBLIC".to_owned(),
            granted_by: "SYSADMIN".to_owned(),
            grant_option: true,
        };
        catalog
            .edit_grants(&[
                grant(&table(7), Privilege::Select, "PUBLIC"),
                grant(&Securable::Database(1), Privilege::Usage, "PUBLIC"),
                future,
                GrantEdit::Copy { from: table(7), to: copied.clone() },
            ])
            .unwrap();
    }
    let catalog = Catalog::open(folder.path()).unwrap();
    assert_eq!(catalog.future_grants_in(place).len(), 1);
    assert_eq!(catalog.grants_on(&copied), catalog.grants_on(&table(7)));
    assert!(catalog.grants_on(&Securable::Database(2)).is_empty());
    assert!(catalog.grants_on(&Securable::Warehouse("COMPUTE_WH".to_owned())).len() == 1);
}

#[test]
fn the_built_in_roles_may_create_what_is_theirs() {
    let account = Account::new();
    let has = |name: &str, privilege| account.catalog.has_account_privilege(&role(&account.catalog, name), privilege);
    assert!(has("SYSADMIN", Privilege::CreateDatabase) && !has("SYSADMIN", Privilege::CreateUser));
    assert!(has("SECURITYADMIN", Privilege::ManageGrants) && has("SECURITYADMIN", Privilege::CreateRole));
    assert!(has("ACCOUNTADMIN", Privilege::CreateIntegration) && !has("PUBLIC", Privilege::CreateDatabase));
}
