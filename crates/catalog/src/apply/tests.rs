//! Account commands, written as SQL-like text and compared by their status or failure.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

mod commands;

use firn_sql::command::AccountCommand;
use tempfile::TempDir;

use super::AccountOutcome;
use crate::handovers::Handover;
use crate::semantic_views::{ContainerEvent, SchemaOwner, SemanticViewRecord};
use crate::{AuthenticationMethod, Caller, Catalog, CatalogError, TiedToken};
use commands::parse;

/// A fresh account in a folder of its own.
pub(crate) struct Account {
    pub(crate) catalog: Catalog,
    _folder: TempDir,
}

impl Account {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let catalog = Catalog::open(folder.path()).unwrap();
        catalog.bootstrap("ACME", Some("admin-token")).unwrap().unwrap();
        Self { catalog, _folder: folder }
    }

    /// As ADMIN with ACCOUNTADMIN; the command must succeed.
    pub(crate) fn run(&self, text: &str) -> String {
        match self.apply("ADMIN", None, None, &parse(text)) {
            Ok(AccountOutcome::Done(status)) => status,
            Ok(AccountOutcome::TokenSecret { secret, .. }) => secret,
            Err(error) => panic!("{text}: {error}"),
        }
    }

    fn apply(
        &self,
        user: &str,
        restriction: Option<&str>,
        role: Option<&str>,
        command: &AccountCommand,
    ) -> Result<AccountOutcome, CatalogError> {
        let principals = self.catalog.principals();
        let caller = Caller::new(principals.user(user).unwrap().clone(), restriction.map(str::to_owned));
        let role = principals.active_role(&caller, role)?;
        self.catalog.apply(&caller, &role, command)
    }

    /// Runs each command as `user` in `role` and compares its status, or the failure's code.
    fn check(&self, user: &str, role: &str, cases: &[(&str, &str)]) {
        for (text, expected) in cases {
            let outcome = match self.apply(user, None, Some(role), &parse(text)) {
                Ok(AccountOutcome::Done(status)) => status,
                Ok(AccountOutcome::TokenSecret { .. }) => "secret".to_owned(),
                Err(CatalogError::Failed(failure)) => failure.code.to_owned(),
                Err(other) => panic!("{text}: {other}"),
            };
            assert_eq!(outcome, *expected, "{user} as {role}: {text}");
        }
    }
}

const DONE: &str = "Statement executed successfully.";
const DENIED: &str = "003001";
const MISSING: &str = "002003";
const EXISTS: &str = "002002";
const INVALID: &str = "001007";
const UNKNOWN_PROPERTY: &str = "001420";

#[test]
fn users_are_made_changed_and_dropped() {
    let account = Account::new();
    account.check(
        "ADMIN",
        "ACCOUNTADMIN",
        &[
            ("CREATE USER U COMMENT='hello' DEFAULT_NAMESPACE='demo.\"sales\"'", "User U successfully created."),
            ("CREATE USER U", EXISTS),
            ("CREATE USER IF_NOT_EXISTS U", "U already exists, statement succeeded."),
            ("CREATE USER V LOGIN_NAME='u'", EXISTS),
            ("CREATE USER V PASSWORD='secret'", "003002"),
            ("CREATE USER V SHOE_SIZE=44", UNKNOWN_PROPERTY),
            ("CREATE USER V DISABLED=MAYBE", INVALID),
            ("CREATE USER V RSA_PUBLIC_KEY='AAAA'", INVALID),
            ("CREATE USER V STATEMENT_TIMEOUT_IN_SECONDS=604801", INVALID),
            ("CREATE USER V TIMEZONE='Mars/Olympus'", INVALID),
            ("ALTER USER U SET TIMEZONE='europe/paris' STATEMENT_TIMEOUT_IN_SECONDS=30 EMAIL='u@example.com'", DONE),
            ("ALTER USER U UNSET COMMENT", DONE),
            ("ALTER USER U RENAME W", DONE),
            ("ALTER USER U SET COMMENT='x'", MISSING),
            ("ALTER USER IF_EXISTS U SET COMMENT='x'", DONE),
            ("DROP USER U", MISSING),
            ("DROP USER IF_EXISTS U", "Drop statement executed successfully (U already dropped)."),
        ],
    );
    let principals = account.catalog.principals();
    let user = principals.user_by_login("w").unwrap();
    assert_eq!((user.default_database.as_deref(), user.default_schema.as_deref()), (Some("DEMO"), Some("sales")));
    assert_eq!(user.parameters["TIMEZONE"], "Europe/Paris");
    assert_eq!(user.comment, None);
    let old_id = user.id;
    account.run("CREATE USER OR_REPLACE W");
    assert_ne!(account.catalog.principals().user("W").unwrap().id, old_id);
    account.check("ADMIN", "ACCOUNTADMIN", &[("DROP USER W", "W successfully dropped.")]);
}

