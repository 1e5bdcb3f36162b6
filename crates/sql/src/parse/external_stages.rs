//! The place of an external stage: URL, ENDPOINT, CREDENTIALS and ENCRYPTION.

use sqlparser::tokenizer::Token;

use super::Reader;
use super::stages::named_options;
use crate::Failure;
use crate::command::{ExternalProperties, Property, PropertyValue};
use crate::external_storage::{Credentials, ServerSideEncryption, StorageScheme, StorageUrl, endpoint};
use crate::stages::{OutsideStage, StageLocation, StageName};

/// Whether one of the properties stood here, and was read.
pub(super) fn property(reader: &mut Reader<'_>, external: &mut ExternalProperties) -> Result<bool, Failure> {
    if reader.at("URL") {
        external.url = Some(StorageUrl::parse(&text(reader)?)?);
    } else if reader.at("ENDPOINT") {
        external.endpoint = Some(endpoint(&text(reader)?)?);
    } else if reader.at("CREDENTIALS") {
        // The error does not quote the text: it may be a secret.
        let options = named_options(reader).map_err(|_| {
            Failure::invalid_value("CREDENTIALS", "****", "write (AWS_KEY_ID = '…' AWS_SECRET_KEY = '…')")
        })?;
        external.credentials = Some(credentials(&options)?);
    } else if reader.at("ENCRYPTION") {
        external.encryption = encryption(&named_options(reader)?)?;
    } else if reader.at("STORAGE_INTEGRATION") {
        return Err(Failure::unsupported(
            "STORAGE_INTEGRATION; give CREDENTIALS = (AWS_KEY_ID = … AWS_SECRET_KEY = …)",
        ));
    } else if reader.at("AWS_ACCESS_POINT_ARN") || reader.at("USE_PRIVATELINK_ENDPOINT") {
        return Err(Failure::unsupported(&reader.word().unwrap_or_default()));
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// `'s3://bucket/path'` in the place of a stage, which COPY alone takes.
pub(super) fn location(url: &str, external: ExternalProperties) -> Result<StageLocation, Failure> {
    let mut url = StorageUrl::parse(url)?;
    if url.scheme == StorageScheme::S3Compatible || external.endpoint.is_some() {
        return Err(Failure::unsupported("COPY with an address of s3compat://; make a stage of it"));
    }
    let path = std::mem::take(&mut url.prefix);
    let encryption = external.encryption.unwrap_or(ServerSideEncryption::OfBucket);
    let stage = OutsideStage { url, credentials: external.credentials, encryption };
    Ok(StageLocation { stage: StageName::Outside(Box::new(stage)), path })
}

/// These belong to an address; a stage that is named has its own.
pub(super) fn refuse_beside_stage(external: &ExternalProperties) -> Result<(), Failure> {
    match *external == ExternalProperties::default() {
        true => Ok(()),
        false => Err(Failure::invalid_value("COPY option", "CREDENTIALS", "it goes with an address, not with a stage")),
    }
}

fn text(reader: &mut Reader<'_>) -> Result<String, Failure> {
    reader.advance();
    reader.expect_token(&Token::Eq)?;
    reader.string()
}

fn credentials(options: &[Property]) -> Result<Credentials, Failure> {
    let (mut key_id, mut secret_key, mut token) = (None, None, None);
    for option in options {
        let PropertyValue::Text(value) = &option.value else {
            return Err(Failure::invalid_value(&option.name, "a list", "give one value"));
        };
        match option.name.as_str() {
            "AWS_KEY_ID" => key_id = Some(header_text(option, value)?),
            "AWS_SECRET_KEY" => secret_key = Some(value.clone()),
            "AWS_TOKEN" => token = Some(header_text(option, value)?),
            other => return Err(Failure::unsupported(&format!("CREDENTIALS = ({other} = …)"))),
        }
    }
    match (key_id, secret_key) {
        (Some(key_id), Some(secret_key)) => {
            Ok(Credentials { key_id, secret_key, token: token.filter(|token| !token.is_empty()) })
        }
        _ => Err(Failure::invalid_value("CREDENTIALS", "", "give both AWS_KEY_ID and AWS_SECRET_KEY")),
    }
}

/// A value that is sent in an HTTP header. Errors do not quote it: it may be a secret.
fn header_text(option: &Property, value: &str) -> Result<String, Failure> {
    match value.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(value.to_owned()),
        false => Err(Failure::invalid_value(&option.name, "****", "it has characters that no key has")),
    }
}

/// `None` for the encryption types of internal stages.
fn encryption(options: &[Property]) -> Result<Option<ServerSideEncryption>, Failure> {
    let mut kind = None;
    for option in options {
        match (option.name.as_str(), &option.value) {
            ("TYPE", PropertyValue::Text(word)) => kind = Some(word.to_ascii_uppercase()),
            (name, _) => return Err(Failure::unsupported(&format!("ENCRYPTION = ({name} = …)"))),
        }
    }
    match kind.as_deref() {
        None | Some("SNOWFLAKE_FULL" | "SNOWFLAKE_SSE") => Ok(None),
        Some("NONE" | "") => Ok(Some(ServerSideEncryption::OfBucket)),
        Some("AWS_SSE_S3") => Ok(Some(ServerSideEncryption::Aes256)),
        Some(other) => Err(Failure::unsupported(&format!("ENCRYPTION = (TYPE = '{other}')"))),
    }
}
