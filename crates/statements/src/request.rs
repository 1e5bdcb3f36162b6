//! A statement request, decoded from whatever carried it.

use std::net::{IpAddr, SocketAddr};

use firn_catalog::registry::Sender;
use firn_sql::bindings::Bindings;
use firn_values::formats::Nulls;
use uuid::Uuid;

use crate::parameters::SessionParameters;

#[derive(Clone, Debug)]
pub struct SubmitRequest {
    pub statement: String,
    /// Seconds; zero asks for the maximum, `None` for the parameter's value.
    pub timeout_s: Option<i64>,
    /// These four are case-sensitive: compared as they are.
    pub database: Option<String>,
    pub schema: Option<String>,
    pub warehouse: Option<String>,
    pub role: Option<String>,
    pub bindings: Bindings,
    pub parameters: SessionParameters,
    pub wait: Wait,
    pub nulls: Nulls,
    pub request_id: Option<Uuid>,
    pub submission: Submission,
    pub sender: Sender,
    pub changes: Changes,
    pub if_left: IfLeft,
    /// A kept session to run in.
    pub session: Option<Uuid>,
    /// Where the request came from, and where the server that took it listens.
    pub client_address: Option<IpAddr>,
    pub server_address: Option<SocketAddr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Up to the synchronous wait.
    ForOutcome,
    /// Not at all: `async=true`.
    ForHandle,
}

/// Whether the request may change anything that outlasts its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    Allowed,
    Refused,
}

/// What becomes of a statement whose client does not wait for its answer any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfLeft {
    GoOn,
    Cancel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submission {
    First,
    /// `retry=true`: the first submission's outcome is wanted if there was one.
    Retry,
}
