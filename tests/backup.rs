//! `firn backup` and `firn restore`: a backup of a running server is the server of one moment, whatever is written
//! meanwhile; what is damaged or foreign is refused.

#[path = "backup/consistency.rs"]
mod consistency;
#[path = "backup/in_the_way.rs"]
mod in_the_way;
#[path = "backup/manifests.rs"]
mod manifests;
#[path = "backup/refusals.rs"]
mod refusals;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use firn_tests::server::{ADMIN_TOKEN, binary};
use firn_tests::{Client, Request, Server};
use tempfile::TempDir;

/// `firn` with these arguments, and nothing of the caller's settings.
fn firn(arguments: &[&str]) -> Output {
    let mut command = Command::new(binary());
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("FIRN_")) {
        command.env_remove(name);
    }
    command.args(arguments).output().expect("run firn")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), output.stderr.as_slice()].concat()).into_owned()
}

fn succeeds(arguments: &[&str]) -> String {
    let output = firn(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output));
    text(&output)
}

fn is_refused(arguments: &[&str], part: &str) {
    let output = firn(arguments);
    let said = text(&output);
    assert!(!output.status.success() && said.contains(part), "{arguments:?}: {said}");
    assert!(!said.contains("panicked"), "{said}");
}

fn folder(prefix: &str) -> TempDir {
    tempfile::Builder::new().prefix(prefix).tempdir().expect("a temporary folder")
}

/// A server that may make backups, and the folder for them.
fn server_with_backups() -> (Server, TempDir) {
    let backups = folder("firn-backups-");
    let server = Server::start_with(&[("FIRN_BACKUP_DIR", backups.path().to_str().unwrap())]);
    (server, backups)
}

fn back_up(server: &Server, name: &str) -> String {
    succeeds(&["backup", "--url", server.base_url(), "--token", ADMIN_TOKEN, "--name", name])
}

/// A server on what a backup brings back.
fn restored(backup: &Path) -> Server {
    let data = folder("firn-restored-");
    succeeds(&["restore", "--from", backup.to_str().unwrap(), "--data-dir", data.path().to_str().unwrap()]);
    Server::start_on(data)
}

fn put(client: &Client, file: &str, content: &[u8]) {
    let path = format!("/api/v2/databases/SHOP/schemas/PUBLIC/stages/S/files/{file}");
    let response = client.send(&Request { body: content.to_vec(), ..Request::new("PUT", &path) });
    assert_eq!(response.status, 200, "{response}");
}

fn download(client: &Client, file: &str) -> Vec<u8> {
    let path = format!("/api/v2/databases/SHOP/schemas/PUBLIC/stages/S/files/{file}");
    let response = client.send(&Request::get(&path).header("accept", "*/*"));
    assert_eq!(response.status, 200, "{response}");
    response.body
}

/// One of everything that a server holds.
fn fill(admin: &Client) {
    for sql in [
        "CREATE DATABASE SHOP",
        "CREATE TABLE SHOP.PUBLIC.T (N INT, S VARCHAR(20))",
        "INSERT INTO SHOP.PUBLIC.T SELECT SEQ4(), 'row ' || SEQ4() FROM TABLE(GENERATOR(ROWCOUNT => 1000))",
        "CREATE VIEW SHOP.PUBLIC.V AS SELECT N FROM SHOP.PUBLIC.T WHERE N < 10",
        "CREATE STAGE SHOP.PUBLIC.S",
        "CREATE DATABASE GONE",
        "CREATE TABLE GONE.PUBLIC.T AS SELECT 7 AS N",
        "DROP DATABASE GONE",
        "CREATE TABLE SHOP.PUBLIC.DROPPED AS SELECT 8 AS N",
        "DROP TABLE SHOP.PUBLIC.DROPPED",
        "CREATE ROLE CLERK",
        "CREATE USER ANNA PASSWORD = 'Wvr7-kLmn-2' DEFAULT_ROLE = CLERK",
        "GRANT ROLE CLERK TO USER ANNA",
        "GRANT USAGE ON DATABASE SHOP TO ROLE CLERK",
        "GRANT USAGE ON SCHEMA SHOP.PUBLIC TO ROLE CLERK",
        "GRANT SELECT ON VIEW SHOP.PUBLIC.V TO ROLE CLERK",
    ] {
        admin.rows(sql);
    }
    put(admin, "a/b.csv", b"1,2\n");
}

