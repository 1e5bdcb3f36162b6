//! Runs the SQL of an answer as the caller, as a statement of theirs, and adds what came out: the statement's handle, an
//! answer in words and a chart.

use std::time::Duration;

use firn_catalog::Caller;
use firn_catalog::registry::Sender;
use firn_sql::bindings::Bindings;
use firn_statements::parameters::SessionParameters;
use firn_statements::request::{Changes, FormatWish, IfLeft, Submission, Wait};
use firn_statements::{StatementView, SubmitRequest};
use firn_values::formats::Nulls;
use tokio::sync::mpsc;

use super::chart::chart;
use super::progress::Progress;
use super::reply::{Block, Reply, Warning};
use super::result_table::ResultTable;
use super::rows_in_words::in_words;
use crate::error::ApiError;
use crate::state::AppState;

/// Rows that words and charts look at.
const ROWS_READ: usize = 500;

/// Who runs a statement, under which role, where, and until when.
pub struct Execution {
    pub app: AppState,
    pub caller: Caller,
    pub role: Option<String>,
    pub warehouse: Option<String>,
    pub time_left: Duration,
    pub report: Option<mpsc::Sender<Progress>>,
}

impl Execution {
    /// Adds to an answer with SQL what the SQL returns; an answer without is left as it is.
    pub async fn complete(self, reply: &mut Reply) -> Result<(), ApiError> {
        let Some(sql) = reply.message.content.iter().find_map(Block::statement).map(str::to_owned) else {
            return Ok(());
        };
        self.reached(Progress::ExecutingSql);
        let view = self.read(sql).await?;
        let content = &mut reply.message.content;
        match view {
            StatementView::Succeeded(result) => {
                self.reached(Progress::GeneratingAnswer);
                let table = ResultTable::of(&result, ROWS_READ);
                content.push(Block::Results { query_id: result.handle.to_string() });
                content.push(Block::Text { text: in_words(&table) });
                content.extend(chart(&table).map(|spec| Block::Chart { chart_spec: spec.to_string() }));
            }
            StatementView::Running { handle, .. } => {
                content.push(Block::Results { query_id: handle.to_string() });
                let text = format!("The query is still running; GET /api/v2/statements/{handle} gives its rows.");
                content.push(Block::Text { text });
            }
            StatementView::Failed(failed) | StatementView::TimedOut(failed) | StatementView::Cancelled(failed) => {
                let message = format!("The query failed: {}", failed.message.replace('\n', " "));
                content.push(Block::Text { text: message.clone() });
                reply.warnings.push(Warning { message });
            }
        }
        Ok(())
    }

    /// Submits the SQL of an answer, which only reads, and waits for its outcome.
    async fn read(&self, statement: String) -> Result<StatementView, ApiError> {
        Ok(self.app.statements.submit(&self.caller, self.request(statement, Changes::Refused)).await?)
    }

    /// Submits a statement that changes something, and waits for its outcome.
    pub async fn change(&self, statement: String) -> Result<StatementView, ApiError> {
        Ok(self.app.statements.submit(&self.caller, self.request(statement, Changes::Allowed)).await?)
    }

    fn request(&self, statement: String, changes: Changes) -> SubmitRequest {
        SubmitRequest {
            statement,
            timeout_s: Some(i64::try_from(self.time_left.as_secs()).unwrap_or(i64::MAX).max(1)),
            database: None,
            schema: None,
            warehouse: self.warehouse.clone(),
            role: self.role.clone(),
            bindings: Bindings::default(),
            parameters: SessionParameters::default(),
            wait: Wait::ForOutcome,
            nulls: Nulls::Null,
            result_format: FormatWish::Json,
            request_id: None,
            submission: Submission::First,
            sender: Sender::User,
            changes,
            if_left: IfLeft::Cancel,
            session: None,
            driver: None,
            client_address: None,
            server_address: self.app.listening,
        }
    }

    fn reached(&self, progress: Progress) {
        if let Some(report) = &self.report {
            let _ = report.try_send(progress);
        }
    }
}
