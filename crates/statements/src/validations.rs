//! `VALIDATE(table, JOB_ID => …)`: all errors of a past COPY, found by reading the files it loaded once more.

use firn_catalog::registry::{EndState, StatementRecord, StoredResult};
use firn_engine::{Outcome, Session, load_error_columns};
use firn_sql::command::{Command, CopyIntoTable, OnError, StageCommand, Validation};
use firn_sql::lookups::Rows;
use firn_sql::resolve::resolve;
use firn_sql::stages::StageName;
use firn_sql::{Failure, Namespace, ObjectName, Statement, copy_options, parse_statement, split_script};
use uuid::Uuid;

use crate::authorise::authorise;
use crate::evaluate::{Table, data_type_of, in_plain_formats};
use crate::limits::parse_limits;
use crate::run_error::RunError;
use crate::semantic_views::OwnersReads;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::{look_up, reads};

/// What stands for the session's last COPY.
const LAST: &str = "_last";

pub fn errors(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    table: &ObjectName,
    job: &str,
) -> Result<Rows, RunError> {
    let (record, mut statement) = loading(services, state, job)?;
    let namespace = Namespace { database: record.database.clone(), schema: record.schema.clone() };
    let uses = resolve(&mut statement, &namespace)?;
    authorise(services, session, &state.role, &uses)?;
    reads::note(services, session, state, &statement, (&uses, &OwnersReads::default()))?;
    let Command::Stages(StageCommand::Load(copy)) = &mut statement.command else {
        return Err(no_load(job).into());
    };
    if job != LAST && copy.table != *table {
        return Err(Failure::invalid_value("JOB_ID", job, &format!("it did not load {table}")).into());
    }
    if let StageName::Outside(_) = copy.location.stage {
        return Err(Failure::unsupported("VALIDATE of a COPY from an address; its credentials are not stored").into());
    }
    if copy.query.is_some() {
        return Err(Failure::unsupported("VALIDATE of a COPY that transforms").into());
    }
    let result = record.ended.filter(|ended| ended.state == EndState::Succeeded).and_then(|ended| ended.result);
    let files = match result {
        Some(result) if goes_on(session, copy)? => loaded_files(services, session, copy, &result)?,
        _ => Vec::new(),
    };
    if files.is_empty() {
        return Ok(rows_of(Table { columns: load_error_columns(), rows: Vec::new() }));
    }
    copy.location.path = String::new();
    copy.files = files;
    copy.pattern = None;
    copy.validation = Some(Validation::AllErrors);
    let context = in_plain_formats(&state.execution_context(&services.catalog, &uses));
    match session.execute(&statement.command, &context)? {
        Outcome::Table(found) => Ok(rows_of(Table { columns: found.columns, rows: found.rows })),
        _ => Err(RunError::Internal("a validation gave no errors' table".to_owned())),
    }
}

/// The statement that loaded, as it was written.
fn loading(services: &Services, state: &SessionState, job: &str) -> Result<(StatementRecord, Statement), RunError> {
    let registry = services.catalog.registry();
    let handles: Vec<Uuid> = match job {
        LAST => state.past.iter().rev().copied().collect(),
        handle => Uuid::try_parse(handle).into_iter().collect(),
    };
    for handle in handles {
        if let Some(record) = registry.find(state.caller.user.id, handle)?
            && let Some(statement) = load_of(services, &record.text)
        {
            return Ok((record, statement));
        }
    }
    Err(no_load(job).into())
}

fn load_of(services: &Services, text: &str) -> Option<Statement> {
    let limits = parse_limits(&services.limits);
    let sources = split_script(text, &limits).ok()?;
    let [source] = sources.as_slice() else { return None };
    let statement = parse_statement(source, &limits).ok()?;
    let is_load = matches!(statement.command, Command::Stages(StageCommand::Load(_)));
    (is_load && !statement.has_variables).then_some(statement)
}

fn no_load(job: &str) -> Failure {
    Failure::new("000709", "02000", format!("Statement {job} not found, or it is no COPY INTO a table"))
}

/// A load that aborts at its first error has no others to report.
fn goes_on(session: &dyn Session, copy: &CopyIntoTable) -> Result<bool, RunError> {
    let of_stage = match &copy.location.stage {
        StageName::Named(name) => session.stage(name)?.map(|stage| copy_options(&stage.definition.copy_options)),
        StageName::Table(_) | StageName::User | StageName::Outside(_) => None,
    };
    let of_stage = of_stage.transpose()?.and_then(|options| options.on_error);
    Ok(copy.options.on_error.or(of_stage).is_some_and(|on_error| on_error != OnError::Abort))
}

/// The files in the load's own result, as paths on the stage.
fn loaded_files(
    services: &Services,
    session: &dyn Session,
    copy: &CopyIntoTable,
    result: &StoredResult,
) -> Result<Vec<String>, RunError> {
    let external = match &copy.location.stage {
        StageName::Named(name) => session.stage(name)?.and_then(|stage| stage.definition.external),
        _ => None,
    };
    let rows = look_up::read(services, result)?;
    let column = |name: &str| rows.columns.iter().position(|(known, _)| known == name);
    let (Some(file), Some(status)) = (column("file"), column("status")) else { return Ok(Vec::new()) };
    let prefix = copy.location.stage.prefix();
    let text = |row: usize, column: usize| rows.value(row, column).and_then(|value| value.text);
    let files = (0..rows.rows.len()).filter(|row| text(*row, status).as_deref() != Some("LOAD_SKIPPED"));
    let path_of = |file: String| match &external {
        Some(external) => external.path_of(&file).unwrap_or(file),
        None => file.strip_prefix(&prefix).map(str::to_owned).unwrap_or(file),
    };
    Ok(files.filter_map(|row| text(row, file)).map(path_of).collect())
}

fn rows_of(table: Table) -> Rows {
    let width = table.columns.len();
    let value = |row: usize, column: usize| table.value(row, column);
    let rows = (0..table.rows.len()).map(|row| (0..width).filter_map(|column| value(row, column)).collect()).collect();
    Rows::new(table.columns.iter().map(|column| (column.name.clone(), data_type_of(column))).collect(), rows)
}
