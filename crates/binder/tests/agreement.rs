//! The proof of the binder: for every query of `tests/sql/`, of TPC-H and over the schema of TPC-DS, the types that it gave the result
//! columns while the query ran, beside those that the server returned. The server logs the first at the level `trace`. The engine
//! does not say what may be NULL or where a column is from: rows show the first, and the columns of the table the second.
//!
//! `cargo test --release -p firn-binder --test agreement -- --ignored --nocapture` prints the classes of
//! disagreement; `FIRN_BINDER_REPORT` names a file for the queries behind them, `FIRN_BINDER_FILES` the files to take
//! (comma-separated stems).

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a failed assumption is a failed test")]

#[path = "agreement/bound_types.rs"]
mod bound_types;
#[path = "agreement/columns.rs"]
mod columns;
#[path = "agreement/exceptions.rs"]
mod exceptions;
#[path = "agreement/origins.rs"]
mod origins;
#[path = "agreement/scripts.rs"]
mod scripts;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use firn_sql::{Command, ParseLimits, parse_statement, split_script};
use firn_tests::Server;
use firn_tests::sqllogic::Connection;
use serde_json::{Value, json};

use bound_types::logged_since;
use exceptions::EXCEPTIONS;
use scripts::{Script, scripts};

const LIMITS: ParseLimits = ParseLimits { text_bytes_max: 1 << 24, statements_max: 100, nesting_depth_max: 60 };
const SETTINGS: &[(&str, &str)] = &[("FIRN_LOG_FORMAT", "json"), ("FIRN_LOG_LEVEL", "info,row_types=trace")];

#[derive(Default)]
struct Report {
    classes: BTreeMap<&'static str, usize>,
    disagreements: String,
    /// By their places in the list.
    exceptions_met: Vec<usize>,
}

impl Report {
    fn add(&mut self, file: &str, sql: &str, class: &'static str, details: &str) {
        let exception = EXCEPTIONS.iter().position(|exception| exception.is_of(file, sql)).filter(|_| class != "agree");
        self.exceptions_met.extend(exception);
        let class = if exception.is_some() { "exceptions" } else { class };
        *self.classes.entry(class).or_default() += 1;
        if !matches!(class, "agree" | "exceptions") {
            let _ = writeln!(self.disagreements, "{class}\t{file}\t{details}\t{}", sql.replace('\n', " "));
        }
    }
}

#[test]
#[ignore = "runs every file once more; see above"]
fn the_binder_agrees_with_the_server() {
    let server = Server::start_with(SETTINGS);
    let mut report = Report::default();
    let wanted = std::env::var("FIRN_BINDER_FILES").ok();
    let is_wanted =
        |script: &Script| wanted.as_ref().is_none_or(|wanted| wanted.split(',').any(|stem| stem == script.name));
    for script in scripts().into_iter().filter(is_wanted) {
        compare(&server, &script, &mut report);
    }
    if let Some(path) = std::env::var_os("FIRN_BINDER_REPORT") {
        std::fs::write(path, &report.disagreements).unwrap();
    }
    println!("{:#?}", report.classes);
    assert!(report.disagreements.is_empty(), "{:#?}\n{}", report.classes, report.disagreements);
    if wanted.is_none() {
        let is_met = |place: &usize| report.exceptions_met.contains(place);
        let unmet: Vec<_> =
            (0..EXCEPTIONS.len()).filter(|place| !is_met(place)).map(|place| &EXCEPTIONS[place]).collect();
        assert!(unmet.is_empty(), "these agree or are gone: {unmet:#?}");
    }
}

/// Runs the statements of a script and compares the columns of its queries.
fn compare(server: &Server, script: &Script, report: &mut Report) {
    let database = format!("SLT_{}", script.name.to_uppercase());
    server.admin().rows(&format!("CREATE DATABASE {database}"));
    let connection = Connection { client: server.admin(), database };
    let start_bytes = server.log().len();
    let results = script.statements.iter().filter_map(|sql| Some((sql, run(&connection, sql)?)));
    let results: Vec<(&String, Outcome)> = results.filter(|(sql, _)| is_query(sql)).collect();
    let handles = results.iter().map(|(_, outcome)| outcome.handle.as_str());
    let bound = logged_since(server, start_bytes, handles);
    for (sql, outcome) in &results {
        let (class, details) = match columns::compare_all(&bound[&outcome.handle], &outcome.columns) {
            ("agree", _) => outcome.contradiction.clone().unwrap_or(("agree", String::new())),
            disagreement => disagreement,
        };
        report.add(&script.name, sql, class, &details);
    }
}

/// Of the last statement of a request.
struct Outcome {
    handle: String,
    columns: Vec<Value>,
    /// What the rows or the tables show to be wrong in the columns, with its class.
    contradiction: Option<(&'static str, String)>,
}

/// Whether the last statement of a request is a query.
fn is_query(sql: &str) -> bool {
    let last = split_script(sql, &LIMITS).ok().and_then(|mut sources| sources.pop());
    let parsed = last.and_then(|last| parse_statement(&last, &LIMITS).ok());
    parsed.is_some_and(|statement| matches!(statement.command, Command::Query(_)))
}

/// `None` for what fails and for what has no result.
fn run(connection: &Connection, sql: &str) -> Option<Outcome> {
    if sql.starts_with("PUT FILE ") {
        // Stages need their files.
        let _ = sqllogictest::DB::run(
            &mut Connection { client: connection.client.clone(), database: connection.database.clone() },
            sql,
        );
        return None;
    }
    let mut fields = connection.fields();
    // A result that is returned again was bound before.
    fields["parameters"]["USE_CACHED_RESULT"] = json!("false");
    let response = connection.client.sql_to_its_end_with(sql, fields);
    if response.status != 200 {
        return None;
    }
    let body = response.json();
    let (handle, body) = match body["statementHandles"].as_array().and_then(|handles| handles.last()?.as_str()) {
        Some(last) => (last.to_owned(), connection.client.status(last).json()),
        None => (response.handle(), body),
    };
    let columns = body["resultSetMetaData"]["rowType"].as_array().cloned()?;
    let contradiction = origins::missing_null(&columns, &body["data"])
        .or_else(|| origins::foreign_column(&connection.client, &columns).filter(|_| is_query(sql)));
    Some(Outcome { handle, columns, contradiction })
}
