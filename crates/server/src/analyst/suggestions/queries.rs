//! Verified queries that a model could have: questions that were answered well, or statements that ran often.

use std::cell::Cell;
use std::collections::HashMap;

use firn_analyst::evidence::NoEvidence;
use firn_analyst::links::model_index::ModelIndex;
use firn_analyst::past_queries::{KnownTables, Usage, over_logical_tables};
use firn_analyst::read_back::read_back;
use firn_analyst::restatement::restate;
use firn_analyst::semantic_model::logical_sql::with_logical_tables;
use firn_analyst::verified_queries::telling_words;
use firn_catalog::AnsweredQuestion;
use firn_statements::ReadError;
use serde::Serialize;
use utoipa::ToSchema;

use super::super::reply::{VerifiedQueryUsed, Warning};
use super::super::verified_addition::usable_sql;
use super::{Work, read_failure, score};
use crate::error::ApiError;

/// A word on an answer counts as much as asking so many times.
const FEEDBACK_WEIGHT: f64 = 3.0;

/// Which records the suggestions are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Requests,
    History,
}

pub const MODES: [(&str, Mode); 2] = [("ca_requests_based", Mode::Requests), ("query_history_based", Mode::History)];

/// A verified query that could be added, and one that would have to go for it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalystVerifiedQuerySuggestion)]
pub struct QuerySuggestion {
    /// From 0 to 1; it grows with how often it was asked or run, and with feedback.
    pub score: f64,
    pub vq_to_add: VerifiedQueryUsed,
    /// A verified query of the same question that cannot be run any more, or null.
    #[schema(required = true)]
    pub vq_to_remove: Option<VerifiedQueryUsed>,
    pub metadata: QuerySuggestionMetadata,
}

/// What speaks for a suggestion.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalystVerifiedQuerySuggestionMetadata)]
pub struct QuerySuggestionMetadata {
    /// How often it was asked or run.
    pub frequency: usize,
    /// By how many users.
    pub users: usize,
    /// Seconds since 1970.
    pub last_used_at: i64,
    pub positive_feedback: usize,
    pub negative_feedback: usize,
}

pub fn suggested(work: &Work, mode: Mode) -> Result<(Vec<QuerySuggestion>, Vec<Warning>), ApiError> {
    let (known, mut warnings) = work.known_tables()?;
    let suggestions = match mode {
        Mode::Requests => of_requests(work)?,
        Mode::History => {
            let unspoken = Cell::new(0);
            let suggestions = of_history(work, &known, &unspoken)?;
            if unspoken.get() > 0 {
                let number = unspoken.get();
                warnings.push(format!(
                    "{number} statements over tables of the model cannot be put in words and are left out."
                ));
            }
            suggestions
        }
    };
    Ok((suggestions, warnings.into_iter().map(|message| Warning { message }).collect()))
}

/// A question, the SQL that answered it last, and what speaks for it.
struct Asked {
    /// Its spellings with how often each was asked.
    spellings: Vec<(String, usize)>,
    sql: String,
    usage: Usage,
    positive: usize,
    negative: usize,
}

impl Asked {
    /// The usual spelling; of those asked equally often the latest.
    fn question(&self) -> &str {
        let usual = self.spellings.iter().rev().max_by_key(|(_, number)| *number);
        usual.map(|(question, _)| question.as_str()).unwrap_or_default()
    }

    fn weight(&self) -> f64 {
        let feedback = self.positive as f64 - self.negative as f64;
        self.usage.frequency as f64 + FEEDBACK_WEIGHT * feedback
    }
}

fn of_requests(work: &Work) -> Result<Vec<QuerySuggestion>, ApiError> {
    let answered = work.reader.borrow().visible_questions(&work.model().name).map_err(read_failure)?;
    let mut asked: Vec<Asked> = grouped(answered);
    asked.retain(|asked| asked.negative == 0 || asked.positive > asked.negative);
    asked.sort_by(|left, right| {
        let by_weight = right.weight().total_cmp(&left.weight());
        by_weight.then(right.usage.last_on_ms.cmp(&left.usage.last_on_ms)).then(left.question().cmp(right.question()))
    });
    let usable = asked.into_iter().filter_map(|asked| usable_answer(work, asked).transpose());
    work.page.of(usable)
}

