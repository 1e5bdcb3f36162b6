//! Fetches the values that a statement needs before it runs: the values of dynamic pivots, and the results of the
//! caller's earlier statements.

use std::io;

use firn_catalog::registry::{EndState, ResultFormat, StoredResult};
use firn_engine::error::DAMAGED_STATE;
use firn_engine::{ExecutionContext, Session, WireColumn};
use firn_sql::command::{Command, DataType, Ddl};
use firn_sql::lookups::{self, Answer, Lookup, Rows};
use firn_sql::{Constant, Failure, Statement};
use libdeflater::Decompressor;
use serde::Deserialize;
use uuid::Uuid;

use crate::evaluate::table_of;
use crate::local_rows::LocalRows;
use crate::profile::{self, Profile};
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::{json_rows, known_tables, past_results, validations};

/// Columns that a pivot may make.
const PIVOT_VALUES_MAX: u64 = 1_000;
/// Cells of a result that another statement may read.
const CELLS_MAX: usize = 1_000_000;
/// Room for what stands around the rows in a partition's body.
const BODY_AROUND_ROWS: usize = 64;
/// The lengths of columns that are declared without one.
const TEXT_LENGTH_DEFAULT: u64 = 16_777_216;
const BINARY_LENGTH_DEFAULT: u64 = 8_388_608;

pub fn look_up(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    statement: &mut Statement,
    context: &ExecutionContext,
) -> Result<(), RunError> {
    let is_view = matches!(&statement.command, Command::Ddl(Ddl::CreateView(_)));
    while let Some(lookup) = lookups::next(statement)? {
        if is_view && !matches!(lookup, Lookup::PivotValues(_)) {
            return Err(Failure::unsupported("a view over the result of another statement, as of RESULT_SCAN").into());
        }
        let answer = match lookup {
            Lookup::PivotValues(query) => {
                let table = table_of(session, &Command::Query(query), context, PIVOT_VALUES_MAX)?;
                Answer::PivotValues((0..table.rows.len()).filter_map(|row| table.value(row, 0)).collect())
            }
            Lookup::Result(handle) => Answer::Result(result_of(services, session, state, &handle)?),
            Lookup::Plan(plan) => Answer::Result(known_tables::plan(&plan)?),
            Lookup::References(view) => Answer::Result(known_tables::references(services, session, state, &view)?),
            Lookup::Operators(handle) => Answer::Result(operators_of(services, session, state, &handle)?),
            Lookup::LoadErrors { mut table, job } => {
                table.qualify(&state.namespace)?;
                Answer::Result(validations::errors(services, session, state, &table, &job)?)
            }
        };
        fill_stored_query(statement, &answer)?;
        lookups::fill(statement, answer)?;
    }
    Ok(())
}

/// A view has the columns that a pivot makes of the values there are when it is created.
fn fill_stored_query(statement: &mut Statement, answer: &Answer) -> Result<(), RunError> {
    let Command::Ddl(Ddl::CreateView(view)) = &mut statement.command else { return Ok(()) };
    let Some(stored) = &mut view.stored else { return Ok(()) };
    let mut recorded = Statement::new("", Command::Query(stored.query.clone()));
    lookups::fill(&mut recorded, answer.clone())?;
    if let Command::Query(query) = recorded.command {
        stored.query = query;
    }
    Ok(())
}

/// DESCRIBE RESULT: the columns of a statement's result; no handle stands for the session's last statement.
pub fn describe(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    handle: &str,
) -> Result<LocalRows, RunError> {
    let last = state.past.last().map(Uuid::to_string).unwrap_or_default();
    let stored = stored_result(services, session, state, if handle.is_empty() { &last } else { handle })?;
    let names =
        ["name", "type", "kind", "null?", "default", "primary key", "unique key", "check", "expression", "comment"];
    let rows = stored_columns(&stored.row_type)?.into_iter().map(|column| {
        let data_type = match data_type_of(&column) {
            DataType::Varchar { .. } => DataType::Varchar { length: column.length },
            DataType::Binary { .. } => DataType::Binary { length: column.length },
            other => other,
        };
        let mut row = vec![
            Some(column.name),
            Some(column.ext_type_name.unwrap_or_else(|| data_type.full_name())),
            Some("COLUMN".to_owned()),
            Some(if column.nullable { "Y" } else { "N" }.to_owned()),
            None,
            Some("N".to_owned()),
            Some("N".to_owned()),
        ];
        row.resize(names.len(), None);
        row
    });
    Ok(LocalRows::new(names.iter().map(|name| WireColumn::text(name)).collect(), rows.collect()))
}

