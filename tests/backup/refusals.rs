//! What is no backup, is damaged, or may not be asked for.

use std::fs;
use std::path::Path;
use std::process::Command;

use firn_tests::server::ADMIN_TOKEN;
use firn_tests::{Request, Server};
use serde_json::json;

use super::{back_up, fill, folder, is_refused, server_with_backups, succeeds};

#[test]
fn only_the_administrator_may_ask() {
    let (server, backups) = server_with_backups();
    let admin = server.admin();
    admin.rows("CREATE ROLE R");
    admin.rows("GRANT ROLE SYSADMIN TO ROLE R");
    admin.rows("CREATE USER U DEFAULT_ROLE = R");
    admin.rows("GRANT ROLE R TO USER U");
    let token = admin.rows("ALTER USER U ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    back_up(&server, "one");
    let user = server.client(&token);
    for request in [
        Request::post("/api/v2/backups").json(&json!({"name": "mine"})),
        Request::get("/api/v2/backups/one"),
        Request::get("/api/v2/backups/none"),
    ] {
        let response = user.send(&request);
        assert_eq!((response.status, response.code().as_str()), (403, "003001"), "{response}");
        assert_eq!(server.stranger().send(&request).status, 401);
    }
    let in_role = Request::post("/api/v2/backups").json(&json!({})).header("x-service-role", "PUBLIC");
    assert_eq!(admin.send(&in_role).status, 403, "another role of the administrator's");
    for request in [Request::post("/api/v2/backups").json(&json!({})), Request::get("/api/v2/backups/one")] {
        let in_role = request.clone().query("role", "PUBLIC");
        assert_eq!(admin.send(&in_role).code(), "003001", "another role of the administrator's");
        let not_granted = user.send(&request.clone().query("role", "ACCOUNTADMIN"));
        assert_eq!((not_granted.status, not_granted.code().as_str()), (400, "390186"), "{not_granted}");
        let first = request.query("role", "ACCOUNTADMIN").header("x-service-role", "PUBLIC");
        assert!([200, 202].contains(&admin.send(&first).status), "the parameter counts before the header");
    }
    let names = fs::read_dir(backups.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(!names.collect::<Vec<_>>().contains(&"mine".to_owned()));
}

#[test]
fn wrong_requests_are_refused_by_name() {
    let (server, backups) = server_with_backups();
    let admin = server.admin();
    let start = |body: serde_json::Value| admin.send(&Request::post("/api/v2/backups").json(&body));
    for name in ["", "..", ".", "../x", "/tmp/x", "a/b", ".hidden", "a b", "ä", "x\u{0}y", &"a".repeat(65)] {
        let response = start(json!({"name": name}));
        assert_eq!(response.status, 400, "{name:?}: {response}");
        let found = admin.send(&Request::get(&format!("/api/v2/backups/{}", "%2e%2e%2fx")));
        assert_eq!(found.status, 404, "{found}");
    }
    for path in ["/api/v2/backups/%ff", "/api/v2/backups/a%ffb"] {
        let response = admin.send(&Request::get(path));
        assert_eq!((response.status, response.code().as_str()), (400, "390142"), "{response}");
        assert!(response.json()["message"].is_string(), "{response}");
    }
    assert_eq!(start(json!({"folder": "/tmp"})).status, 400);
    assert_eq!(start(json!({"name": 1})).status, 400);
    back_up(&server, "one");
    let again = start(json!({"name": "one"}));
    assert_eq!((again.status, again.code().as_str()), (409, "390409"), "{again}");
    assert!(again.text().contains("`one` already"), "{again}");
    let unknown = admin.send(&Request::get("/api/v2/backups/none"));
    assert_eq!((unknown.status, unknown.code().as_str()), (404, "390404"), "{unknown}");
    assert_eq!(admin.send(&Request::get("/api/v2/backups/one")).json()["state"], "succeeded");
    assert!(backups.path().join("one").is_dir());

    let off = Server::start();
    let response = off.admin().send(&Request::post("/api/v2/backups").json(&json!({})));
    assert_eq!((response.status, response.code().as_str()), (403, "390403"), "{response}");
    assert!(response.text().contains("backup_dir"), "{response}");
}

#[test]
fn wrong_arguments_are_refused() {
    let (server, backups) = server_with_backups();
    back_up(&server, "one");
    let (url, empty) = (server.base_url().to_owned(), folder("firn-empty-"));
    let to = empty.path().to_str().unwrap();
    is_refused(&["backup", "--url", &url], "--token");
    is_refused(&["backup", "--url", &url, "--token", "wrong-token-0123456789abcdef"], "oken");
    is_refused(&["backup", "--url", "http://127.0.0.1:1", "--token", "x"], "no answer from");
    is_refused(&["backup", "--url", &url, "--token", ADMIN_TOKEN, "--to", to], "backup_dir");
    is_refused(&["backup", "--url", &url, "--token", ADMIN_TOKEN, "--name", "../x"], "no name for a backup");
    is_refused(&["backup", "--url", &url, "--token", ADMIN_TOKEN, "--name", "one"], "already");
    is_refused(&["backup", "--data-dir", to], "--to is missing");
    is_refused(&["backup", "--data-dir", to, "--to", to], "no state file");
    is_refused(&["backup", "--data-dir", "/nowhere/at/all", "--to", to], "no state file");
    is_refused(&["restore", "--data-dir", to], "--from");
    is_refused(&["restore", "--from", "/nowhere/at/all", "--data-dir", to], "there is no such folder");
    is_refused(&["restore", "--from", to, "--data-dir", to], "manifest.json");
    let whole = backups.path().to_str().unwrap();
    is_refused(&["restore", "--from", whole, "--data-dir", to], "name one of them: one");
    let one = backups.path().join("one");
    let used = server.data_dir().to_str().unwrap();
    is_refused(&["restore", "--from", one.to_str().unwrap(), "--data-dir", used], "is not empty");
    is_refused(&["restore", "--from", one.to_str().unwrap(), "--data-dir", "/proc/x"], "cannot be used");
    assert_eq!(fs::read_dir(empty.path()).unwrap().count(), 0, "something was written");
    succeeds(&["restore", "--help"]);
}

#[test]
fn a_backup_is_not_restored_into_itself() {
    let (server, backups) = server_with_backups();
    back_up(&server, "one");
    let (one, outside) = (backups.path().join("one"), folder("firn-outside-"));
    let inside = one.join("databases/new");
    let link = outside.path().join("link");
    std::os::unix::fs::symlink(&one, &link).unwrap();
    let files = || Command::new("find").arg(&one).output().unwrap().stdout;
    let before = files();
    let restore = |from: &Path, to: &Path| {
        is_refused(
            &["restore", "--from", from.to_str().unwrap(), "--data-dir", to.to_str().unwrap()],
            "inside of the backup",
        );
    };
    restore(&one, &one);
    restore(&one, &inside);
    restore(&one, &link);
    restore(&one, &link.join("new"));
    restore(&link, &one.join("new"));
    assert_eq!(files(), before, "the backup was changed");
}

/// Every damage is named, and nothing stays in the folder that was to be made.
#[test]
fn damaged_backups_are_refused() {
    let (server, backups) = server_with_backups();
    fill(&server.admin());
    back_up(&server, "one");
    let change = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    type Damage<'a> = (&'static str, &'static str, Box<dyn Fn(&Path) + 'a>);
    let damages: Vec<Damage<'_>> = vec![
        (
            "a bit",
            "databases/SHOP.duckdb` has another content",
            Box::new(|backup| change(&backup.join("databases/SHOP.duckdb"))),
        ),
        ("the state", "firn.sqlite` has another content", Box::new(|backup| change(&backup.join("firn.sqlite")))),
        (
            "cut",
            "bytes instead of",
            Box::new(|backup| {
                let file = fs::OpenOptions::new().write(true).open(backup.join("firn.sqlite")).unwrap();
                file.set_len(5000).unwrap();
            }),
        ),
        ("missing", "is missing", Box::new(|backup| fs::remove_file(backup.join("databases/SHOP.duckdb")).unwrap())),
        ("the manifest", "its sum", Box::new(|backup| change(&backup.join("manifest.json")))),
        ("no sum", "its sum", Box::new(|backup| fs::remove_file(backup.join("manifest.json.sha256")).unwrap())),
        ("no manifest", "broken off", Box::new(|backup| fs::remove_file(backup.join("manifest.json")).unwrap())),
    ];
    for (name, part, damage) in damages {
        let copy = folder("firn-damaged-");
        let backup = copy.path().join("backup");
        let copied = std::process::Command::new("cp").arg("-r").arg(backups.path().join("one")).arg(&backup).status();
        assert!(copied.unwrap().success());
        damage(&backup);
        let data_dir = copy.path().join("data");
        let output =
            super::firn(&["restore", "--from", backup.to_str().unwrap(), "--data-dir", data_dir.to_str().unwrap()]);
        let said = super::text(&output);
        assert!(!output.status.success() && said.contains(part), "{name}: {said}");
        assert!(!data_dir.exists(), "{name}: something stays");
    }
}

/// A server does not take a restore that was broken off for a first start.
#[test]
fn an_unfinished_restore_is_no_data_folder() {
    let data = folder("firn-half-");
    fs::create_dir_all(data.path().join("restoring/databases")).unwrap();
    is_refused(&["serve", "--listen", "127.0.0.1:0", "--data-dir", data.path().to_str().unwrap()], "was broken off");
    assert!(!data.path().join("firn.sqlite").exists());
}
