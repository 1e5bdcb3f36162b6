//! Kept sessions: what a request sets, and its temporary objects, are there for the next one. One request at a time has such a
//! session.

use std::error::Error;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Server;
use super::http::{Answer, ROLE_HEADER};
use crate::connection::Names;

const PATH: &str = "/api/v2/sessions";
const HEADER: &str = "X-Service-Session";

/// The code of a session that is not there any more.
pub const ENDED_CODE: &str = "390111";

/// A request that has ended may have its session for a moment longer.
const BUSY_WAIT_MAX: Duration = Duration::from_secs(60);
const NAMES_WAIT_MAX: Duration = Duration::from_secs(5);
const BUSY_INTERVAL: Duration = Duration::from_millis(10);

/// What the statements of a request run in.
#[derive(Clone, Copy, Debug)]
pub enum Context<'a> {
    /// A session that begins with these names and ends with the request.
    Names(&'a Names),
    /// A kept session by its identifier.
    Kept(&'a str),
}

impl<'a> Context<'a> {
    pub(super) fn header(self) -> Option<(&'static str, &'a str)> {
        match self {
            Self::Names(names) => Some((ROLE_HEADER, names.role.as_deref()?)),
            Self::Kept(id) => Some((HEADER, id)),
        }
    }

    /// The body of a request that runs this text.
    pub(super) fn body(self, text: &str) -> Value {
        match self {
            Self::Names(names) => json!({"statement": text, "role": names.role, "warehouse": names.warehouse,
                "database": names.database, "schema": names.schema}),
            Self::Kept(_) => json!({"statement": text}),
        }
    }
}

/// A session on the server that ends with this value.
pub struct KeptSession<'a> {
    server: &'a Server,
    id: String,
}

impl KeptSession<'_> {
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The names that its last request has left chosen.
    pub fn names(&self) -> Result<Names, Box<dyn Error>> {
        let begun = Instant::now();
        let look = || self.server.checked(self.server.get(&format!("{PATH}/{}", self.id))?, 200);
        let mut session = look()?;
        while session["state"] == "busy" && begun.elapsed() < NAMES_WAIT_MAX {
            std::thread::sleep(BUSY_INTERVAL);
            session = look()?;
        }
        let name = |key: &str| session[key].as_str().map(str::to_owned);
        Ok(Names {
            role: name("role"),
            warehouse: name("warehouse"),
            database: name("database"),
            schema: name("schema"),
        })
    }
}

impl Drop for KeptSession<'_> {
    fn drop(&mut self) {
        // Without an answer the session ends by itself.
        let _ = self.server.delete(&format!("{PATH}/{}", self.id));
    }
}

impl Server {
    /// None where the server has no such sessions, or no more of them.
    pub fn open_session(&self, names: &Names, idle_max: Duration) -> Option<KeptSession<'_>> {
        let body = json!({"role": names.role, "warehouse": names.warehouse, "database": names.database,
            "schema": names.schema, "idleTimeout": idle_max.as_secs()});
        let answer = self.post(PATH, names.role.as_deref(), &body).ok()?;
        let id = answer.json()["sessionId"].as_str().map(str::to_owned)?;
        (answer.status == 201).then_some(KeptSession { server: self, id })
    }

    /// A request in a context; it waits as long as a request before it has the session.
    pub(super) fn post_in(&self, path: &str, context: Context<'_>, body: &Value) -> Result<Answer, Box<dyn Error>> {
        let begun = Instant::now();
        loop {
            let answer = self.http.post(path, &self.token()?, context.header(), body)?;
            if answer.status != 409 || begun.elapsed() > BUSY_WAIT_MAX {
                return Ok(answer);
            }
            std::thread::sleep(BUSY_INTERVAL);
        }
    }
}
