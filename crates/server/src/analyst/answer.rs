//! One question's way: read the models, look at the data, interpret, check the SQL as the caller, tell.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use firn_catalog::{AnalystRequest, Caller};
use firn_statements::{ReadError, ReadStop, Reader, StatementError};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::evidence::DataEvidence;
use super::interpret::{Category, Interpreted, interpret};
use super::llm;
use super::model_sources::{self, LoadedModel};
use super::reply::{Block, Confidence, ModelSelection, Reply, ReplyMessage, ResponseMetadata, Warning};
use super::request::{MessageRequest, ModelSource, Models};
use super::table_checks;
use crate::error::ApiError;
use crate::state::{App, AppState};

/// The longest a question may take.
const ANSWER_WAIT: Duration = Duration::from_secs(60);
/// What of it a language model may take.
const LANGUAGE_MODEL_WAIT: Duration = Duration::from_secs(50);
const WARNINGS_MAX: usize = 50;

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Interpreting,
    GeneratingSql,
    ValidatingSql,
    GeneratingSuggestions,
    Done,
}

impl Progress {
    /// The contract's word, and a text for people.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Interpreting => ("interpreting_question", "Interpreting question"),
            Self::GeneratingSql => ("generating_sql", "Generating SQL"),
            Self::ValidatingSql => ("validating_sql", "Validating SQL"),
            Self::GeneratingSuggestions => ("generating_suggestions", "Generating suggestions"),
            Self::Done => ("done", "Done"),
        }
    }
}

/// A question on its way.
pub struct Asking {
    pub app: AppState,
    pub caller: Caller,
    pub role: Option<String>,
    pub request_id: Uuid,
    pub request: MessageRequest,
    pub stop: Arc<ReadStop>,
}

/// Stops the work when whoever waits for it is gone.
struct StopWhenDropped(Arc<ReadStop>);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Asking {
    /// The answer; `report` hears how far it is.
    pub async fn answer(self, report: Option<mpsc::Sender<Progress>>) -> Result<Reply, ApiError> {
        let _stop = StopWhenDropped(Arc::clone(&self.stop));
        let stop = Arc::clone(&self.stop);
        let mut work = tokio::task::spawn_blocking(move || Work { asking: self, report, began: Instant::now() }.run());
        match tokio::time::timeout(ANSWER_WAIT, &mut work).await {
            Ok(ended) => ended.unwrap_or(Err(ApiError::Panicked)),
            Err(_) => {
                stop.stop();
                Err(ApiError::AnalystTooSlow)
            }
        }
    }
}

struct Work {
    asking: Asking,
    report: Option<mpsc::Sender<Progress>>,
    began: Instant,
}

impl Work {
    fn run(self) -> Result<Reply, ApiError> {
        let Asking { app, caller, role, request, stop, .. } = &self.asking;
        self.reached(Progress::Interpreting);
        let reader = app.statements.reader(caller, role.as_deref(), Arc::clone(stop))?;
        let reader = RefCell::new(reader);
        let loaded = load_all(app, caller, role.as_deref(), &request.models, &reader)?;
        let (index, model, interpreted) = self.best(&loaded, &reader)?;
        let evidence = self.evidence(model, &reader);
        let interpreted = self.refined(model, &evidence, interpreted);
        let mut warnings = model.read.warnings.clone();
        warnings.extend(table_checks::warnings(&model.read.model, &evidence));
        warnings.extend(interpreted.warnings.iter().cloned());
        let content = self.content(&interpreted, &reader)?;
        let selection = match request.models {
            Models::One(_) => None,
            Models::Several(_) => Some(ModelSelection { index, identifier: model.identifier.clone() }),
        };
        warnings.truncate(WARNINGS_MAX);
        let reply = Reply {
            request_id: self.asking.request_id.to_string(),
            message: ReplyMessage { role: "analyst", content },
            warnings: warnings.into_iter().map(|message| Warning { message }).collect(),
            response_metadata: ResponseMetadata {
                model_names: interpreted.model_names.clone(),
                question_category: interpreted.category.word().to_owned(),
                search_retrieval: interpreted.search_retrieval.clone(),
                analyst_latency_ms: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
                analyst_orchestration_path: match interpreted.verified_query {
                    Some(_) => "vqr_fast_path".to_owned(),
                    None => "regular_sqlgen".to_owned(),
                },
            },
            semantic_model_selection: selection,
        };
        self.note(&reply, &model.read.model.name, reader.borrow().role())?;
        Ok(reply)
    }

