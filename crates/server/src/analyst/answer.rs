//! One question's way: read the models, look at the data, interpret, check the SQL as the caller, tell.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use firn_catalog::{AnalystRequest, Caller};
use firn_statements::{ReadError, ReadStop, Reader, StatementError};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::certainty::rounded;
use super::evidence::DataEvidence;
use super::execution::Execution;
use super::explanation::Explanation;
use super::interpret::{Asked, Category, Interpreted, explain, interpret, reconsider};
use super::llm;
use super::model_sources::{self, LoadedModel};
use super::progress::Progress;
use super::reply::{Block, Confidence, ModelSelection, Reply, ReplyMessage, ResponseMetadata, Warning};
use super::request::{MessageRequest, ModelSource, Models, Operation};
use super::supervision::{Unfinished, watched};
use super::table_checks;
use crate::error::ApiError;
use crate::state::{App, AppState};

/// What a language model leaves of the time that a question may take.
const CHECKING_WAIT: Duration = Duration::from_secs(10);
/// The code of what is not there for the caller.
const NOT_FOUND: &str = "002003";
const WARNINGS_MAX: usize = 50;

/// A question on its way.
pub struct Asking {
    pub app: AppState,
    pub caller: Caller,
    pub role: Option<String>,
    pub request_id: Uuid,
    pub request: MessageRequest,
    pub stop: Arc<ReadStop>,
    pub detail: Detail,
}

/// What is reported beside the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Answer,
    Explained,
}

impl Asking {
    /// The answer; `report` hears how far it is. The warehouse's turn is part of the time it may take.
    pub async fn answer(self, report: Option<mpsc::Sender<Progress>>) -> Result<Reply, ApiError> {
        let began = Instant::now();
        let wait = self.app.limits.analyst.answer_wait;
        let turn =
            self.app.statements.turn_to_read(&self.caller, self.role.as_deref(), self.request.warehouse.as_deref());
        let slot = tokio::time::timeout(wait, turn).await.map_err(|_| ApiError::AnalystTooSlow)??;
        let stop = Arc::clone(&self.stop);
        let execution = self.execution(report.clone());
        let work = move || {
            let answered = Work { asking: self, report, began }.run();
            drop(slot);
            answered
        };
        let mut reply = match watched(stop, wait.saturating_sub(began.elapsed()), work).await {
            Ok(answered) => answered?,
            Err(Unfinished::TooSlow) => return Err(ApiError::AnalystTooSlow),
            Err(Unfinished::Panicked) => return Err(ApiError::Panicked),
        };
        if let Some(execution) = execution {
            let time_left = wait.saturating_sub(began.elapsed());
            Execution { time_left, ..execution }.complete(&mut reply).await?;
        }
        Ok(reply)
    }

    /// What runs the SQL, where an answer in words is asked for.
    fn execution(&self, report: Option<mpsc::Sender<Progress>>) -> Option<Execution> {
        (self.request.operation == Operation::AnswerGeneration).then(|| Execution {
            app: AppState::clone(&self.app),
            caller: self.caller.clone(),
            role: self.role.clone(),
            warehouse: self.request.warehouse.clone(),
            time_left: Duration::ZERO,
            report,
        })
    }
}

struct Work {
    asking: Asking,
    report: Option<mpsc::Sender<Progress>>,
    began: Instant,
}

/// A model and its answer.
struct Candidate<'l> {
    /// Position among the request's models.
    index: usize,
    model: &'l LoadedModel,
    interpreted: Interpreted,
}