fn result_of(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    handle: &str,
) -> Result<Rows, RunError> {
    if let Some(rows) = Uuid::try_parse(handle).ok().and_then(|id| state.block_result(id)) {
        return Ok(rows);
    }
    read(services, &stored_result(services, session, state, handle)?)
}

/// GET_QUERY_OPERATOR_STATS.
fn operators_of(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    handle: &str,
) -> Result<Rows, RunError> {
    let id = Uuid::try_parse(handle).map_err(|_| missing_statement(handle))?;
    let record = services.past_statement_of(state, id)?.ok_or_else(|| missing_statement(handle))?;
    past_results::check(services, session, state, &record)?;
    let ended = record.ended.as_ref();
    state.reads.borrow_mut().take_over_result(id, ended.and_then(|ended| ended.reads.as_deref()));
    let profile = ended.and_then(|ended| Profile::parse(ended.profile.as_deref()?));
    Ok(profile.ok_or_else(|| profile::missing(id))?.statistics(&id.to_string()))
}

fn missing_statement(handle: &str) -> Failure {
    Failure::new("000709", "02000", format!("Statement {handle} not found"))
}

fn stored_result(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    handle: &str,
) -> Result<StoredResult, RunError> {
    let missing = || missing_statement(handle);
    let id = Uuid::try_parse(handle).map_err(|_| missing())?;
    let record = services.past_statement_of(state, id)?.ok_or_else(missing)?;
    past_results::check(services, session, state, &record)?;
    let ended = record.ended.filter(|ended| ended.state == EndState::Succeeded).ok_or_else(missing)?;
    state.reads.borrow_mut().take_over_result(id, ended.reads.as_deref());
    Ok(ended.result.ok_or_else(missing)?)
}

/// The rows of a result; columns that an output format has made texts of cannot be read back.
pub fn read(services: &Services, stored: &StoredResult) -> Result<Rows, RunError> {
    read_within(services, stored, |_| Ok(()))
}

/// As `read`; `reserve` is called with the number of columns before the rows are read.
pub fn read_within(
    services: &Services,
    stored: &StoredResult,
    reserve: impl FnOnce(usize) -> Result<(), Failure>,
) -> Result<Rows, RunError> {
    let described = stored_columns(&stored.row_type)?;
    let columns: Vec<(String, DataType)> =
        described.iter().map(|column| (column.name.clone(), data_type_of(column))).collect();
    if stored.rows.saturating_mul(columns.len() as u64) > CELLS_MAX as u64 {
        return Err(Failure::unsupported(&format!("reading a result of more than {CELLS_MAX} cells")).into());
    }
    reserve(columns.len())?;
    let mut rows = Vec::new();
    for row in cells_of(services, stored)? {
        let cells = row.iter().zip(&columns).map(|(cell, (name, data_type))| {
            let is_null_word = stored.cells.null_words && cell.as_deref() == Some("null");
            let readable = !is_null_word && (!stored.cells.formatted || is_plain(data_type) || cell.is_none());
            let value = readable.then(|| Constant::from_cell(data_type.clone(), cell.as_deref())).flatten();
            value.ok_or_else(|| unreadable(name))
        });
        rows.push(cells.collect::<Result<_, Failure>>()?);
    }
    let collations = described.into_iter().map(|column| column.collation).collect();
    Ok(Rows { columns, collations, rows })
}

