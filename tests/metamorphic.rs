//! What a query means depends on its own scopes alone: for the queries of `tests/sql/`, an unused common table
//! expression or joined table with the same column names and other types, other table aliases, a query around it, and a
//! view made of it change neither rows nor row types.
//!
//! A sample runs with the other suites; `make metamorphic` runs every query. `FIRN_METAMORPHIC_REPORT` names a file
//! for the queries that fail, `FIRN_METAMORPHIC_FILES` the files to take (comma-separated stems),
//! `FIRN_METAMORPHIC_STEP` every how many queries one is taken.

#[path = "metamorphic/aliases.rs"]
mod aliases;
#[path = "metamorphic/decoys.rs"]
mod decoys;
#[path = "metamorphic/outcome.rs"]
mod outcome;
#[path = "metamorphic/script.rs"]
mod script;
#[path = "metamorphic/variants.rs"]
mod variants;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use firn_tests::Server;
use firn_tests::sqllogic::{Connection, files};
use sqllogictest::{DB, DefaultColumnType, Record};

use decoys::Decoys;
use outcome::{Outcome, Refused};
use script::Script;
use variants::{Variant, variants};

/// How many files the sample takes.
const SAMPLE_FILES: usize = 12;
/// Of the queries of a sampled file, every so many.
const SAMPLE_STEP: usize = 5;
const SEED: u64 = 0x5eed;
const UNSUPPORTED: &str = "000002";
/// A view of the deepest view that there may be.
const TOO_DEEP: &str = "nesting depth of views exceeds";

#[derive(Default)]
struct Report {
    queries: usize,
    variants: usize,
    classes: BTreeMap<String, usize>,
    failures: Vec<String>,
}

#[test]
fn a_sample_of_queries_keeps_rows_and_types() {
    let mut sample = files();
    sample.sort_by_key(|path| spread(&stem(path)));
    sample.truncate(SAMPLE_FILES);
    check(sample, SAMPLE_STEP);
}

#[test]
#[ignore = "runs every query some ten times; make metamorphic"]
fn every_query_keeps_rows_and_types() {
    let step = std::env::var("FIRN_METAMORPHIC_STEP").map_or(1, |step| step.parse().expect("a number"));
    check(files(), step);
}

/// A place in an order that looks random and is always the same.
fn spread(name: &str) -> u64 {
    name.bytes().fold(SEED, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn stem(path: &std::path::Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn check(mut files: Vec<PathBuf>, step: usize) {
    if let Ok(wanted) = std::env::var("FIRN_METAMORPHIC_FILES") {
        files.retain(|path| wanted.split(',').any(|wanted| wanted == stem(path)));
    }
    let server = Server::start();
    server.admin().rows(&format!("CREATE DATABASE {}", decoys::DATABASE));
    let report = Mutex::new(Report::default());
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(4);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check_file(&server, path, step, &report);
                }
            });
        }
    });
    let report = report.into_inner().expect("no thread panicked");
    if let Some(path) = std::env::var_os("FIRN_METAMORPHIC_REPORT") {
        std::fs::write(path, report.failures.join("\n")).expect("the report can be written");
    }
    println!("{} queries in {} variants; failures: {:#?}", report.queries, report.variants, report.classes);
    assert!(report.queries > 0, "no query was checked");
    assert!(report.failures.is_empty(), "{} variants fail\n{}", report.failures.len(), report.failures.join("\n"));
}

fn check_file(server: &Server, path: &std::path::Path, step: usize, report: &Mutex<Report>) {
    let name = stem(path).to_uppercase();
    let mut connection = Connection { client: server.admin(), database: format!("SLT_{name}") };
    connection.client.rows(&format!("CREATE DATABASE {}", connection.database));
    let records = sqllogictest::parse_file::<DefaultColumnType>(path).expect("the file can be read");
    let queries = records.iter().filter_map(|record| match record {
        Record::Query { sql, .. } => Some(sql.as_str()),
        _ => None,
    });
    let decoys = Decoys::create(&connection, &name, queries);
    let mut place = 0;
    for record in &records {
        match record {
            Record::Statement { sql, .. } => drop(connection.run(sql)),
            Record::Query { sql, .. } => {
                place += 1;
                match Script::read(sql) {
                    Some(script) if place % step == 0 => check_query(&connection, &script, &decoys, report),
                    _ => drop(connection.run(sql)),
                }
            }
            _ => {}
        }
    }
}

fn check_query(connection: &Connection, script: &Script, decoys: &Decoys, report: &Mutex<Report>) {
    let Ok(plain) = Outcome::of(connection, &script.text()) else { return };
    // What differs from run to run says nothing.
    if Outcome::of(connection, &script.text()).as_ref() != Ok(&plain) {
        return;
    }
    let mut count = 0;
    let mut failures = Vec::new();
    for Variant { name, statements, base, comparison } in variants(script, decoys, &plain) {
        // The printed form of a query may be another one to the parser already.
        if base.is_some_and(|base| Outcome::of(connection, &base).as_ref() != Ok(&plain)) {
            continue;
        }
        count += 1;
        let outcomes: Result<Vec<Outcome>, Refused> =
            statements.iter().map(|statement| Outcome::of(connection, statement)).collect();
        let difference = match outcomes {
            Ok(outcomes) => outcomes.last().and_then(|last| plain.difference(last, comparison)),
            // What cannot be done at all is refused by its name, and is no wrong answer.
            Err(refused) if refused.code == UNSUPPORTED || refused.message.contains(TOO_DEEP) => None,
            Err(refused) => Some((format!("refused {}", refused.code), refused.message)),
        };
        if let Some((class, details)) = difference {
            let text = statements.join("; ").replace('\n', " ");
            failures.push((format!("{name}: {class}"), format!("{name}: {class}\t{details}\t{text}")));
        }
    }
    let mut report = report.lock().expect("no thread panicked");
    report.queries += 1;
    report.variants += count;
    for (class, failure) in failures {
        *report.classes.entry(class).or_default() += 1;
        report.failures.push(format!("{}\t{failure}", connection.database));
    }
}
