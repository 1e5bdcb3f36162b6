//! The errors of a load in detail: the first of a file, or, with VALIDATION_MODE, all of them.

use firn_engine::{EngineError, ExecutionContext, Outcome};
use firn_sql::command::Validation;

use super::conversions::{length_max, value_error};
use super::load_job::Load;
use super::plan::Plan;
use super::report::{self, LoadError};
use super::rows::{self, FileRows};
use crate::result_rows::Rows;
use crate::session_state::SessionState;

/// Further errors are not reported.
const ERRORS_REPORTED_MAX: u64 = 10_000;

/// The first error of a file, of its form or of a value. `index` counts files from 1.
pub(super) fn first_error(
    session: &SessionState,
    load: &Load<'_>,
    plan: &Plan<'_>,
    index: usize,
    rows: &FileRows,
    first_bad_row: Option<u64>,
) -> Result<Option<LoadError>, EngineError> {
    let of_form = rows.errors.first();
    match (of_form, first_bad_row) {
        (Some((place, error)), bad) if bad.is_none_or(|row| place.row < row) => Ok(Some(load.error_of(error, *place))),
        (_, Some(_)) => Ok(value_errors(session, load, plan, index, Some(1))?.into_iter().next()),
        _ => Ok(None),
    }
}

/// The errors of values in one file.
fn value_errors(
    session: &SessionState,
    load: &Load<'_>,
    plan: &Plan<'_>,
    index: usize,
    limit: Option<u64>,
) -> Result<Vec<LoadError>, EngineError> {
    let mut errors = Vec::new();
    for row in session.connection.rows(&plan.bad_rows(index, limit))? {
        let number = |cell: &Option<String>| cell.as_deref().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        let Some(column) = row[2..].iter().position(|cell| cell.as_deref() == Some("true")) else { continue };
        errors.push(one_value_error(session, load, plan, index, column, number(&row[0]), number(&row[1]))?);
    }
    Ok(errors)
}

fn one_value_error(
    session: &SessionState,
    load: &Load<'_>,
    plan: &Plan<'_>,
    index: usize,
    column: usize,
    row: u64,
    line: u64,
) -> Result<LoadError, EngineError> {
    let assigned = &plan.assigned[column];
    let data_type = &assigned.column.data_type;
    let found =
        rows::find_record(&session.connection, &load.source.files[index - 1], &load.format, row, assigned.position);
    let error = if session.transaction_is_open() && !assigned.is_plain {
        value_error(data_type, Some("…"))
    } else if assigned.is_plain && length_max(data_type).is_none() {
        let raw = session.connection.rows(&plan.source_of(column, index, row))?;
        value_error(data_type, raw.first().and_then(|row| row[0].as_deref()))
    } else {
        match session.connection.rows(&plan.value_of(column + 1, index, row)) {
            Ok(value) => value_error(data_type, value.first().and_then(|row| row[0].as_deref())),
            Err(EngineError::Failed(failure)) => super::conversions::ValueError {
                code: failure.code,
                sql_state: failure.sql_state,
                message: failure.message,
            },
            Err(error) => return Err(error),
        }
    };
    Ok(LoadError {
        code: error.code,
        sql_state: error.sql_state,
        message: error.message,
        row,
        line,
        character: found.as_ref().map_or(1, |found| found.character),
        offset: found.as_ref().map_or(0, |found| found.offset),
        column: Some(report::column_shown(&load.table.name.name, assigned.column, assigned.position)),
        record: found.map(|found| found.text).unwrap_or_default(),
    })
}

/// VALIDATION_MODE: nothing is loaded.
pub(super) fn validate<'session>(
    session: &'session mut SessionState,
    load: &Load<'_>,
    mode: Validation,
    context: &ExecutionContext,
) -> Result<Outcome<'session>, EngineError> {
    if load.copy.query.is_some() {
        return Err(firn_sql::Failure::unsupported("VALIDATION_MODE with a transformation").into());
    }
    if load.source.files.is_empty() {
        return Ok(Outcome::Table(report::table(&[])));
    }
    let (plan, files) = load.staged_plan(session, context)?;
    let errors = all_errors(session, load, &plan, &files)?;
    match (mode, errors.first()) {
        (Validation::Rows(limit), None) => {
            let session: &'session SessionState = session;
            let stream = session.connection.stream(&plan.first_rows(limit))?;
            Ok(Outcome::Rows(Box::new(Rows::new(stream, &[], &context.formats)?)))
        }
        (Validation::Rows(_), Some((file, error))) => Err(report::aborted(file, error).into()),
        _ => Ok(Outcome::Table(report::error_table(&errors))),
    }
}

fn all_errors(
    session: &SessionState,
    load: &Load<'_>,
    plan: &Plan<'_>,
    files: &[FileRows],
) -> Result<Vec<(String, LoadError)>, EngineError> {
    let mut errors = Vec::new();
    for (index, (file, rows)) in (1..).zip(load.source.files.iter().zip(files)) {
        let shown = load.source.shown(file);
        let of_form = rows.errors.iter().take(ERRORS_REPORTED_MAX as usize).map(|(place, error)| {
            let found = rows::find_record(&session.connection, file, &load.format, place.row, 1);
            let record = found.map(|found| found.text).unwrap_or_default();
            LoadError { record, ..load.error_of(error, *place) }
        });
        let mut of_file: Vec<LoadError> = of_form.collect();
        of_file.extend(value_errors(session, load, plan, index, Some(ERRORS_REPORTED_MAX))?);
        of_file.sort_by_key(|error| error.row);
        errors.extend(of_file.into_iter().map(|error| (shown.clone(), error)));
    }
    Ok(errors)
}
