//! The tables of the cases.

use std::sync::Arc;

use firn_duckdb_lower::lookup::Lookup;
use firn_duckdb_lower::stored::{ColumnRecord, StoredObject};
use firn_engine::{ColumnDescription, EngineError, ObjectDescription, ObjectOptions};
use firn_sql::command::{ObjectKind, Persistence};
use firn_sql::{ObjectName, data_type_of_text};

pub const DATABASE: &str = "D";
pub const SCHEMA: &str = "S";

/// Each with its columns; a collation follows the type after `~`.
const TABLES: &[(&str, &str)] = &[
    (
        "T",
        "ID number(38,0); N number(10,2); F float; S varchar(20); C varchar ~en-ci; DAY date; AT timestamp_ntz(9); \
         ZONED timestamp_tz(9); V variant; ITEMS array; B boolean; BIN binary(8)",
    ),
    ("U", "ID number(38,0); N number(12,4); S varchar; V variant"),
    ("SMALL", "A number(10,0); B number(10,2)"),
    ("STRUCTURED", "O object(x number(5,1), y varchar); M map(varchar, int); L array(int)"),
    ("QUOTES", "AT timestamp_ntz(9); SYMBOL varchar; PRICE number(10,2)"),
    ("TRADES", "AT timestamp_ntz(9); SYMBOL varchar; QUANTITY number(38,0)"),
    ("LOWER", "\"a\" number(38,0); B number(38,0)"),
];

/// A view and its columns.
const VIEWS: &[(&str, &str, &str)] = &[("W", "TOTAL number(38,0)", "SELECT SUM(A * A) AS TOTAL FROM D.S.SMALL")];

pub struct Catalog;

impl Lookup for Catalog {
    fn find(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        Ok(table(&name.name).or_else(|| view(&name.name).map(|view| view.described())).map(Arc::new))
    }

    fn find_view(&self, name: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
        Ok(view(&name.name))
    }
}

fn column(text: &str) -> ColumnDescription {
    let (name, data_type) = text.trim().split_once(' ').unwrap();
    let (data_type, collation) = match data_type.split_once(" ~") {
        Some((data_type, collation)) => (data_type, Some(collation.to_owned())),
        None => (data_type, None),
    };
    ColumnDescription {
        id: 0,
        name: name.trim_matches('"').to_owned(),
        data_type: data_type_of_text(data_type).unwrap(),
        not_null: false,
        default: None,
        autoincrement: None,
        comment: None,
        collation,
    }
}

fn described(name: &str, kind: ObjectKind, columns: Vec<ColumnDescription>) -> ObjectDescription {
    ObjectDescription {
        id: 1,
        name: ObjectName::qualified(DATABASE, SCHEMA, name),
        kind,
        owner: "OWNER".to_owned(),
        comment: None,
        created_on_ms: 0,
        persistence: Persistence::Permanent,
        columns,
        constraints: Vec::new(),
        view_text: None,
        view_query: None,
        sequence: None,
        options: ObjectOptions::default(),
    }
}

pub fn table(name: &str) -> Option<ObjectDescription> {
    let (name, columns) = TABLES.iter().find(|(known, _)| *known == name)?;
    Some(described(name, ObjectKind::Table, columns.split(';').map(column).collect()))
}

fn view(name: &str) -> Option<StoredObject> {
    let (name, columns, query) = VIEWS.iter().find(|(known, ..)| *known == name)?;
    let columns = columns.split(';').map(|text| ColumnRecord { description: column(text), sequence_name: None });
    Some(StoredObject {
        description: described(name, ObjectKind::View, Vec::new()),
        columns: columns.collect(),
        view_query: Some((*query).to_owned()),
    })
}
