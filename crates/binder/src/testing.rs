//! A catalog for tests, and checks of what a statement is bound to.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use std::sync::{Arc, LazyLock};

use firn_sql::command::{Command, DataType};
use firn_sql::{
    Namespace, ObjectName, ParseLimits, Statement, data_type_of_text, parse_statement, resolve, split_script,
};

use crate::{Bound, ColumnSchema, RelationSchema, SchemaError, SchemaProvider};

/// The tables of the tests.
const TABLES: &[(&str, &str)] = &[
    ("T1", "A number(10,2), B number(10,0) not null, C varchar(10)"),
    ("T2", "A varchar, ID number(38,0), D date"),
    ("T3", "ID int not null, V variant, TS timestamp_ntz(3), F float"),
    (
        "ORDERS",
        "ID int, CUSTOMER_ID int, ORDERED_AT timestamp_ntz, STATUS varchar, QUANTITY int, AMOUNT number(12,2), DETAILS variant",
    ),
    ("CUSTOMERS", "ID int, NAME varchar, REGION varchar, SINCE date, CLOSED_ON date"),
    ("S", "M map(varchar, int), O object(x number(5,1), y varchar)"),
];

struct Table {
    name: ObjectName,
    columns: Vec<(String, DataType, bool)>,
}

impl RelationSchema for Table {
    fn name(&self) -> &ObjectName {
        &self.name
    }

    fn column_count(&self) -> usize {
        self.columns.len()
    }

    fn column(&self, index: usize) -> Option<ColumnSchema<'_>> {
        let (name, data_type, nullable) = self.columns.get(index)?;
        Some(ColumnSchema { name, data_type, nullable: *nullable, collation: None })
    }
}

static READ_TABLES: LazyLock<Vec<Arc<Table>>> = LazyLock::new(|| {
    let read = |(name, columns): &(&str, &str)| {
        Arc::new(Table { name: ObjectName::qualified("D", "S", name), columns: split(columns).map(column).collect() })
    };
    TABLES.iter().map(read).collect()
});

pub(crate) struct Catalog;

impl SchemaProvider for Catalog {
    fn relation(&self, name: &ObjectName) -> Result<Option<Arc<dyn RelationSchema>>, SchemaError> {
        let found = READ_TABLES.iter().find(|table| table.name.name == name.name);
        Ok(found.map(|table| Arc::clone(table) as Arc<dyn RelationSchema>))
    }
}

/// At the commas that are outside of brackets.
fn split(columns: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    columns
        .split(move |character| {
            depth += i32::from(character == '(') - i32::from(character == ')');
            character == ',' && depth == 0
        })
        .map(str::trim)
}

fn column(text: &str) -> (String, DataType, bool) {
    let (name, data_type) = text.split_once(' ').unwrap();
    let (data_type, nullable) = match data_type.strip_suffix(" not null") {
        Some(data_type) => (data_type, false),
        None => (data_type, true),
    };
    (name.to_owned(), data_type_of_text(data_type).unwrap(), nullable)
}

/// Parses a statement and completes its names.
pub(crate) fn parse(sql: &str) -> Statement {
    let limits = ParseLimits { text_bytes_max: 1 << 20, statements_max: 10, nesting_depth_max: 50 };
    let source = split_script(sql, &limits).unwrap().remove(0);
    let mut statement = parse_statement(&source, &limits).unwrap();
    let namespace = Namespace { database: Some("D".to_owned()), schema: Some("S".to_owned()) };
    resolve(&mut statement, &namespace).unwrap();
    statement
}

fn bind(sql: &str) -> Bound {
    let mut statement = parse(sql);
    match &mut statement.command {
        Command::Query(query) => crate::bind(&mut **query, &Catalog).unwrap(),
        Command::Dml(dml) => crate::bind(&mut *dml.statement, &Catalog).unwrap(),
        _ => panic!("{sql} is neither a query nor DML"),
    }
}

/// Checks the result columns: `NAME TYPE`, `!` for what is never NULL.
pub(crate) fn check(sql: &str, expected: &str) {
    let bound = bind(sql);
    let errors: Vec<String> = bound.errors.iter().map(|error| error.failure().message).collect();
    assert!(errors.is_empty(), "{sql}: {errors:?}");
    let columns = bound.columns.iter().flat_map(|columns| columns.iter());
    let shown: Vec<String> = columns
        .map(|column| {
            let mark = if column.value.nullable { "" } else { "!" };
            format!("{} {}{mark}", column.name, column.value.data_type)
        })
        .collect();
    assert_eq!(shown.join(", "), expected, "{sql}");
}

/// Checks the first error.
pub(crate) fn check_error(sql: &str, expected: &str) {
    let bound = bind(sql);
    let first = bound.errors.first().map(|error| {
        let failure = error.failure();
        format!("{} {}", failure.code, failure.message.replace("SQL compilation error:", "").replace('\n', " "))
    });
    assert_eq!(first.as_deref(), Some(expected), "{sql}");
}
