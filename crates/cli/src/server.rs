//! A running server, as the commands that ask questions use it.

mod access;
mod forward_proxy;
pub mod http;
mod key_pair;
pub mod rows;
pub mod sessions;
pub mod statements;

use std::error::Error;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Body;
use ureq::http::Response;

use access::Access;
use http::{Answer, Http, ROLE_HEADER};
use sessions::Context;

use crate::connection::{ConnectionOptions, Names, Target};
use crate::output::cells::shown;

const POLL_INTERVAL: Duration = Duration::from_millis(200);

pub struct Server {
    http: Http,
    access: Access,
    target: Target,
}

/// A result whose cells are written for people: dates as dates, times as times.
#[derive(Debug, Default, PartialEq)]
pub struct Table {
    pub columns: Vec<String>,
    /// The columns' types as the wire names them.
    pub types: Vec<String>,
    pub rows: Vec<Vec<Option<String>>>,
}

impl Server {
    pub fn new(options: ConnectionOptions) -> Result<Self, Box<dyn Error>> {
        Self::with_answer_wait(options, http::ANSWER_WAIT)
    }

    /// A server whose answers have to begin in this time.
    pub fn with_answer_wait(options: ConnectionOptions, wait: Duration) -> Result<Self, Box<dyn Error>> {
        let target = options.resolve()?;
        let http = Http::new(&target.url, target.certificates.as_deref(), target.proxy.as_ref(), wait)?;
        Ok(Self { http, access: Access::new(target.credentials.clone()), target })
    }

    pub fn target(&self) -> &Target {
        &self.target
    }

    pub fn http(&self) -> &Http {
        &self.http
    }

    pub fn token(&self) -> Result<String, Box<dyn Error>> {
        self.access.token(&self.http)
    }

    pub fn names(&self) -> &Names {
        &self.target.names
    }

    pub fn database(&self) -> Option<&str> {
        self.names().database.as_deref()
    }

    pub fn schema(&self) -> Option<&str> {
        self.names().schema.as_deref()
    }

    /// A question's answer.
    pub fn ask(&self, body: &Value, detail: Detail) -> Result<Value, Box<dyn Error>> {
        self.checked(self.post(detail.path(), self.role(), body)?, 200)
    }

    /// What is wrong with a model, given as YAML, held against the data.
    pub fn validate_model(&self, yaml: &str) -> Result<Value, Box<dyn Error>> {
        let body = json!({"semantic_model": yaml, "connect": true, "warehouse": self.names().warehouse});
        self.checked(self.post("/api/v2/assistant/analyst/validate", self.role(), &body)?, 200)
    }

    /// Stores a question with its SQL in a semantic view or in a model on a stage.
    pub fn add_verified_query(&self, body: &Value) -> Result<Value, Box<dyn Error>> {
        self.checked(self.post("/api/v2/assistant/analyst/verified-queries", self.role(), body)?, 200)
    }

    /// Begins a backup.
    pub fn begin_backup(&self, body: &Value) -> Result<Value, Box<dyn Error>> {
        self.checked(self.post("/api/v2/backups", self.role(), body)?, 202)
    }

    /// How far a backup is.
    pub fn backup(&self, name: &str) -> Result<Value, Box<dyn Error>> {
        self.checked(self.get(&format!("/api/v2/backups/{name}"))?, 200)
    }

    /// The rows of a statement, all partitions of them.
    pub fn rows(&self, sql: &str) -> Result<Table, Box<dyn Error>> {
        self.rows_in(sql, self.database(), self.schema())
    }

    pub fn rows_in(&self, sql: &str, database: Option<&str>, schema: Option<&str>) -> Result<Table, Box<dyn Error>> {
        let owned = |name: Option<&str>| name.map(str::to_owned);
        self.rows_as(sql, &Names { database: owned(database), schema: owned(schema), ..self.names().clone() })
    }

    /// As `rows`, in a session of these names.
    pub fn rows_as(&self, sql: &str, names: &Names) -> Result<Table, Box<dyn Error>> {
        self.rows_of(sql, Context::Names(names))
    }