#[test]
fn the_account_keeps_an_administrator() {
    let account = Account::new();
    account.run("CREATE USER SECOND");
    account.run("GRANT ROLE ACCOUNTADMIN TO USER SECOND");
    account.check(
        "ADMIN",
        "ACCOUNTADMIN",
        &[
            ("DROP USER ADMIN", "003554"),
            ("ALTER USER ADMIN SET DISABLED=TRUE", "003554"),
            ("CREATE USER OR_REPLACE ADMIN", "003554"),
            ("ALTER USER SECOND SET DISABLED=TRUE", DONE),
            ("REVOKE ROLE ACCOUNTADMIN FROM USER ADMIN", "003553"),
            ("ALTER USER SECOND SET DISABLED=FALSE", DONE),
            ("REVOKE ROLE ACCOUNTADMIN FROM USER ADMIN", DONE),
        ],
    );
    account.check("SECOND", "ACCOUNTADMIN", &[("DROP USER ADMIN", "ADMIN successfully dropped.")]);
}

#[test]
fn roles_are_granted_without_circles_and_built_in_ones_stay() {
    let account = Account::new();
    account.check(
        "ADMIN",
        "ACCOUNTADMIN",
        &[
            ("CREATE ROLE A", "Role A successfully created."),
            ("CREATE ROLE A", EXISTS),
            ("CREATE ROLE B", "Role B successfully created."),
            ("GRANT ROLE A TO ROLE B", DONE),
            ("GRANT ROLE A TO ROLE B", DONE),
            ("GRANT ROLE B TO ROLE A", "003013"),
            ("GRANT ROLE A TO ROLE A", "003013"),
            ("GRANT ROLE A TO ROLE MISSING", MISSING),
            ("GRANT ROLE MISSING TO USER ADMIN", MISSING),
            ("GRANT ROLE A TO USER MISSING", MISSING),
            ("REVOKE ROLE SYSADMIN FROM ROLE ACCOUNTADMIN", DENIED),
            ("DROP ROLE PUBLIC", DENIED),
            ("ALTER ROLE SYSADMIN RENAME S", DENIED),
            ("ALTER ROLE B RENAME C", DONE),
            ("DROP ROLE A", "A successfully dropped."),
        ],
    );
    let principals = account.catalog.principals();
    assert!(principals.role("C").is_some() && principals.role("B").is_none());
    assert!(!principals.role_with_inherited("C").unwrap().holds("A"));
}

