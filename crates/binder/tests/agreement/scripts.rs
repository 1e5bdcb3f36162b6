//! The statements of `tests/sql/` and of TPC-H, and queries over the schema of TPC-DS.

use std::path::Path;

use firn_tests::sqllogic::files;
use sqllogictest::{DefaultColumnType, Record};

pub struct Script {
    pub name: String,
    /// Each is a request of its own.
    pub statements: Vec<String>,
}

pub fn scripts() -> Vec<Script> {
    let mut scripts: Vec<Script> = files().iter().map(|path| sqllogic(path)).collect();
    scripts.push(tpch());
    scripts.push(tpcds());
    scripts
}

fn sqllogic(path: &Path) -> Script {
    let records = sqllogictest::parse_file::<DefaultColumnType>(path).unwrap();
    let statements = records.into_iter().filter_map(|record| match record {
        Record::Statement { sql, .. } | Record::Query { sql, .. } => Some(sql),
        _ => None,
    });
    Script { name: path.file_stem().unwrap().to_string_lossy().into_owned(), statements: statements.collect() }
}

/// Types need no rows.
fn tpch() -> Script {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/tpch");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let queries = (1..=22).map(|number| read(&format!("q{number:02}.sql")));
    Script { name: "tpch".to_owned(), statements: statements_of(&read("tables.sql")).chain(queries).collect() }
}

/// A few rows, most of whose columns are NULL, show what may be NULL.
fn tpcds() -> Script {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement/tpcds");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let statements = format!("{};{}", read("tables.sql"), read("queries.sql"));
    Script { name: "tpcds".to_owned(), statements: statements_of(&statements).collect() }
}

fn statements_of(text: &str) -> impl Iterator<Item = String> {
    text.split(';').filter(|text| !text.trim().is_empty()).map(str::to_owned)
}