impl Work {
    fn run(self) -> Result<Reply, ApiError> {
        let Asking { app, caller, role, request, stop, .. } = &self.asking;
        self.reached(Progress::Interpreting);
        let reader = app.statements.reader(caller, role.as_deref(), Arc::clone(stop))?;
        let reader = RefCell::new(reader);
        let loaded = load_all(app, caller, role.as_deref(), &request.models, &reader)?;
        let Candidate { index, model, interpreted } = self.best(&loaded, &reader)?;
        let evidence = self.evidence(model, &reader);
        let interpreted = self.refined(model, &evidence, interpreted);
        let (interpreted, content) = self.content(model, &evidence, interpreted)?;
        let mut warnings = model.read.warnings.clone();
        warnings.extend(table_checks::warnings(&model.read.model, &evidence));
        warnings.extend(interpreted.warnings.iter().cloned());
        warnings.extend(request.unmet_wishes());
        warnings.truncate(WARNINGS_MAX);
        let explanation = match self.asking.detail {
            Detail::Answer => None,
            Detail::Explained => Some(explain(&self.asked(model, &evidence), &interpreted)),
        };
        let selection = match request.models {
            Models::One(_) => None,
            Models::Several(_) => Some(ModelSelection { index, identifier: model.identifier.clone() }),
        };
        let reply = Reply {
            request_id: self.asking.request_id.to_string(),
            message: ReplyMessage { role: "analyst", content },
            warnings: warnings.into_iter().map(|message| Warning { message }).collect(),
            response_metadata: self.metadata(&interpreted, explanation),
            semantic_model_selection: selection,
        };
        self.note(&reply, &model.read.model.name, reader.borrow().role())?;
        Ok(reply)
    }

    fn metadata(&self, interpreted: &Interpreted, explanation: Option<Explanation>) -> ResponseMetadata {
        ResponseMetadata {
            model_names: interpreted.model_names.clone(),
            confidence: if interpreted.sql.is_some() { rounded(interpreted.confidence) } else { 0.0 },
            unused_words: interpreted.unused.clone(),
            question_category: interpreted.category.word().to_owned(),
            search_retrieval: interpreted.search_retrieval.clone(),
            analyst_latency_ms: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            analyst_orchestration_path: match interpreted.verified_query {
                Some(_) => "vqr_fast_path".to_owned(),
                None => "regular_sqlgen".to_owned(),
            },
            explanation,
        }
    }

