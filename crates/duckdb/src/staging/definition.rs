//! The options of a stage or file format, stored as JSON in its record.

use firn_engine::{EngineError, FormatDescription, StageDefinition, StageDescription};
use firn_sql::ObjectName;
use firn_sql::command::{FormatChoice, Persistence, Property, PropertyValue, StageProperties};
use firn_sql::file_formats::FileFormat;
use serde_json::{Map, Value, json};

use super::external;
use super::record::Record;
use crate::shared::Shared;

pub(crate) fn write_options(options: &[Property]) -> String {
    options_value(options).to_string()
}

pub(crate) fn read_options(text: &str) -> Result<Vec<Property>, EngineError> {
    options_of(&parsed(text)?)
}

/// The options of a file format with some changed.
pub(crate) fn with_options(definition: &str, changed: &[Property]) -> Result<String, EngineError> {
    let mut merged = read_options(definition)?;
    for option in changed {
        merged.retain(|known| known.name != option.name);
        merged.push(option.clone());
    }
    FileFormat::of(&merged)?;
    Ok(write_options(&merged))
}

pub(crate) fn write_stage(definition: &StageDefinition) -> String {
    let mut fields = Map::new();
    match &definition.format {
        Some(FormatChoice::Named(name)) => {
            fields.insert("format_name".to_owned(), json!([name.database(), name.schema(), name.name]));
        }
        Some(FormatChoice::Options(options)) => {
            fields.insert("format".to_owned(), options_value(options));
        }
        None => {}
    }
    fields.insert("copy_options".to_owned(), options_value(&definition.copy_options));
    fields.insert("directory".to_owned(), json!(definition.directory));
    if let Some(external) = &definition.external {
        fields.insert("external".to_owned(), external::value(external));
    }
    Value::Object(fields).to_string()
}

pub(crate) fn read_stage(text: &str) -> Result<StageDefinition, EngineError> {
    let fields = parsed(text)?;
    let format = match (&fields["format_name"], &fields["format"]) {
        (Value::Array(parts), _) => {
            let part = |index: usize| parts.get(index).and_then(Value::as_str).unwrap_or_default();
            Some(FormatChoice::Named(ObjectName::qualified(part(0), part(1), part(2))))
        }
        (_, options @ Value::Array(_)) => Some(FormatChoice::Options(options_of(options)?)),
        _ => None,
    };
    Ok(StageDefinition {
        format,
        copy_options: options_of(&fields["copy_options"])?,
        directory: fields["directory"].as_bool().unwrap_or(false),
        external: external::read(&fields["external"])?,
    })
}

/// The options of a new stage.
pub(crate) fn of_new(properties: &StageProperties, shared: &Shared) -> Result<StageDefinition, EngineError> {
    let mut definition = StageDefinition { external: external::of_new(properties, shared)?, ..Default::default() };
    change_inside(&mut definition, properties);
    Ok(definition)
}

/// Applies the options of an ALTER command.
pub(crate) fn change(
    definition: &mut StageDefinition,
    properties: &StageProperties,
    shared: &Shared,
) -> Result<(), EngineError> {
    external::change(&mut definition.external, &properties.external, shared)?;
    change_inside(definition, properties);
    Ok(())
}

fn change_inside(definition: &mut StageDefinition, properties: &StageProperties) {
    if let Some(format) = &properties.format {
        definition.format = Some(format.clone());
    }
    if let Some(options) = &properties.copy_options {
        definition.copy_options.clone_from(options);
    }
    if let Some(directory) = properties.directory {
        definition.directory = directory;
    }
}

pub(super) fn described_stage(record: Record) -> Result<StageDescription, EngineError> {
    Ok(StageDescription {
        id: record.id,
        definition: read_stage(&record.definition)?,
        name: record.name,
        owner: record.owner,
        comment: record.comment,
        created_on_ms: record.created_on_ms,
        persistence: Persistence::Permanent,
        folder: record.folder.unwrap_or_default(),
    })
}

pub(super) fn described_format(record: Record) -> Result<FormatDescription, EngineError> {
    Ok(FormatDescription {
        id: record.id,
        options: read_options(&record.definition)?,
        name: record.name,
        owner: record.owner,
        comment: record.comment,
        created_on_ms: record.created_on_ms,
    })
}

fn parsed(text: &str) -> Result<Value, EngineError> {
    serde_json::from_str(text)
        .map_err(|error| EngineError::Internal(format!("a stage's record is unreadable: {error}")))
}

fn options_value(options: &[Property]) -> Value {
    let value = |value: &PropertyValue| match value {
        PropertyValue::Text(text) => json!(text),
        PropertyValue::List(texts) => json!(texts),
        PropertyValue::Null => Value::Null,
    };
    options.iter().map(|option| json!([option.name, value(&option.value)])).collect()
}

fn options_of(value: &Value) -> Result<Vec<Property>, EngineError> {
    let pairs = value.as_array().map(Vec::as_slice).unwrap_or_default();
    pairs
        .iter()
        .map(|pair| match (pair[0].as_str(), &pair[1]) {
            (Some(name), value) => Ok(Property { name: name.to_owned(), value: option_of(value) }),
            (None, _) => Err(EngineError::Internal("a stage's record has an option without a name".to_owned())),
        })
        .collect()
}

fn option_of(value: &Value) -> PropertyValue {
    match value {
        Value::String(text) => PropertyValue::Text(text.clone()),
        Value::Array(texts) => PropertyValue::List(texts.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        _ => PropertyValue::Null,
    }
}
