//! A running server, as the commands that ask questions use it.

use std::error::Error;
use std::time::Duration;

use firn_server::analyst::shown_cells::shown;
use serde_json::{Value, json};
use ureq::Agent;

const DEFAULT_URL: &str = "http://127.0.0.1:8090";
const CONNECT_WAIT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(200);
const USER_AGENT: &str = concat!("firn/", env!("CARGO_PKG_VERSION"));

#[derive(clap::Args)]
pub struct Connection {
    /// Where the server is [default: http://127.0.0.1:8090]
    #[arg(long, env = "FIRN_URL", value_name = "URL")]
    url: Option<String>,

    /// Access token, or another token the server takes
    #[arg(long, env = "FIRN_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    token: Option<String>,

    /// Role to use [default: the user's own]
    #[arg(long, env = "FIRN_ROLE", value_name = "NAME")]
    role: Option<String>,

    /// Database of names without one
    #[arg(long, env = "FIRN_DATABASE", value_name = "NAME")]
    database: Option<String>,

    /// Schema of names without one
    #[arg(long, env = "FIRN_SCHEMA", value_name = "NAME")]
    schema: Option<String>,
}

impl Connection {
    /// For commands that use no names of the server.
    pub fn without_names(url: Option<String>, token: Option<String>, role: Option<String>) -> Self {
        Self { url, token, role, database: None, schema: None }
    }

    /// Whether nothing says which server is meant.
    pub fn names_no_server(&self) -> bool {
        self.url.is_none() && self.token.is_none()
    }

    /// The same names on another server, with another token where one is given.
    pub fn to(self, url: &str, token: Option<String>) -> Self {
        Self { url: Some(url.to_owned()), token: token.or(self.token), ..self }
    }
}

pub struct Server {
    agent: Agent,
    connection: Connection,
    url: String,
    token: String,
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
    pub fn new(mut connection: Connection) -> Result<Self, Box<dyn Error>> {
        let config = Agent::config_builder().http_status_as_error(false).timeout_connect(Some(CONNECT_WAIT)).build();
        let token = connection.token.take().ok_or("a token is missing; give --token or set FIRN_TOKEN")?;
        let url = connection
            .url
            .as_deref()
            .filter(|url| !url.is_empty())
            .unwrap_or(DEFAULT_URL)
            .trim_end_matches('/')
            .to_owned();
        Ok(Self { agent: config.into(), connection, url, token })
    }

    pub fn database(&self) -> Option<&str> {
        self.connection.database.as_deref()
    }

    pub fn schema(&self) -> Option<&str> {
        self.connection.schema.as_deref()
    }

    /// A question's answer.
    pub fn ask(&self, body: &Value, detail: Detail) -> Result<Value, Box<dyn Error>> {
        let path = match detail {
            Detail::Answer => "/api/v2/assistant/analyst/message",
            Detail::Explained => "/api/v2/assistant/analyst/message?explain=true",
        };
        let (status, answer) = self.post(path, body)?;
        if status == 200 { Ok(answer) } else { Err(message(status, &answer)) }
    }

    /// Stores a question with its SQL in a semantic view or in a model on a stage.
    pub fn add_verified_query(&self, body: &Value) -> Result<Value, Box<dyn Error>> {
        let (status, answer) = self.post("/api/v2/assistant/analyst/verified-queries", body)?;
        if status == 200 { Ok(answer) } else { Err(message(status, &answer)) }
    }

    /// Begins a backup.
    pub fn begin_backup(&self, body: &Value) -> Result<Value, Box<dyn Error>> {
        let (status, answer) = self.post("/api/v2/backups", body)?;
        if status == 202 { Ok(answer) } else { Err(message(status, &answer)) }
    }

    /// How far a backup is.
    pub fn backup(&self, name: &str) -> Result<Value, Box<dyn Error>> {
        let (status, answer) = self.get(&format!("/api/v2/backups/{name}"))?;
        if status == 200 { Ok(answer) } else { Err(message(status, &answer)) }
    }

    /// The rows of a statement, all partitions of them.
    pub fn rows(&self, sql: &str) -> Result<Table, Box<dyn Error>> {
        self.rows_in(sql, self.database(), self.schema())
    }

    pub fn rows_in(&self, sql: &str, database: Option<&str>, schema: Option<&str>) -> Result<Table, Box<dyn Error>> {
        let role = self.connection.role.as_deref();
        let body = json!({"statement": sql, "database": database, "schema": schema, "role": role});
        let (mut status, mut answer) = self.post("/api/v2/statements", &body)?;
        while status == 202 {
            std::thread::sleep(POLL_INTERVAL);
            let url = answer["statementStatusUrl"].as_str().unwrap_or_default().to_owned();
            (status, answer) = self.get(&url)?;
        }
        if status != 200 {
            return Err(message(status, &answer));
        }
        let types = answer["resultSetMetaData"]["rowType"].as_array().cloned().unwrap_or_default();
        let columns = types.iter().map(|column| column["name"].as_str().unwrap_or_default().to_owned()).collect();
        let kinds = types.iter().map(|column| column["type"].as_str().unwrap_or_default().to_owned()).collect();
        let mut table = Table { columns, types: kinds, rows: Vec::new() };
        table.add(&types, &answer["data"]);
        let partitions = answer["resultSetMetaData"]["partitionInfo"].as_array().map_or(1, Vec::len);
        let handle = answer["statementHandle"].as_str().unwrap_or_default().to_owned();
        for partition in 1..partitions {
            let (status, answer) = self.get(&format!("/api/v2/statements/{handle}?partition={partition}"))?;
            if status != 200 {
                return Err(message(status, &answer));
            }
            table.add(&types, &answer["data"]);
        }
        Ok(table)
    }

    fn post(&self, path: &str, body: &Value) -> Result<(u16, Value), Box<dyn Error>> {
        let mut request = self.agent.post(format!("{}{path}", self.url));
        request = request.header("Authorization", format!("Bearer {}", self.token)).header("User-Agent", USER_AGENT);
        if let Some(role) = &self.connection.role {
            request = request.header("X-Service-Role", role);
        }
        let mut answer = request.send_json(body).map_err(|error| unreachable(&self.url, &error))?;
        Ok((answer.status().as_u16(), answer.body_mut().with_config().limit(u64::MAX).read_json().unwrap_or_default()))
    }

    fn get(&self, path: &str) -> Result<(u16, Value), Box<dyn Error>> {
        let mut request = self.agent.get(format!("{}{path}", self.url));
        request = request.header("Authorization", format!("Bearer {}", self.token));
        if let Some(role) = &self.connection.role {
            request = request.header("X-Service-Role", role);
        }
        let answer = request.header("User-Agent", USER_AGENT).call();
        let mut answer = answer.map_err(|error| unreachable(&self.url, &error))?;
        Ok((answer.status().as_u16(), answer.body_mut().with_config().limit(u64::MAX).read_json().unwrap_or_default()))
    }
}

/// What is asked for beside the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Answer,
    Explained,
}

pub fn unreachable(url: &str, error: &ureq::Error) -> Box<dyn Error> {
    format!("no answer from {url} ({error}); start a server with `firn serve`, or name one with --url").into()
}

fn message(status: u16, answer: &Value) -> Box<dyn Error> {
    match answer["message"].as_str() {
        Some(message) => message.replace('\n', " ").into(),
        None => format!("the server answered {status}").into(),
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
