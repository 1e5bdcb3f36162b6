//! COPY INTO a stage: a query's rows as files.

mod job;
mod names;
mod parquet;
mod text;

use firn_duckdb_lower::dialect;
use firn_engine::{EngineError, ExecutionContext, LocalTable, WireColumn};
use firn_sql::Failure;
use firn_sql::command::CopyIntoStage;
use firn_sql::file_formats::FileFormat;
use firn_sql::print;
use firn_sql::stages::StageLocation;

use super::{source, staged_query};
use crate::session_state::SessionState;
use crate::stage_places;
use job::{Unload, Written};

pub(crate) fn unload(
    session: &mut SessionState,
    copy: &CopyIntoStage,
    context: &ExecutionContext,
) -> Result<LocalTable, EngineError> {
    let definition = source::definition(session, &copy.location.stage)?;
    let format = source::format(session, copy.format.as_ref(), &definition)?;
    let located = stage_places::locate_for_writing(session, &copy.location, context)?;
    let mut query = (*copy.query).clone();
    if staged_query::has_staged_relation(&query) {
        staged_query::open_staged_relations(session, &mut query, context)?;
    }
    if let Some(partition) = &copy.partition_by {
        query = names::with_partition(query, partition)?;
    }
    dialect::rewrite(&mut query, &session.rewrite_context(context))?;
    let query_id = copy.include_query_id.then(|| context.query_id.clone());
    let (sql, authorised_at) = (print::into_sql(query), context.authorised_at);
    let unload = Unload { session, copy, located, format, sql, authorised_at, query_id };
    let written = match &unload.format {
        FileFormat::Parquet(parquet) => parquet::write(&unload, parquet)?,
        _ => text::write(&unload)?,
    };
    unload.refuse_existing(&written)?;
    unload.put(written)
}

impl Unload<'_> {
    fn refuse_existing(&self, written: &[Written]) -> Result<(), EngineError> {
        if self.copy.overwrite {
            return Ok(());
        }
        for file in written {
            if self.located.place.has(&file.path)? {
                return Err(existing(&self.copy.location).into());
            }
        }
        Ok(())
    }

    fn put(&self, written: Vec<Written>) -> Result<LocalTable, EngineError> {
        let (mut rows, mut input, mut output) = (0, 0, 0);
        let mut detailed = Vec::new();
        for file in written {
            let placed_bytes = self.located.place.put(file.incoming, &file.path)?;
            rows += file.rows;
            input += file.bytes;
            output += placed_bytes;
            detailed.push(vec![
                Some(file.path.to_string()),
                Some(placed_bytes.to_string()),
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
