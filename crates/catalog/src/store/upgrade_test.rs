//! State files of every version before are brought to the present one with all that they hold.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

use rusqlite::Connection;
use tempfile::TempDir;
use uuid::Uuid;

use super::{MIGRATIONS, STATE_FILE, STATE_VERSION, StateSnapshot};
use crate::{Catalog, StateCopied};

const HANDLE: Uuid = Uuid::from_u128(42);

const CONTENT: &str = "
INSERT INTO settings VALUES ('ACCOUNT', 'ACME');
INSERT INTO account_parameters VALUES ('TIMEZONE', 'Europe/Berlin');
INSERT INTO users VALUES (5, 'ANNA', 'ACCOUNTADMIN', 1, '{\"EMAIL\": \"anna@example.com\"}');
INSERT INTO roles VALUES ('ACCOUNTADMIN', '', NULL, 1), ('SECURITYADMIN', '', NULL, 1), ('USERADMIN', '', NULL, 1),
    ('SYSADMIN', '', NULL, 1), ('PUBLIC', '', NULL, 1), ('CLERK', 'USERADMIN', 'sells', 1);
INSERT INTO role_grants_to_roles VALUES ('CLERK', 'SYSADMIN', 'USERADMIN', 1);
INSERT INTO role_grants_to_users VALUES ('CLERK', 5, 'USERADMIN', 1);
INSERT INTO access_tokens (user_id, name, secret_hash, created_on_ms, expires_on_ms, created_by)
    VALUES (5, 'T', zeroblob(32), 1, 9999999999999, 'ADMIN');
INSERT INTO warehouses VALUES ('WH', 'SYSADMIN', 1, 0, '{}');
INSERT INTO databases (name, file_name, owner, comment, created_on_ms) VALUES ('SHOP', 'SHOP.duckdb', 'CLERK', NULL, 1),
    ('OTHER', 'OTHER.duckdb', 'SYSADMIN', 'second', 2);
INSERT INTO statements (handle, user_id, created_on_ms, role, text, finished_on_ms, expires_on_ms, state, code, sql_state,
    message) VALUES (x'0000000000000000000000000000002a', 5, 1, 'CLERK', 'SELECT 1/0', 2, 9999999999999, 1, '100051', '22012',
    'Division by zero');
";

/// A folder with the state file of an earlier version.
fn state_of(version: usize) -> TempDir {
    let folder = TempDir::new().unwrap();
    let connection = Connection::open(folder.path().join(STATE_FILE)).unwrap();
    connection.execute_batch(MIGRATIONS[0]).unwrap();
    connection.execute_batch(CONTENT).unwrap();
    for migration in &MIGRATIONS[1..version] {
        connection.execute_batch(migration).unwrap();
    }
    connection.pragma_update(None, "user_version", version as u32).unwrap();
    folder
}

#[test]
fn every_earlier_version_is_upgraded() {
    for version in 1..=MIGRATIONS.len() {
        let folder = state_of(version);
        let catalog = Catalog::open(folder.path()).unwrap_or_else(|error| panic!("version {version}: {error}"));
        assert_eq!(catalog.account(), "ACME");
        assert_eq!(catalog.account_parameter("TIMEZONE").as_deref(), Some("Europe/Berlin"));
        let principals = catalog.principals();
        let anna = principals.user("ANNA").unwrap();
        assert_eq!((anna.id, anna.email.as_deref()), (5, Some("anna@example.com")));
        assert!(principals.role_with_inherited("SYSADMIN").unwrap().held.contains("CLERK"));
        assert!(catalog.warehouse("WH").is_some());
        let databases = catalog.databases();
        assert_eq!(databases.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), ["OTHER", "SHOP"]);
        assert!(databases.iter().all(|found| found.id != 0) && databases[0].id != databases[1].id);
        let statement = catalog.registry().find(5, HANDLE).unwrap().unwrap();
        assert_eq!(statement.ended.unwrap().message, "Division by zero");
        // The next start finds nothing to do.
        drop(catalog);
        assert_eq!(Catalog::open(folder.path()).unwrap().databases(), databases);
    }
}

#[test]
fn a_newer_version_is_refused_and_stays_as_it_is() {
    let folder = state_of(MIGRATIONS.len());
    let connection = Connection::open(folder.path().join(STATE_FILE)).unwrap();
    connection.pragma_update(None, "user_version", STATE_VERSION + 1).unwrap();
    let refusal = Catalog::open(folder.path()).unwrap_err().to_string();
    assert!(refusal.contains("start the newer server"), "{refusal}");
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, STATE_VERSION + 1);
}

#[test]
fn a_snapshot_has_what_was_there_when_it_was_taken() {
    let folder = state_of(MIGRATIONS.len());
    let catalog = Catalog::open(folder.path()).unwrap();
    let (snapshot, ()) = catalog.freeze(|| ()).unwrap();
    assert!(catalog.remove_database("SHOP").unwrap());
    let target = TempDir::new().unwrap();
    let copied = snapshot.copy_to(&target.path().join(STATE_FILE), || true).unwrap();
    assert!(matches!(copied, StateCopied::Whole { version: STATE_VERSION, .. }), "{copied:?}");
    assert_eq!(Catalog::open(target.path()).unwrap().databases().len(), 2);
    drop(snapshot);
    let stopped = StateSnapshot::of_stopped_server(folder.path()).unwrap();
    assert_eq!(stopped.copy_to(&target.path().join("second"), || false).unwrap(), StateCopied::Stopped);
}
