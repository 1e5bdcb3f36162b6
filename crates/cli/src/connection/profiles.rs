//! The profiles of `~/.config/firn/config.toml`: tables `[connections.NAME]`, and `default_connection_name`.

use std::error::Error;
use std::path::PathBuf;

use toml::{Table, Value};

use super::files;
use super::settings::Settings;
use crate::failure::Failure;

/// The profile's file and variables, over the variables that every command knows.
pub fn settings(name: &str) -> Result<Settings, Box<dyn Error>> {
    let (path, table) = configuration()?;
    let own = Settings::of_variables(&format!("FIRN_CONNECTIONS_{}_", name.to_uppercase()));
    let connections = table.get("connections").and_then(Value::as_table);
    let profile = connections.and_then(|connections| connections.get(name)).and_then(Value::as_table);
    if profile.is_none() && own == Settings::default() {
        return Err(unknown(name, &path, connections));
    }
    if let Some(key) = profile.and_then(Settings::unknown_key) {
        return Err(Failure::usage(format!(
            "{}: [connections.{name}] has a key `{key}`, which is none of a profile",
            path.display()
        )));
    }
    let in_file = profile.map(Settings::of_table).unwrap_or_default();
    Ok(Settings::of_plain_variables().over(in_file).over(own))
}

pub fn default_name() -> Result<Option<String>, Box<dyn Error>> {
    let (_, table) = configuration()?;
    Ok(table.get("default_connection_name").and_then(Value::as_str).map(str::to_owned))
}

fn configuration() -> Result<(PathBuf, Table), Box<dyn Error>> {
    let Some(folder) = files::configuration_folder() else { return Ok(Default::default()) };
    let path = folder.join("firn").join("config.toml");
    let table = files::table(&path)?.unwrap_or_default();
    Ok((path, table))
}

fn unknown(name: &str, path: &std::path::Path, connections: Option<&Table>) -> Box<dyn Error> {
    let names: Vec<&str> = connections.into_iter().flat_map(Table::keys).map(String::as_str).collect();
    let known = match names.is_empty() {
        true => "it has none".to_owned(),
        false => format!("it has {}", names.join(", ")),
    };
    Failure::usage(format!("{} has no [connections.{name}]; {known}", path.display()))
}
