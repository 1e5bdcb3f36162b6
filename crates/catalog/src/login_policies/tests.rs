//! What policies and monitors do as time goes by.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use firn_sql::command::{LoginPolicyKind, Property, PropertyValue};
use tempfile::TempDir;

use super::{LoginPolicyEdit, PasswordRules, PolicyOwner};
use crate::caller::{Caller, ClientType};
use crate::catalog::Catalog;
use crate::clock::now_ms;
use crate::secrets::hash_secret;

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 86_400_000;

struct Account {
    catalog: Catalog,
    caller: Caller,
    _folder: TempDir,
}

impl Account {
    /// With a policy of the kind on the account.
    fn with_policy(kind: LoginPolicyKind, name: &str, value: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let catalog = Catalog::open(folder.path()).unwrap();
        catalog.bootstrap("ACME", None).unwrap();
        let caller = Caller::new(catalog.principals().user("ADMIN").unwrap().clone(), None);
        let account = Self { catalog, caller, _folder: folder };
        account.edit(&LoginPolicyEdit::Create {
            id: 1,
            kind,
            place: ["D", "S", "P"],
            owner: "ACCOUNTADMIN",
            properties: &[Property { name: name.to_owned(), value: PropertyValue::Text(value.to_owned()) }],
            replaces: None,
        });
        let policy = account.catalog.login_policies("D", None).pop().unwrap();
        account.edit(&LoginPolicyEdit::Attach(PolicyOwner::Account, &policy));
        account
    }

    fn edit(&self, edit: &LoginPolicyEdit<'_>) {
        self.catalog.edit_login_policy(&self.caller, edit).unwrap();
    }
}

#[test]
fn a_session_ends_after_its_idle_time_for_good() {
    let account = Account::with_policy(LoginPolicyKind::Session, "SESSION_IDLE_TIMEOUT_MINS", "10");
    let open = |client| hash_secret(&account.catalog.open_login_session(&account.caller.user, client).unwrap());
    let (driver, browser) = (open(ClientType::Driver), open(ClientType::Browser));
    let begun = now_ms();
    let is_open = |hash, minutes: i64| account.catalog.login_session(hash, begun + minutes * MINUTE_MS).is_some();
    assert!(is_open(&driver, 9) && is_open(&driver, 18), "each request counts");
    assert!(!is_open(&driver, 29), "eleven minutes without one");
    account.edit(&LoginPolicyEdit::Detach(PolicyOwner::Account, LoginPolicyKind::Session));
    assert!(!is_open(&driver, 29), "it stays ended");
    assert!(is_open(&browser, 29), "browsers have a time of their own");
}

#[test]
fn a_password_must_be_changed_at_its_age() {
    let account = Account::with_policy(LoginPolicyKind::Password, "PASSWORD_MAX_AGE_DAYS", "10");
    let user = &account.caller.user;
    let rules = account.catalog.password_rules(Some(user));
    let set_on_ms = user.password_set_on_ms;
    assert!(!rules.must_change(user, set_on_ms + 10 * DAY_MS - 1));
    assert!(rules.must_change(user, set_on_ms + 10 * DAY_MS));
    assert!(!PasswordRules::default().must_change(user, set_on_ms + 1_000 * DAY_MS), "without a policy never");
}
