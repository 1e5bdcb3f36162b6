//! Which files a COPY or a query reads, and in which format.

use firn_sql::Failure;
use firn_sql::command::FormatChoice;
use firn_sql::file_formats::FileFormat;
use firn_sql::stages::{StageLocation, StageName, StagePath};

use crate::duckdb::session::DuckDbSession;
use crate::duckdb::staging;
use crate::stage_files::StagedFile;
use crate::{EngineError, ExecutionContext, Session, StageDefinition};

/// The files chosen, and where they come from.
pub(crate) struct Source {
    pub(crate) folder: String,
    pub(crate) files: Vec<StagedFile>,
    /// What comes before a path when a file is told.
    pub(crate) prefix: String,
    /// The stage's name as the history of loads tells it.
    pub(crate) stage: String,
}

impl Source {
    pub(crate) fn shown(&self, file: &StagedFile) -> String {
        format!("{}{}", self.prefix, file.path)
    }
}

/// What the stage itself was told; nothing for the stages of tables and users.
pub(crate) fn definition(session: &DuckDbSession, stage: &StageName) -> Result<StageDefinition, EngineError> {
    match stage {
        StageName::Named(name) => {
            let found = session.stage(name)?;
            Ok(found.ok_or_else(|| Failure::missing_object("Stage", &name.to_string()))?.definition)
        }
        StageName::Table(_) | StageName::User => Ok(StageDefinition::default()),
    }
}

/// The format that holds: the statement's own, else the stage's, else plain CSV.
pub(crate) fn format(
    session: &DuckDbSession,
    given: Option<&FormatChoice>,
    definition: &StageDefinition,
) -> Result<FileFormat, EngineError> {
    match given.or(definition.format.as_ref()) {
        None => Ok(FileFormat::of(&[])?),
        Some(FormatChoice::Options(options)) => Ok(FileFormat::of(options)?),
        Some(FormatChoice::Named(name)) => {
            let found = staging::file_format(&session.connection, name)?;
            let found = found.ok_or_else(|| Failure::missing_object("File format", &name.to_string()))?;
            Ok(FileFormat::of(&found.options)?)
        }
    }
}

pub(crate) fn files(
    session: &DuckDbSession,
    location: &StageLocation,
    named: &[String],
    pattern: Option<&str>,
    context: &ExecutionContext,
) -> Result<Source, EngineError> {
    let prefix = location.stage.prefix();
    let stage = location.stage.to_string();
    let Some((folder, mut files)) = staging::located_files(session, location, context)? else {
        return Ok(Source { folder: String::new(), files: Vec::new(), prefix, stage });
    };
    if !named.is_empty() {
        files = named_files(location, named, &files)?;
    }
    let files = staging::matching(&session.connection, files, pattern)?;
    Ok(Source { folder, files, prefix, stage })
}

fn named_files(
    location: &StageLocation,
    named: &[String],
    found: &[StagedFile],
) -> Result<Vec<StagedFile>, EngineError> {
    let before = match location.path.as_str() {
        "" => String::new(),
        path if path.ends_with('/') => path.to_owned(),
        path => format!("{path}/"),
    };
    named
        .iter()
        .map(|name| {
            let path = StagePath::parse(&format!("{before}{name}"))?;
            found.iter().find(|file| file.path == path).cloned().ok_or_else(|| missing_file(location, &path).into())
        })
        .collect()
}

fn missing_file(location: &StageLocation, path: &StagePath) -> Failure {
    Failure::new(
        "091016",
        "02000",
        format!("Remote file '{}{path}' was not found. LIST shows the files of a stage.", location.stage.prefix()),
    )
}
