//! `firn serve --ephemeral`: what a program reads from it, and that nothing is left of it.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, SystemTime};

use firn_tests::server::{ADMIN_TOKEN, binary};
use firn_tests::{Client, comes_true};
use serde_json::Value;
use tempfile::TempDir;

struct Ephemeral {
    process: Child,
    input: Option<ChildStdin>,
    line: Value,
}

impl Ephemeral {
    fn start(temporary: &TempDir, settings: &[(&str, &str)]) -> Self {
        Self::start_reading(temporary, settings, Stdio::piped())
    }

    fn start_reading(temporary: &TempDir, settings: &[(&str, &str)], input: Stdio) -> Self {
        let mut command = command(temporary.path());
        command.envs(settings.iter().copied()).stdin(input).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let line = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        std::thread::spawn(move || {
            let mut rest = String::new();
            let _ = output.read_to_string(&mut rest);
            assert_eq!(rest, "", "one line is all that a program reads");
        });
        Self { input: process.stdin.take(), process, line }
    }

    fn client(&self) -> Client {
        Client::new(self.line["url"].as_str().unwrap(), self.line["token"].as_str())
    }

    fn signal(&mut self, name: &str) -> ExitStatus {
        let process = self.process.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &process]).status().unwrap().success());
        self.process.wait().unwrap()
    }
}

impl Drop for Ephemeral {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn command(temporary: &Path) -> Command {
    let mut command = Command::new(binary());
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("FIRN_")) {
        command.env_remove(name);
    }
    command.args(["serve", "--ephemeral"]).env("TMPDIR", temporary).env("FIRN_LOG_LEVEL", "warn");
    command
}

fn entries(folder: &TempDir) -> usize {
    fs::read_dir(folder.path()).unwrap().count()
}

#[test]
fn one_line_says_where_it_is_and_signals_remove_its_folder() {
    for signal in ["TERM", "INT", "HUP"] {
        let temporary = tempfile::tempdir().unwrap();
        let mut server = Ephemeral::start(&temporary, &[]);
        assert_eq!(
            (&server.line["account"], &server.line["user"], &server.line["process"]),
            (&"FIRN".into(), &"ADMIN".into(), &server.process.id().into())
        );
        assert_eq!(server.client().cell("SELECT CURRENT_USER()"), "ADMIN");
        server.client().rows("CREATE DATABASE LEFT_BEHIND");
        assert_eq!(entries(&temporary), 1);
        assert!(server.signal(signal).success(), "{signal}");
        assert_eq!(entries(&temporary), 0, "{signal} leaves a folder");
    }
}

#[test]
fn it_does_not_wait_for_statements() {
    let temporary = tempfile::tempdir().unwrap();
    let mut server = Ephemeral::start(&temporary, &[]);
    let rows = "TABLE(GENERATOR(ROWCOUNT => 10000000))";
    server.client().submit_async(&format!("SELECT COUNT(*) FROM {rows} A, {rows} B"));
    let begun = std::time::Instant::now();
    assert!(server.signal("TERM").success());
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    assert_eq!(entries(&temporary), 0);
}

/// However the program ends that holds the other end of the pipe.
#[test]
fn it_ends_when_its_input_is_closed() {
    let temporary = tempfile::tempdir().unwrap();
    let mut server = Ephemeral::start(&temporary, &[]);
    drop(server.input.take());
    assert!(comes_true(|| server.process.try_wait().unwrap().is_some()), "it goes on without its parent");
    assert_eq!(entries(&temporary), 0);
}

#[test]
fn without_a_pipe_it_goes_on() {
    let temporary = tempfile::tempdir().unwrap();
    let mut server = Ephemeral::start_reading(&temporary, &[], Stdio::null());
    std::thread::sleep(Duration::from_millis(300));
    assert!(server.process.try_wait().unwrap().is_none());
    assert_eq!(server.client().cell("SELECT 1"), "1");
}

#[test]
fn two_have_nothing_in_common() {
    let temporary = tempfile::tempdir().unwrap();
    let (one, other) = (Ephemeral::start(&temporary, &[]), Ephemeral::start(&temporary, &[]));
    assert_ne!(one.line["url"], other.line["url"]);
    assert_ne!(one.line["token"], other.line["token"]);
    one.client().rows("CREATE DATABASE ONLY_HERE");
    assert_eq!(other.client().rows("SHOW DATABASES LIKE 'ONLY_HERE'").len(), 0);
}

#[test]
fn what_a_killed_one_left_behind_is_removed_by_a_later_one() {
    let temporary = tempfile::tempdir().unwrap();
    let mut killed = Ephemeral::start(&temporary, &[]);
    killed.process.kill().unwrap();
    killed.process.wait().unwrap();
    let folder = fs::read_dir(temporary.path()).unwrap().next().unwrap().unwrap().path();
    let running = Ephemeral::start(&temporary, &[]);
    assert!(folder.exists(), "a folder may have been made just now");
    for entry in fs::read_dir(temporary.path()).unwrap() {
        let folder = fs::File::open(entry.unwrap().path()).unwrap();
        folder.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    }
    let later = Ephemeral::start(&temporary, &[]);
    assert!(!folder.exists(), "the folder of the killed server");
    assert_eq!(entries(&temporary), 2, "the folder of the running server is its own");
    drop((running, later));
}

#[test]
fn a_given_token_is_not_shown() {
    let temporary = tempfile::tempdir().unwrap();
    let server = Ephemeral::start(&temporary, &[("FIRN_ADMIN_TOKEN", ADMIN_TOKEN)]);
    assert_eq!(server.line["token"], Value::Null);
    let client = Client::new(server.line["url"].as_str().unwrap(), Some(ADMIN_TOKEN));
    assert_eq!(client.cell("SELECT 1"), "1");
}

#[test]
fn the_demo_database_can_be_tested_with() {
    let temporary = tempfile::tempdir().unwrap();
    let server = Ephemeral::start(&temporary, &[("FIRN_DEMO", "true")]);
    assert_ne!(server.client().cell("SELECT COUNT(*) FROM DEMO.PUBLIC.ORDERS"), "0");
}

#[test]
fn a_data_folder_is_refused_with_the_way_out() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("kept");
    let output = command(temporary.path()).arg("--data-dir").arg(&folder).output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("--ephemeral") && said.contains("FIRN_DATA_DIR"), "{said}");
    assert!(!folder.exists());
}
