//! The host is out of reach of SQL: every attempt of `tests/host/attempts.sql` is refused with 422,
//! shows nothing of the file it was after, and leaves no file behind.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use firn_tests::{Client, Response, Server};
use serde_json::json;

const ATTEMPTS: &str = include_str!("host/attempts.sql");
const BAIT: &str = "this-text-must-never-leave-the-host";

struct Site {
    server: Server,
    scratch: tempfile::TempDir,
}

impl Site {
    fn prepare() -> Self {
        let site = Self { server: Server::start(), scratch: tempfile::tempdir().unwrap() };
        std::fs::write(site.bait(), format!("a,b\n{BAIT},1\n")).unwrap();
        let admin = site.server.admin();
        admin.rows("CREATE DATABASE T_HOST");
        admin.rows("CREATE TABLE T_HOST.PUBLIC.DIGITS (D INT)");
        admin.rows("CREATE STAGE T_HOST.PUBLIC.S");
        admin.rows("INSERT INTO T_HOST.PUBLIC.DIGITS VALUES (0),(1),(2)");
        site
    }

    fn bait(&self) -> PathBuf {
        self.scratch.path().join("bait.csv")
    }

    fn attempts(&self) -> Vec<String> {
        let text = |path: &Path| path.display().to_string();
        let lines = ATTEMPTS.lines().filter(|line| !line.is_empty() && !line.starts_with("--"));
        let filled = lines.map(|line| {
            line.replace("{bait}", &text(&self.bait()))
                .replace("{scratch}", &text(self.scratch.path()))
                .replace("{data}", &text(self.server.data_dir()))
        });
        filled.collect()
    }
}

fn submit(client: &Client, statement: &str) -> Response {
    client.sql_with(statement, json!({"database": "T_HOST", "schema": "PUBLIC", "timeout": 20}))
}

fn problem_with(statement: &str, response: &Response) -> Option<String> {
    if response.text().contains(BAIT) {
        return Some(format!("{statement}\n  showed the file: {response}"));
    }
    (response.status != 422).then(|| format!("{statement}\n  {response}"))
}

fn files_below(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_below(&entry.path()));
        } else {
            found.insert(entry.path());
        }
    }
    found
}

fn file_names(folder: &Path, extension: &str) -> BTreeSet<PathBuf> {
    files_below(folder).into_iter().filter(|path| path.extension().is_some_and(|ext| ext == extension)).collect()
}

#[test]
fn every_attempt_is_refused_and_leaves_nothing() {
    let site = Site::prepare();
    let admin = site.server.admin();
    let databases = file_names(site.server.data_dir(), "duckdb");
    let attempts = site.attempts();
    assert!(attempts.len() > 200, "the list of attempts was not read");
    let problems: Vec<String> =
        attempts.iter().filter_map(|statement| problem_with(statement, &submit(&admin, statement))).collect();
    assert!(problems.is_empty(), "{} of {} attempts\n{}", problems.len(), attempts.len(), problems.join("\n"));

    assert_eq!(files_below(site.scratch.path()), [site.bait()].into(), "files appeared beside the bait");
    assert_eq!(file_names(site.server.data_dir(), "duckdb"), databases, "databases appeared");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM T_HOST.PUBLIC.DIGITS"), "3");
}

#[test]
fn attempts_are_refused_in_a_set_and_in_bindings_too() {
    let site = Site::prepare();
    let admin = site.server.admin();
    for statement in ["SELECT * FROM read_text('/etc/passwd')", "ATTACH ':memory:' AS M", "SET threads = 1"] {
        let parameters = json!({"MULTI_STATEMENT_COUNT": "2"});
        let fields = json!({"database": "T_HOST", "schema": "PUBLIC", "parameters": parameters});
        let response = admin.sql_with(&format!("SELECT 1; {statement}"), fields);
        // The dialect has SET of its own: inside a set it makes a variable, which reaches no engine.
        let harmless = statement.starts_with("SET") && response.status == 200;
        assert!(harmless || response.status == 422, "{statement}\n{response}");
    }
    let bound = json!({"database": "T_HOST", "bindings": {"1": {"type": "TEXT", "value": "/etc/passwd"}}});
    for statement in ["SELECT * FROM read_text(?)", "SELECT * FROM TABLE(?)", "SELECT * FROM ?", "SELECT getenv(?)"] {
        let response = admin.sql_with(statement, bound.clone());
        assert_eq!(response.status, 422, "{statement}\n{response}");
    }
}

/// IDENTIFIER() turns text into a name; the name must pass the same walls.
#[test]
fn names_made_of_text_pass_the_same_walls() {
    let site = Site::prepare();
    let admin = site.server.admin();
    for name in ["/etc/passwd", "memory.main.x", "\"/etc/passwd\"", "T_HOST.__FIRN.OBJECTS", "read_text('/etc/passwd')"]
    {
        let response = submit(&admin, &format!("SELECT * FROM IDENTIFIER('{}')", name.replace('\'', "''")));
        assert_eq!(response.status, 422, "{name}\n{response}");
    }
}

/// A quoted name may hold anything; its file stays in the server's folder all the same.
#[test]
fn odd_names_of_databases_stay_in_the_folder() {
    let outside = tempfile::tempdir().unwrap();
    let server = Server::start();
    let admin = server.admin();
    let climbing = format!("../firn-stray-{}", uuid::Uuid::new_v4());
    let absolute = format!("{}/x", outside.path().display());
    let plain = ["a/b", "..", ".", "a\\b", "x'; ATTACH ':memory:' AS y; --", "ü", "a.b", "CON"];
    for name in plain.into_iter().chain([climbing.as_str(), absolute.as_str()]) {
        let response = admin.sql(&format!("CREATE DATABASE \"{name}\""));
        assert!([200, 422].contains(&response.status), "{name}\n{response}");
        if response.status == 200 {
            assert_eq!(admin.sql(&format!("CREATE TABLE \"{name}\".PUBLIC.T AS SELECT 1 AS N")).status, 200, "{name}");
            assert_eq!(admin.cell(&format!("SELECT N FROM \"{name}\".PUBLIC.T")), "1", "{name}");
        }
    }
    assert!(files_below(outside.path()).is_empty());
    let databases = server.data_dir().join("databases");
    for above in [server.data_dir(), server.data_dir().parent().unwrap()] {
        let entries = std::fs::read_dir(above).unwrap().map(|entry| entry.unwrap().file_name());
        let strays: Vec<_> = entries.filter(|name| name.to_string_lossy().starts_with("firn-stray")).collect();
        assert!(strays.is_empty(), "files lie outside {}: {strays:?}", databases.display());
    }
    let server = server.kill_and_restart();
    assert_eq!(server.admin().cell(&format!("SELECT N FROM \"{climbing}\".PUBLIC.T")), "1");
}
