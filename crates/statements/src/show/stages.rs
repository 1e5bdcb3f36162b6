//! SHOW STAGES and SHOW FILE FORMATS.

use firn_sql::command::Scope;
use firn_sql::file_formats::{FileFormat, described};

use super::listing::{Listing, Viewer, comment, instant, text, yes_no};
use crate::authorise::Secured;
use crate::run_error::RunError;

pub fn stages(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    let mut listing = Listing::of(
        "created_on:instant name database_name schema_name url has_credentials has_encryption_key owner \
         comment region type cloud notification_channel storage_integration endpoint owner_role_type \
         directory_enabled",
    );
    for database in viewer.databases_in(scope)? {
        let schema = viewer.schema_in(scope, &database)?;
        for stage in viewer.session.stages(&database, schema.as_deref())? {
            if !viewer.authority.sees(Secured::stage(&stage))? {
                continue;
            }
            let external = stage.definition.external.as_ref();
            listing.add([
                instant(stage.created_on_ms),
                text(&stage.name.name),
                text(stage.name.database()),
                text(stage.name.schema()),
                text(&external.map(|external| external.url.to_string()).unwrap_or_default()),
                yes_no(external.is_some_and(|external| external.credentials.is_some())),
                yes_no(false),
                text(&stage.owner),
                comment(stage.comment.as_deref()),
                None,
                text(if external.is_some() { "EXTERNAL" } else { "INTERNAL" }),
                external.and_then(|_| text("AWS")),
                None,
                None,
                external.and_then(|external| external.endpoint.clone()),
                text("ROLE"),
                yes_no(stage.definition.directory),
            ]);
        }
    }
    Ok(listing)
}

pub fn file_formats(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    let mut listing = Listing::of(
        "created_on:instant name database_name schema_name type owner comment format_options \
         owner_role_type",
    );
    for database in viewer.databases_in(scope)? {
        let schema = viewer.schema_in(scope, &database)?;
        for format in viewer.session.file_formats(&database, schema.as_deref())? {
            if !viewer.authority.sees(Secured::file_format(&format))? {
                continue;
            }
            let options = FileFormat::of(&format.options)?;
            listing.add([
                instant(format.created_on_ms),
                text(&format.name.name),
                text(format.name.database()),
                text(format.name.schema()),
                text(options.format_type().name()),
                text(&format.owner),
                comment(format.comment.as_deref()),
                Some(options_json(&options)),
                text("ROLE"),
            ]);
        }
    }
    Ok(listing)
}

fn options_json(format: &FileFormat) -> String {
    let fields: serde_json::Map<String, serde_json::Value> = described(format)
        .into_iter()
        .map(|property| {
            let value = match property.kind {
                "Boolean" => serde_json::Value::Bool(property.value == "true"),
                "Integer" => property.value.parse::<u64>().map_or(serde_json::Value::Null, serde_json::Value::from),
                _ => serde_json::Value::String(property.value),
            };
            (property.name.to_owned(), value)
        })
        .collect();
    serde_json::Value::Object(fields).to_string()
}