    /// The model that answers best, and its answer.
    fn best<'l>(
        &self,
        loaded: &'l [LoadedModel],
        reader: &RefCell<Reader>,
    ) -> Result<(usize, &'l LoadedModel, Interpreted), ApiError> {
        let mut best: Option<(usize, &LoadedModel, Interpreted)> = None;
        for (index, model) in loaded.iter().enumerate() {
            if self.asking.stop.is_stopped() {
                return Err(ApiError::AnalystTooSlow);
            }
            let request = &self.asking.request;
            let evidence = self.evidence(model, reader);
            let interpreted = interpret(&model.read.model, &request.question, &request.history, &evidence);
            if best.as_ref().is_none_or(|(_, _, other)| interpreted.confidence > other.confidence) {
                best = Some((index, model, interpreted));
            }
        }
        best.ok_or_else(|| ApiError::InvalidModel("No semantic model is given.".to_owned()))
    }

    /// The language model's answer, where there is one and it is wanted.
    fn refined(&self, model: &LoadedModel, evidence: &DataEvidence<'_>, builtin: Interpreted) -> Interpreted {
        let Some(endpoint) = &self.asking.app.language_model else { return builtin };
        let question = llm::Question {
            model: &model.read.model,
            text: &self.asking.request.question,
            history: &self.asking.request.history,
            evidence,
            deadline: self.began + LANGUAGE_MODEL_WAIT,
        };
        llm::refine(endpoint, self.asking.app.analyst_mode, &question, builtin)
    }

    fn evidence<'a>(&'a self, model: &'a LoadedModel, reader: &'a RefCell<Reader>) -> DataEvidence<'a> {
        DataEvidence {
            model: &model.read.model,
            reader,
            cache: &self.asking.app.evidence,
            change: self.asking.app.statements.changes_so_far(),
            began: self.began,
        }
    }

    /// Text and SQL that the caller can run, or text and what can be asked instead.
    fn content(&self, interpreted: &Interpreted, reader: &RefCell<Reader>) -> Result<Vec<Block>, ApiError> {
        let text = Block::Text { text: interpreted.text.clone() };
        let Some(sql) = &interpreted.sql else {
            return Ok(self.without_sql(text, interpreted));
        };
        self.reached(Progress::GeneratingSql);
        let statement = format!("{sql}\n-- Generated by the analyst (request_id: {})", self.asking.request_id);
        self.reached(Progress::ValidatingSql);
        match reader.borrow_mut().prepare(&statement) {
            Ok(()) => {
                let confidence = Confidence { verified_query_used: interpreted.verified_query.clone() };
                Ok(vec![text, Block::Sql { statement, confidence }])
            }
            Err(ReadError::Refused(failure)) if failure.code == "002003" => {
                Err(ApiError::NotAuthorised(failure.message))
            }
            Err(ReadError::Refused(failure)) => {
                let reason = failure.message.replace('\n', " ");
                let text = format!("{} It cannot be answered: {reason}", interpreted.text);
                Ok(self.without_sql(Block::Text { text }, interpreted))
            }
            Err(ReadError::Stopped) => Err(ApiError::AnalystTooSlow),
            Err(ReadError::Internal(cause)) => Err(ApiError::Statement(StatementError::Internal(cause))),
        }
    }

    /// Text, and what can be asked instead where anything can.
    fn without_sql(&self, text: Block, interpreted: &Interpreted) -> Vec<Block> {
        self.reached(Progress::GeneratingSuggestions);
        let suggestions = interpreted.suggestions.clone();
        match suggestions.is_empty() {
            true => vec![text],
            false => vec![text, Block::Suggestions { suggestions }],
        }
    }

    fn note(&self, reply: &Reply, model: &str, role: &str) -> Result<(), ApiError> {
        let sql = reply.message.content.iter().find_map(|block| match block {
            Block::Sql { statement, .. } => Some(statement.clone()),
            _ => None,
        });
        let noted = AnalystRequest {
            request_id: self.asking.request_id,
            user_id: self.asking.caller.user.id,
            role: role.to_owned(),
            question: self.asking.request.question.clone(),
            semantic_model: model.to_owned(),
            category: reply.response_metadata.question_category.clone(),
            sql,
        };
        let noted = self.asking.app.catalog.note_analyst_request(&noted);
        noted.map_err(|error| ApiError::Statement(StatementError::from(error)))
    }

    /// Whoever is not listening does not hold the work up.
    fn reached(&self, progress: Progress) {
        if let Some(report) = &self.report {
            let _ = report.try_send(progress);
        }
    }
}

fn load_all(
    app: &App,
    caller: &Caller,
    role: Option<&str>,
    models: &Models,
    reader: &RefCell<Reader>,
) -> Result<Vec<LoadedModel>, ApiError> {
    let sources: &[ModelSource] = match models {
        Models::One(source) => std::slice::from_ref(source),
        Models::Several(sources) => sources,
    };
    sources.iter().map(|source| model_sources::load(app, caller, role, source, reader)).collect()
}

impl Category {
    fn word(self) -> &'static str {
        match self {
            Self::ClearSql => "CLEAR_SQL",
            Self::Onboarding => "ONBOARDING",
            Self::Ambiguous => "AMBIGUOUS",
            Self::Unanswerable => "UNANSWERABLE",
        }
    }
}
