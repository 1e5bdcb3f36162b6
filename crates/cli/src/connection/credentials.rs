//! How a caller proves who they are: a token as it is, one signed with a private key, or one for a password.

use std::error::Error;

use super::settings::Settings;
use super::{files, no_entry};
use crate::failure::Failure;

#[derive(Clone, PartialEq, Eq)]
pub enum Credentials {
    Token(String),
    KeyPair { account: String, user: String, key: String },
    Password { user: String, password: String },
}

/// Secrets are not for logs.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Token(_) => "Token",
            Self::KeyPair { .. } => "KeyPair",
            Self::Password { .. } => "Password",
        })
    }
}

impl Credentials {
    pub fn of(settings: &Settings) -> Result<Self, Box<dyn Error>> {
        let authenticator = settings.get("authenticator").unwrap_or_default().to_uppercase();
        match authenticator.as_str() {
            "" => Self::of_what_is_there(settings),
            "PROGRAMMATIC_ACCESS_TOKEN" | "OAUTH" => token(settings)?.ok_or_else(token_is_missing),
            "SNOWFLAKE_JWT" => key_pair(settings),
            "SNOWFLAKE" => password(settings).ok_or_else(|| no_entry("the profile has no user and password")),
            other => Err(Failure::usage(format!(
                "authenticator {other} is not offered; PROGRAMMATIC_ACCESS_TOKEN, OAUTH, SNOWFLAKE_JWT and SNOWFLAKE are"
            ))),
        }
    }

    fn of_what_is_there(settings: &Settings) -> Result<Self, Box<dyn Error>> {
        if let Some(token) = token(settings)? {
            return Ok(token);
        }
        if settings.get("private_key_file").is_some() {
            return key_pair(settings);
        }
        password(settings).ok_or_else(token_is_missing)
    }
}

fn token_is_missing() -> Box<dyn Error> {
    no_entry("a token is missing; give --token, set FIRN_TOKEN, or name a profile with -c")
}

fn token(settings: &Settings) -> Result<Option<Credentials>, Box<dyn Error>> {
    if let Some(token) = settings.get("token") {
        return Ok(Some(Credentials::Token(token.to_owned())));
    }
    let Some(path) = settings.get("token_file_path") else { return Ok(None) };
    let token = files::text(&files::expanded(path))?.ok_or_else(|| no_file("token_file_path", path))?;
    Ok(Some(Credentials::Token(token.trim().to_owned())))
}

fn key_pair(settings: &Settings) -> Result<Credentials, Box<dyn Error>> {
    let needed = |key: &str| {
        let value = settings.get(key).map(str::to_owned);
        value.ok_or_else(|| no_entry(format!("a key pair needs the profile's key {key}")))
    };
    let path = needed("private_key_file")?;
    let key = files::text(&files::expanded(&path))?.ok_or_else(|| no_file("private_key_file", &path))?;
    Ok(Credentials::KeyPair { account: needed("account")?, user: needed("user")?, key })
}

fn password(settings: &Settings) -> Option<Credentials> {
    let (user, password) = (settings.get("user")?.to_owned(), settings.get("password")?.to_owned());
    Some(Credentials::Password { user, password })
}

fn no_file(key: &str, path: &str) -> Box<dyn Error> {
    Failure::usage(format!("{key}: there is no file {path}"))
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
    fn the_way_in_follows_from_the_keys() {
        let check = |pairs: &[(&str, &str)], expected: Credentials| {
            assert_eq!(Credentials::of(&settings(pairs)).unwrap(), expected, "{pairs:?}");
        };
        let token = || Credentials::Token("t".to_owned());
        check(&[("token", "t")], token());
        check(&[("token", "t"), ("authenticator", "programmatic_access_token")], token());
        check(&[("token", "t"), ("authenticator", "OAUTH"), ("password", "p")], token());
        let password = Credentials::Password { user: "u".to_owned(), password: "p".to_owned() };
        check(&[("user", "u"), ("password", "p")], password.clone());
        check(&[("user", "u"), ("password", "p"), ("authenticator", "snowflake"), ("token", "t")], password);
    }

    #[test]
    fn what_is_missing_or_not_offered_is_named() {
        let check = |pairs: &[(&str, &str)], expected: &str| {
            let message = Credentials::of(&settings(pairs)).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        };
        check(&[], "a token is missing");
        check(&[("authenticator", "externalbrowser")], "EXTERNALBROWSER is not offered");
        check(&[("authenticator", "SNOWFLAKE_JWT")], "private_key_file");
        check(&[("authenticator", "snowflake"), ("user", "u")], "no user and password");
    }
}
