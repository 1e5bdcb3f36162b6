//! The token that requests carry: given, signed here for an hour, or of a session that a password opened.

use std::error::Error;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http::Http;
use super::key_pair;
use crate::connection::Credentials;
use crate::failure::Failure;

/// Tokens that are signed here are good for an hour.
const SIGNED_AGAIN_AFTER: Duration = Duration::from_secs(50 * 60);
/// Sessions last four hours at most.
const LOGGED_IN_AGAIN_AFTER: Duration = Duration::from_secs(3 * 3_600);

pub struct Access {
    credentials: Credentials,
    current: Mutex<Option<(String, Instant)>>,
}

impl Access {
    pub fn new(credentials: Credentials) -> Self {
        Self { credentials, current: Mutex::new(None) }
    }

    /// A token that is good now.
    pub fn token(&self, http: &Http) -> Result<String, Box<dyn Error>> {
        let lifetime = match &self.credentials {
            Credentials::Token(token) => return Ok(token.clone()),
            Credentials::KeyPair { .. } => SIGNED_AGAIN_AFTER,
            Credentials::Password { .. } => LOGGED_IN_AGAIN_AFTER,
        };
        let mut current = self.current.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((token, _)) = current.as_ref().filter(|(_, made)| made.elapsed() < lifetime) {
            return Ok(token.clone());
        }
        let token = match &self.credentials {
            Credentials::KeyPair { account, user, key } => key_pair::signed_token(account, user, key)?,
            Credentials::Password { user, password } => log_in(http, user, password)?,
            Credentials::Token(token) => token.clone(),
        };
        *current = Some((token.clone(), Instant::now()));
        Ok(token)
    }

    /// Ends the session that a password opened: a user has a limited number of them.
    pub fn log_out(&self, http: &Http) {
        if !matches!(self.credentials, Credentials::Password { .. }) {
            return;
        }
        let current = self.current.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some((token, _)) = current {
            // Without an answer the session ends by itself.
            let _ = http.post("/api/v2/logout", &token, None, &json!({}));
        }
    }
}

fn log_in(http: &Http, user: &str, password: &str) -> Result<String, Box<dyn Error>> {
    let answer = http.post("/api/v2/login", "", None, &json!({"user": user, "password": password}))?;
    let body: Value = answer.json();
    match (answer.status, body["token"].as_str()) {
        (200, Some(token)) => Ok(token.to_owned()),
        (404 | 405, _) => {
            Err(Box::new(Failure::NoEntry(format!("{} takes no passwords; use a token or a key pair", http.url()))))
        }
        _ => Err(answer.refusal()),
    }
}
