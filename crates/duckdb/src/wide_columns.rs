//! Integer columns have 64 bits until a value needs more; then they are widened to 38 digits.

use std::sync::Arc;

use firn_duckdb_lower::dialect::engine_relation;
use firn_duckdb_lower::temporary::TemporaryTables;
use firn_engine::{ColumnDescription, EngineError, Integers, ObjectDescription};
use firn_sql::command::DataType;
use firn_sql::names::quote_identifier;

use super::connection::Connection;

const NARROW: &str = "BIGINT";
const WIDE: &str = "HUGEINT";

/// The description of a DML target with the integer type that the statement needs, and the statements that widen it.
pub(crate) fn of_target(
    connection: &Connection,
    target: Arc<ObjectDescription>,
    temporary: &TemporaryTables,
    integers: Integers,
) -> Result<(Arc<ObjectDescription>, Vec<String>), EngineError> {
    if integers == Integers::Narrow {
        return Ok((target, Vec::new()));
    }
    let widening = widening(connection, &engine_relation(&target.name, temporary))?;
    let mut target = ObjectDescription::clone(&target);
    target.columns.iter_mut().for_each(widen_integers);
    Ok((Arc::new(target), widening))
}

/// The ALTER statements that widen the integer columns of a relation.
pub(crate) fn widening(connection: &Connection, relation: &str) -> Result<Vec<String>, EngineError> {
    let described = connection.rows(&format!("DESCRIBE {relation}"))?;
    let narrow = described.iter().filter(|row| is_of_type(row, NARROW)).filter_map(|row| row.first()?.as_deref());
    let widened =
        narrow.map(|name| format!("ALTER TABLE {relation} ALTER COLUMN {} TYPE {WIDE}", quote_identifier(name)));
    Ok(widened.collect())
}

/// Whether a query gives whole numbers with all digits.
pub(crate) fn gives_wide_columns(connection: &Connection, query: &str) -> Result<bool, EngineError> {
    Ok(connection.rows(&format!("DESCRIBE {query}"))?.iter().any(|row| is_of_type(row, WIDE)))
}

/// Assigns values to the column as to one of 38 digits.
pub(crate) fn widen_integers(column: &mut ColumnDescription) {
    if column.data_type == DataType::Integer {
        column.data_type = DataType::Number { precision: 38, scale: 0 };
    }
}

fn is_of_type(described: &[Option<String>], engine_type: &str) -> bool {
    described.get(1).is_some_and(|found| found.as_deref() == Some(engine_type))
}
