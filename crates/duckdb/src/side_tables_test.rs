//! The migration of side tables, which only the engine's own SQL can show.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashSet;
use std::path::Path;

use firn_engine::Engine;
use firn_sql::ObjectName;

use super::connection::Connection;
use super::{DuckDb, EngineSettings, describe};

/// The side tables with an identity, and the column that holds it.
const WITH_IDS: [(&str, &str); 6] = [
    ("schemas", "id"),
    ("objects", "id"),
    ("dropped_objects", "id"),
    ("routines", "id"),
    ("staging", "id"),
    ("drops", "object_id"),
];

/// Rows as an older version wrote them.
const OLD_ROWS: [&str; 7] = [
    "schemas VALUES ('S', 'R', NULL, 1)",
    "objects BY NAME SELECT 'S' AS schema_name, unnest(['T', 'U']) AS name, 'TABLE' AS kind, 'R' AS owner",
    "dropped_objects BY NAME SELECT 'D1' AS drop_id, 'S' AS schema_name, 'X' AS name, 'TABLE' AS kind, 'R' AS owner",
    "routines BY NAME SELECT 'S' AS schema_name, 'F' AS name, 'FUNCTION' AS kind, 'R' AS owner",
    "staging BY NAME SELECT 'STAGE' AS kind, 'S' AS schema_name, 'I' AS name, 'R' AS owner, '{}' AS definition",
    "drops BY NAME SELECT 'D1' AS id, 'TABLE' AS kind, 'S' AS schema_name, 'X' AS name, 'R' AS owner",
    "drops BY NAME SELECT 'D2' AS id, 'SCHEMA' AS kind, '' AS schema_name, 'Y' AS name, 'R' AS owner",
];

fn ids(connection: &Connection) -> Vec<(&'static str, Vec<i64>)> {
    let number = |row: Vec<Option<String>>| row[0].as_deref().unwrap_or("0").parse().unwrap();
    let read = |(table, column): (&'static str, &str)| {
        let rows = connection.rows(&format!("SELECT {column} FROM \"DB\".\"__FIRN\".{table} ORDER BY ALL")).unwrap();
        (table, rows.into_iter().map(number).collect())
    };
    WITH_IDS.map(read).to_vec()
}

fn engine_in(folder: &Path) -> DuckDb {
    let settings = EngineSettings {
        data_dir: folder.to_owned(),
        stage_dir: folder.join("stages"),
        temp_dir: folder.join("spill"),
        threads: Some(1),
        memory_limit_bytes: None,
        external: None,
        stage_quotas: Default::default(),
    };
    DuckDb::open(&settings).unwrap()
}

#[test]
fn objects_of_an_older_database_get_identities_once() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_in(folder.path());
    let file = folder.path().join("db.firn");
    engine.create_database("DB", &file, "R", 1).unwrap();
    let connection = engine.pool.acquire().unwrap();
    for (table, column) in WITH_IDS {
        connection.execute(&format!("ALTER TABLE \"DB\".\"__FIRN\".{table} DROP COLUMN {column}")).unwrap();
    }
    for rows in OLD_ROWS {
        connection.execute(&format!("INSERT INTO \"DB\".\"__FIRN\".{rows}")).unwrap();
    }
    let attach_again = || {
        engine.detach_database("DB").unwrap();
        engine.attach_database("DB", &file, 1).unwrap();
        ids(&connection)
    };
    let given = attach_again();
    assert_eq!(given.iter().map(|(_, ids)| ids.len()).collect::<Vec<_>>(), [2, 2, 1, 1, 1, 2]);
    let all: HashSet<i64> = given.iter().flat_map(|(_, ids)| ids.iter().copied()).collect();
    assert!(all.iter().all(|id| *id > 0), "{given:?}");
    // The record of a dropped table and that of its drop share one.
    assert_eq!(all.len(), 8, "{given:?}");
    assert!(given[5].1.contains(&given[2].1[0]), "{given:?}");
    assert_eq!(attach_again(), given);
}

#[test]
fn views_of_an_older_database_go_on_following_their_own_schema() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_in(folder.path());
    let file = folder.path().join("db.firn");
    engine.create_database("DB", &file, "R", 1).unwrap();
    let connection = engine.pool.acquire().unwrap();
    let old = r#"SELECT 1 FROM "DB"."S"."T", "DB"."X"."T", "E"."S"."T""#;
    connection.execute("CREATE SCHEMA \"DB\".\"S\"").unwrap();
    connection.execute("ALTER TABLE \"DB\".\"__FIRN\".database DROP COLUMN names_in_views").unwrap();
    connection
        .execute(&format!(
            "INSERT INTO \"DB\".\"__FIRN\".objects BY NAME SELECT 'S' AS schema_name, 'V' AS name, 'VIEW' AS kind, \
             'R' AS owner, '{old}' AS view_query"
        ))
        .unwrap();
    connection
        .execute(
            "INSERT INTO \"DB\".\"__FIRN\".columns BY NAME SELECT 'S' AS schema_name, 'V' AS table_name, 1 AS position, \
             'A' AS name, 'BOOLEAN' AS declared_type, false AS not_null",
        )
        .unwrap();
    let query_in = |name: &str| {
        let stored = describe::read_object(&connection, &ObjectName::qualified(name, "S", "V")).unwrap();
        stored.unwrap().query().into_owned()
    };
    engine.detach_database("DB").unwrap();
    engine.attach_database("DB", &file, 1).unwrap();
    assert_eq!(query_in("DB"), old);
    // What is written with a name from now on stays so.
    let named = r#"SELECT 1 FROM "DB"."S"."T""#;
    connection
        .execute(&format!("UPDATE \"DB\".\"__FIRN\".objects SET view_query = '{named} UNION ALL ' || view_query"))
        .unwrap();
    engine.detach_database("DB").unwrap();
    engine.attach_database("DB2", &file, 1).unwrap();
    assert_eq!(
        query_in("DB2"),
        format!(r#"{named} UNION ALL SELECT 1 FROM "DB2"."S"."T", "DB2"."X"."T", "E"."S"."T""#)
    );
}
