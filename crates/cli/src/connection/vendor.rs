//! The connection files of the vendor's tools, read as they are and never written: `connections.toml`, which counts before
//! `config.toml`, with the variables `SNOWFLAKE_CONNECTIONS_<NAME>_<KEY>` before both.

use std::error::Error;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::settings::Settings;
use super::{files, variable};
use crate::failure::Failure;

const DEFAULT_NAME: &str = "default";

/// What `snowflake:NAME` names; an empty name is that of the default.
pub fn profile_name(text: &str) -> Option<&str> {
    match text {
        "snowflake" => Some(""),
        _ => text.strip_prefix("snowflake:"),
    }
}

pub fn settings(name: &str) -> Result<Settings, Box<dyn Error>> {
    let folder =
        folder().ok_or_else(|| Failure::usage("HOME is not set, so there is no folder of the vendor's files"))?;
    let config = files::table(&folder.join("config.toml"))?.unwrap_or_default();
    let name = match name {
        "" => default_name(&config),
        name => name.to_owned(),
    };
    let (file, connections) = match files::table(&folder.join("connections.toml"))? {
        Some(table) => ("connections.toml", table),
        None => ("config.toml", config.get("connections").and_then(Value::as_table).cloned().unwrap_or_default()),
    };
    let own = Settings::of_variables(&format!("SNOWFLAKE_CONNECTIONS_{}_", name.to_uppercase()));
    let profile = connections.get(&name).and_then(Value::as_table);
    if profile.is_none() && own == Settings::default() {
        return Err(unknown(&name, &folder.join(file), &connections));
    }
    let in_file = profile.map(Settings::of_table).unwrap_or_default();
    Ok(with_host(Settings::of_variables("SNOWFLAKE_").over(in_file).over(own)))
}

/// An account without a host is one of the vendor's.
fn with_host(mut settings: Settings) -> Settings {
    if settings.get("host").is_none() && settings.get("url").is_none() {
        let host = settings.get("account").map(|account| format!("{account}.snowflakecomputing.com"));
        settings.set("host", &host.unwrap_or_default());
    }
    settings
}

fn default_name(config: &Table) -> String {
    let named = variable("SNOWFLAKE_DEFAULT_CONNECTION_NAME");
    let in_file = || config.get("default_connection_name").and_then(Value::as_str).map(str::to_owned);
    named.or_else(in_file).unwrap_or_else(|| DEFAULT_NAME.to_owned())
}

/// `$SNOWFLAKE_HOME`, else `~/.snowflake` if it is there, else the folder of configuration files.
fn folder() -> Option<PathBuf> {
    if let Some(named) = variable("SNOWFLAKE_HOME") {
        return Some(files::expanded(&named));
    }
    let of_home = files::home().map(|home| home.join(".snowflake")).filter(|folder| folder.is_dir());
    of_home.or_else(|| files::configuration_folder().map(|folder| folder.join("snowflake")))
}

fn unknown(name: &str, path: &Path, connections: &Table) -> Box<dyn Error> {
    let names: Vec<&str> = connections.keys().map(String::as_str).collect();
    let known = if names.is_empty() { "none is there".to_owned() } else { format!("there are {}", names.join(", ")) };
    Failure::usage(format!("{} has no connection {name}; {known}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_of_the_vendor_have_a_prefix() {
        assert_eq!(profile_name("snowflake:dev"), Some("dev"));
        assert_eq!(profile_name("snowflake"), Some(""));
        assert_eq!(profile_name("dev"), None);
    }

    #[test]
    fn an_account_without_a_host_is_one_of_the_vendor() {
        let mut settings = Settings::default();
        settings.set("account", "org-one");
        assert_eq!(with_host(settings.clone()).get("host"), Some("org-one.snowflakecomputing.com"));
        settings.set("host", "here");
        assert_eq!(with_host(settings).get("host"), Some("here"));
    }
}