/// Types whose cells no output format changes.
fn is_plain(data_type: &DataType) -> bool {
    !matches!(
        data_type,
        DataType::Date
            | DataType::Time { .. }
            | DataType::TimestampNtz { .. }
            | DataType::TimestampLtz { .. }
            | DataType::TimestampTz { .. }
            | DataType::Binary { .. }
    )
}

fn unreadable(column: &str) -> Failure {
    Failure::unsupported(&format!(
        "RESULT_SCAN of the column {column}, which an output format or nullable=false has turned into text"
    ))
}

#[derive(Deserialize)]
struct StoredColumn {
    name: String,
    #[serde(rename = "type")]
    type_name: String,
    precision: Option<u8>,
    scale: Option<u8>,
    length: Option<u64>,
    nullable: bool,
    collation: Option<String>,
    #[serde(rename = "extTypeName")]
    ext_type_name: Option<String>,
}

fn stored_columns(row_type: &str) -> Result<Vec<StoredColumn>, RunError> {
    serde_json::from_str(row_type).map_err(|error| RunError::Internal(error.to_string()))
}

fn data_type_of(column: &StoredColumn) -> DataType {
    let scale = column.scale.unwrap_or(0);
    match column.type_name.as_str() {
        "fixed" => DataType::Number { precision: column.precision.unwrap_or(38), scale },
        "real" => DataType::Float,
        "boolean" => DataType::Boolean,
        "date" => DataType::Date,
        "time" => DataType::Time { scale },
        "timestamp_ntz" => DataType::TimestampNtz { scale },
        "timestamp_ltz" => DataType::TimestampLtz { scale },
        "timestamp_tz" => DataType::TimestampTz { scale },
        "binary" => DataType::Binary { length: column.length.filter(|length| *length < BINARY_LENGTH_DEFAULT) },
        "variant" => DataType::Variant,
        "object" => DataType::Object,
        "array" | "vector" => DataType::Array,
        "geography" => DataType::Geography,
        "geometry" => DataType::Geometry,
        _ => DataType::Varchar { length: column.length.filter(|length| *length < TEXT_LENGTH_DEFAULT) },
    }
}

fn unreadable_result(stored: &StoredResult, error: io::Error) -> RunError {
    tracing::error!(folder = %stored.stored_under, %error, "a result cannot be read");
    let message =
        "SQL execution error: the result can no longer be read from the server's disk; run its statement again.";
    Failure::new("000603", DAMAGED_STATE, message).into()
}

/// The rows of all partitions: the first one plain, the others as the compressed bodies they are served as.
fn cells_of(services: &Services, stored: &StoredResult) -> Result<Vec<Vec<Option<String>>>, RunError> {
    #[derive(Deserialize)]
    struct Body {
        data: Vec<Vec<Option<String>>>,
    }
    let internal = |error: &dyn std::fmt::Display| RunError::Internal(error.to_string());
    let unreadable = |error| unreadable_result(stored, error);
    let mut all = Vec::new();
    for (index, partition) in stored.partitions.iter().enumerate() {
        let bytes = match (index, &stored.inline_rows) {
            (0, Some(rows)) => rows.clone().into(),
            _ => services.store.read(stored, index).map_err(unreadable)?,
        };
        let rows: Vec<Vec<Option<String>>> = match (stored.cells.format, index) {
            (ResultFormat::Json, 0) => serde_json::from_slice(&bytes).map_err(|error| internal(&error))?,
            (ResultFormat::Json, _) => {
                let mut body = vec![0; partition.uncompressed_bytes as usize + BODY_AROUND_ROWS];
                let length =
                    Decompressor::new().gzip_decompress(&bytes, &mut body).map_err(|error| internal(&error))?;
                let body: Body = serde_json::from_slice(&body[..length]).map_err(|error| internal(&error))?;
                body.data
            }
            (ResultFormat::Arrow, _) => {
                let json = if index == 0 { json_rows::of_first(&bytes) } else { json_rows::of_later(&bytes) };
                serde_json::from_slice(&json.map_err(unreadable)?).map_err(|error| internal(&error))?
            }
        };
        all.extend(rows);
    }
    Ok(all)
}
