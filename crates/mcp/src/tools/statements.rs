//! Running a statement, fetching more of its rows, and cancelling it.

use std::time::Duration;

use firn_sql::names::stored_name;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};
use tokio::time::Instant;
use uuid::Uuid;

use super::{Call, tool};
use crate::api::{Answer, Api, CANCEL_IF_LEFT, Request};
use crate::handler::Writes;
use crate::page::{Columns, Page, ROWS_DEFAULT, ROWS_MAX, Section};
use crate::reply::{ToolError, ToolResult, success};

const STATEMENTS: &str = "/api/v2/statements";
const READ_ONLY: &str = "X-Firn-Read-Only";
/// How long `fetch_rows` waits for a statement that runs: less than clients wait for a tool.
const FETCH_WAIT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Beyond any result; sums with it do not overflow.
const OFFSET_MAX: u64 = 1 << 52;
const TIMEOUT_S_MAX: u64 = 604_800;

pub fn tools(writes: Writes) -> Vec<Tool> {
    vec![run_statement(writes), fetch_rows(), cancel_statement()]
}

fn run_statement(writes: Writes) -> Tool {
    let mut properties = json!({
        "statement": {"type": "string", "description": "One SQL statement."},
        "bindings": {"type": "array", "items": {"type": "string"}, "description": "Values of the placeholders ? in the statement, in their order, as texts."},
        "database": {"type": "string", "description": "Database of names without one, exactly as list_databases shows it."},
        "schema": {"type": "string", "description": "Schema of names without one, exactly as list_schemas shows it."},
        "role": {"type": "string", "description": "Role to use."},
        "warehouse": {"type": "string", "description": "Warehouse to use."},
        "timeout_s": {"type": "integer", "minimum": 1, "maximum": TIMEOUT_S_MAX, "description": "Seconds after which the statement is cancelled."},
        "max_rows": {"type": "integer", "minimum": 1, "maximum": ROWS_MAX, "description": "Rows to return at once; 100 when absent."},
    });
    let reads = "Runs one SQL statement and returns the first rows of its result. It may only read: SELECT, SHOW, DESCRIBE, \
                 EXPLAIN and the like; what would change something is refused.";
    if writes == Writes::Refused {
        return tool(
            "run_statement",
            "Run a statement",
            reads,
            json!({"properties": properties, "required": ["statement"]}),
        );
    }
    properties["allow_writes"] = json!({"type": "boolean", "description": "true: the statement may change data, definitions and privileges. Ask the user before."});
    let changes = "Runs one SQL statement and returns the first rows of its result. Without allow_writes it may only read, \
                   and what would change something is refused.";
    tool("run_statement", "Run a statement", changes, json!({"properties": properties, "required": ["statement"]}))
        .with_annotations(
            ToolAnnotations::with_title("Run a statement").read_only(false).destructive(true).open_world(false),
        )
}

fn fetch_rows() -> Tool {
    let description = "Returns rows of a result by the handle of its statement, from an offset on. Waits for a statement \
                       that still runs.";
    tool(
        "fetch_rows",
        "Fetch rows",
        description,
        json!({"properties": {
            "handle": {"type": "string", "description": "The handle that run_statement returned."},
            "offset": {"type": "integer", "minimum": 0, "description": "The first row to return, counted from 0."},
            "max_rows": {"type": "integer", "minimum": 1, "maximum": ROWS_MAX, "description": "Rows to return at once; 100 when absent."},
            "columns": {"type": "array", "items": {"type": "string"}, "description": "Only these columns."},
            "column_offset": {"type": "integer", "minimum": 0, "description": "Instead of columns: the first column to return of a wide result, counted from 0."},
        }, "required": ["handle"]}),
    )
}

fn cancel_statement() -> Tool {
    let schema = json!({"properties": {"handle": {"type": "string", "description": "The handle of the statement."}},
        "required": ["handle"]});
    tool("cancel_statement", "Cancel a statement", "Stops a statement of the caller that still runs.", schema)
        .with_annotations(
            ToolAnnotations::with_title("Cancel a statement").read_only(false).destructive(false).open_world(false),
        )
}

