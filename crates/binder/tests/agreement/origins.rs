//! What result columns say about NULL and about the table they are from, beside rows and tables.

use firn_tests::client::Client;
use serde_json::Value;

/// A column that cannot be NULL, but is.
pub fn missing_null(columns: &[Value], rows: &Value) -> Option<(&'static str, String)> {
    let rows = rows.as_array()?;
    let is_null = |place: usize| rows.iter().any(|row| row[place].is_null());
    let wrong = (0..columns.len()).find(|place| columns[*place]["nullable"] == false && is_null(*place))?;
    Some(("nullable", columns[wrong]["name"].to_string()))
}

/// A column whose table has none of its type. A table that the query alone could see is passed over.
pub fn foreign_column(client: &Client, columns: &[Value]) -> Option<(&'static str, String)> {
    let mut tables: Vec<(String, Vec<Value>)> = Vec::new();
    for column in columns {
        let Some(table) = table_of(column) else { continue };
        if !tables.iter().any(|(known, _)| *known == table) {
            let described = client.sql(&format!("SELECT * FROM {table} LIMIT 0")).json();
            let described = described["resultSetMetaData"]["rowType"].as_array().cloned().unwrap_or_default();
            tables.push((table.clone(), described));
        }
        let described = tables.iter().find(|(known, _)| *known == table).map(|(_, described)| described)?;
        if !described.is_empty() && !described.iter().any(|known| has_type_of(known, column)) {
            return Some(("origin", format!("{} of {table}", column["name"])));
        }
    }
    None
}

fn table_of(column: &Value) -> Option<String> {
    let part = |field: &str| column[field].as_str().filter(|name| !name.is_empty());
    let parts = [part("database")?, part("schema")?, part("table")?];
    Some(parts.map(|name| format!("\"{}\"", name.replace('"', "\"\""))).join("."))
}

/// A column that cannot be NULL may be NULL in a result, but not the other way round.
fn has_type_of(known: &Value, column: &Value) -> bool {
    let same = ["type", "precision", "scale", "length"].iter().all(|field| known[field] == column[field]);
    same && (column["nullable"] == true || known["nullable"] == false)
}
