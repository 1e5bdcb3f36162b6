//! Statements and their outcomes as data. A case file holds blocks such as
//!
//! ```text
//! > select 1 + 1
//! ["2"]
//! ```
//!
//! Each file runs in one session of its own; all differences in a file are reported together.

use std::fs;
use std::path::PathBuf;

use crate::bench::Bench;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/live_engine/cases")
}

/// The statements of a file with what is expected of each.
fn read(file: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(folder().join(file)).unwrap();
    let mut cases: Vec<(String, String)> = Vec::new();
    for block in text.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        let (statement, expected): (Vec<&str>, Vec<&str>) = block.lines().partition(|line| line.starts_with("> "));
        let statement: Vec<&str> = statement.iter().map(|line| &line[2..]).collect();
        cases.push((statement.join("\n"), expected.join("\n")));
    }
    cases
}

fn check_file(file: &str) {
    let mut bench = Bench::new();
    let mut differences = Vec::new();
    for (statement, expected) in read(file) {
        let actual = bench.run(&statement);
        if actual != expected {
            differences
                .push(format!("> {}\nexpected: {expected}\nactual:   {actual}", statement.replace('\n', "\n> ")));
        }
    }
    assert!(differences.is_empty(), "{file}:\n{}\n", differences.join("\n\n"));
}

#[test]
fn functions() {
    check_file("functions.txt");
}

#[test]
fn conversions() {
    check_file("conversions.txt");
}

#[test]
fn semi_structured() {
    check_file("semi_structured.txt");
}

#[test]
fn changes_of_rows() {
    check_file("dml.txt");
}

#[test]
fn changes_of_definitions() {
    check_file("ddl.txt");
}

#[test]
fn transactions() {
    check_file("transactions.txt");
}

#[test]
fn information_schema() {
    check_file("information_schema.txt");
}

#[test]
fn errors() {
    check_file("errors.txt");
}

#[test]
fn queries() {
    check_file("queries.txt");
}

#[test]
fn the_benchmark_s_queries_run() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../bench/tpch");
    let mut bench = Bench::new();
    bench.run(&fs::read_to_string(folder.join("tables.sql")).unwrap());
    for number in 1..=22 {
        let query = fs::read_to_string(folder.join(format!("q{number:02}.sql"))).unwrap();
        let actual = bench.run(&query);
        assert!(actual.is_empty() || actual.starts_with('['), "query {number}: {actual}");
    }
}
