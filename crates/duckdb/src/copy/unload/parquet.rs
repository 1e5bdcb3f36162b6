//! Rows as Parquet, written by the engine.

use firn_engine::EngineError;
use firn_sql::file_formats::{Compression, ParquetFormat};
use firn_sql::names::{quote_identifier, quote_literal};

use super::job::{Unload, Written};
use super::names::{self, PARTITION, partition_folder};
use super::text::is_semi_structured;
use crate::logical_type::LogicalType;
use crate::stage_places::unreadable;

const UNLOADED: &str = "@unloaded";

pub(super) fn write(unload: &Unload<'_>, format: &ParquetFormat) -> Result<Vec<Written>, EngineError> {
    let connection = &unload.session.connection;
    let table = quote_identifier(UNLOADED);
    connection.expect_unchanged_since(unload.authorised_at);
    connection.execute(&format!("CREATE OR REPLACE TEMP TABLE {table} AS {}", unload.sql))?;
    let written = write_partitions(unload, format);
    connection.execute(&format!("DROP TABLE IF EXISTS temp.main.{table}"))?;
    written
}

fn write_partitions(unload: &Unload<'_>, format: &ParquetFormat) -> Result<Vec<Written>, EngineError> {
    let connection = &unload.session.connection;
    if unload.copy.partition_by.is_none() {
        return Ok(vec![write_file(unload, format, None)?]);
    }
    let partitions = connection.rows(&format!(
        "SELECT DISTINCT CAST({0} AS VARCHAR) FROM temp.main.{1} ORDER BY 1",
        quote_identifier(PARTITION),
        quote_identifier(UNLOADED)
    ))?;
    partitions.into_iter().map(|row| write_file(unload, format, Some(row.into_iter().next().flatten()))).collect()
}

/// `partition` is absent without PARTITION BY, and empty for rows that have none.
fn write_file(
    unload: &Unload<'_>,
    format: &ParquetFormat,
    partition: Option<Option<String>>,
) -> Result<Written, EngineError> {
    let connection = &unload.session.connection;
    let incoming = unload.session.shared.stage_files().receive();
    let condition = match &partition {
        None => String::new(),
        Some(value) => format!(
            " WHERE CAST({} AS VARCHAR) IS NOT DISTINCT FROM {}",
            quote_identifier(PARTITION),
            value.as_deref().map_or_else(|| "NULL".to_owned(), quote_literal)
        ),
    };
    let compression = match format.compression {
        Compression::Snappy => "snappy",
        Compression::Gzip => "gzip",
        Compression::Zstd => "zstd",
        _ => "uncompressed",
    };
    let rows = connection.execute(&format!(
        "COPY (SELECT {} FROM temp.main.{}{condition}) TO {} (FORMAT parquet, COMPRESSION {compression})",
        columns(unload)?.join(", "),
        quote_identifier(UNLOADED),
        quote_literal(&incoming.place().to_string_lossy())
    ))?;
    let bytes = std::fs::metadata(incoming.place()).map_err(unreadable)?.len();
    let folder = partition.map(partition_folder);
    let path = names::path(unload, folder.as_deref(), 0)?;
    Ok(Written { incoming, path, rows, bytes })
}

/// Names stay with HEADER = TRUE only; what Parquet has no type for is text.
fn columns(unload: &Unload<'_>) -> Result<Vec<String>, EngineError> {
    let table = quote_identifier(UNLOADED);
    let stream = unload.session.connection.stream(&format!("SELECT * FROM temp.main.{table} LIMIT 0"))?;
    let own = stream.columns().iter().filter(|column| column.name != PARTITION);
    Ok(own
        .enumerate()
        .map(|(index, column)| {
            let name = quote_identifier(&column.name);
            let value = match &column.logical_type {
                logical_type if is_semi_structured(logical_type) => format!("firn_to_json({name})"),
                LogicalType::TimestampTz => format!("firn_text({name})"),
                _ => name.clone(),
            };
            let alias = if unload.copy.header { name } else { quote_identifier(&format!("_COL_{index}")) };
            format!("{value} AS {alias}")
        })
        .collect())
}