impl<A: Api> Call<'_, A> {
    pub async fn run_statement(&self) -> ToolResult {
        let text = |name| self.arguments.text(name);
        let stored = |name| text(name).map(|given| given.map(stored_name));
        let names = &self.options.names;
        let values = self.arguments.texts("bindings")?.unwrap_or_default();
        let body = json!({
            "statement": self.arguments.required_text("statement")?,
            "bindings": bindings(&values),
            "database": stored("database")?.or_else(|| names.database.clone()),
            "schema": stored("schema")?.or_else(|| names.schema.clone()),
            "role": stored("role")?.or_else(|| names.role.clone()),
            "warehouse": stored("warehouse")?.or_else(|| names.warehouse.clone()),
            "timeout": self.arguments.number("timeout_s", 1..=TIMEOUT_S_MAX)?,
        });
        let answer = self.submit(body, self.asked_writes()?).await?;
        let outcome = self.outcome(&answer, &self.section(Columns::From(0))?).await;
        outcome.map_err(|error| match error.is_of_read_only_request() {
            true => error.with_way_out(self.way_to_write()),
            false => error,
        })
    }

    fn way_to_write(&self) -> &'static str {
        match self.options.writes {
            Writes::OnRequest => "the statement changes something: ask the user, then call again with allow_writes",
            Writes::Refused => {
                "changes are switched off for agents here; who runs the server or the command can allow them"
            }
        }
    }

    fn asked_writes(&self) -> Result<Writes, ToolError> {
        let asked = self.options.writes == Writes::OnRequest && self.arguments.flag("allow_writes")? == Some(true);
        Ok(if asked { Writes::OnRequest } else { Writes::Refused })
    }

    /// Runs a statement of the tools' own, or one of the analyst's, which only read.
    pub async fn run_reading(&self, sql: &str, values: &[&str]) -> Result<Answer, ToolError> {
        let names = &self.options.names;
        let body = json!({"statement": sql, "bindings": bindings(values), "database": names.database,
            "schema": names.schema, "role": names.role, "warehouse": names.warehouse});
        self.submit(body, Writes::Refused).await
    }

    async fn submit(&self, body: Value, writes: Writes) -> Result<Answer, ToolError> {
        let read_only = (writes == Writes::Refused).then_some("true");
        let request = Request::post(STATEMENTS, body).with_header(READ_ONLY, read_only);
        Ok(self.api.send(request.with_header(CANCEL_IF_LEFT, Some("true"))).await?)
    }

    /// The rows of a statement that has succeeded, the handle of one that runs, the error of one that has not.
    pub async fn outcome(&self, answer: &Answer, section: &Section<'_>) -> ToolResult {
        match answer.status {
            200 => success(&Page::read(self.api, answer, section).await?),
            202 => success(&running(answer)),
            _ => Err(ToolError::of(answer)),
        }
    }

    pub fn section<'b>(&'b self, columns: Columns<'b>) -> Result<Section<'b>, ToolError> {
        let rows_max = self.arguments.number("max_rows", 1..=ROWS_MAX as u64)?.unwrap_or(ROWS_DEFAULT as u64);
        Ok(Section { offset: 0, rows_max: usize::try_from(rows_max).unwrap_or(ROWS_MAX), columns })
    }

    pub async fn fetch_rows(&self) -> ToolResult {
        let handle = self.handle()?;
        let section = Section {
            offset: self.arguments.number("offset", 0..=OFFSET_MAX)?.unwrap_or_default(),
            ..self.section(self.columns()?)?
        };
        let until = Instant::now() + FETCH_WAIT;
        loop {
            let answer = self.api.send(Request::get(format!("{STATEMENTS}/{handle}"))).await?;
            if answer.status != 202 || Instant::now() >= until {
                return self.outcome(&answer, &section).await;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    fn columns(&self) -> Result<Columns<'_>, ToolError> {
        let first = self.arguments.number("column_offset", 0..=OFFSET_MAX)?;
        match (self.arguments.texts("columns")?, first) {
            (Some(_), Some(_)) => Err(ToolError::new("give one of `columns` and `column_offset`")),
            (Some(names), None) => Ok(Columns::Named(names)),
            (None, first) => Ok(Columns::From(usize::try_from(first.unwrap_or_default()).unwrap_or(usize::MAX))),
        }
    }

    pub async fn cancel_statement(&self) -> ToolResult {
        let handle = self.handle()?;
        let answer = self.api.send(Request::post(&format!("{STATEMENTS}/{handle}/cancel"), json!({}))).await?;
        match answer.status {
            200 => success(&json!({"handle": handle.to_string(), "state": "cancelled"})),
            _ => Err(ToolError::of(&answer)),
        }
    }

    fn handle(&self) -> Result<Uuid, ToolError> {
        let text = self.arguments.required_text("handle")?;
        Uuid::parse_str(text).map_err(|_| ToolError::new(format!("`{text}` is no handle of a statement")))
    }
}

fn bindings(values: &[&str]) -> Value {
    let numbered = values.iter().enumerate();
    numbered.map(|(index, value)| ((index + 1).to_string(), json!({"type": "TEXT", "value": value}))).collect()
}

fn running(answer: &Answer) -> Value {
    let body = answer.json();
    json!({
        "handle": body["statementHandle"],
        "state": "running",
        "progress": body["progress"],
        "note": "The statement still runs; fetch_rows with this handle waits for it, cancel_statement stops it.",
    })
}
