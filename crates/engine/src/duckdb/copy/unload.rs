//! COPY INTO a stage: a query's rows as files.

mod names;
mod parquet;
mod text;

use firn_sql::Failure;
use firn_sql::command::CopyIntoStage;
use firn_sql::file_formats::FileFormat;
use firn_sql::print;
use firn_sql::stages::{StageLocation, StagePath};

use super::{source, staged_query};
use crate::duckdb::dialect;
use crate::duckdb::session::DuckDbSession;
use crate::duckdb::staging::unreadable;
use crate::stage_files::IncomingFile;
use crate::{EngineError, ExecutionContext, LocalTable, Outcome, WireColumn};

/// A file that is written and waits for its place.
struct Written {
    incoming: IncomingFile,
    path: StagePath,
    rows: u64,
    /// Before compression.
    bytes: u64,
}

/// What is unloaded, looked up and printed.
struct Unload<'a> {
    session: &'a DuckDbSession,
    copy: &'a CopyIntoStage,
    format: FileFormat,
    /// The engine's query: the partition first, where there is one, then the columns.
    sql: String,
}

pub(crate) fn unload<'session>(
    session: &'session mut DuckDbSession,
    copy: &CopyIntoStage,
    context: &ExecutionContext,
) -> Result<Outcome<'session>, EngineError> {
    let definition = source::definition(session, &copy.location.stage)?;
    let format = source::format(session, copy.format.as_ref(), &definition)?;
    let folder = session.folder_for_writing(&copy.location.stage, context.user_id)?;
    let folder = folder.ok_or_else(|| Failure::missing_object("Stage", &copy.location.stage.to_string()))?;
    let mut query = (*copy.query).clone();
    if staged_query::has_staged_relation(&query) {
        staged_query::open_staged_relations(session, &mut query, context)?;
    }
    if let Some(partition) = &copy.partition_by {
        query = names::with_partition(query, partition)?;
    }
    dialect::rewrite(&mut query, &session.surroundings(context))?;
    let unload = Unload { session, copy, format, sql: print::into_sql(query) };
    let written = match &unload.format {
        FileFormat::Parquet(parquet) => parquet::write(&unload, parquet)?,
        _ => text::write(&unload)?,
    };
    unload.refuse_existing(&folder, &written)?;
    Ok(Outcome::Table(unload.put(&folder, written)?))
}

impl Unload<'_> {
    fn refuse_existing(&self, folder: &str, written: &[Written]) -> Result<(), EngineError> {
        if self.copy.overwrite {
            return Ok(());
        }
        for file in written {
            if self.session.shared.stage_files().find(folder, &file.path).map_err(unreadable)?.is_some() {
                return Err(existing(&self.copy.location).into());
            }
        }
        Ok(())
    }

    fn put(&self, folder: &str, written: Vec<Written>) -> Result<LocalTable, EngineError> {
        let (mut rows, mut input, mut output) = (0, 0, 0);
        let mut detailed = Vec::new();
        for file in written {
            let placed =
                self.session.shared.stage_files().put(file.incoming, folder, &file.path).map_err(unreadable)?;
            rows += file.rows;
            input += file.bytes;
            output += placed.bytes;
            detailed.push(vec![
                Some(file.path.to_string()),
                Some(placed.bytes.to_string()),
                Some(file.rows.to_string()),
            ]);
        }
        if self.copy.detailed_output {
            let columns =
                vec![WireColumn::text("FILE_NAME"), WireColumn::integer("FILE_SIZE"), WireColumn::integer("ROW_COUNT")];
            return Ok(LocalTable { columns, rows: detailed, inserted: None });
        }
        let columns = ["rows_unloaded", "input_bytes", "output_bytes"].map(WireColumn::integer).to_vec();
        let counts = [rows, input, output].map(|count: u64| Some(count.to_string())).to_vec();
        Ok(LocalTable { columns, rows: vec![counts], inserted: None })
    }
}

fn existing(location: &StageLocation) -> Failure {
    Failure::new(
        "001030",
        "22000",
        format!(
            "Files already existing at the unload destination: {location}. Use overwrite option to force unloading."
        ),
    )
}
