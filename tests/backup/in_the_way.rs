//! Backups of data folders that lack something, into folders where something is in the way, and backups that a signal
//! breaks off.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use firn_tests::server::{ADMIN_TOKEN, binary};
use firn_tests::{Request, Server};
use serde_json::json;

use super::{back_up, fill, firn, folder, is_refused, restored, server_with_backups, succeeds, text};

/// Long enough for every backup here; a backup that waits for something else does not end at all.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(20);

/// A stopped server with something of everything.
fn stopped() -> Server {
    let mut server = Server::start();
    fill(&server.admin());
    assert!(server.terminate().success(), "{}", server.log());
    server
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn make_fifo(place: &Path) {
    assert!(Command::new("mkfifo").arg(place).status().expect("run mkfifo").success());
}

fn begin(arguments: &[&str]) -> Child {
    let mut command = Command::new(binary());
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("start firn")
}

/// What a command says that ends by itself, or after the signal that it got.
fn said_at_end(mut process: Child) -> (bool, String) {
    for _ in 0..PATIENCE.as_millis() / LOOK.as_millis() {
        if process.try_wait().unwrap().is_some() {
            let output = process.wait_with_output().unwrap();
            return (output.status.success(), text(&output));
        }
        std::thread::sleep(LOOK);
    }
    process.kill().unwrap();
    panic!("the command hangs: {}", text(&process.wait_with_output().unwrap()));
}

fn terminate(process: u32) {
    assert!(Command::new("kill").arg(process.to_string()).status().expect("run kill").success());
}

/// A file in the folder of databases that looks like a checkpoint under way; a backup waits some seconds for its end.
fn begin_checkpoint(data_dir: &Path) {
    fs::write(data_dir.join("databases/SHOP.duckdb.wal.checkpoint"), "").unwrap();
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..PATIENCE.as_millis() / LOOK.as_millis() {
        if is_so() {
            return;
        }
        std::thread::sleep(LOOK);
    }
    panic!("{what}: this did not happen");
}

#[test]
fn a_database_without_its_file_is_not_left_out() {
    let (mut server, backups) = server_with_backups();
    fill(&server.admin());
    let file = server.data_dir().join("databases/SHOP.duckdb");
    let away = server.data_dir().join("away");
    back_up(&server, "whole");
    fs::rename(&file, &away).unwrap();
    let missing = "`databases/SHOP.duckdb` of the database SHOP is missing";
    is_refused(&["backup", "--url", server.base_url(), "--token", ADMIN_TOKEN, "--name", "less"], missing);
    fs::rename(&away, &file).unwrap();
    back_up(&server, "again");
    assert_eq!(names(backups.path()), [".lock", "again", "whole"]);

    server.terminate();
    let (data_dir, to) = (path(server.data_dir()).to_owned(), folder("firn-backups-"));
    let cold = ["backup", "--data-dir", &data_dir, "--to", path(to.path()), "--name", "cold"];
    fs::rename(&file, &away).unwrap();
    is_refused(&cold, missing);
    fs::write(&file, []).unwrap();
    is_refused(&cold, "`databases/SHOP.duckdb` of the database SHOP is empty");
    assert_eq!(names(to.path()), [".lock"]);
    fs::rename(&away, &file).unwrap();
    succeeds(&cold);
    assert_eq!(restored(&to.path().join("cold")).admin().cell("SELECT COUNT(*) FROM SHOP.PUBLIC.T"), "1000");
}

#[test]
fn a_state_file_without_a_state_is_no_backup() {
    let (server, to) = (stopped(), folder("firn-backups-"));
    let state = server.data_dir().join("firn.sqlite");
    let cold = ["backup", "--data-dir", path(server.data_dir()), "--to", path(to.path())];
    fs::write(&state, []).unwrap();
    is_refused(&cold, "is empty");
    fs::remove_file(&state).unwrap();
    rusqlite::Connection::open(&state).unwrap().execute_batch("CREATE TABLE T (N INT)").unwrap();
    is_refused(&cold, "has no tables");
    fs::write(&state, "this is no state file at all ".repeat(500)).unwrap();
    is_refused(&cold, "firn: ");
    assert!(names(to.path()).iter().all(|name| name == ".lock"), "{:?}", names(to.path()));
}

#[test]
fn the_folder_for_backups_is_outside_of_the_data_folder() {
    let server = stopped();
    let (data_dir, links) = (server.data_dir().to_owned(), folder("firn-links-"));
    symlink(&data_dir, links.path().join("link")).unwrap();
    let before = names(&data_dir);
    for to in [
        data_dir.clone(),
        data_dir.join("backups"),
        data_dir.join("stages/user-1"),
        links.path().join("link"),
        links.path().join("link/new/folder"),
    ] {
        is_refused(&["backup", "--data-dir", path(&data_dir), "--to", path(&to)], "is inside of the data folder");
    }
    assert_eq!(names(&data_dir), before, "something was made");
    // A folder that only begins with the same name is another one.
    let beside = folder("firn-backups-");
    succeeds(&["backup", "--data-dir", path(&data_dir), "--to", path(&beside.path().join("a/b")), "--name", "one"]);
}

#[test]
fn what_names_a_server_is_refused_beside_a_data_folder() {
    let (server, to) = (stopped(), folder("firn-backups-"));
    let cold = ["backup", "--data-dir", path(server.data_dir()), "--to", path(to.path()), "--name", "one"];
    for flag in ["--url", "--token", "--role"] {
        is_refused(&[&cold[..], &[flag, "x"]].concat(), &format!("{flag} is for the backup of a running server"));
    }
    assert_eq!(names(to.path()).len(), 0);
    // Variables are set for all commands.
    let output =
        Command::new(binary()).args(cold).env("FIRN_URL", "http://127.0.0.1:1").env("FIRN_TOKEN", "x").output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// What is left over is removed, whatever it is; what links lead to stays.
#[test]
fn left_over_backups_are_removed() {
    let (server, to, elsewhere) = (stopped(), folder("firn-backups-"), folder("firn-elsewhere-"));
    let left = |name: &str| to.path().join(format!(".unfinished-{name}"));
    fs::create_dir_all(left("folder").join("databases")).unwrap();
    fs::write(left("folder").join("databases/SHOP.duckdb"), "half").unwrap();
    fs::write(left("file"), "x").unwrap();
    make_fifo(&left("fifo"));
    fs::write(elsewhere.path().join("precious"), "x").unwrap();
    symlink(elsewhere.path(), left("link")).unwrap();
    symlink("/nowhere/at/all", left("nowhere")).unwrap();
    // The one under the name of the next backup, too.
    fs::write(left("next"), "x").unwrap();
    fs::write(server.data_dir().join("backup-pins"), "x").unwrap();
    succeeds(&["backup", "--data-dir", path(server.data_dir()), "--to", path(to.path()), "--name", "next"]);
    assert_eq!(names(to.path()), [".lock", "next"]);
    assert!(elsewhere.path().join("precious").exists(), "what a link leads to was removed");
    restored(&to.path().join("next"));
}

#[test]
fn what_is_in_the_way_is_named() {
    let (server, to) = (stopped(), folder("firn-backups-"));
    let cold = |name: &str| {
        let arguments = ["backup", "--data-dir", path(server.data_dir()), "--to", path(to.path()), "--name", name];
        let (is_success, said) = said_at_end(begin(&arguments));
        assert!(!is_success, "{said}");
        said
    };
    make_fifo(&to.path().join("fifo"));
    symlink("/nowhere/at/all", to.path().join("link")).unwrap();
    fs::write(to.path().join("file"), "x").unwrap();
    for name in ["fifo", "link", "file"] {
        let said = cold(name);
        assert!(said.contains(&format!("`{name}` already")), "{said}");
    }
    fs::remove_file(to.path().join(".lock")).unwrap();
    make_fifo(&to.path().join(".lock"));
    let said = cold("one");
    assert!(said.contains("`.lock`") && said.contains("not a regular file"), "{said}");
    fs::remove_file(to.path().join(".lock")).unwrap();
    make_fifo(&server.data_dir().join("stage-credentials.key"));
    let said = cold("one");
    assert!(said.contains("stage-credentials.key` is a FIFO"), "{said}");
    assert_eq!(names(to.path()), ["fifo", "file", "link"]);
}

#[test]
fn a_signal_breaks_the_backup_of_a_stopped_server_off() {
    let (server, to) = (stopped(), folder("firn-backups-"));
    begin_checkpoint(server.data_dir());
    let arguments = ["backup", "--data-dir", path(server.data_dir()), "--to", path(to.path()), "--name", "one"];
    let process = begin(&arguments);
    wait_until("the backup begins", || server.data_dir().join("backup-pins").exists());
    terminate(process.id());
    let (is_success, said) = said_at_end(process);
    assert!(!is_success && said.contains("broken off by a signal"), "{said}");
    assert_eq!(names(to.path()), [".lock"]);
    assert!(!server.data_dir().join("backup-pins").exists());
    succeeds(&arguments);
}

/// The command's end is not the backup's.
#[test]
fn a_signal_to_the_command_leaves_the_server_at_work() {
    let (server, backups) = server_with_backups();
    fill(&server.admin());
    begin_checkpoint(server.data_dir());
    let process = begin(&["backup", "--url", server.base_url(), "--token", ADMIN_TOKEN, "--name", "one"]);
    wait_until("the backup begins", || server.data_dir().join("backup-pins").exists());
    // The command asks for the first time once it listens for signals.
    std::thread::sleep(Duration::from_millis(500));
    terminate(process.id());
    let (is_success, said) = said_at_end(process);
    assert!(!is_success && said.contains("goes on with the backup one"), "{said}");
    let state = || server.admin().send(&Request::get("/api/v2/backups/one")).json()["state"].clone();
    wait_until("the backup ends", || state() != "running");
    assert_eq!(state(), "succeeded");
    restored(&backups.path().join("one"));
}

/// Whoever waits for the backup learns that the server stops, and so does the log.
#[test]
fn a_server_that_stops_says_what_became_of_the_backup() {
    let (mut server, backups) = server_with_backups();
    fill(&server.admin());
    begin_checkpoint(server.data_dir());
    let begun = server.admin().send(&Request::post("/api/v2/backups").json(&json!({"name": "other"})));
    assert_eq!(begun.status, 202, "{begun}");
    let waiting = begin(&["backup", "--url", server.base_url(), "--token", ADMIN_TOKEN, "--name", "one"]);
    let (_, said) = said_at_end(waiting);
    assert!(said.contains("`other` is being made"), "{said}");
    server.ask_to_stop();
    let (admin, mut last) = (server.admin(), json!(null));
    while let Ok(response) = admin.try_send(&Request::get("/api/v2/backups/other")) {
        assert_eq!(response.status, 200, "{response}");
        last = response.json();
        std::thread::sleep(LOOK);
    }
    assert!(server.wait().success(), "{}", server.log());
    assert_eq!(last["state"], "failed", "{last}");
    assert!(last["message"].as_str().unwrap_or_default().contains("the server is stopping"), "{last}");
    assert!(server.log().lines().any(|line| line.contains("a backup failed") && line.contains("other")));
    assert_eq!(names(backups.path()), [".lock"]);
    let output = firn(&["backup", "--url", server.base_url(), "--token", ADMIN_TOKEN]);
    assert!(text(&output).contains("no answer from"), "{}", text(&output));
}
