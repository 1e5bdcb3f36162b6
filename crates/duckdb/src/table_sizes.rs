//! How many rows and bytes tables have. Planning a query of each table is what takes long, so where there are many, those without
//! rows are found first, all with one query.

use std::collections::{BTreeSet, HashSet};
use std::slice;

use firn_duckdb_lower::dialect::engine_relation;
use firn_engine::{EngineError, MEASURED_TABLES_MAX, TableSize};
use firn_sql::ObjectName;

use crate::connection::Connection;
use crate::describe::Row;
use crate::errors;
use crate::session_state::SessionState;
use crate::side_tables::text;

/// From this number of tables on, one look at the engine's whole catalog takes less time than counting those without rows.
const LISTED_MIN: usize = 100;

/// Of one statement: the engine plans more of them in more time each.
const COUNTED_TABLES_MAX: usize = 40;

/// Blocks of a file have 262,144 bytes, and long texts have some of their own. Segments that are not written yet have a value for each
/// row, texts 16 bytes of theirs. A segment of one value throughout is in no block: a table of these alone has those values.
const MEASURE: &str = "SELECT CAST(greatest(262144 * (count(DISTINCT block_id) FILTER (block_id >= 0) \
    + coalesce(sum(len(additional_block_ids)), 0)) + ceil(coalesce(sum(width * count) FILTER (NOT persistent), 0)), \
    ceil(coalesce(sum(width), 0))) AS BIGINT) AS bytes, \
    coalesce(bool_or(NOT persistent), false) AS unwritten \
    FROM (SELECT block_id, additional_block_ids, persistent, count, CASE WHEN segment_type = 'VALIDITY' THEN 0.125 \
        WHEN segment_type IN ('BOOLEAN', 'TINYINT', 'UTINYINT') THEN 1 WHEN segment_type IN ('SMALLINT', 'USMALLINT') THEN 2 \
        WHEN segment_type IN ('INTEGER', 'UINTEGER', 'DATE', 'FLOAT') THEN 4 \
        WHEN segment_type IN ('BIGINT', 'UBIGINT', 'DOUBLE', 'TIME') OR segment_type LIKE 'TIMESTAMP%' THEN 8 \
        ELSE 16 END AS width FROM";

/// The size of each of these tables; `None` of one that was dropped since it was listed.
pub(crate) fn table_sizes(
    session: &SessionState,
    tables: &[ObjectName],
) -> Result<Vec<Option<TableSize>>, EngineError> {
    let empty = empty_tables(session, tables)?;
    let is_empty = |name: &ObjectName| !session.temporary.contains(name) && empty.contains(name);
    let known_empty = TableSize { rows: 0, bytes: Some(0), is_unwritten: false };
    let mut sizes: Vec<Option<TableSize>> = tables.iter().map(|name| is_empty(name).then_some(known_empty)).collect();
    let filled: Vec<usize> = (0..tables.len()).filter(|index| sizes[*index].is_none()).collect();
    let relations: Vec<String> =
        filled.iter().map(|index| engine_relation(&tables[*index], &session.temporary)).collect();
    for (index, size) in filled.into_iter().zip(sizes_of_relations(&session.connection, &relations)?) {
        sizes[index] = size;
    }
    Ok(sizes)
}

/// Tables of the same databases that surely have no rows. The engine's own number is of rows with those that were deleted, and
/// without those that the open transaction has inserted.
fn empty_tables(session: &SessionState, tables: &[ObjectName]) -> Result<HashSet<ObjectName>, EngineError> {
    let mut empty = HashSet::new();
    if tables.len() < LISTED_MIN || session.transaction_is_open() {
        return Ok(empty);
    }
    let databases: BTreeSet<&str> = tables.iter().map(ObjectName::database).collect();
    for database in databases {
        let rows = session.connection.rows(&format!(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = {} AND estimated_size = 0",
            text(database)
        ))?;
        let name = |row: &Row| Some(ObjectName::qualified(database, row.first()?.as_deref()?, row.get(1)?.as_deref()?));
        empty.extend(rows.iter().filter_map(name));
    }
    Ok(empty)
}

fn sizes_of_relations(connection: &Connection, relations: &[String]) -> Result<Vec<Option<TableSize>>, EngineError> {
    let (measured, counted) = relations.split_at(relations.len().min(MEASURED_TABLES_MAX));
    let mut sizes = sizes_or_missing(connection, measured, Bytes::Measured)?;
    for some in counted.chunks(COUNTED_TABLES_MAX) {
        sizes.extend(sizes_or_missing(connection, some, Bytes::Left)?);
    }
    Ok(sizes)
}

#[derive(Clone, Copy)]
enum Bytes {
    Measured,
    Left,
}

fn sizes_or_missing(
    connection: &Connection,
    relations: &[String],
    bytes: Bytes,
) -> Result<Vec<Option<TableSize>>, EngineError> {
    let one = |relation: &String| match sizes_of(connection, slice::from_ref(relation), bytes) {
        Err(error) if errors::blames_missing_object(&error) => Ok(None),
        looked_at => Ok(looked_at?.first().copied()),
    };
    match sizes_of(connection, relations, bytes) {
        Err(error) if errors::blames_missing_object(&error) => relations.iter().map(one).collect(),
        looked_at => Ok(looked_at?.into_iter().map(Some).collect()),
    }
}

fn sizes_of(connection: &Connection, relations: &[String], bytes: Bytes) -> Result<Vec<TableSize>, EngineError> {
    let mut sizes = vec![TableSize::default(); relations.len()];
    if relations.is_empty() {
        return Ok(sizes);
    }
    let one = |(index, relation): (usize, &String)| match bytes {
        // The engine cannot read a text that names a table with a quote in its name.
        Bytes::Measured if !relation.contains("\"\"") => format!(
            "SELECT {index}, (SELECT count(*) FROM {relation}), bytes, unwritten FROM ({MEASURE} pragma_storage_info({})))",
            text(relation)
        ),
        Bytes::Measured | Bytes::Left => format!("SELECT {index}, count(*), NULL, false FROM {relation}"),
    };
    let looked_at: Vec<String> = relations.iter().enumerate().map(one).collect();
    for row in connection.rows(&looked_at.join(" UNION ALL "))? {
        let number = |cell: usize| row.get(cell).and_then(Option::as_deref).and_then(|cell| cell.parse::<u64>().ok());
        let place = number(0).and_then(|index| sizes.get_mut(usize::try_from(index).ok()?));
        if let (Some(place), Some(rows)) = (place, number(1)) {
            let is_unwritten = row.get(3).and_then(Option::as_deref) == Some("true");
            *place = TableSize { rows, bytes: number(2), is_unwritten };
        }
    }
    Ok(sizes)
}