    /// The model that answers best, and its answer. One whose tables the role may not read steps back.
    fn best<'l>(&self, loaded: &'l [LoadedModel], reader: &RefCell<Reader>) -> Result<Candidate<'l>, ApiError> {
        let mut candidates = Vec::new();
        for (index, model) in loaded.iter().enumerate() {
            if self.asking.stop.is_stopped() {
                return Err(ApiError::AnalystTooSlow);
            }
            let evidence = self.evidence(model, reader);
            let interpreted = interpret(&self.asked(model, &evidence));
            candidates.push(Candidate { index, model, interpreted });
        }
        candidates.sort_by(|left, right| right.interpreted.rank(&left.interpreted));
        let is_readable = |candidate: &Candidate<'_>| match &candidate.interpreted.sql {
            Some(sql) => !matches!(reader.borrow_mut().prepare(sql), Err(error) if is_unauthorised(&error)),
            None => true,
        };
        let chosen = match candidates.len() {
            1 => 0,
            _ => candidates.iter().position(is_readable).unwrap_or(0),
        };
        let no_model = || ApiError::InvalidModel("No semantic model is given.".to_owned());
        (chosen < candidates.len()).then(|| candidates.swap_remove(chosen)).ok_or_else(no_model)
    }

    fn asked<'a>(&'a self, model: &'a LoadedModel, evidence: &'a DataEvidence<'a>) -> Asked<'a> {
        let request = &self.asking.request;
        Asked {
            model: &model.read.model,
            question: &request.question,
            history: &request.history,
            evidence,
            thresholds: self.asking.app.analyst_thresholds,
        }
    }

    /// The language model's answer, where there is one and it is wanted.
    fn refined(&self, model: &LoadedModel, evidence: &DataEvidence<'_>, builtin: Interpreted) -> Interpreted {
        let Some(endpoint) = &self.asking.app.language_model else { return builtin };
        let question = llm::Question {
            model: &model.read.model,
            text: &self.asking.request.question,
            history: &self.asking.request.history,
            evidence,
            thresholds: self.asking.app.analyst_thresholds,
            report: &|progress| self.reached(progress),
            deadline: self.began + self.asking.app.limits.analyst.answer_wait.saturating_sub(CHECKING_WAIT),
        };
        llm::refine(endpoint, self.asking.app.analyst_mode, &question, builtin)
    }

    fn evidence<'a>(&'a self, model: &'a LoadedModel, reader: &'a RefCell<Reader>) -> DataEvidence<'a> {
        DataEvidence {
            model: &model.read.model,
            reader,
            cache: &self.asking.app.evidence,
            limits: &self.asking.app.limits.analyst,
            change: self.asking.app.statements.changes_so_far(),
            began: self.began,
            bytes_read: Cell::new(0),
            is_partial: Cell::new(false),
        }
    }

    /// Text and SQL that the caller can run, or text and what can be asked instead. An answer whose SQL cannot be run
    /// is reconsidered once.
    fn content(
        &self,
        model: &LoadedModel,
        evidence: &DataEvidence<'_>,
        interpreted: Interpreted,
    ) -> Result<(Interpreted, Vec<Block>), ApiError> {
        if interpreted.sql.is_none() {
            let blocks = self.without_sql(&interpreted);
            return Ok((interpreted, blocks));
        }
        self.reached(Progress::GeneratingSql);
        self.reached(Progress::ValidatingSql);
        let problem = match self.checked(&interpreted, evidence)? {
            Ok(blocks) => return Ok((interpreted, blocks)),
            Err(problem) => problem,
        };
        let second = reconsider(&self.asked(model, evidence), &interpreted, &problem);
        let blocks = match second.sql {
            Some(_) => match self.checked(&second, evidence)? {
                Ok(blocks) => blocks,
                Err(_) => self.without_sql(&second),
            },
            None => self.without_sql(&second),
        };
        Ok((second, blocks))
    }

    /// The blocks of an answer whose SQL the caller can run, or what is wrong with it.
    fn checked(
        &self,
        interpreted: &Interpreted,
        evidence: &DataEvidence<'_>,
    ) -> Result<Result<Vec<Block>, String>, ApiError> {
        let sql = interpreted.sql.as_deref().unwrap_or_default();
        let statement = format!("{sql}\n-- Generated by the analyst (request_id: {})", self.asking.request_id);
        match evidence.reader.borrow_mut().prepare(&statement) {
            Ok(()) => {
                let text = Block::Text { text: interpreted.text.clone() };
                let confidence = Confidence { verified_query_used: interpreted.verified_query.clone() };
                Ok(Ok(vec![text, Block::Sql { statement, confidence }]))
            }
            Err(ReadError::Refused(failure)) if failure.code == NOT_FOUND => {
                Err(ApiError::NotAuthorised(failure.message))
            }
            Err(ReadError::Refused(failure)) => Ok(Err(failure.message.replace('\n', " "))),
            Err(ReadError::Stopped) => Err(ApiError::AnalystTooSlow),
            Err(ReadError::Internal(cause)) => Err(ApiError::Statement(StatementError::Internal(cause))),
        }
    }

    /// Text, and what can be asked instead where anything can.
    fn without_sql(&self, interpreted: &Interpreted) -> Vec<Block> {
        self.reached(Progress::GeneratingSuggestions);
        let text = Block::Text { text: interpreted.text.clone() };
        let suggestions = interpreted.suggestions.clone();
        match suggestions.is_empty() {
            true => vec![text],
            false => vec![text, Block::Suggestions { suggestions }],
        }
    }

    fn note(&self, reply: &Reply, model: &str, role: &str) -> Result<(), ApiError> {
        let sql = reply.message.content.iter().find_map(Block::statement).map(str::to_owned);
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

fn is_unauthorised(error: &ReadError) -> bool {
    matches!(error, ReadError::Refused(failure) if failure.code == NOT_FOUND)
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
