//! What a profile says: keys with texts. The keys are those of the vendor's tools, with `url`, `color`, `ca_file` and `proxy`
//! beside them.

use std::collections::BTreeMap;
use std::error::Error;

use ureq::http::Uri;

use crate::failure::Failure;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    values: BTreeMap<String, String>,
}

/// Every key that is read.
const KEYS: [&str; 22] = [
    "account",
    "authenticator",
    "ca_file",
    "color",
    "database",
    "host",
    "password",
    "port",
    "private_key_file",
    "private_key_passphrase",
    "private_key_path",
    "protocol",
    "proxy",
    "role",
    "schema",
    "token",
    "token_file_path",
    "url",
    "user",
    "username",
    "warehouse",
    "databasename",
];

/// Every key that lets a caller in.
const WAYS_IN: [&str; 4] = ["token", "token_file_path", "private_key_file", "password"];

/// Other names of a key in the vendor's files.
const OTHER_NAMES: [(&str, &str); 7] = [
    ("accountname", "account"),
    ("databasename", "database"),
    ("dbname", "database"),
    ("private_key_path", "private_key_file"),
    ("rolename", "role"),
    ("schemaname", "schema"),
    ("username", "user"),
];

impl Settings {
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// An empty value counts as none.
    pub fn set(&mut self, key: &str, value: &str) {
        let key = key.to_lowercase();
        let key = OTHER_NAMES.iter().find(|(other, _)| *other == key).map_or(key.as_str(), |(_, name)| name);
        if !value.is_empty() {
            self.values.insert(key.to_owned(), value.to_owned());
        }
    }

    /// A table of a file. What is no text, number or truth value is of no use here.
    pub fn of_table(table: &toml::Table) -> Self {
        let mut settings = Self::default();
        for (key, value) in table {
            match value {
                toml::Value::String(text) => settings.set(key, text),
                toml::Value::Integer(_) | toml::Value::Boolean(_) => settings.set(key, &value.to_string()),
                _ => {}
            }
        }
        settings
    }

    /// A key of the table that nothing reads.
    pub fn unknown_key(table: &toml::Table) -> Option<&str> {
        let is_known = |key: &str| KEYS.contains(&key) || OTHER_NAMES.iter().any(|(other, _)| *other == key);
        table.keys().map(String::as_str).find(|key| !is_known(&key.to_lowercase()))
    }

    /// The variables that every command knows. Others that begin so are settings of the server.
    pub fn of_plain_variables() -> Self {
        Self::of_environment("FIRN_", &["url", "token", "role", "warehouse", "database", "schema", "ca_file", "proxy"])
    }

    /// The variables `<PREFIX><KEY>` of the environment.
    pub fn of_variables(prefix: &str) -> Self {
        Self::of_environment(prefix, &KEYS)
    }

    fn of_environment(prefix: &str, keys: &[&str]) -> Self {
        let mut settings = Self::default();
        for key in keys {
            if let Ok(value) = std::env::var(format!("{prefix}{}", key.to_uppercase())) {
                settings.set(key, &value);
            }
        }
        settings
    }

    /// These, with those of `stronger` in their place where it has any. What names the server, or lets the caller in, counts
    /// together: an address or a way in never stays beside a stronger one under another key.
    pub fn over(mut self, stronger: Self) -> Self {
        if stronger.get("host").is_some() {
            self.values.remove("url");
        }
        if WAYS_IN.iter().any(|key| stronger.get(key).is_some()) {
            self.values.remove("authenticator");
            WAYS_IN.iter().for_each(|key| drop(self.values.remove(*key)));
        }
        self.values.extend(stronger.values);
        self
    }

    /// A name as the server stores it: without quotes it is folded to upper case.
    pub fn name(&self, key: &str) -> Option<String> {
        self.get(key).map(firn_sql::names::stored_name)
    }

    pub fn url(&self) -> Result<Option<String>, Box<dyn Error>> {
        if let Some(url) = self.get("url") {
            return address(url.trim_end_matches('/')).map(Some);
        }
        let Some(host) = self.get("host") else { return Ok(None) };
        let protocol = self.get("protocol").unwrap_or("https");
        let port = self.get("port").map(|port| format!(":{port}")).unwrap_or_default();
        address(&format!("{protocol}://{host}{port}")).map(Some)
    }
}