#[test]
fn no_role_reaches_above_itself() {
    let account = Account::new();
    for (user, role) in [("SEC", "SECURITYADMIN"), ("USR", "USERADMIN"), ("SYS", "SYSADMIN")] {
        account.run(&format!("CREATE USER {user}"));
        account.run(&format!("GRANT ROLE {role} TO USER {user}"));
    }
    account.run("CREATE USER PLAIN");
    account.run("CREATE ROLE MASTER");
    account.run("GRANT ROLE ACCOUNTADMIN TO ROLE MASTER");
    account.check(
        "USR",
        "USERADMIN",
        &[
            ("CREATE USER NEW", "User NEW successfully created."),
            ("CREATE ROLE OWN", "Role OWN successfully created."),
            ("GRANT ROLE OWN TO USER PLAIN", DONE),
            ("ALTER USER PLAIN SET COMMENT='x'", DENIED),
            ("TOKEN PLAIN ADD T", DENIED),
            ("ALTER USER NEW SET COMMENT='x'", DONE),
            ("ALTER USER ADMIN SET RSA_PUBLIC_KEY=NULL", DENIED),
            ("ALTER USER SEC SET COMMENT='x'", DENIED),
            ("TOKEN ADMIN ADD T", DENIED),
            ("GRANT ROLE SYSADMIN TO USER USR", DENIED),
            ("CREATE WAREHOUSE W", DENIED),
            ("ALTER ACCOUNT SET TIMEZONE='UTC'", DENIED),
        ],
    );
    account.check(
        "SEC",
        "SECURITYADMIN",
        &[
            ("GRANT ROLE SYSADMIN TO USER PLAIN", DONE),
            ("GRANT ROLE ACCOUNTADMIN TO USER SEC", DENIED),
            ("GRANT ROLE MASTER TO USER SEC", DENIED),
            ("DROP USER ADMIN", DENIED),
            ("ALTER USER USR SET COMMENT='x'", DONE),
        ],
    );
    account.check(
        "PLAIN",
        "PUBLIC",
        &[
            ("CREATE USER NEWER", DENIED),
            ("CREATE ROLE NEWER", DENIED),
            ("ALTER USER PLAIN SET DEFAULT_ROLE=SYSADMIN TIMEZONE='UTC'", DONE),
            ("ALTER USER PLAIN SET EMAIL='x@example.com'", DENIED),
            ("ALTER USER PLAIN SET RSA_PUBLIC_KEY=NULL", DENIED),
            ("ALTER USER USR SET DEFAULT_ROLE=PUBLIC", MISSING),
            ("DROP WAREHOUSE COMPUTE_WH", DENIED),
            ("CREATE INTEGRATION I TYPE=EXTERNAL_OAUTH", DENIED),
        ],
    );
}

#[test]
fn warehouses_take_the_properties_that_matter() {
    let account = Account::new();
    account.check(
        "ADMIN",
        "SYSADMIN",
        &[
            (
                "CREATE WAREHOUSE W WAREHOUSE_SIZE='x-large' MAX_CONCURRENCY_LEVEL=2 SCALING_POLICY=ECONOMY",
                "Warehouse W successfully created.",
            ),
            ("CREATE WAREHOUSE W", EXISTS),
            ("CREATE WAREHOUSE X WAREHOUSE_SIZE=HUGE", INVALID),
            ("CREATE WAREHOUSE X MAX_CONCURRENCY_LEVEL=0", INVALID),
            ("CREATE WAREHOUSE X COLOUR=RED", UNKNOWN_PROPERTY),
            ("ALTER WAREHOUSE W SUSPEND", DONE),
            ("ALTER WAREHOUSE W SET AUTO_SUSPEND=NULL STATEMENT_TIMEOUT_IN_SECONDS=9", DONE),
            ("ALTER WAREHOUSE W UNSET COLOUR", UNKNOWN_PROPERTY),
            ("ALTER WAREHOUSE W RENAME COMPUTE_WH", EXISTS),
        ],
    );
    let warehouse = account.catalog.warehouse("W").unwrap();
    assert_eq!((warehouse.size.as_str(), warehouse.concurrency_max), ("X-Large", 2));
    assert_eq!((warehouse.auto_suspend_s, warehouse.statement_timeout_s), (None, 9));
    assert!(warehouse.suspended && warehouse.auto_resume);
    account.run("DROP WAREHOUSE W");
    assert_eq!(account.catalog.warehouses().len(), 1);
}

