//! One `check` for the before/after tables of the lowering.
#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use std::sync::Arc;

use firn_binder::{RelationSchema, SchemaError, SchemaProvider};
use firn_engine::{ColumnDescription, EngineError, ExecutionContext, ObjectDescription, ObjectOptions};
use firn_sql::command::{Command, ObjectKind, Persistence};
use firn_sql::{Failure, Namespace, ObjectName, ParseLimits, parse_statement, resolve, split_script};

use super::{RemoteTable, RemoteTables, lower_query};
use crate::types::column_type;

const TABLES: [(&str, &[(&str, &str)]); 2] = [
    (
        "T",
        &[
            ("ID", "bigint"),
            ("AMOUNT", "decimal(12,2)"),
            ("NAME", "string"),
            ("D", "date"),
            ("TS", "timestamp_ntz"),
            ("V", "variant"),
            ("F", "double"),
            ("B", "boolean"),
        ],
    ),
    ("U", &[("ID", "int"), ("L", "array<int>"), ("I", "interval day")]),
];

struct Tables;

fn find(name: &ObjectName) -> Option<(Arc<ObjectDescription>, RemoteTable)> {
    let (_, columns) = TABLES.iter().find(|(table, _)| *table == name.name)?;
    let described = columns.iter().enumerate().map(|(place, (name, shown))| ColumnDescription {
        id: place as i64 + 1,
        name: (*name).to_owned(),
        data_type: column_type(shown).data_type,
        not_null: false,
        default: None,
        autoincrement: None,
        comment: None,
        collation: None,
    });
    let object = ObjectDescription {
        id: 1,
        name: name.clone(),
        kind: ObjectKind::Table,
        owner: "R".to_owned(),
        comment: None,
        created_on_ms: 0,
        persistence: Persistence::Permanent,
        columns: described.collect(),
        constraints: Vec::new(),
        view_text: None,
        view_query: None,
        sequence: None,
        options: ObjectOptions::default(),
    };
    let own = columns.iter().map(|(name, shown)| ((*name).to_owned(), name.to_lowercase(), column_type(shown).reading));
    let path = ["lake", "sales", &name.name.to_lowercase()].map(str::to_owned).to_vec();
    Some((Arc::new(object), RemoteTable { path, columns: own.collect() }))
}

impl SchemaProvider for Tables {
    fn relation(&self, name: &ObjectName) -> Result<Option<Arc<dyn RelationSchema>>, SchemaError> {
        Ok(find(name).map(|(object, _)| object as Arc<dyn RelationSchema>))
    }
}

impl RemoteTables for Tables {
    fn remote(&self, name: &ObjectName) -> Result<Arc<RemoteTable>, Failure> {
        Ok(Arc::new(find(name).unwrap().1))
    }
}

fn lowered(sql: &str) -> Result<String, EngineError> {
    let limits = ParseLimits { text_bytes_max: 1 << 20, statements_max: 10, nesting_depth_max: 50 };
    let source = split_script(sql, &limits).unwrap().remove(0);
    let mut statement = parse_statement(&source, &limits)?;
    let namespace = Namespace { database: Some("LAKE".to_owned()), schema: Some("SALES".to_owned()) };
    resolve(&mut statement, &namespace)?;
    let Command::Query(query) = &statement.command else { panic!("{sql} is no query") };
    Ok(lower_query(query, &Tables, &Tables, &ExecutionContext::of_role("R"))?.sql)
}

/// Lowers an expression over `T`, and compares it with the expression in Spark's SQL.
pub(super) fn check(before: &str, after: &str) {
    let after = format!("SELECT {after} AS `X` FROM `lake`.`sales`.`t` AS `T`");
    check_query(&format!("SELECT {before} AS x FROM t"), &after);
}

pub(super) fn check_query(before: &str, after: &str) {
    match lowered(before) {
        Ok(sql) => assert_eq!(sql, after, "for {before}"),
        Err(error) => panic!("{before}: {error}"),
    }
}

/// Whether a query is refused by a name.
pub(super) fn check_refused(sql: &str, name: &str) {
    match lowered(sql) {
        Ok(lowered) => panic!("{sql} became {lowered}"),
        Err(error) => assert!(error.to_string().contains(name), "{sql}: {error}"),
    }
}
