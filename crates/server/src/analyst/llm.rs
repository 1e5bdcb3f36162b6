//! Answers of a language model, where the configuration names one. Its SQL is only a proposal: it must read nothing but
//! the model's tables, passes the same checks as the built-in interpreter's, and is prepared as the caller.

mod agreement;
pub mod endpoint;
mod missing_names;
mod prompt;
mod schema;

use std::time::{Duration, Instant};

use firn_analyst::semantic_model::SemanticModel;
use firn_analyst::semantic_model::logical_sql::{reads_only_logical_tables, with_logical_tables};
use firn_statements::ReadError;

use endpoint::{AnalystMode, Endpoint, Said};

use super::certainty::{Certainty, Thresholds};
use super::evidence::DataEvidence;
use super::interpret::{Asked, Category, Interpreted, asks_for_no_query, proposed};
use super::progress::Progress;
use super::request::PastMessage;

/// No attempt begins when less than this is left.
const WAIT_MIN: Duration = Duration::from_secs(1);

pub struct Question<'a> {
    pub model: &'a SemanticModel,
    pub text: &'a str,
    pub history: &'a [PastMessage],
    pub evidence: &'a DataEvidence<'a>,
    /// When the answer must be there.
    pub deadline: Instant,
    pub thresholds: Thresholds,
    /// Hears how far it is.
    pub report: &'a dyn Fn(Progress),
}

impl<'a> Question<'a> {
    fn asked(&self) -> Asked<'a> {
        let Self { model, text, history, evidence, thresholds, .. } = *self;
        Asked { model, question: text, history, evidence, thresholds }
    }
}

/// The language model's answer where it is wanted and good, else the built-in one, with a warning that says why.
pub fn refine(endpoint: &Endpoint, mode: AnalystMode, question: &Question<'_>, builtin: Interpreted) -> Interpreted {
    let is_no_query = builtin.sql.is_none() && asks_for_no_query(&question.asked());
    let settled = builtin.verified_query.is_some() || builtin.category == Category::Onboarding || is_no_query;
    let is_sure = builtin.sql.is_some() && question.thresholds.of(builtin.confidence) == Certainty::Sure;
    if settled || mode == AnalystMode::Builtin || (mode == AnalystMode::Auto && is_sure) {
        return builtin;
    }
    match propose(endpoint, question, &builtin) {
        Ok((answer, sql)) => {
            if let Some(name) = missing_names::left_out(question.text, &builtin.missing, &sql) {
                let problem = format!("neither the model nor the data have ‘{name}’");
                return fallen_back(endpoint, builtin, &problem);
            }
            (question.report)(Progress::ComparingReadings);
            let judged = agreement::judged(question, builtin.clone(), answer);
            match question.thresholds.of(judged.confidence) {
                Certainty::TooLow => too_low(endpoint, builtin, &judged),
                _ => judged,
            }
        }
        Err(problem) => fallen_back(endpoint, builtin, &problem),
    }
}

/// The built-in answer, with why the language model's is not given.
fn fallen_back(endpoint: &Endpoint, builtin: Interpreted, problem: &str) -> Interpreted {
    let mut answer = builtin;
    answer.warnings.push(format!(
        "The language model {} gave no usable answer ({problem}); the built-in interpreter answered.",
        endpoint.model()
    ));
    answer
}

/// The same where the language model's reading is less sure than answers have to be: its words stand beside the suggestions.
fn too_low(endpoint: &Endpoint, builtin: Interpreted, judged: &Interpreted) -> Interpreted {
    let problem = match judged.unused.is_empty() {
        true => "its reading is not sure enough".to_owned(),
        false => format!("its reading leaves out {}", judged.unused.join(", ")),
    };
    let unused = if builtin.sql.is_some() { builtin.unused.clone() } else { judged.unused.clone() };
    fallen_back(endpoint, Interpreted { unused, ..builtin }, &problem)
}

/// The language model's answer, and its SQL as it wrote it.
fn propose(
    endpoint: &Endpoint,
    question: &Question<'_>,
    builtin: &Interpreted,
) -> Result<(Interpreted, String), String> {
    let system = prompt::system(question.model);
    let mut messages = prompt::conversation(question, builtin);
    let mut problem = String::new();
    for attempt in 0..=endpoint.repairs_max() {
        let step = if attempt == 0 { Progress::AskingLanguageModel } else { Progress::RepairingSql };
        (question.report)(step);
        let left = question.deadline.saturating_duration_since(Instant::now());
        if left < WAIT_MIN {
            return Err("there was no time left".to_owned());
        }
        let reply = endpoint.complete(&system, &messages, left)?;
        let Some(proposal) = prompt::read_reply(&reply) else { return Err("it proposed no SQL".to_owned()) };
        match checked(question, &proposal.sql)? {
            Ok(sql) => {
                let answer =
                    read_back(question, &proposal, &sql).unwrap_or_else(|| unread(question, &proposal, sql, builtin));
                let model_names = vec![endpoint.model().to_owned()];
                return Ok((Interpreted { model_names, ..answer }, proposal.sql));
            }
            Err(wrong) => {
                messages.push(Said::assistant(reply));
                messages.push(Said::user(prompt::repair(&wrong)));
                problem = wrong;
            }
        }
    }
    Err(format!("its SQL cannot be used: {problem}"))
}

/// The proposal as a reading of the interpreter's, which tells what it says and what it leaves out; `None` where it is none,
/// or where the reading returns other rows.
fn read_back(question: &Question<'_>, proposal: &prompt::Proposal, sql: &str) -> Option<Interpreted> {
    let read = proposed(&question.asked(), &proposal.sql)?;
    let is_same = agreement::is_same(question, read.sql.as_deref()?, sql) == Some(true);
    is_same.then(|| Interpreted { confidence: read.confidence.min(agreement::ALONE), ..read })
}

/// The proposal in the language model's own words.
fn unread(question: &Question<'_>, proposal: &prompt::Proposal, sql: String, builtin: &Interpreted) -> Interpreted {
    let said = if proposal.interpretation.is_empty() { question.text } else { &proposal.interpretation };
    Interpreted {
        category: Category::ClearSql,
        text: format!("This is our interpretation of your question:\n\n{said}"),
        sql: Some(sql),
        suggestions: Vec::new(),
        unused: builtin.missing.clone(),
        missing: Vec::new(),
        confidence: agreement::ALONE,
        ..builtin.clone()
    }
}

/// The runnable SQL, or what is wrong with it in words for the model; the outer error ends the attempt.
fn checked(question: &Question<'_>, sql: &str) -> Result<Result<String, String>, String> {
    if let Err(problem) = reads_only_logical_tables(question.model, sql) {
        return Ok(Err(problem));
    }
    let sql = match with_logical_tables(question.model, sql) {
        Ok(sql) => sql,
        Err(problem) => return Ok(Err(problem)),
    };
    match question.evidence.reader.borrow_mut().prepare(&sql) {
        Ok(()) => Ok(Ok(sql)),
        Err(ReadError::Refused(failure)) => Ok(Err(failure.message.replace('\n', " "))),
        Err(ReadError::Stopped) => Err("nobody waits for it any longer".to_owned()),
        Err(ReadError::Internal(cause)) => {
            tracing::error!(cause, "the SQL of a language model cannot be checked");
            Err("its SQL could not be checked".to_owned())
        }
    }
}