#[test]
fn access_tokens_are_counted_tied_rotated_and_removed() {
    let account = Account::new();
    account.run("CREATE USER U");
    account.run("CREATE ROLE R");
    account.run("GRANT ROLE R TO USER U");
    let secret = account.run("TOKEN U ADD T ROLE_RESTRICTION=R DAYS_TO_EXPIRY=30");
    assert!(secret.starts_with("firn_pat_") && secret.len() == 52);
    let (user, token) = account.catalog.principals().token_by_secret(&secret).unwrap();
    assert_eq!((user.name.as_str(), token.role_restriction.as_deref()), ("U", Some("R")));
    assert_eq!(token.expires_on_ms - token.created_on_ms, 30 * 86_400_000);
    account.check(
        "U",
        "R",
        &[
            ("TOKEN U ADD T", EXISTS),
            ("TOKEN U ADD X DAYS_TO_EXPIRY=366", INVALID),
            ("TOKEN U ADD X ROLE_RESTRICTION=SYSADMIN", INVALID),
            ("TOKEN U ADD X COLOUR=RED", UNKNOWN_PROPERTY),
            ("TOKEN ADMIN ADD X", MISSING),
            ("TOKEN U REMOVE MISSING", MISSING),
            ("TOKEN U RENAME T T2", DONE),
            ("TOKEN U SET T2 COMMENT='mine' DISABLED=TRUE", DONE),
            ("TOKEN U ROTATE T2", INVALID),
            ("TOKEN U UNSET T2 DISABLED", DONE),
        ],
    );
    let rotated =
        account.apply("U", None, None, &parse("TOKEN U ROTATE T2 EXPIRE_ROTATED_TOKEN_AFTER_HOURS=1")).unwrap();
    let AccountOutcome::TokenSecret { name, secret: new_secret, rotated_token_name } = rotated else { panic!() };
    let principals = account.catalog.principals();
    let (_, old) = principals.token_by_secret(&secret).unwrap();
    assert_eq!((name.as_str(), Some(old.name.as_str())), ("T2", rotated_token_name.as_deref()));
    assert_eq!(old.rotated_to.as_deref(), Some("T2"));
    assert!(old.expires_on_ms - principals.token_by_secret(&new_secret).unwrap().1.created_on_ms <= 3_600_000);
    for number in 1..15 {
        account.run(&format!("TOKEN U ADD N{number}"));
    }
    account.check(
        "U",
        "R",
        &[("TOKEN U ADD ONE_MORE", "394402"), ("TOKEN U REMOVE N1", DONE), ("TOKEN U ADD ONE_MORE", "secret")],
    );
}

#[test]
fn a_token_tied_to_a_role_cannot_make_a_freer_one() {
    let account = Account::new();
    account.run("CREATE USER U");
    account.run("CREATE ROLE R");
    account.run("GRANT ROLE R TO USER U");
    account.run("TOKEN U ADD FREE");
    let outcome = |text: &str| account.apply("U", Some("R"), None, &parse(text)).is_ok();
    assert!(!outcome("TOKEN U ADD T"));
    assert!(!outcome("TOKEN U ROTATE FREE"));
    assert!(outcome("TOKEN U ADD T ROLE_RESTRICTION=R"));
}

#[test]
fn a_token_tied_to_a_role_makes_none_that_lives_longer() {
    let account = Account::new();
    account.run("CREATE USER U");
    account.run("CREATE ROLE R");
    account.run("GRANT ROLE R TO USER U");
    let own = account.run("TOKEN U ADD OWN ROLE_RESTRICTION=R DAYS_TO_EXPIRY=15");
    account.run("TOKEN U ADD LONG ROLE_RESTRICTION=R DAYS_TO_EXPIRY=365");
    let user = account.catalog.principals().user("U").unwrap().clone();
    let own = account.catalog.principals().token_by_secret(&own).unwrap().1;
    let until_ms = own.expires_on_ms;
    let tied_token = Some(TiedToken { id: own.id, expires_on_ms: until_ms });
    let caller = Caller { tied_token, ..Caller::new(user, Some("R".to_owned())) };
    for (text, is_bounded) in [
        ("TOKEN U ADD A ROLE_RESTRICTION=R DAYS_TO_EXPIRY=365", true),
        ("TOKEN U ADD B ROLE_RESTRICTION=R DAYS_TO_EXPIRY=1", false),
        ("TOKEN U ROTATE LONG", true),
    ] {
        let role = account.catalog.principals().active_role(&caller, None).unwrap();
        let outcome = account.catalog.apply(&caller, &role, &parse(text)).unwrap();
        let AccountOutcome::TokenSecret { secret, .. } = outcome else { panic!("{text}") };
        let (_, made) = account.catalog.principals().token_by_secret(&secret).unwrap();
        assert_eq!(made.expires_on_ms == until_ms, is_bounded, "{text}");
        assert!(made.expires_on_ms <= until_ms, "{text}");
    }
}

#[test]
fn oauth_makes_tokens_of_administrators_as_accountadmin_alone() {
    let account = Account::new();
    account.run("CREATE USER U");
    account.run("GRANT ROLE SYSADMIN TO USER U");
    let outcome = |user: &str, role: &str| {
        let user = account.catalog.principals().user(user).unwrap().clone();
        let caller = Caller::new(user, Some(role.to_owned())).by(AuthenticationMethod::Oauth);
        let role = account.catalog.principals().active_role(&caller, None).unwrap();
        let text = format!("TOKEN {} ADD BY_{} ROLE_RESTRICTION={}", caller.user.name, role.name, role.name);
        account.catalog.apply(&caller, &role, &parse(&text)).is_ok()
    };
    assert!(!outcome("ADMIN", "SYSADMIN"));
    assert!(outcome("ADMIN", "ACCOUNTADMIN"));
    assert!(outcome("U", "SYSADMIN"));
}

