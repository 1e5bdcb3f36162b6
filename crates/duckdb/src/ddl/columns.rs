//! A table's columns in the engine: their types, defaults, and the sequences that number their rows.

use std::sync::atomic::{AtomicU64, Ordering};

use firn_duckdb_lower::collations::Collation;
use firn_duckdb_lower::information_schema::NEXT_VALUE;
use firn_duckdb_lower::{assignment, dialect, types};
use firn_engine::{ColumnDescription, EngineError};
use firn_sql::command::{Autoincrement, ColumnDefinition, DataType};
use firn_sql::names::{quote_identifier, quote_literal};
use firn_sql::{Failure, ObjectName, print};

use super::renames::without_database;
use super::work::{Work, now_ms};
use crate::side_tables::{ColumnRecord, SIDE_SCHEMA};

/// Makes the names of hidden sequences differ within one millisecond.
static SEQUENCE_COUNT: AtomicU64 = AtomicU64::new(0);

/// Where a table and the sequences of its columns live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home<'table> {
    Database(&'table str),
    Session,
}

impl Home<'_> {
    /// The full name of a hidden sequence.
    pub(super) fn sequence(self, sequence_name: &str) -> String {
        match self {
            Home::Database(database) => {
                format!("{}.\"{SIDE_SCHEMA}\".{}", quote_identifier(database), quote_identifier(sequence_name))
            }
            Home::Session => format!("temp.main.{}", quote_identifier(sequence_name)),
        }
    }

    /// As a default names it: without the database, which may get another name.
    fn sequence_in_default(self, sequence_name: &str) -> String {
        match self {
            Home::Database(_) => format!("\"{SIDE_SCHEMA}\".{}", quote_identifier(sequence_name)),
            Home::Session => self.sequence(sequence_name),
        }
    }
}

impl Work<'_> {
    /// A column as it will be recorded; its sequence is made here.
    pub(super) fn column_record(
        &self,
        definition: &ColumnDefinition,
        home: Home<'_>,
    ) -> Result<ColumnRecord, EngineError> {
        let data_type = definition.data_type.clone().ok_or_else(|| {
            Failure::new(
                "001003",
                "42000",
                format!("SQL compilation error:\ncolumn '{}' has no data type.", definition.name),
            )
        })?;
        let sequence_name = match definition.autoincrement {
            Some(numbering) => Some(self.create_hidden_sequence(home, numbering)?),
            None => None,
        };
        Ok(ColumnRecord {
            description: ColumnDescription {
                id: 0,
                name: definition.name.clone(),
                data_type,
                not_null: definition.not_null,
                default: definition.default.as_ref().map(print::sql),
                autoincrement: definition.autoincrement,
                comment: definition.comment.clone(),
                collation: definition.collation.clone(),
            },
            sequence_name,
        })
    }

    pub(super) fn create_hidden_sequence(
        &self,
        home: Home<'_>,
        numbering: Autoincrement,
    ) -> Result<String, EngineError> {
        let count = SEQUENCE_COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("numbering_{}_{count}", now_ms());
        self.create_engine_sequence(&home.sequence(&name), numbering)?;
        Ok(name)
    }

    pub(super) fn create_engine_sequence(&self, full_name: &str, numbering: Autoincrement) -> Result<(), EngineError> {
        let temporary = if full_name.starts_with("temp.") { "TEMPORARY " } else { "" };
        self.connection.execute(&format!(
            "CREATE {temporary}SEQUENCE {full_name} START WITH {} INCREMENT BY {} MINVALUE {} MAXVALUE {}",
            numbering.start,
            numbering.increment,
            i64::MIN,
            i64::MAX
        ))?;
        Ok(())
    }

    /// The value the next row would get.
    pub(super) fn next_value(&self, database: &str, schema: &str, sequence: &str) -> Result<Option<i64>, EngineError> {
        let rows = self.connection.rows(&format!(
            "SELECT {NEXT_VALUE} FROM duckdb_sequences() \
             WHERE database_name = {} AND schema_name = {} AND sequence_name = {}",
            quote_literal(database),
            quote_literal(schema),
            quote_literal(sequence)
        ))?;
        Ok(rows.first().and_then(|row| row[0].as_deref()).and_then(|number| number.parse().ok()))
    }

    /// `"A" BIGINT NOT NULL DEFAULT …` of a CREATE TABLE.
    pub(super) fn column_sql(&self, column: &ColumnRecord, home: Home<'_>) -> Result<String, EngineError> {
        let description = &column.description;
        let mut sql = format!("{} {}", quote_identifier(&description.name), types::engine_type(&description.data_type));
        sql.push_str(&collation_sql(description)?);
        if description.not_null {
            sql.push_str(" NOT NULL");
        }
        if let Some(default) = self.default_sql(column, home)? {
            sql.push_str(&format!(" DEFAULT {default}"));
        }
        Ok(sql)
    }

    /// The engine's expression for a column's default.
    pub(super) fn default_sql(&self, column: &ColumnRecord, home: Home<'_>) -> Result<Option<String>, EngineError> {
        if let Some(sequence) = &column.sequence_name {
            return Ok(Some(format!("nextval({})", quote_literal(&home.sequence_in_default(sequence)))));
        }
        let Some(text) = &column.description.default else { return Ok(None) };
        self.default_expression(text, &column.description.data_type, home).map(Some)
    }

    /// Lowers a default's text.
    pub(super) fn default_expression(
        &self,
        text: &str,
        data_type: &DataType,
        home: Home<'_>,
    ) -> Result<String, EngineError> {
        let mut expr = print::read_expression(text)?;
        if let Home::Database(database) = home {
            without_database(&mut expr, database);
        }
        dialect::rewrite(&mut expr, &self.rewrite_context())?;
        assignment::fit(&mut expr, data_type)?;
        Ok(format!("({})", print::into_sql(expr)))
    }

    /// A copy of a table's columns for another table: the same definitions, sequences of their own.
    pub(super) fn copied_columns(
        &self,
        source: &ObjectName,
        columns: &[ColumnRecord],
        home: Home<'_>,
    ) -> Result<Vec<ColumnRecord>, EngineError> {
        columns
            .iter()
            .map(|column| {
                let mut copy = column.clone();
                if let (Some(sequence), Some(numbering)) = (&column.sequence_name, column.description.autoincrement) {
                    let (database, schema) = if self.temporary.contains(source) {
                        ("temp", "main")
                    } else {
                        (source.database(), SIDE_SCHEMA)
                    };
                    let start = self.next_value(database, schema, sequence)?.unwrap_or(numbering.start);
                    copy.sequence_name = Some(self.create_hidden_sequence(home, Autoincrement { start, ..numbering })?);
                }
                Ok(copy)
            })
            .collect()
    }
}

/// What follows a column's type in the engine's definition of it.
pub(super) fn collation_sql(description: &ColumnDescription) -> Result<String, EngineError> {
    let collation = description.collation.as_deref().map(Collation::parse).transpose()?;
    let name = collation.and_then(|collation| collation.engine_name());
    Ok(name.map(|name| format!(" COLLATE \"{name}\"")).unwrap_or_default())
}
