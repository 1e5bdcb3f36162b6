//! Reads the models that a request names: inline, from a stage, or from a semantic view.

use std::cell::RefCell;
use std::io::Read;

use firn_analyst::semantic_model::{MODEL_BYTES_MAX, ReadModel, read_yaml};
use firn_catalog::Caller;
use firn_sql::stages::{StageLocation, StageName, StagePath};
use firn_statements::{ReadError, Reader, StageAccess, StageError, StatementError};

use super::reply::ModelIdentifier;
use super::request::ModelSource;
use crate::error::ApiError;
use crate::state::App;

/// A model and how the request named it.
pub struct LoadedModel {
    pub read: ReadModel,
    pub identifier: ModelIdentifier,
}

pub fn load(
    app: &App,
    caller: &Caller,
    role: Option<&str>,
    source: &ModelSource,
    reader: &RefCell<Reader>,
) -> Result<LoadedModel, ApiError> {
    match source {
        ModelSource::Inline(yaml) => {
            let read = read_model(yaml, "semantic_model")?;
            let identifier =
                ModelIdentifier { semantic_model: Some(read.model.name.clone()), ..ModelIdentifier::default() };
            Ok(LoadedModel { read, identifier })
        }
        ModelSource::File(path) => {
            let yaml = staged_text(app, caller, role, path)?;
            let identifier = ModelIdentifier { semantic_model_file: Some(path.clone()), ..ModelIdentifier::default() };
            Ok(LoadedModel { read: read_model(&yaml, path)?, identifier })
        }
        ModelSource::View(name) => {
            let read = reader.borrow_mut().semantic_view(name).map_err(|error| match error {
                ReadError::Refused(failure) if failure.code == "002003" => ApiError::Stage(failure.into()),
                ReadError::Refused(failure) if failure.code == "003001" => ApiError::NotAuthorised(failure.message),
                ReadError::Refused(failure) => ApiError::InvalidModel(format!("'{name}': {}", failure.message)),
                ReadError::Stopped => ApiError::AnalystTooSlow,
                ReadError::Internal(cause) => ApiError::Statement(StatementError::Internal(cause)),
            })?;
            let identifier = ModelIdentifier { semantic_view: Some(name.clone()), ..ModelIdentifier::default() };
            Ok(LoadedModel { read, identifier })
        }
    }
}

fn read_model(yaml: &str, place: &str) -> Result<ReadModel, ApiError> {
    read_yaml(yaml)
        .map_err(|error| ApiError::InvalidModel(format!("The semantic model in {place} cannot be used: {error}")))
}

/// Where `@db.schema.stage/path.yaml` lies.
pub fn staged_place(path: &str) -> Result<(StageName, StagePath), ApiError> {
    let malformed = || {
        ApiError::InvalidModel(format!(
            "'{path}' is no path of a semantic model file; write @DATABASE.SCHEMA.STAGE/path.yaml."
        ))
    };
    let location = StageLocation::parse(path.trim()).map_err(|_| malformed())?;
    let is_qualified = match &location.stage {
        StageName::Named(name) | StageName::Table(name) => name.database.is_some() && name.schema.is_some(),
        StageName::User => true,
        StageName::Outside(_) => false,
    };
    if !is_qualified {
        return Err(malformed());
    }
    let file = StagePath::parse(&location.path).map_err(|_| malformed())?;
    Ok((location.stage, file))
}

/// The file at such a place, whole.
pub fn staged_text(app: &App, caller: &Caller, role: Option<&str>, path: &str) -> Result<String, ApiError> {
    let (name, file) = staged_place(path)?;
    let stage = app.statements.open_stage_within_request(caller, role, &name, StageAccess::Read)?;
    let found = stage.find_readable(&file)?;
    if found.bytes > MODEL_BYTES_MAX as u64 {
        let message = format!("'{path}' has {} bytes; a model has at most {MODEL_BYTES_MAX}.", found.bytes);
        return Err(ApiError::InvalidModel(message));
    }
    let mut text = String::new();
    let opened = std::fs::File::open(&found.place).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => ApiError::Stage(StageError::MissingFile(stage.shown(&file))),
        _ => ApiError::of_disk(error),
    })?;
    match opened.take(MODEL_BYTES_MAX as u64).read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            Err(ApiError::InvalidModel(format!("'{path}' is not UTF-8 text.")))
        }
        Err(error) => Err(ApiError::of_disk(error)),
    }
}