#[test]
fn who_is_authenticated_without_some_roles_gets_no_token_for_them() {
    let account = Account::new();
    account.run("CREATE ROLE PARENT");
    account.run("CREATE ROLE CHILD");
    account.run("CREATE ROLE OTHER");
    account.run("GRANT ROLE CHILD TO ROLE PARENT");
    account.run("CREATE USER U");
    account.run("GRANT ROLE PARENT TO USER U");
    account.run("GRANT ROLE OTHER TO USER U");
    account.run("TOKEN U ADD WHOLE");
    account.run("TOKEN U ADD NARROW ROLE_RESTRICTION=OTHER");
    let user = account.catalog.principals().user("U").unwrap().clone();
    let caller = Caller { blocked_roles: vec!["CHILD".to_owned()], ..Caller::new(user, None) };
    for (text, is_allowed) in [
        ("TOKEN U ADD A", false),
        ("TOKEN U ADD A ROLE_RESTRICTION=CHILD", false),
        ("TOKEN U ADD A ROLE_RESTRICTION=PARENT", false),
        ("TOKEN U ROTATE WHOLE", false),
        ("TOKEN U REMOVE WHOLE", false),
        ("TOKEN U ADD A ROLE_RESTRICTION=OTHER", true),
        ("TOKEN U ROTATE NARROW", true),
    ] {
        let role = account.catalog.principals().active_role(&caller, Some("PUBLIC")).unwrap();
        let outcome = account.catalog.apply(&caller, &role, &parse(text));
        assert_eq!(outcome.is_ok(), is_allowed, "{text}: {:?}", outcome.err().map(|error| error.to_string()));
    }
}

#[test]
fn integrations_must_be_complete_and_their_issuers_differ() {
    let account = Account::new();
    let complete = "TYPE=EXTERNAL_OAUTH ENABLED=TRUE EXTERNAL_OAUTH_ISSUER='https://id' \
                    EXTERNAL_OAUTH_TOKEN_USER_MAPPING_CLAIM='sub' EXTERNAL_OAUTH_JWS_KEYS_URL=";
    let with_url = |name: &str, url: &str| format!("CREATE INTEGRATION {name} {complete}'{url}'");
    account.check(
        "ADMIN",
        "ACCOUNTADMIN",
        &[
            ("CREATE INTEGRATION I TYPE=SAML2", INVALID),
            ("CREATE INTEGRATION I ENABLED=TRUE", "000002"),
            ("CREATE INTEGRATION I TYPE=EXTERNAL_OAUTH", "001421"),
            (&with_url("I", "http://id.example.com/keys"), INVALID),
            (&with_url("I", "http://127.0.0.1@evil.example.com/keys"), INVALID),
            (&with_url("I", "file:///etc/passwd"), INVALID),
            (&with_url("I", "http://[::1]:8080/keys"), "Integration I successfully created."),
            (&with_url("J", "https://id.example.com/keys"), INVALID),
            ("ALTER INTEGRATION I UNSET EXTERNAL_OAUTH_ISSUER", "001421"),
            ("ALTER INTEGRATION I SET EXTERNAL_OAUTH_SNOWFLAKE_USER_MAPPING_ATTRIBUTE='email_address'", DONE),
            ("ALTER INTEGRATION I SET EXTERNAL_OAUTH_ANY_ROLE_MODE=ALWAYS", INVALID),
            ("DROP INTEGRATION I", "I successfully dropped."),
        ],
    );
}

#[test]
fn the_first_start_happens_once_and_a_given_token_always_works() {
    let folder = TempDir::new().unwrap();
    let catalog = Catalog::open(folder.path()).unwrap();
    let generated = catalog.bootstrap("acme.eu", None).unwrap().unwrap().admin_token;
    drop(catalog);
    let catalog = Catalog::open(folder.path()).unwrap();
    assert!(catalog.bootstrap("other", Some("given-later")).unwrap().is_none());
    assert_eq!(catalog.account(), "ACME.EU");
    let principals = catalog.principals();
    assert_eq!(principals.token_by_secret("given-later").unwrap().0.name, "ADMIN");
    assert!(principals.token_by_secret(&generated).is_none());
    assert!(catalog.bootstrap("other", Some("with space")).is_err());
    #[cfg(unix)]
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let mode = std::os::unix::fs::PermissionsExt::mode(&file.unwrap().metadata().unwrap().permissions());
        assert_eq!(mode & 0o077, 0);
    }
}