/// The questions that say the same in the same words; the latest answer stands for all of them.
fn grouped(answered: Vec<AnsweredQuestion>) -> Vec<Asked> {
    let mut places: HashMap<Vec<String>, usize> = HashMap::new();
    let mut asked: Vec<Asked> = Vec::new();
    for answer in answered {
        let words = telling_words(&answer.question);
        let place = *places.entry(words).or_insert(asked.len());
        if place == asked.len() {
            let (spellings, sql) = (Vec::new(), answer.sql);
            asked.push(Asked { spellings, sql, usage: Usage::default(), positive: 0, negative: 0 });
        }
        let group = &mut asked[place];
        let question = answer.question.trim();
        match group.spellings.iter_mut().find(|(spelling, _)| spelling == question) {
            Some((_, number)) => *number += 1,
            None => group.spellings.push((question.to_owned(), 1)),
        }
        group.usage.add(answer.user_id, answer.created_on_ms);
        match answer.positive {
            Some(true) => group.positive += 1,
            Some(false) => group.negative += 1,
            None => {}
        }
    }
    asked
}

/// The suggestion, unless the model answers the question already, or the caller cannot run the SQL.
fn usable_answer(work: &Work, asked: Asked) -> Result<Option<QuerySuggestion>, ApiError> {
    let words = telling_words(asked.question());
    let verified = work.model().verified_queries.iter().find(|query| telling_words(&query.question) == words);
    if let Some(query) = verified
        && can_run(work, &query.sql)?
    {
        return Ok(None);
    }
    let sql = match usable_sql(work.model(), &asked.sql, &mut work.reader.borrow_mut()) {
        Ok(sql) => sql,
        Err(ApiError::InvalidPayload(_)) => return Ok(None),
        Err(other) => return Err(other),
    };
    if is_verified(work, &sql) {
        return Ok(None);
    }
    let metadata = QuerySuggestionMetadata {
        positive_feedback: asked.positive,
        negative_feedback: asked.negative,
        ..metadata(&asked.usage)
    };
    let score = score(asked.weight());
    let vq_to_add = unverified(asked.question().to_owned(), sql);
    Ok(Some(QuerySuggestion { score, vq_to_add, vq_to_remove: verified.map(VerifiedQueryUsed::from), metadata }))
}

fn of_history(work: &Work, known: &KnownTables<'_>, unspoken: &Cell<usize>) -> Result<Vec<QuerySuggestion>, ApiError> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut ran: Vec<(String, Usage)> = Vec::new();
    for (query, usage) in work.past_queries()? {
        let Some(sql) = over_logical_tables(known, &query) else { continue };
        let place = *places.entry(sql.clone()).or_insert(ran.len());
        if place == ran.len() {
            ran.push((sql, Usage::default()));
        }
        ran[place].1.merge(&usage);
    }
    ran.retain(|(sql, _)| !is_verified(work, sql));
    let rank = |usage: &Usage| (usage.frequency, usage.users.len(), usage.last_on_ms);
    ran.sort_by(|(left, less), (right, more)| rank(more).cmp(&rank(less)).then(left.cmp(right)));
    let index = ModelIndex::new(work.model(), &NoEvidence);
    let spoken = ran.into_iter().filter_map(|(sql, usage)| {
        let Some(query) = read_back(&index, &sql) else {
            unspoken.update(|number| number + 1);
            return None;
        };
        match can_run(work, &sql) {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => return Some(Err(error)),
        }
        let score = score(usage.frequency as f64 + usage.users.len() as f64 - 1.0);
        let vq_to_add = unverified(restate(&index, &query), sql);
        Some(Ok(QuerySuggestion { score, vq_to_add, vq_to_remove: None, metadata: metadata(&usage) }))
    });
    work.page.of(spoken)
}

/// Whether the caller can run SQL over the logical tables; one that the role may not run is not offered.
fn can_run(work: &Work, sql: &str) -> Result<bool, ApiError> {
    let Ok(runnable) = with_logical_tables(work.model(), sql) else { return Ok(false) };
    match work.reader.borrow_mut().prepare(&runnable) {
        Ok(()) => Ok(true),
        Err(ReadError::Refused(_)) => Ok(false),
        Err(other) => Err(read_failure(other)),
    }
}

fn is_verified(work: &Work, sql: &str) -> bool {
    let bare = |text: &str| text.to_lowercase().replace(char::is_whitespace, "").trim_end_matches(';').to_owned();
    let wanted = bare(sql);
    work.model().verified_queries.iter().any(|query| bare(&query.sql) == wanted)
}

fn unverified(question: String, sql: String) -> VerifiedQueryUsed {
    VerifiedQueryUsed { name: question.clone(), question, sql, verified_at: None, verified_by: None }
}

fn metadata(usage: &Usage) -> QuerySuggestionMetadata {
    QuerySuggestionMetadata {
        frequency: usage.frequency,
        users: usage.users.len(),
        last_used_at: usage.last_on_ms / 1_000,
        positive_feedback: 0,
        negative_feedback: 0,
    }
}
