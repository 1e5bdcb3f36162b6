//! DESCRIBE of stages and file formats: their properties with their defaults.

use firn_engine::{Session, StageDescription, WireColumn};
use firn_sql::command::{FormatChoice, PropertyValue};
use firn_sql::file_formats::{FileFormat, described};
use firn_sql::{Failure, ObjectName};

use crate::local_rows::LocalRows;
use crate::run_error::RunError;

pub fn file_format(session: &dyn Session, name: &ObjectName) -> Result<LocalRows, RunError> {
    let found = session.file_format(name)?;
    let found = found.ok_or_else(|| Failure::missing_object("File format", &name.to_string()))?;
    let columns = ["property", "property_type", "property_value", "property_default"];
    let rows = described(&FileFormat::of(&found.options)?)
        .into_iter()
        .map(|property| {
            [property.name.to_owned(), property.kind.to_owned(), property.value, property.default].map(Some).to_vec()
        })
        .collect();
    Ok(LocalRows::new(columns.iter().map(|name| WireColumn::text(name)).collect(), rows))
}

pub fn stage(session: &dyn Session, name: &ObjectName) -> Result<LocalRows, RunError> {
    let found = session.stage(name)?;
    let found = found.ok_or_else(|| Failure::missing_object("Stage", &name.to_string()))?;
    let mut rows = Vec::new();
    format_rows(session, &found, &mut rows)?;
    copy_rows(&found, &mut rows);
    location_rows(&found, &mut rows);
    let directory = found.definition.directory.to_string();
    rows.push(row("DIRECTORY", "ENABLE", "Boolean", &directory, "false"));
    let columns = ["parent_property", "property", "property_type", "property_value", "property_default"];
    Ok(LocalRows::new(columns.iter().map(|name| WireColumn::text(name)).collect(), rows))
}

fn format_rows(
    session: &dyn Session,
    stage: &StageDescription,
    rows: &mut Vec<Vec<Option<String>>>,
) -> Result<(), RunError> {
    let parent = "STAGE_FILE_FORMAT";
    let options = match &stage.definition.format {
        Some(FormatChoice::Named(name)) => {
            rows.push(row(parent, "FORMAT_NAME", "String", &name.to_string(), ""));
            session.file_format(name)?.map(|format| format.options).unwrap_or_default()
        }
        Some(FormatChoice::Options(options)) => options.clone(),
        None => Vec::new(),
    };
    for property in described(&FileFormat::of(&options)?) {
        rows.push(row(parent, property.name, property.kind, &property.value, &property.default));
    }
    Ok(())
}

fn copy_rows(stage: &StageDescription, rows: &mut Vec<Vec<Option<String>>>) {
    let defaults = [
        ("ON_ERROR", "String", "ABORT_STATEMENT"),
        ("SIZE_LIMIT", "Long", ""),
        ("PURGE", "Boolean", "false"),
        ("RETURN_FAILED_ONLY", "Boolean", "false"),
        ("ENFORCE_LENGTH", "Boolean", "true"),
        ("TRUNCATECOLUMNS", "Boolean", "false"),
        ("FORCE", "Boolean", "false"),
    ];
    for (name, kind, default) in defaults {
        let given = stage.definition.copy_options.iter().find(|option| option.name == name);
        let value = match given.map(|option| &option.value) {
            Some(PropertyValue::Text(text)) => text.as_str(),
            _ => default,
        };
        let value = if kind == "Boolean" { value.to_ascii_lowercase() } else { value.to_owned() };
        rows.push(row("STAGE_COPY_OPTIONS", name, kind, &value, default));
    }
}

/// The location of an external stage; its credentials are not shown.
fn location_rows(stage: &StageDescription, rows: &mut Vec<Vec<Option<String>>>) {
    let Some(external) = &stage.definition.external else { return };
    let url = serde_json::json!([external.url.to_string()]).to_string();
    rows.push(row("STAGE_LOCATION", "URL", "String", &url, ""));
    if let Some(endpoint) = &external.endpoint {
        rows.push(row("STAGE_LOCATION", "ENDPOINT", "String", endpoint, ""));
    }
    rows.push(row("STAGE_INTEGRATION", "STORAGE_INTEGRATION", "String", "", ""));
    rows.push(row("STAGE_CREDENTIALS", "AWS_KEY_ID", "String", "", ""));
}

fn row(parent: &str, name: &str, kind: &str, value: &str, default: &str) -> Vec<Option<String>> {
    [parent, name, kind, value, default].map(|cell| Some(cell.to_owned())).to_vec()
}