#[test]
fn databases_are_one_row_each_and_names_differ_by_more_than_case() {
    let account = Account::new();
    let catalog = &account.catalog;
    let record = |name: &str, file: &str| crate::DatabaseRecord {
        id: 1,
        name: name.to_owned(),
        file_name: file.to_owned(),
        owner: "SYSADMIN".to_owned(),
        comment: None,
        created_on_ms: 1,
    };
    catalog.add_database(&record("A", "1")).unwrap();
    assert!(catalog.add_database(&record("a", "2")).is_err());
    assert!(catalog.database("a").is_none());
    assert_eq!(catalog.replace_database(&record("A", "3"), None, &[]).unwrap().unwrap().file_name, "1");
    catalog.add_database(&record("B", "4")).unwrap();
    assert!(catalog.rename_database("A", "b").is_err());
    assert!(catalog.rename_database("A", "a").unwrap());
    assert!(!catalog.remove_database("A").unwrap());
    assert!(catalog.set_database_comment("a", Some("c")).unwrap());
    assert!(catalog.set_database_owner("a", "R").unwrap());
    let found = catalog.database("a").unwrap();
    assert_eq!((found.comment.as_deref(), found.owner.as_str(), found.file_name.as_str()), (Some("c"), "R", "3"));
    catalog.swap_databases("a", "B").unwrap();
    assert_eq!(catalog.database("B").unwrap().file_name, "3");
    assert!(catalog.remove_database("a").unwrap());
    assert_eq!(catalog.databases().len(), 1);
}

/// `PUBLIC.V` of a database.
fn semantic_view(id: i64, database: &str) -> SemanticViewRecord {
    SemanticViewRecord {
        id,
        database: database.to_owned(),
        schema: "PUBLIC".to_owned(),
        name: "V".to_owned(),
        owner: "SYSADMIN".to_owned(),
        comment: None,
        created_on_ms: 1,
        yaml: String::new(),
    }
}

#[test]
fn semantic_views_of_the_same_name_follow_a_swap() {
    let account = Account::new();
    let catalog = &account.catalog;
    for (id, database) in [(1, "A"), (2, "B")] {
        catalog.put_semantic_view(&semantic_view(id, database)).unwrap();
    }
    catalog.swap_databases("A", "B").unwrap();
    let id = |database: &str| catalog.semantic_view(database, "PUBLIC", "V").unwrap().unwrap().id;
    assert_eq!((id("A"), id("B")), (2, 1));
}

#[test]
fn semantic_views_of_a_dropped_role_go_to_who_grants_on_them() {
    let account = Account::new();
    let catalog = &account.catalog;
    for (id, database) in [(1, "FREE"), (2, "MANAGED"), (3, "GONE")] {
        catalog.put_semantic_view(&semantic_view(id, database)).unwrap();
    }
    catalog.follow_container(ContainerEvent::SchemaGone { database: "GONE", schema: "PUBLIC" }).unwrap();
    let managed =
        SchemaOwner { database: "MANAGED".to_owned(), schema: "PUBLIC".to_owned(), owner: "MANAGER".to_owned() };
    let handover = Handover {
        id: 0,
        former_owner: "SYSADMIN".to_owned(),
        owner: "HEIR".to_owned(),
        created_on_ms: i64::MAX,
        ends_grants: true,
    };
    catalog.hand_over_semantic_views(&handover, &[managed]).unwrap();
    catalog.follow_container(ContainerEvent::SchemaBack { database: "GONE", schema: "PUBLIC" }).unwrap();
    let owner = |database: &str| catalog.semantic_view(database, "PUBLIC", "V").unwrap().map(|view| view.owner);
    assert_eq!(owner("FREE").as_deref(), Some("HEIR"));
    assert_eq!(owner("MANAGED").as_deref(), Some("MANAGER"));
    assert_eq!(owner("GONE"), None);
}
