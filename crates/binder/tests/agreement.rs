//! The proof of the binder: for every query of `tests/sql/`, its result columns beside those that a server returns.
//! The binder sees the tables that INFORMATION_SCHEMA lists, and the text as it is sent: what depends on the session
//! (variables, temporary tables, functions of users) is not known to it here.
//!
//! `cargo test --release -p firn-binder --test agreement -- --ignored --nocapture` prints the classes of
//! disagreement; `FIRN_BINDER_REPORT` names a file for the queries behind them.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a failed assumption is a failed test")]

#[path = "agreement/catalog.rs"]
mod catalog;
#[path = "agreement/columns.rs"]
mod columns;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use firn_binder::{Bound, bind};
use firn_sql::{Command, Namespace, ParseLimits, parse_statement, resolve, split_script};
use firn_tests::Server;
use firn_tests::sqllogic::{Connection, files};
use serde_json::Value;
use sqllogictest::{DefaultColumnType, Record};

use catalog::Catalog;

const LIMITS: ParseLimits = ParseLimits { text_bytes_max: 1 << 24, statements_max: 100, nesting_depth_max: 60 };

/// Queries of a hundred that the binder describes as the server does, or more precisely. It only ever rises.
const AGREEMENT_MIN: usize = 86;

#[derive(Default)]
struct Report {
    classes: BTreeMap<&'static str, usize>,
    lines: String,
}

impl Report {
    fn add(&mut self, class: &'static str, details: &str, sql: &str) {
        *self.classes.entry(class).or_default() += 1;
        if class != "agree" {
            let _ = writeln!(self.lines, "{class}\t{details}\t{}", sql.replace('\n', " "));
        }
    }

    fn count(&self, class: &str) -> usize {
        self.classes.get(class).copied().unwrap_or_default()
    }
}

#[test]
#[ignore = "runs every file once more; see above"]
fn the_binder_agrees_with_the_server() {
    let server = Server::start();
    let mut report = Report::default();
    for path in files() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().to_uppercase();
        let database = format!("SLT_{name}");
        server.admin().rows(&format!("CREATE DATABASE {database}"));
        let connection = Connection { client: server.admin(), database };
        for record in sqllogictest::parse_file::<DefaultColumnType>(&path).unwrap() {
            if let Record::Statement { sql, .. } | Record::Query { sql, .. } = record {
                compare(&connection, &sql, &mut report);
            }
        }
    }
    if let Some(path) = std::env::var_os("FIRN_BINDER_REPORT") {
        std::fs::write(path, &report.lines).unwrap();
    }
    let all: usize = report.classes.values().sum();
    let agreed = report.count("agree") + report.count("narrower");
    println!("{agreed} of {all} queries agree: {:#?}", report.classes);
    assert!(agreed * 100 >= all * AGREEMENT_MIN, "{agreed} of {all} queries agree: {:#?}", report.classes);
    assert_eq!(report.count("refused"), 0, "the binder finds errors in queries that run\n{}", report.lines);
}

/// Runs a record and binds its last statement, if that is a query with a result.
fn compare(connection: &Connection, sql: &str, report: &mut Report) {
    let Some(columns) = run(connection, sql) else { return };
    let Ok(mut sources) = split_script(sql, &LIMITS) else { return };
    let Some(source) = sources.pop() else { return };
    let Ok(mut statement) = parse_statement(&source, &LIMITS) else { return };
    let namespace = Namespace { database: Some(connection.database.clone()), schema: Some("PUBLIC".to_owned()) };
    if resolve(&mut statement, &namespace).is_err() {
        return;
    }
    if let Command::Query(query) = &mut statement.command {
        let bound = bind(&mut **query, &Catalog::new(connection)).expect("the catalog can be read");
        let (class, details) = match class_of(&bound, &columns) {
            // Variables and parameters of the session may stand for names.
            ("refused", details) if !sources.is_empty() => ("depends on its script", details),
            found => found,
        };
        report.add(class, &details, sql);
    }
}

/// The row type of a record's last result.
fn run(connection: &Connection, sql: &str) -> Option<Vec<Value>> {
    if sql.starts_with("PUT FILE ") {
        // Stages need their files.
        let _ = sqllogictest::DB::run(
            &mut Connection { client: connection.client.clone(), database: connection.database.clone() },
            sql,
        );
        return None;
    }
    let response = connection.client.sql_with(sql, connection.fields());
    let mut body = response.json();
    if response.status != 200 {
        return None;
    }
    if let Some(last) = body["statementHandles"].as_array().and_then(|handles| handles.last()?.as_str()) {
        body = connection.client.status(last).json();
    }
    body["resultSetMetaData"]["rowType"].as_array().cloned()
}

fn class_of(bound: &Bound, columns: &[Value]) -> (&'static str, String) {
    if let Some(error) = bound.errors.first() {
        let failure = error.failure();
        let class = if failure.code == "002003" { "not in the catalog" } else { "refused" };
        return (class, failure.message.replace('\n', " "));
    }
    let Some(bound) = bound.columns.as_deref() else { return ("unknown columns", String::new()) };
    if bound.len() != columns.len() {
        return ("column count", format!("{} {}", bound.len(), columns.len()));
    }
    let mut worst = ("agree", String::new());
    for (bound, column) in bound.iter().zip(columns) {
        match columns::compare(bound, column) {
            ("agree", _) => {}
            found @ ("narrower", _) => worst = found,
            found => return found,
        }
    }
    worst
}
