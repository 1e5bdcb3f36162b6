//! Statements on their way: submitted, asked for until they end, their partitions fetched, cancelled.

use std::error::Error;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Server;
use super::http::Answer;
use super::sessions::Context;

const ATTEMPTS_MAX: usize = 4;
const RETRY_WAIT: Duration = Duration::from_millis(500);
const RETRY_WAIT_MAX: Duration = Duration::from_secs(10);

/// The handles that a request got.
#[derive(Clone, Debug)]
pub struct Submitted {
    /// Of the whole request.
    pub handle: String,
    /// Of each statement.
    pub statements: Vec<String>,
}

/// What became of a statement.
pub enum Outcome {
    /// With what the server tells about its progress.
    Running(Option<String>),
    Succeeded(ResultHead),
    Failed(StatementFailure),
}

#[derive(Clone, Debug)]
pub struct StatementFailure {
    pub code: String,
    pub sql_state: String,
    pub message: String,
}

/// A result's description, and its first partition.
#[derive(Debug)]
pub struct ResultHead {
    pub handle: String,
    pub columns: Vec<Column>,
    pub row_count: u64,
    pub partition_count: usize,
    pub code: String,
    body: Vec<u8>,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    /// The type as the wire names it.
    #[serde(rename = "type")]
    pub kind: String,
}

/// The rows of a partition, as they came.
pub struct Partition(Vec<u8>);

#[derive(Deserialize)]
struct Rows<'a> {
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Success {
    code: String,
    statement_handle: String,
    result_set_meta_data: MetaData,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MetaData {
    num_rows: u64,
    partition_info: Vec<Value>,
    row_type: Vec<Column>,
}

impl Server {
    /// Submits a text of so many statements without waiting for its end. Sent again under the same id, it runs once.
    pub fn submit(
        &self,
        text: &str,
        count: usize,
        context: Context<'_>,
    ) -> Result<Result<Submitted, StatementFailure>, Box<dyn Error>> {
        let path = format!("/api/v2/statements?async=true&requestId={}", Uuid::new_v4());
        let body = statement_body(text, count, context);
        let answer = self.post_repeatedly(&path, context, &body)?;
        let read = answer.json();
        let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match answer.status {
            200 | 202 => {
                let handle = text_of(&read["statementHandle"]);
                let children = read["statementHandles"].as_array().cloned().unwrap_or_default();
                let statements = match children.is_empty() {
                    true => vec![handle.clone()],
                    false => children.iter().map(text_of).collect(),
                };
                Ok(Ok(Submitted { handle, statements }))
            }
            408 | 422 => Ok(Err(failure_of(&read))),
            _ => Err(answer.refusal()),
        }
    }

    /// Runs one statement and waits for it in the same request: secrets are in that answer alone.
    pub fn run_at_once(&self, text: &str, context: Context<'_>) -> Result<Outcome, Box<dyn Error>> {
        outcome_of(self.post_in("/api/v2/statements", context, &context.body(text))?)
    }

    pub fn outcome(&self, handle: &str) -> Result<Outcome, Box<dyn Error>> {
        outcome_of(self.get_repeatedly(&format!("/api/v2/statements/{handle}"))?)
    }

    pub fn partition(&self, handle: &str, number: usize) -> Result<Partition, Box<dyn Error>> {
        let answer = self.get_repeatedly(&format!("/api/v2/statements/{handle}?partition={number}"))?;
        if answer.status == 200 { Ok(Partition(answer.body)) } else { Err(answer.refusal()) }
    }

    /// Whether the server has stopped it; what has ended already is not stopped.
    pub fn cancel(&self, handle: &str) -> Result<Cancelled, Box<dyn Error>> {
        let answer = self.post(&format!("/api/v2/statements/{handle}/cancel"), None, &json!({}))?;
        match answer.status {
            200 => Ok(Cancelled::Stopped),
            422 => Ok(Cancelled::EndedBefore),
            _ => Err(answer.refusal()),
        }
    }

    fn post_repeatedly(&self, path: &str, context: Context<'_>, body: &Value) -> Result<Answer, Box<dyn Error>> {
        let mut answer = self.post_in(path, context, body)?;
        for _ in 1..ATTEMPTS_MAX {
            if !is_busy(&answer) {
                break;
            }
            wait_as_asked(&answer);
            answer = self.post_in(&format!("{path}&retry=true"), context, body)?;
        }
        Ok(answer)
    }

    fn get_repeatedly(&self, path: &str) -> Result<Answer, Box<dyn Error>> {
        let mut answer = self.get(path)?;
        for _ in 1..ATTEMPTS_MAX {
            if !is_busy(&answer) {
                break;
            }
            wait_as_asked(&answer);
            answer = self.get(path)?;
        }
        Ok(answer)
    }
}

/// What came of cancelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    Stopped,
    EndedBefore,
}

