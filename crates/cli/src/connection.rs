//! Which server a command speaks to, as whom, and under which names. Flags count first; then the profile, if one is chosen,
//! with the variables of its own before its file; then the variables that every command knows.

mod credentials;
mod files;
mod profiles;
mod proxy;
mod settings;
mod vendor;

use std::error::Error;

pub use credentials::Credentials;
pub use firn_sql::names::stored_name;
pub use proxy::Proxy;
use settings::Settings;

use crate::failure::Failure;

const DEFAULT_URL: &str = "http://127.0.0.1:8090";

/// The connection's options, which every command that speaks to a server has.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Connection")]
pub struct ConnectionOptions {
    /// Profile of the configuration file, or snowflake:NAME for one of the vendor's tools [env: FIRN_CONNECTION]
    #[arg(short = 'c', long = "connection", value_name = "NAME", global = true)]
    profile: Option<String>,

    /// Where the server is [env: FIRN_URL] [default: http://127.0.0.1:8090]
    #[arg(long, value_name = "URL", global = true)]
    url: Option<String>,

    /// Access token, or another token the server takes [env: FIRN_TOKEN]
    #[arg(long, value_name = "TOKEN", global = true)]
    token: Option<String>,

    /// Role to use [env: FIRN_ROLE] [default: the user's own]
    #[arg(long, value_name = "NAME", global = true)]
    role: Option<String>,

    /// Warehouse to use [env: FIRN_WAREHOUSE] [default: the user's own]
    #[arg(long, value_name = "NAME", global = true)]
    warehouse: Option<String>,

    /// Database of names without one [env: FIRN_DATABASE]
    #[arg(long, value_name = "NAME", global = true)]
    database: Option<String>,

    /// Schema of names without one [env: FIRN_SCHEMA]
    #[arg(long, value_name = "NAME", global = true)]
    schema: Option<String>,

    /// Certificates (PEM) that the server's may be signed with [env: FIRN_CA_FILE, SSL_CERT_FILE] [default: public ones]
    #[arg(long, value_name = "FILE", global = true)]
    ca_file: Option<String>,

    /// HTTP proxy in front of the server, or `none` [env: FIRN_PROXY] [default: that of HTTP_PROXY, HTTPS_PROXY, ALL_PROXY]
    #[arg(long, value_name = "URL", global = true)]
    proxy: Option<String>,
}

/// The names that a session begins with, as the server stores them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    pub role: Option<String>,
    pub warehouse: Option<String>,
    pub database: Option<String>,
    pub schema: Option<String>,
}

/// Everything that is known about the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The profile's name.
    pub profile: Option<String>,
    pub url: String,
    pub credentials: Credentials,
    pub names: Names,
    /// The colour of the prompt.
    pub color: Option<String>,
    /// Certificates of the authorities that are trusted in the place of the public ones, as PEM.
    pub certificates: Option<Vec<u8>>,
    pub proxy: Option<Proxy>,
}

impl ConnectionOptions {
    /// Whether nothing says which server is meant.
    pub fn names_no_server(&self) -> bool {
        self.url.is_none() && self.token.is_none() && self.chosen_profile().is_none() && !variables_name_a_server()
    }

    /// The same names on another server, with another token where one is given.
    pub fn to(self, url: &str, token: Option<String>) -> Self {
        Self { url: Some(url.to_owned()), token: token.or(self.token), ..self }
    }

    /// The first option that was given on the command line.
    pub fn given(&self) -> Option<&'static str> {
        let options = [
            ("--connection", &self.profile),
            ("--url", &self.url),
            ("--token", &self.token),
            ("--role", &self.role),
            ("--warehouse", &self.warehouse),
            ("--database", &self.database),
            ("--schema", &self.schema),
            ("--ca-file", &self.ca_file),
            ("--proxy", &self.proxy),
        ];
        options.into_iter().find(|(_, value)| value.is_some()).map(|(name, _)| name)
    }

    pub fn resolve(&self) -> Result<Target, Box<dyn Error>> {
        let (profile, settings) = self.settings()?;
        let settings = settings.over(self.flags());
        let url = settings.url()?.unwrap_or_else(|| DEFAULT_URL.to_owned());
        Ok(Target {
            profile,
            credentials: Credentials::of(&settings)?,
            names: Names {
                role: settings.name("role"),
                warehouse: settings.name("warehouse"),
                database: settings.name("database"),
                schema: settings.name("schema"),
            },
            color: settings.get("color").map(str::to_owned),
            proxy: Proxy::of(&url, settings.get("proxy"))?,
            certificates: if url.starts_with("https:") { certificates(&settings)? } else { None },
            url,
        })
    }

    fn settings(&self) -> Result<(Option<String>, Settings), Box<dyn Error>> {
        if let Some(name) = self.chosen_profile() {
            let settings = match vendor::profile_name(&name) {
                Some(vendor_name) => vendor::settings(vendor_name)?,
                None => profiles::settings(&name)?,
            };
            return Ok((Some(name), settings));
        }
        let names_a_server = self.url.is_some() || self.token.is_some() || variables_name_a_server();
        let default_name = if names_a_server { None } else { profiles::default_name()? };
        match default_name {
            Some(name) => {
                let settings = profiles::settings(&name)?;
                Ok((Some(name), settings))
            }
            None => Ok((None, Settings::of_plain_variables())),
        }
    }

    fn chosen_profile(&self) -> Option<String> {
        self.profile.clone().or_else(|| variable("FIRN_CONNECTION"))
    }

    fn flags(&self) -> Settings {
        let flags = [
            ("url", &self.url),
            ("token", &self.token),
            ("role", &self.role),
            ("warehouse", &self.warehouse),
            ("database", &self.database),
            ("schema", &self.schema),
            ("ca_file", &self.ca_file),
            ("proxy", &self.proxy),
        ];
        let mut settings = Settings::default();
        for (key, value) in flags {
            if let Some(value) = value {
                settings.set(key, value);
            }
        }
        // A token that is given stands in the place of every other way in.
        if self.token.is_some() {
            settings.set("authenticator", "PROGRAMMATIC_ACCESS_TOKEN");
        }
        settings
    }
}

fn certificates(settings: &Settings) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
    let Some(path) = settings.get("ca_file").map(str::to_owned).or_else(|| variable("SSL_CERT_FILE")) else {
        return Ok(None);
    };
    let read = std::fs::read(files::expanded(&path));
    read.map(Some).map_err(|error| Failure::usage(format!("ca_file: {path}: {error}")))
}

fn variables_name_a_server() -> bool {
    variable("FIRN_URL").is_some() || variable("FIRN_TOKEN").is_some()
}

/// An environment variable; an empty one counts as none.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn no_entry(message: impl Into<String>) -> Box<dyn Error> {
    Box::new(Failure::NoEntry(message.into()))
}
