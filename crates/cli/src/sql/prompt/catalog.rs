//! The names that completion offers, as they were when they were last read. They are read beside the prompt, which never waits.

use std::sync::{Arc, Mutex, PoisonError};

use crate::connection::Names;
use crate::server::{Server, Table};

const COLUMNS_MAX: usize = 100_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    pub databases: Vec<String>,
    pub schemas: Vec<String>,
    pub relations: Vec<Relation>,
    /// The schema in use, whose relations are named without it.
    pub current_schema: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    pub schema: String,
    pub name: String,
    /// Names with their types.
    pub columns: Vec<(String, String)>,
}

/// What is known, for those who complete and those who read.
#[derive(Clone, Default)]
pub struct SharedCatalog(Arc<Mutex<Arc<Catalog>>>);

impl SharedCatalog {
    pub fn get(&self) -> Arc<Catalog> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn set(&self, catalog: Catalog) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(catalog);
    }
}

impl Catalog {
    /// What the server knows; what cannot be read is left out.
    pub fn read(server: &Server, names: &Names) -> Self {
        let column_of = |sql: &str, column: &str| match server.rows_as(sql, names) {
            Ok(table) => texts(&table, column),
            Err(_) => Vec::new(),
        };
        let databases = column_of("SHOW TERSE DATABASES", "name");
        let (mut schemas, mut relations) = (Vec::new(), Vec::new());
        if let Some(database) = &names.database {
            let database = firn_sql::names::quote_identifier(database);
            schemas = column_of(&format!("SHOW TERSE SCHEMAS IN DATABASE {database}"), "name");
            let sql = format!(
                "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, DATA_TYPE FROM {database}.INFORMATION_SCHEMA.COLUMNS \
                 ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION LIMIT {COLUMNS_MAX}"
            );
            relations = server.rows_as(&sql, names).map(|table| relations_of(&table)).unwrap_or_default();
        }
        Self { databases, schemas, relations, current_schema: names.schema.clone() }
    }
}

fn texts(table: &Table, column: &str) -> Vec<String> {
    let Some(place) = table.columns.iter().position(|name| name.eq_ignore_ascii_case(column)) else {
        return Vec::new();
    };
    table.rows.iter().filter_map(|row| row.get(place).cloned().flatten()).collect()
}

/// Rows come table by table.
fn relations_of(table: &Table) -> Vec<Relation> {
    let mut relations: Vec<Relation> = Vec::new();
    for row in &table.rows {
        let [Some(schema), Some(name), Some(column), kind] = row.as_slice() else { continue };
        let column = (column.clone(), kind.clone().unwrap_or_default());
        match relations.last_mut().filter(|last| last.schema == *schema && last.name == *name) {
            Some(last) => last.columns.push(column),
            None => relations.push(Relation { schema: schema.clone(), name: name.clone(), columns: vec![column] }),
        }
    }
    relations
}
