//! The server's own database: made at the first start, and its views anew with every version of them.

use std::path::Path;

use firn_catalog::{Catalog, DatabaseRecord};
use firn_engine::{Engine, ExecutionContext, Session};
use firn_sql::command::Ddl;
use firn_sql::names::OWN_DATABASE;

use super::definitions;
use super::definitions::RECORDS;
use super::record_sql::{self, context, definition};
use crate::clock::now_ms;
use crate::own_database::owner_of;
use crate::run_error::RunError;

/// Makes what is missing.
pub fn prepare(catalog: &Catalog, engine: &dyn Engine, folder: &Path) -> Result<(), RunError> {
    match catalog.database(OWN_DATABASE) {
        Some(found) if found.is_own() => {}
        Some(_) => {
            let cause = "there is a database of that name already; rename it to have an audit trail";
            return Err(RunError::Internal(cause.to_owned()));
        }
        None => make_database(catalog, engine, folder)?,
    }
    let mut session = engine.open_session()?;
    let schemas = session.schemas(OWN_DATABASE)?;
    let records = schemas.iter().find(|found| found.name == RECORDS);
    match records.map(|found| found.comment.as_deref()) {
        Some(Some(version)) if version == definitions::version() => Ok(()),
        Some(_) => define(session.as_mut(), &definitions::added_columns()),
        None => define(session.as_mut(), &[]),
    }
}

/// The file comes before the row: a crash in between leaves a file that nobody refers to, and it is made anew.
fn make_database(catalog: &Catalog, engine: &dyn Engine, folder: &Path) -> Result<(), RunError> {
    let file_name = format!("{OWN_DATABASE}.{}", engine.file_extension());
    let file = folder.join(&file_name);
    engine.remove_database_file(&file).map_err(|error| RunError::Internal(error.to_string()))?;
    let id = firn_engine::fresh_object_id();
    engine.create_database(OWN_DATABASE, &file, "", id)?;
    let record = DatabaseRecord {
        id,
        name: OWN_DATABASE.to_owned(),
        file_name,
        owner: String::new(),
        comment: Some("What the server has recorded".to_owned()),
        created_on_ms: now_ms(),
    };
    Ok(catalog.add_own_database(&record, &definitions::readers())?)
}

fn define(session: &mut dyn Session, added_columns: &[String]) -> Result<(), RunError> {
    let define = |session: &mut dyn Session, made: &[String], owner: String| {
        let commands: Vec<Ddl> = made.iter().map(|sql| definition(sql)).collect::<Result<_, _>>()?;
        Ok::<_, RunError>(session.define(&commands, &ExecutionContext { role: owner, ..context() })?)
    };
    define(session, &[definitions::schema()], String::new())?;
    define(session, &definitions::tables(), owner_of(RECORDS))?;
    define(session, added_columns, owner_of(RECORDS))?;
    record_sql::change(session, definitions::COLUMNS_WITHOUT_IDS)?;
    for reader in definitions::readers() {
        define(session, &definitions::views_of(reader), owner_of(reader))?;
    }
    let last = [
        format!("DROP SCHEMA IF EXISTS {OWN_DATABASE}.PUBLIC"),
        format!("COMMENT ON SCHEMA {OWN_DATABASE}.{RECORDS} IS '{}'", definitions::version()),
    ];
    define(session, &last, String::new())
}