    /// As `rows`, in this context.
    pub fn rows_of(&self, sql: &str, context: Context<'_>) -> Result<Table, Box<dyn Error>> {
        let mut answer = self.post_in("/api/v2/statements", context, &context.body(sql))?;
        while answer.status == 202 {
            std::thread::sleep(POLL_INTERVAL);
            answer = self.get(answer.json()["statementStatusUrl"].as_str().unwrap_or_default())?;
        }
        let answer = self.checked(answer, 200)?;
        let types = answer["resultSetMetaData"]["rowType"].as_array().cloned();
        let types = types.ok_or_else(|| self.http.foreign_answer())?;
        let columns = types.iter().map(|column| column["name"].as_str().unwrap_or_default().to_owned()).collect();
        let kinds = types.iter().map(|column| column["type"].as_str().unwrap_or_default().to_owned()).collect();
        let mut table = Table { columns, types: kinds, rows: Vec::new() };
        table.add(&types, &answer["data"]);
        let partitions = answer["resultSetMetaData"]["partitionInfo"].as_array().map_or(1, Vec::len);
        let handle = answer["statementHandle"].as_str().unwrap_or_default().to_owned();
        for partition in 1..partitions {
            let answer = self.get(&format!("/api/v2/statements/{handle}?partition={partition}"))?;
            table.add(&types, &self.checked(answer, 200)?["data"]);
        }
        Ok(table)
    }

    /// A question whose answer arrives as events.
    pub fn ask_for_events(&self, body: &Value, detail: Detail) -> Result<Response<Body>, Box<dyn Error>> {
        let answer = self.http.send(detail.path(), &self.token()?, self.role_header(), body)?;
        if answer.status().as_u16() == 200 {
            return Ok(answer);
        }
        Err(http::whole(answer)?.refusal())
    }

    /// A request with headers of its own: GET without a body, else POST.
    pub fn exchange(
        &self,
        path: &str,
        headers: &[(&str, String)],
        body: Option<&Value>,
    ) -> Result<Answer, Box<dyn Error>> {
        self.http.exchange(path, &self.token()?, headers, body)
    }

    fn role(&self) -> Option<&str> {
        self.names().role.as_deref()
    }

    fn role_header(&self) -> Option<(&str, &str)> {
        self.role().map(|role| (ROLE_HEADER, role))
    }

    fn checked(&self, answer: Answer, expected: u16) -> Result<Value, Box<dyn Error>> {
        if answer.status != expected {
            return Err(answer.refusal());
        }
        let body = answer.json();
        if body.is_null() { Err(self.http.foreign_answer()) } else { Ok(body) }
    }

    fn post(&self, path: &str, role: Option<&str>, body: &Value) -> Result<Answer, Box<dyn Error>> {
        self.http.post(path, &self.token()?, role.map(|role| (ROLE_HEADER, role)), body)
    }

    fn delete(&self, path: &str) -> Result<Answer, Box<dyn Error>> {
        self.http.delete(path, &self.token()?)
    }

    fn get(&self, path: &str) -> Result<Answer, Box<dyn Error>> {
        self.http.get(path, &self.token()?, self.role())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.access.log_out(&self.http);
    }
}

/// What is asked for beside the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Answer,
    Explained,
}

impl Detail {
    fn path(self) -> &'static str {
        match self {
            Self::Answer => "/api/v2/assistant/analyst/message",
            Self::Explained => "/api/v2/assistant/analyst/message?explain=true",
        }
    }
}

impl Table {
    fn add(&mut self, types: &[Value], data: &Value) {
        for row in data.as_array().into_iter().flatten() {
            let cells = row.as_array().into_iter().flatten().zip(types);
            let shown_cell = |(cell, column): (&Value, &Value)| {
                cell.as_str().map(|text| shown(text, column["type"].as_str().unwrap_or_default()))
            };
            self.rows.push(cells.map(shown_cell).collect());
        }
    }
}
