//! A statement request, decoded from whatever carried it.

use std::net::{IpAddr, SocketAddr};

use firn_catalog::registry::{ResultFormat, Sender};
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
    pub result_format: FormatWish,
    pub request_id: Option<Uuid>,
    pub submission: Submission,
    pub sender: Sender,
    pub changes: Changes,
    pub if_left: IfLeft,
    /// A kept session to run in.
    pub session: Option<Uuid>,
    /// What only drivers ask for; `None` for requests of the statement API.
    pub driver: Option<DriverRequest>,
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

/// In what format a client reads results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FormatWish {
    #[default]
    Json,
    /// Arrow for the rows of queries; lists, counts and messages are JSON.
    Arrow,
    ArrowForAll,
}

impl FormatWish {
    /// By the value of a session parameter such as PYTHON_CONNECTOR_QUERY_RESULT_FORMAT.
    #[must_use]
    pub fn of_parameter(value: &str) -> Option<Self> {
        match value.to_ascii_uppercase().as_str() {
            "JSON" => Some(Self::Json),
            "ARROW" => Some(Self::Arrow),
            "ARROW_FORCE" => Some(Self::ArrowForAll),
            _ => None,
        }
    }

    /// Of the rows of a query.
    #[must_use]
    pub fn of_queries(self) -> ResultFormat {
        match self {
            Self::Json => ResultFormat::Json,
            Self::Arrow | Self::ArrowForAll => ResultFormat::Arrow,
        }
    }

    /// Of rows that the server makes itself.
    #[must_use]
    pub fn of_local_rows(self) -> ResultFormat {
        match self {
            Self::Json | Self::Arrow => ResultFormat::Json,
            Self::ArrowForAll => ResultFormat::Arrow,
        }
    }
}

/// Whether the request may change anything that outlasts its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    Allowed,
    Refused,
}

/// Whether who sends the request carries files for PUT and GET.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transfers {
    #[default]
    Refused,
    /// A driver does.
    Carried,
}

impl Transfers {
    pub fn of(request: &SubmitRequest) -> Self {
        if request.driver.is_some() { Self::Carried } else { Self::Refused }
    }
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

/// What a driver asks for beside the statement. Its requests run in a session that lasts: they wait for their turn in it, and a
/// transaction outlasts them.
#[derive(Clone, Debug)]
pub struct DriverRequest {
    /// Session parameters for this request alone, by their names in upper case. What cannot be set is ignored.
    pub parameters: Vec<(String, String)>,
    /// The session parameter that decides the format of results, where it is set.
    pub format_parameter: Option<&'static str>,
    pub purpose: Purpose,
    /// The driver's name and version, where it logs in.
    pub client: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Run,
    /// The columns of the result are wanted, and nothing is run.
    Describe,
}
