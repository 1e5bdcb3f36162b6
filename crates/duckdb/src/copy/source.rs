//! Which files a COPY or a query reads, and in which format.

use firn_engine::stage_files::StagedFile;
use firn_engine::{EngineError, ExecutionContext, InputFormats, StageDefinition};
use firn_sql::Failure;
use firn_sql::command::FormatChoice;
use firn_sql::file_formats::FileFormat;
use firn_sql::stages::{StageLocation, StageName, StagePath};

use crate::session_state::SessionState;
use crate::stage_places::{self, Located, Place};

/// The files chosen, and where they come from.
#[derive(Default)]
pub(crate) struct Source {
    /// `None` where nothing was ever put.
    place: Option<Place>,
    /// The location's path, counted from the place.
    path: String,
    pub(crate) files: Vec<StagedFile>,
    /// The sums of the files, where a statement asks for them.
    pub(crate) content_keys: Vec<String>,
    /// What comes before a path when a file is shown.
    prefix: String,
    /// The stage's name as the load history shows it.
    pub(crate) stage: String,
}

impl Source {
    pub(crate) fn shown(&self, file: &StagedFile) -> String {
        format!("{}{}", self.prefix, file.path)
    }

    /// The name of the stage's storage in the load history.
    pub(crate) fn place_name(&self) -> &str {
        self.place.as_ref().map_or("", Place::name)
    }

    /// Whether the location names this very file.
    pub(crate) fn is_named(&self, file: &StagedFile) -> bool {
        self.path == file.path.as_str()
    }

    pub(crate) fn checksum(&self, file: &StagedFile) -> Result<String, EngineError> {
        self.place.as_ref().map_or_else(|| Ok(String::new()), |place| place.checksum(file))
    }

    /// Reads every file for its sum, which only some statements want.
    pub(crate) fn find_content_keys(&mut self) -> Result<(), EngineError> {
        self.content_keys = self.files.iter().map(|file| self.checksum(file)).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Brings the files to where they can be read, for as long as the statement lasts.
    pub(crate) fn fetch(&mut self, session: &mut SessionState) -> Result<(), EngineError> {
        if let Some(place) = &self.place {
            session.retain_fetched(place.fetch(&mut self.files)?);
        }
        Ok(())
    }

    /// A file that cannot be removed stays.
    pub(crate) fn purge(&self, file: &StagedFile) {
        let _ = self.place.as_ref().map(|place| place.remove(&file.path));
    }
}

/// The stage's own options; none for the stages of tables and users.
pub(crate) fn definition(session: &SessionState, stage: &StageName) -> Result<StageDefinition, EngineError> {
    match stage {
        StageName::Named(name) => {
            let found = session.stage(name)?;
            Ok(found.ok_or_else(|| Failure::missing_object("Stage", &name.to_string()))?.definition)
        }
        StageName::Table(_) | StageName::User | StageName::Outside(_) => Ok(StageDefinition::default()),
    }
}

/// The format that holds: the statement's own, else the stage's, else plain CSV.
pub(crate) fn format(
    session: &SessionState,
    given: Option<&FormatChoice>,
    definition: &StageDefinition,
) -> Result<FileFormat, EngineError> {
    match given.or(definition.format.as_ref()) {
        None => Ok(FileFormat::of(&[])?),
        Some(FormatChoice::Options(options)) => Ok(FileFormat::of(options)?),
        Some(FormatChoice::Named(name)) => {
            let found = session.file_format(name)?;
            let found = found.ok_or_else(|| Failure::missing_object("File format", &name.to_string()))?;
            Ok(FileFormat::of(&found.options)?)
        }
    }
}

/// As `format`, where the session's formats stand in for AUTO.
pub(crate) fn format_for_reading(
    session: &SessionState,
    given: Option<&FormatChoice>,
    definition: &StageDefinition,
    inputs: &InputFormats,
) -> Result<FileFormat, EngineError> {
    let mut format = format(session, given, definition)?;
    let models = match &mut format {
        FileFormat::Csv(csv) => [&mut csv.date_format, &mut csv.time_format, &mut csv.timestamp_format],
        FileFormat::Json(json) => [&mut json.date_format, &mut json.time_format, &mut json.timestamp_format],
        FileFormat::Parquet(_) => return Ok(format),
    };
    for (model, of_session) in models.into_iter().zip([&inputs.date, &inputs.time, &inputs.timestamp]) {
        if model.is_none() {
            model.clone_from(of_session);
        }
    }
    Ok(format)
}

pub(crate) fn files(
    session: &SessionState,
    location: &StageLocation,
    named: &[String],
    pattern: Option<&str>,
    context: &ExecutionContext,
) -> Result<Source, EngineError> {
    let stage = location.stage.to_string();
    let Some(Located { place, path, prefix }) = stage_places::locate(session, location, context)? else {
        return Ok(Source { stage, ..Source::default() });
    };
    let mut source =
        Source { files: place.list(&path)?, place: Some(place), path, prefix, stage, content_keys: Vec::new() };
    if !named.is_empty() {
        source.files = named_files(&source, named)?;
    }
    source.files = stage_places::matching(&session.connection, source.files, pattern)?;
    Ok(source)
}

fn named_files(source: &Source, named: &[String]) -> Result<Vec<StagedFile>, EngineError> {
    let before = match source.path.as_str() {
        "" => String::new(),
        path if path.ends_with('/') => path.to_owned(),
        path => format!("{path}/"),
    };
    named
        .iter()
        .map(|name| {
            let path = StagePath::parse(&format!("{before}{name}"))?;
            let found = source.files.iter().find(|file| file.path == path);
            found.cloned().ok_or_else(|| missing_file(source, &path).into())
        })
        .collect()
}

fn missing_file(source: &Source, path: &StagePath) -> Failure {
    Failure::new(
        "091016",
        "02000",
        format!("Remote file '{}{path}' was not found. LIST shows the files of a stage.", source.prefix),
    )
}
