//! The server's files API, as the command uses it.

use std::error::Error;
use std::io::Read;

use firn_sql::stages::{StageLocation, StageName};
use serde::Deserialize;
use ureq::{Agent, Body, SendBody};

use crate::failure::Failure;
use crate::server::http::{Http, USER_AGENT};

pub struct Client<'a> {
    http: &'a Http,
    agent: Agent,
    url: String,
    token: String,
    role: Option<String>,
    database: String,
    schema: String,
}

#[derive(Deserialize)]
pub struct RemoteFile {
    pub path: String,
    pub size: u64,
    pub md5: String,
}

#[derive(Deserialize)]
struct FileList {
    files: Vec<RemoteFile>,
    next: Option<String>,
}

#[derive(Deserialize)]
struct Refusal {
    message: String,
}

type Answer = Result<ureq::http::Response<Body>, ureq::Error>;

/// How a file arrived.
pub enum Put {
    Done,
    ExistedBefore,
}

impl<'a> Client<'a> {
    pub fn new(http: &'a Http, token: &str, role: Option<String>, database: String, schema: String) -> Self {
        let (agent, url) = (http.agent().clone(), http.url().to_owned());
        Self { http, agent, url, token: token.to_owned(), role, database, schema }
    }

    /// Every file whose path begins as the location's does.
    pub fn list(&self, location: &StageLocation) -> Result<Vec<RemoteFile>, Box<dyn Error>> {
        let mut found = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let mut url = format!("{}?prefix={}", self.files_url(location), encoded(&location.path));
            if let Some(after) = &after {
                url.push_str(&format!("&after={}", encoded(after)));
            }
            let answer = self.agent.get(self.with_role(url)).header("Authorization", self.bearer());
            let answer = answer.header("User-Agent", USER_AGENT).call();
            let page: FileList = self.checked(answer)?.body_mut().read_json()?;
            found.extend(page.files);
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(found),
            }
        }
    }

    pub fn put(
        &self,
        location: &StageLocation,
        path: &str,
        content: &mut dyn Read,
        overwrite: bool,
    ) -> Result<Put, Box<dyn Error>> {
        let mut request = self.agent.put(self.file_url(location, path)).header("Authorization", self.bearer());
        request = request.header("User-Agent", USER_AGENT).content_type("application/octet-stream");
        if !overwrite {
            request = request.header("If-None-Match", "*");
        }
        let answer = request.send(SendBody::from_reader(&mut { content }));
        if answer.as_ref().is_ok_and(|answer| answer.status() == 412) {
            return Ok(Put::ExistedBefore);
        }
        self.checked(answer).map(|_| Put::Done)
    }

    pub fn get(&self, location: &StageLocation, path: &str) -> Result<Body, Box<dyn Error>> {
        let request = self.agent.get(self.file_url(location, path)).header("Authorization", self.bearer());
        Ok(self.checked(request.header("User-Agent", USER_AGENT).call())?.into_body())
    }

    pub fn remove(&self, location: &StageLocation, path: &str) -> Result<(), Box<dyn Error>> {
        let request = self.agent.delete(self.file_url(location, path)).header("Authorization", self.bearer());
        self.checked(request.header("User-Agent", USER_AGENT).call()).map(drop)
    }

    fn checked(&self, answer: Answer) -> Result<ureq::http::Response<Body>, Box<dyn Error>> {
        let mut answer = answer.map_err(|error| self.http.unreachable(&error))?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let status = answer.status();
        let message = answer.body_mut().read_json::<Refusal>().map(|refusal| refusal.message.replace('\n', " "));
        match message {
            Ok(message) if matches!(status.as_u16(), 401 | 403) => Err(Failure::NoEntry(message).into()),
            Ok(message) => Err(message.into()),
            Err(_) => Err(format!("the server answered {status}").into()),
        }
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    fn files_url(&self, location: &StageLocation) -> String {
        let quoted = |name: &str| encoded(&firn_sql::names::quote_identifier(name));
        let (name, mark) = match &location.stage {
            StageName::Named(name) => (Some(name), ""),
            StageName::Table(name) => (Some(name), "%25"),
            // What is read from a command's arguments is never an address.
            StageName::User | StageName::Outside(_) => (None, "~"),
        };
        let database = name.and_then(|name| name.database.as_deref()).map_or_else(|| encoded(&self.database), quoted);
        let schema = name.and_then(|name| name.schema.as_deref()).map_or_else(|| encoded(&self.schema), quoted);
        let stage = name.map_or_else(String::new, |name| quoted(&name.name));
        format!("{}/api/v2/databases/{database}/schemas/{schema}/stages/{mark}{stage}/files", self.url)
    }

    fn file_url(&self, location: &StageLocation, path: &str) -> String {
        let path: Vec<String> = path.split('/').map(encoded).collect();
        self.with_role(format!("{}/{}", self.files_url(location), path.join("/")))
    }

    fn with_role(&self, mut url: String) -> String {
        if let Some(role) = &self.role {
            let mark = if url.contains('?') { '&' } else { '?' };
            url.push_str(&format!("{mark}role={}", encoded(role)));
        }
        url
    }
}

/// A part of a URL: everything but plain characters as `%` and two digits.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
