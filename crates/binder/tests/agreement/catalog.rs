//! The tables of a server, as INFORMATION_SCHEMA lists them.

use std::sync::Arc;

use firn_binder::{ColumnSchema, RelationSchema, SchemaError, SchemaProvider};
use firn_sql::command::DataType;
use firn_sql::{ObjectName, data_type_of_text};
use firn_tests::sqllogic::Connection;

pub struct Catalog<'connection> {
    connection: &'connection Connection,
}

impl<'connection> Catalog<'connection> {
    pub fn new(connection: &'connection Connection) -> Self {
        Self { connection }
    }
}

impl SchemaProvider for Catalog<'_> {
    fn relation(&self, name: &ObjectName) -> Result<Option<Arc<dyn RelationSchema>>, SchemaError> {
        let quoted = |text: &str| text.replace('\'', "''");
        let rows = self.connection.client.rows(&format!(
            "SELECT COLUMN_NAME, DATA_TYPE, NUMERIC_PRECISION, NUMERIC_SCALE, CHARACTER_MAXIMUM_LENGTH, \
             DATETIME_PRECISION, IS_NULLABLE, COLLATION_NAME FROM \"{}\".INFORMATION_SCHEMA.COLUMNS \
             WHERE TABLE_SCHEMA = '{}' AND TABLE_NAME = '{}' ORDER BY ORDINAL_POSITION",
            name.database().replace('"', "\"\""),
            quoted(name.schema()),
            quoted(&name.name)
        ));
        if rows.is_empty() {
            return Ok(None);
        }
        Ok(Some(Arc::new(Table { name: name.clone(), columns: rows.into_iter().map(column).collect() })))
    }
}

struct Table {
    name: ObjectName,
    columns: Vec<Column>,
}

struct Column {
    name: String,
    data_type: DataType,
    nullable: bool,
    collation: Option<String>,
}

impl RelationSchema for Table {
    fn name(&self) -> &ObjectName {
        &self.name
    }

    fn column_count(&self) -> usize {
        self.columns.len()
    }

    fn column(&self, index: usize) -> Option<ColumnSchema<'_>> {
        let Column { name, data_type, nullable, collation } = self.columns.get(index)?;
        Some(ColumnSchema { name, data_type, nullable: *nullable, collation: collation.as_deref() })
    }
}

fn column(row: Vec<Option<String>>) -> Column {
    let text = |index: usize| row.get(index).cloned().flatten();
    let data_type = data_type(&text(1).unwrap_or_default(), &[text(2), text(3), text(4), text(5)]);
    Column {
        name: text(0).unwrap_or_default(),
        data_type,
        nullable: text(6).as_deref() != Some("NO"),
        collation: text(7),
    }
}

/// Structured types are listed by their first word alone.
fn data_type(name: &str, [precision, scale, length, fraction]: &[Option<String>; 4]) -> DataType {
    let arguments = match (precision, scale, length, fraction) {
        (Some(precision), Some(scale), ..) => format!("({precision},{scale})"),
        (_, _, Some(length), _) => format!("({length})"),
        (_, _, _, Some(fraction)) if name != "DATE" => format!("({fraction})"),
        _ => String::new(),
    };
    let read = |text: &str| data_type_of_text(text).ok();
    read(&format!("{name}{arguments}")).or_else(|| read(name)).unwrap_or(DataType::Variant)
}
