//! What could be added to a semantic model, from what was asked and run: as far as the caller may see it, and only over
//! tables that the caller's role can read.

pub mod definitions;
pub mod queries;

use std::cell::RefCell;
use std::sync::Arc;

use firn_analyst::past_queries::{KnownTables, PastQuery, Usage, distinct_queries};
use firn_analyst::semantic_model::{SemanticModel, TableSource};
use firn_catalog::Caller;
use firn_catalog::registry::EndState;
use firn_sql::{ObjectName, names_in_text};
use firn_statements::{ReadError, ReadStop, Reader, StatementError};
use serde::Deserialize;
use utoipa::ToSchema;

use super::model_sources::{self, LoadedModel};
use super::request::{ModelEntry, ModelSource};
use super::supervision::{Unfinished, watched};
use crate::error::ApiError;
use crate::state::AppState;

const LIMIT_DEFAULT: i64 = 20;
const LIMIT_MAX: i64 = 100;
const OFFSET_MAX: i64 = 10_000;
/// The weight of evidence that makes a score of one half.
const HALF_WEIGHT: f64 = 4.0;

/// The fields that requests for suggestions share.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = AnalystSuggestionsRequest)]
#[serde(expecting = "a JSON object")]
pub struct SuggestionsFields {
    /// The model that the suggestions are for; exactly one of the fields is there.
    semantic_model: Option<ModelEntry>,
    /// The warehouse whose turn the work waits for; the user's own when absent.
    warehouse: Option<String>,
    /// How many suggestions of the ranking are passed over; none when absent.
    #[schema(minimum = 0, maximum = 10_000)]
    offset: Option<i64>,
    /// How many suggestions are wanted at most; 20 when absent.
    #[schema(minimum = 1, maximum = 100)]
    limit: Option<i64>,
}

/// A checked request.
#[derive(Debug)]
pub struct SuggestionsRequest {
    source: ModelSource,
    warehouse: Option<String>,
    page: Page,
}

/// A part of a ranking.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    offset: usize,
    limit: usize,
}

impl SuggestionsFields {
    pub fn check(self) -> Result<SuggestionsRequest, ApiError> {
        let missing = "Field `semantic_model` is missing; it names the semantic model that suggestions are for.";
        let entry = self.semantic_model.ok_or_else(|| ApiError::InvalidPayload(missing.to_owned()))?;
        let source = entry.source("semantic_model", &[])?;
        let page = Page {
            offset: within("offset", self.offset.unwrap_or(0), 0, OFFSET_MAX)?,
            limit: within("limit", self.limit.unwrap_or(LIMIT_DEFAULT), 1, LIMIT_MAX)?,
        };
        Ok(SuggestionsRequest { source, warehouse: self.warehouse, page })
    }
}

fn within(field: &str, given: i64, least: i64, most: i64) -> Result<usize, ApiError> {
    let refused = || ApiError::InvalidPayload(format!("Field `{field}` is {given}; it can be {least} to {most}."));
    let is_allowed = (least..=most).contains(&given);
    usize::try_from(given).ok().filter(|_| is_allowed).ok_or_else(refused)
}

impl Page {
    /// The page of a ranking; what lies behind it is not worked out.
    fn of<T>(self, ranked: impl Iterator<Item = Result<T, ApiError>>) -> Result<Vec<T>, ApiError> {
        let mut page = Vec::new();
        for (place, item) in ranked.enumerate().take(self.offset + self.limit) {
            let item = item?;
            if place >= self.offset {
                page.push(item);
            }
        }
        Ok(page)
    }
}

/// From 0 to 1, growing with the evidence.
fn score(weight: f64) -> f64 {
    let score = weight / (weight + HALF_WEIGHT);
    (score * 1_000.0).round() / 1_000.0
}

/// The model, and what the caller sees through it.
pub struct Work {
    pub reader: RefCell<Reader>,
    pub loaded: LoadedModel,
    pub page: Page,
}

/// Loads the model and does the work as the caller, in the warehouse's turn, for no longer than a question may take.
pub async fn worked_out<T: Send + 'static>(
    app: AppState,
    caller: Caller,
    role: Option<String>,
    request: SuggestionsRequest,
    work: impl FnOnce(&Work) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let wait = app.limits.analyst.answer_wait;
    let turn = app.statements.turn_to_read(&caller, role.as_deref(), request.warehouse.as_deref());
    let slot = tokio::time::timeout(wait, turn).await.map_err(|_| ApiError::AnalystTooSlow)??;
    let stop = Arc::<ReadStop>::default();
    let reading = Arc::clone(&stop);
    let blocking = move || {
        let reader = RefCell::new(app.statements.reader(&caller, role.as_deref(), reading)?);
        let loaded = model_sources::load(&app, &caller, role.as_deref(), &request.source, &reader)?;
        let done = work(&Work { reader, loaded, page: request.page });
        drop(slot);
        done
    };
    match watched(stop, wait, blocking).await {
        Ok(done) => done,
        Err(Unfinished::TooSlow) => Err(ApiError::AnalystTooSlow),
        Err(Unfinished::Panicked) => Err(ApiError::Panicked),
    }
}

impl Work {
    fn model(&self) -> &SemanticModel {
        &self.loaded.read.model
    }

    /// The tables that the caller's role can read, and a warning for each of the others.
    fn known_tables(&self) -> Result<(KnownTables<'_>, Vec<String>), ApiError> {
        let mut warnings = self.loaded.read.warnings.clone();
        let mut columns = Vec::new();
        for table in &self.model().tables {
            let TableSource::BaseTable { .. } = &table.source else {
                columns.push(None);
                continue;
            };
            let source = table.source.sql();
            let name = names_in_text(&source).ok().and_then(ObjectName::of_parts);
            let described = name.map(|name| self.reader.borrow_mut().describe(&name)).transpose();
            match described {
                Ok(Some(found)) => columns.push(Some(found.columns.iter().map(|column| column.name.clone()).collect())),
                Ok(None) | Err(ReadError::Refused(_)) => {
                    let name = &table.name;
                    warnings.push(format!("Table '{name}' cannot be used: {source} does not exist or not authorized."));
                    columns.push(None);
                }
                Err(other) => return Err(read_failure(other)),
            }
        }
        Ok((KnownTables { model: self.model(), columns }, warnings))
    }

    /// The queries of the visible history that succeeded, each once.
    fn past_queries(&self) -> Result<Vec<(PastQuery, Usage)>, ApiError> {
        let history = self.reader.borrow().visible_history().map_err(read_failure)?;
        let succeeded = history.into_iter().filter(|statement| statement.state == Some(EndState::Succeeded));
        let queries = succeeded.map(|statement| PastQuery {
            text: statement.text,
            database: statement.database,
            schema: statement.schema,
            user_id: statement.user_id,
            ran_on_ms: statement.created_on_ms,
        });
        Ok(distinct_queries(queries.collect()))
    }
}

fn read_failure(error: ReadError) -> ApiError {
    match error {
        ReadError::Refused(failure) => ApiError::NotAuthorised(failure.message),
        ReadError::Stopped => ApiError::AnalystTooSlow,
        ReadError::Internal(cause) => ApiError::Statement(StatementError::Internal(cause)),
    }
}

/// `3 statements of 2 users`.
fn counted(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}
