//! A catalog in which every table exists, with columns of many types by the names that the suites use.

use std::sync::{Arc, OnceLock};

use firn_binder::{ColumnSchema, RelationSchema, SchemaError, SchemaProvider};
use firn_duckdb_lower::lookup::Lookup;
use firn_duckdb_lower::stored::StoredObject;
use firn_engine::EngineError;
use firn_engine::objects::{ColumnDescription, ObjectDescription, ObjectOptions};
use firn_sql::command::{ObjectKind, Persistence};
use firn_sql::{ObjectName, data_type_of_text};

const COLUMNS: [(&str, &str); 22] = [
    ("A", "NUMBER(38,0)"),
    ("B", "VARCHAR"),
    ("C", "NUMBER(10,2)"),
    ("D", "DATE"),
    ("E", "FLOAT"),
    ("F", "BOOLEAN"),
    ("G", "TIMESTAMP_TZ(9)"),
    ("H", "TIME(3)"),
    ("ID", "NUMBER(38,0)"),
    ("J", "ARRAY"),
    ("K", "VARCHAR(3)"),
    ("L", "ARRAY(NUMBER(3,0))"),
    ("N", "NUMBER(5,0)"),
    ("NAME", "VARCHAR"),
    ("O", "OBJECT"),
    ("S", "VARCHAR"),
    ("T", "TIMESTAMP_NTZ(9)"),
    ("U", "TIMESTAMP_LTZ(6)"),
    ("V", "VARIANT"),
    ("W", "VECTOR(FLOAT, 3)"),
    ("X", "NUMBER(38,0)"),
    ("Y", "BINARY"),
];

pub struct EveryTable;

struct Table(Arc<ObjectDescription>);

fn columns() -> &'static [ColumnDescription] {
    static KNOWN: OnceLock<Vec<ColumnDescription>> = OnceLock::new();
    let column = |(name, data_type): (&str, &str)| ColumnDescription {
        id: 0,
        name: name.to_owned(),
        data_type: data_type_of_text(data_type).expect("a type"),
        not_null: name == "ID",
        default: None,
        autoincrement: None,
        comment: None,
        collation: (name == "K").then(|| "en-ci".to_owned()),
    };
    KNOWN.get_or_init(|| COLUMNS.into_iter().map(column).collect())
}

fn table(name: &ObjectName) -> Arc<ObjectDescription> {
    Arc::new(ObjectDescription {
        id: 1,
        name: name.clone(),
        kind: ObjectKind::Table,
        owner: "R".to_owned(),
        comment: None,
        created_on_ms: 0,
        persistence: Persistence::Permanent,
        columns: columns().to_vec(),
        constraints: Vec::new(),
        view_text: None,
        view_query: None,
        sequence: None,
        options: ObjectOptions::default(),
    })
}

impl SchemaProvider for EveryTable {
    fn relation(&self, name: &ObjectName) -> Result<Option<Arc<dyn RelationSchema>>, SchemaError> {
        Ok(Some(Arc::new(Table(table(name)))))
    }
}

impl RelationSchema for Table {
    fn name(&self) -> &ObjectName {
        &self.0.name
    }

    fn column_count(&self) -> usize {
        self.0.columns.len()
    }

    fn column(&self, index: usize) -> Option<ColumnSchema<'_>> {
        let ColumnDescription { name, data_type, not_null, collation, .. } = self.0.columns.get(index)?;
        Some(ColumnSchema { name, data_type, nullable: !not_null, collation: collation.as_deref() })
    }
}

impl Lookup for EveryTable {
    fn find(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        Ok(Some(table(name)))
    }

    fn find_view(&self, _: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
        Ok(None)
    }
}
