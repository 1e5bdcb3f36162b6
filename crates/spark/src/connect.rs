//! A client of Spark Connect: gRPC over HTTP/2, with the few messages that are needed written by hand, so that a build needs neither
//! a compiler of Protocol Buffers nor the crates of gRPC.

mod channel;
mod endpoint;
mod failure;
mod messages;
mod operation;
mod protobuf;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::watch;
use uuid::Uuid;

use channel::Channel;
pub use endpoint::Endpoint;
pub(crate) use failure::ConnectError;
pub(crate) use failure::{LOST_SESSION_STATE, OVERFLOW_CODE};
use messages::{RemoteSession, query_plan, server_side_id};
pub(crate) use operation::Operation;
use operation::Start;

/// For questions that take a cluster no time.
const QUESTION_WAIT: Duration = Duration::from_secs(20);
/// How many time zones have a session on the cluster at a time.
const SESSIONS_MAX: usize = 64;

/// A cluster and the sessions that firn has there, which statements share: one for every time zone, as that is a session's.
pub(crate) struct Cluster {
    runtime: Arc<Runtime>,
    channel: Arc<Channel>,
    sessions: Mutex<HashMap<String, RemoteSession>>,
}

/// What stops the work of a statement, and shows how far it is.
#[derive(Clone)]
pub(crate) struct Control {
    pub(crate) stop: watch::Receiver<bool>,
    pub(crate) progress: Arc<watch::Sender<f64>>,
}

impl Cluster {
    pub(crate) fn new(
        runtime: Arc<Runtime>,
        endpoint: Endpoint,
        token: Option<&str>,
        tls: Arc<rustls::ClientConfig>,
    ) -> Result<Self, ConnectError> {
        let channel = Arc::new(Channel::new(endpoint, token, tls)?);
        Ok(Self { runtime, channel, sessions: Mutex::default() })
    }

    /// Begins a query in Spark's SQL.
    pub(crate) fn query(&self, sql: &str, timezone: &str, control: &Control) -> Result<Operation, ConnectError> {
        let session = self.session(timezone, control)?;
        let Control { stop, progress } = control.clone();
        let start = Start { channel: self.channel.clone(), session, plan: query_plan(sql), stop, progress };
        Ok(start.spawn(self.runtime.handle()))
    }

    /// Gives up a session that the cluster does not know any more. The next statement has a new one.
    pub(crate) fn forget_sessions(&self) {
        self.sessions().clear();
    }

    /// The session for a time zone, with the settings that lowered statements count on.
    fn session(&self, timezone: &str, control: &Control) -> Result<RemoteSession, ConnectError> {
        if let Some(known) = self.sessions().get(timezone) {
            return Ok(known.clone());
        }
        let session = RemoteSession { id: Uuid::new_v4().to_string(), server_side_id: None };
        let settings = [
            ("spark.sql.ansi.enabled", "true"),
            ("spark.sql.timestampType", "TIMESTAMP_NTZ"),
            ("spark.sql.session.timeZone", timezone),
            ("spark.sql.timeType.enabled", "true"),
            ("spark.sql.caseSensitive", "false"),
            ("spark.sql.parser.escapedStringLiterals", "false"),
            ("spark.sql.ansi.doubleQuotedIdentifiers", "false"),
            ("spark.sql.crossJoin.enabled", "true"),
        ];
        let answer = self.ask("Config", session.set(&settings).into_bytes(), control)?;
        let session = RemoteSession { server_side_id: server_side_id(&answer), ..session };
        let mut sessions = self.sessions();
        if sessions.len() >= SESSIONS_MAX {
            sessions.clear();
        }
        Ok(sessions.entry(timezone.to_owned()).or_insert(session).clone())
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, HashMap<String, RemoteSession>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One message for one message; blocks.
    fn ask(&self, method: &'static str, message: Vec<u8>, control: &Control) -> Result<bytes::Bytes, ConnectError> {
        let (answer, answered) = std::sync::mpsc::channel();
        let channel = self.channel.clone();
        let mut stop = control.stop.clone();
        let task = self.runtime.spawn(async move {
            let asked = async {
                match channel.call(method, &message).await {
                    // The connection may have been closed while it was not used.
                    Err(ConnectError::Broken(_)) => channel.call(method, &message).await?.only().await,
                    reply => reply?.only().await,
                }
            };
            let asked = tokio::select! {
                asked = tokio::time::timeout(QUESTION_WAIT, asked) => asked.unwrap_or_else(|_| {
                    Err(ConnectError::Unreachable(format!("it does not answer within {} s", QUESTION_WAIT.as_secs())))
                }),
                _ = stop.wait_for(|stop| *stop) => Err(ConnectError::Interrupted),
            };
            // Whoever asked may be gone.
            let _ = answer.send(asked);
        });
        let answer =
            answered.recv().unwrap_or_else(|_| Err(ConnectError::Protocol("the question was lost".to_owned())));
        task.abort();
        answer
    }
}