#[test]
fn everything_comes_back() {
    let (server, backups) = server_with_backups();
    let admin = server.admin();
    fill(&admin);
    let token = admin.rows("ALTER USER ANNA ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    let large = admin.sql("SELECT SEQ4() AS N, RANDSTR(100, RANDOM()) FROM TABLE(GENERATOR(ROWCOUNT => 20000))");
    let small = admin.sql("SELECT 'small'");
    let listed = "SELECT \"name\", \"size\", \"last_modified\" FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))";
    let list = |client: &Client| {
        let script = format!("LIST @SHOP.PUBLIC.S; {listed}");
        let fields = serde_json::json!({"parameters": {"MULTI_STATEMENT_COUNT": "2"}});
        let response = client.sql_with(&script, fields);
        let handles = response.json()["statementHandles"].clone();
        client.status(handles[1].as_str().unwrap()).rows()
    };
    let files = list(&admin);
    let said = back_up(&server, "one");
    assert!(said.contains("backup one: ") && said.contains("changes waited"), "{said}");
    admin.rows("INSERT INTO SHOP.PUBLIC.T VALUES (5000, 'after')");

    let copy = restored(&backups.path().join("one"));
    let again = copy.admin();
    assert_eq!(again.cell("SELECT COUNT(*) FROM SHOP.PUBLIC.T"), "1000");
    assert_eq!(again.status(&large.handle()).json()["data"], large.json()["data"]);
    assert_eq!(again.status(&small.handle()).rows(), small.rows());
    assert_eq!(download(&again, "a/b.csv"), b"1,2\n");
    assert_eq!(list(&again), files, "a stage is not as it was");
    again.rows("UNDROP DATABASE GONE");
    assert_eq!(again.cell("SELECT N FROM GONE.PUBLIC.T"), "7");
    again.rows("UNDROP TABLE SHOP.PUBLIC.DROPPED");
    assert_eq!(again.cell("SELECT N FROM SHOP.PUBLIC.DROPPED"), "8");
    let anna = copy.client(&token);
    let warehouse = serde_json::json!({"warehouse": "COMPUTE_WH"});
    assert_eq!(
        anna.sql_with("SELECT COUNT(*) FROM SHOP.PUBLIC.V", warehouse.clone()).rows()[0][0].as_deref(),
        Some("10")
    );
    assert_eq!(anna.sql_with("SELECT * FROM SHOP.PUBLIC.T", warehouse).status, 422, "more than was granted");
    let login = Request::post("/api/v2/login").json(&serde_json::json!({"user": "anna", "password": "Wvr7-kLmn-2"}));
    assert_eq!(copy.stranger().send(&login).status, 200);
    let history =
        "SELECT COUNT(*) FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY()) WHERE QUERY_TEXT = 'SELECT ''small'''";
    let in_database = serde_json::json!({"database": "SHOP"});
    assert_eq!(again.sql_with(history, in_database).rows()[0][0].as_deref(), Some("1"));
    again.rows("INSERT INTO SHOP.PUBLIC.T VALUES (1, 'goes on')");
}

#[test]
fn files_are_for_their_owner_alone() {
    let (server, backups) = server_with_backups();
    fill(&server.admin());
    back_up(&server, "one");
    let data = folder("firn-restored-");
    let data_dir = data.path().join("new");
    let backup = backups.path().join("one");
    succeeds(&["restore", "--from", backup.to_str().unwrap(), "--data-dir", data_dir.to_str().unwrap()]);
    for root in [&backup, &data_dir] {
        for path in all_below(root) {
            let metadata = fs::symlink_metadata(&path).unwrap();
            let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
            // The lock has no content but a number.
            let is_lock = path.ends_with("lock");
            assert!(is_lock || metadata.mode() & 0o777 == expected, "{}: {:o}", path.display(), metadata.mode());
        }
    }
    assert!(!server.data_dir().join("backup-pins").exists());
}

fn all_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(all_below(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// What has not changed takes no room again, and each backup is whole without the other.
#[test]
fn unchanged_files_are_shared_with_the_backup_before() {
    let (server, backups) = server_with_backups();
    let admin = server.admin();
    fill(&admin);
    put(&admin, "large", &vec![b'x'; 3 << 20]);
    // A file that changed right before a backup is copied once more.
    std::thread::sleep(std::time::Duration::from_millis(2_500));
    back_up(&server, "first");
    put(&admin, "new", b"new");
    admin.rows("INSERT INTO SHOP.PUBLIC.T VALUES (5000, 'after')");
    let said = back_up(&server, "second");
    assert!(said.contains("MB of it as in the backup before"), "{said}");
    let inode = |name: &str| {
        let files = all_below(&backups.path().join(name).join("stages"));
        let large = files.into_iter().find(|path| path.ends_with("large")).expect("the large file");
        fs::metadata(large).unwrap().ino()
    };
    assert_eq!(inode("first"), inode("second"));
    fs::remove_dir_all(backups.path().join("first")).unwrap();
    let copy = restored(&backups.path().join("second"));
    assert_eq!(download(&copy.admin(), "large").len(), 3 << 20);
    assert_eq!(copy.admin().cell("SELECT COUNT(*) FROM SHOP.PUBLIC.T"), "1001");
    back_up(&server, "third");
    assert_eq!(restored(&backups.path().join("third")).admin().cell("SELECT COUNT(*) FROM SHOP.PUBLIC.T"), "1001");
    let files = all_below(&backups.path().join("third/stages"));
    let large = files.into_iter().find(|path| path.ends_with("large")).expect("the large file");
    fs::write(large, vec![b'y'; 3 << 20]).unwrap();
    back_up(&server, "fourth");
    let copy = restored(&backups.path().join("fourth"));
    assert!(download(&copy.admin(), "large").iter().all(|byte| *byte == b'x'), "what was damaged is copied anew");
    is_refused(&["serve", "--data-dir", backups.path().join("fourth").to_str().unwrap()], "is a backup");
}

#[test]
fn the_folder_of_a_stopped_server_is_copied() {
    let (mut server, _) = server_with_backups();
    fill(&server.admin());
    let (backups, data_dir) = (folder("firn-backups-"), server.data_dir().to_str().unwrap().to_owned());
    let to = backups.path().to_str().unwrap();
    is_refused(&["backup", "--data-dir", &data_dir, "--to", to], "is in use by another firn server");
    // As a crash leaves it: with logs that are not yet in their files.
    server.kill();
    let said = succeeds(&["backup", "--data-dir", &data_dir, "--to", to, "--name", "cold"]);
    assert!(said.contains("cold: "), "{said}");
    let copy = restored(&backups.path().join("cold"));
    assert_eq!(copy.admin().cell("SELECT COUNT(*) FROM SHOP.PUBLIC.T"), "1000");
    assert_eq!(download(&copy.admin(), "a/b.csv"), b"1,2\n");
}
