//! Columns of whole numbers have 64 bits until a number comes that needs more; then they get all 38 digits.

use std::sync::Arc;

use firn_sql::command::DataType;
use firn_sql::names::quote_identifier;

use super::connection::Connection;
use super::dialect::engine_relation;
use super::temporary::TemporaryTables;
use crate::{EngineError, ObjectDescription};

/// The target of a change as one whose whole numbers have all digits, and what makes it one.
pub(crate) fn of_target(
    connection: &Connection,
    target: &ObjectDescription,
    temporary: &TemporaryTables,
) -> Result<(Arc<ObjectDescription>, Vec<String>), EngineError> {
    let relation = engine_relation(&target.name, temporary);
    let is_narrow = |row: &&Vec<Option<String>>| row.get(1).is_some_and(|kind| kind.as_deref() == Some("BIGINT"));
    let described = connection.rows(&format!("DESCRIBE {relation}"))?;
    let narrow = described.iter().filter(is_narrow).filter_map(|row| row.first()?.as_deref());
    let widening =
        narrow.map(|name| format!("ALTER TABLE {relation} ALTER COLUMN {} TYPE HUGEINT", quote_identifier(name)));
    let widening = widening.collect();
    let mut target = target.clone();
    for column in &mut target.columns {
        if column.data_type == DataType::Integer {
            column.data_type = DataType::Number { precision: 38, scale: 0 };
        }
    }
    Ok((Arc::new(target), widening))
}
