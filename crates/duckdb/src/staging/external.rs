//! The location of an external stage as it is stored in its record. A location that the configuration does not allow is
//! refused when it is set, and again whenever the stage is used.

use firn_engine::{EngineError, ExternalStage};
use firn_sql::Failure;
use firn_sql::command::{ExternalProperties, StageProperties};
use firn_sql::external_storage::{ServerSideEncryption, StorageScheme, StorageUrl};
use firn_storage::StorageError;
use serde_json::{Value, json};

use crate::shared::Shared;

pub(super) fn value(external: &ExternalStage) -> Value {
    json!({
        "url": external.url.to_string(),
        "endpoint": external.endpoint,
        "credentials": external.credentials,
        "aes256": external.encryption == ServerSideEncryption::Aes256,
    })
}

pub(super) fn read(value: &Value) -> Result<Option<ExternalStage>, EngineError> {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let Some(url) = text("url") else { return Ok(None) };
    Ok(Some(ExternalStage {
        url: StorageUrl::parse(&url)?,
        endpoint: text("endpoint"),
        credentials: text("credentials"),
        encryption: match value["aes256"].as_bool() {
            Some(true) => ServerSideEncryption::Aes256,
            _ => ServerSideEncryption::OfBucket,
        },
    }))
}

pub(super) fn of_new(properties: &StageProperties, shared: &Shared) -> Result<Option<ExternalStage>, EngineError> {
    let given = &properties.external;
    let Some(url) = &given.url else {
        refuse_inside(given)?;
        return Ok(None);
    };
    let encryption = ServerSideEncryption::OfBucket;
    let mut external = Some(ExternalStage { url: url.clone(), endpoint: None, credentials: None, encryption });
    change(&mut external, given, shared)?;
    Ok(external)
}

pub(super) fn change(
    external: &mut Option<ExternalStage>,
    given: &ExternalProperties,
    shared: &Shared,
) -> Result<(), EngineError> {
    let Some(external) = external else { return Ok(refuse_inside(given)?) };
    if *given == ExternalProperties::default() {
        return Ok(());
    }
    let access = shared.external()?;
    if let Some(url) = &given.url {
        external.url = url.clone();
    }
    if let Some(endpoint) = &given.endpoint {
        external.endpoint = Some(endpoint.clone());
    }
    if let Some(encryption) = given.encryption {
        external.encryption = encryption;
    }
    if let Some(credentials) = &given.credentials {
        let sealed = access.vault.seal(credentials).map_err(|error| EngineError::Internal(error.to_string()))?;
        external.credentials = Some(sealed);
    }
    check_endpoint(external)?;
    let ExternalStage { url, endpoint, .. } = &*external;
    access.storage.bucket(url, endpoint.as_deref(), &url.prefix, None).map_err(storage_failure)?;
    Ok(())
}

fn refuse_inside(given: &ExternalProperties) -> Result<(), Failure> {
    match *given == ExternalProperties::default() {
        true => Ok(()),
        false => Err(Failure::invalid_value(
            "stage property",
            "URL, ENDPOINT, CREDENTIALS or ENCRYPTION",
            "they belong to a stage that was created with a URL",
        )),
    }
}

fn check_endpoint(external: &ExternalStage) -> Result<(), Failure> {
    match (external.url.scheme, &external.endpoint) {
        (StorageScheme::S3, None) | (StorageScheme::S3Compatible, Some(_)) => Ok(()),
        (StorageScheme::S3, Some(endpoint)) => {
            Err(Failure::invalid_value("ENDPOINT", endpoint, "it goes with a URL of s3compat://"))
        }
        (StorageScheme::S3Compatible, None) => {
            Err(Failure::invalid_value("ENDPOINT", "", "a URL of s3compat:// needs the host that has the bucket"))
        }
    }
}

/// What a failure of the storage outside means for the statement.
pub(crate) fn storage_failure(error: StorageError) -> EngineError {
    match error.failure() {
        Some(failure) => failure.into(),
        None => EngineError::Internal(error.to_string()),
    }
}