fn address(url: &str) -> Result<String, Box<dyn Error>> {
    let way_out = match url.starts_with("http://") || url.starts_with("https://") {
        false => "it begins with http:// or https://",
        true if has_host(url) => return Ok(url.to_owned()),
        true => "it is written as http://HOST:PORT",
    };
    Err(Failure::usage(format!("`{url}` is no address; {way_out}")))
}

fn has_host(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let (Some(place), Some(host)) = (uri.authority(), uri.host()) else { return false };
    // What stands behind the host is a port, or wrong.
    !host.is_empty() && (place.as_str().ends_with(host) || place.port_u16().is_some())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Settings {
        let mut settings = Settings::default();
        pairs.iter().for_each(|(key, value)| settings.set(key, value));
        settings
    }

    #[test]
    fn addresses_are_made_of_their_parts() {
        let check = |pairs: &[(&str, &str)], expected: Option<&str>| {
            assert_eq!(settings(pairs).url().unwrap().as_deref(), expected, "{pairs:?}");
        };
        check(&[], None);
        check(&[("url", "http://here:1/")], Some("http://here:1"));
        check(&[("host", "here"), ("port", "8090"), ("protocol", "http")], Some("http://here:8090"));
        check(&[("host", "here")], Some("https://here"));
        check(&[("account", "org-one")], None);
        check(&[("url", "http://[::1]:1/firn/")], Some("http://[::1]:1/firn"));
        for wrong in
            ["here:1", "http://", "http://:1", "http://a b", "http://a:port", "http://a:99999", "https://a\u{1}"]
        {
            assert!(settings(&[("url", wrong)]).url().is_err(), "{wrong}");
        }
        assert!(settings(&[("host", "a b")]).url().is_err());
    }

    #[test]
    fn names_are_folded_unless_quoted() {
        let check = |name: &str, expected: &str| assert_eq!(firn_sql::names::stored_name(name), expected);
        check("demo", "DEMO");
        check("\"demo\"", "demo");
        check("\"a\"\"b\"", "a\"b");
        check("with space", "with space");
        check("a.b", "a.b");
    }

    #[test]
    fn stronger_settings_stand_in_the_place_of_others() {
        let both = settings(&[("username", "a"), ("role", "r")]).over(settings(&[("user", "b"), ("role", "")]));
        assert_eq!((both.get("user"), both.get("role")), (Some("b"), Some("r")));
    }

    #[test]
    fn an_address_and_a_way_in_stand_in_the_place_of_others() {
        let weaker = || settings(&[("url", "http://here:1"), ("token", "t"), ("role", "r")]);
        let address = |stronger: &[(&str, &str)]| weaker().over(settings(stronger)).url().unwrap();
        assert_eq!(address(&[("host", "there")]).as_deref(), Some("https://there"));
        assert_eq!(address(&[("port", "2")]).as_deref(), Some("http://here:1"));
        for way in [("password", "p"), ("private_key_file", "k"), ("token_file_path", "f")] {
            let both = weaker().over(settings(&[way]));
            assert_eq!(
                (both.get("token"), both.get(way.0), both.get("role")),
                (None, Some(way.1), Some("r")),
                "{way:?}"
            );
        }
        let of_file = settings(&[("user", "u"), ("private_key_file", "k"), ("authenticator", "SNOWFLAKE_JWT")]);
        let both = of_file.over(settings(&[("password", "p")]));
        assert_eq!((both.get("user"), both.get("authenticator")), (Some("u"), None));
        assert_eq!(weaker().over(settings(&[("user", "u")])).get("token"), Some("t"));
    }

    #[test]
    fn tables_give_texts_and_numbers() {
        let table: toml::Table = "port = 8090\nhost = 'h'\nsession_parameters = {a = 1}".parse().unwrap();
        let settings = Settings::of_table(&table);
        assert_eq!((settings.get("port"), settings.get("host")), (Some("8090"), Some("h")));
        assert_eq!(settings.get("session_parameters"), None);
    }
}