fn statement_body(text: &str, count: usize, context: Context<'_>) -> Value {
    let mut body = context.body(text);
    if count > 1 {
        body["parameters"] = json!({"MULTI_STATEMENT_COUNT": count.to_string()});
    }
    body
}

fn is_busy(answer: &Answer) -> bool {
    matches!(answer.status, 429 | 503)
}

fn wait_as_asked(answer: &Answer) {
    std::thread::sleep(answer.retry_after.unwrap_or(RETRY_WAIT).min(RETRY_WAIT_MAX));
}

fn outcome_of(answer: Answer) -> Result<Outcome, Box<dyn Error>> {
    match answer.status {
        200 => Ok(Outcome::Succeeded(ResultHead::read(answer.body)?)),
        202 => Ok(Outcome::Running(progress_of(&answer.json()["progress"]))),
        408 | 422 => Ok(Outcome::Failed(failure_of(&answer.json()))),
        _ => Err(answer.refusal()),
    }
}

/// `running, 40 %, 1200 rows` of what the server tells, if it tells anything.
fn progress_of(progress: &Value) -> Option<String> {
    let phase = progress["phase"].as_str()?.to_owned();
    let percent = progress["percent"].as_f64().map(|percent| format!(", {percent:.0} %"));
    let rows = progress["rows"].as_u64().filter(|rows| *rows > 0).map(|rows| format!(", {rows} rows"));
    Some(phase + &percent.unwrap_or_default() + &rows.unwrap_or_default())
}

fn failure_of(body: &Value) -> StatementFailure {
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    StatementFailure { code: text("code"), sql_state: text("sqlState"), message: text("message") }
}

impl ResultHead {
    fn read(body: Vec<u8>) -> Result<Self, Box<dyn Error>> {
        let success: Success =
            serde_json::from_slice(&body).map_err(|error| format!("the server's answer cannot be read: {error}"))?;
        let meta = success.result_set_meta_data;
        Ok(Self {
            handle: success.statement_handle,
            columns: meta.row_type,
            row_count: meta.num_rows,
            partition_count: meta.partition_info.len().max(1),
            code: success.code,
            body,
        })
    }

    pub fn first_partition(&mut self) -> Partition {
        Partition(std::mem::take(&mut self.body))
    }
}

impl Partition {
    /// Hands every row to `take`, one after the other.
    pub fn each_row(&self, take: super::rows::TakeRow<'_>) -> Result<(), Box<dyn Error>> {
        let rows: Rows<'_> = serde_json::from_slice(&self.0)?;
        rows.data.map_or(Ok(()), |data| super::rows::each(data.get(), take))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Names;

    #[test]
    fn progress_is_told_as_far_as_it_is_known() {
        let check = |progress: Value, expected: Option<&str>| assert_eq!(progress_of(&progress).as_deref(), expected);
        check(json!(null), None);
        check(json!({"phase": "queued"}), Some("queued"));
        check(json!({"phase": "running", "percent": 41.6, "rows": 12}), Some("running, 42 %, 12 rows"));
    }

    #[test]
    fn one_statement_says_no_count() {
        let names = Names { database: Some("D".to_owned()), ..Names::default() };
        let body = |text: &str, count: usize| statement_body(text, count, Context::Names(&names));
        assert_eq!(body("select 1", 1)["parameters"], Value::Null);
        assert_eq!(body("select 1; select 2", 2)["parameters"]["MULTI_STATEMENT_COUNT"], "2");
    }
}
