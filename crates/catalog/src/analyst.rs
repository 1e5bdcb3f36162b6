//! Answered questions and the feedback on the answers. A question is stored for some time, so that feedback can refer to
//! it; one with feedback stays.

use rusqlite::{OptionalExtension, params};
use uuid::Uuid;

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::clock::now_ms;
use crate::error::CatalogError;
use crate::store::Durability;

const DAY_MS: i64 = 24 * 3_600 * 1_000;
/// How long a question without feedback is stored.
const QUESTION_RETENTION_MS: i64 = 30 * DAY_MS;
/// Feedback beyond this number goes, the oldest first.
const FEEDBACK_MAX: i64 = 100_000;

/// A question and what was answered.
#[derive(Clone, Debug)]
pub struct AnalystRequest {
    pub request_id: Uuid,
    pub user_id: i64,
    pub role: String,
    pub question: String,
    pub semantic_model: String,
    pub category: String,
    pub sql: Option<String>,
}

/// Feedback on an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalystFeedback {
    pub created_on_ms: i64,
    pub request_id: String,
    pub user_id: i64,
    pub positive: bool,
    pub message: Option<String>,
    pub question: String,
    pub semantic_model: String,
    pub sql: Option<String>,
}

/// A question that was answered with SQL, and the feedback on the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsweredQuestion {
    pub created_on_ms: i64,
    pub user_id: i64,
    pub question: String,
    pub sql: String,
    pub positive: Option<bool>,
}

/// Whose questions and feedback are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedBy {
    Everyone,
    User(i64),
}

impl AskedBy {
    /// `None` stands for all users.
    fn user_id(self) -> Option<i64> {
        match self {
            Self::Everyone => None,
            Self::User(id) => Some(id),
        }
    }
}

impl Catalog {
    pub fn note_analyst_request(&self, request: &AnalystRequest) -> Result<(), CatalogError> {
        let now_ms = now_ms();
        self.store().write(Durability::Process, |transaction| {
            transaction.execute(
                "INSERT INTO analyst_requests (request_id, user_id, role, created_on_ms, question, semantic_model, \
                 category, sql) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![
                    request.request_id.to_string(),
                    request.user_id,
                    request.role,
                    now_ms,
                    request.question,
                    request.semantic_model,
                    request.category,
                    request.sql,
                ],
            )?;
            transaction.execute(
                "DELETE FROM analyst_requests WHERE created_on_ms < ?1 \
                 AND request_id NOT IN (SELECT request_id FROM analyst_feedback)",
                [now_ms - QUESTION_RETENTION_MS],
            )?;
            Ok(())
        })
    }

    /// The question of a request of the caller's, and the SQL that answered it.
    pub fn answered_question(
        &self,
        caller: &Caller,
        request_id: Uuid,
    ) -> Result<Option<(String, Option<String>)>, CatalogError> {
        self.store().read(|connection| {
            let found = connection.query_row(
                "SELECT question, sql FROM analyst_requests WHERE request_id = ?1 AND user_id = ?2",
                params![request_id.to_string(), caller.user.id],
                |row| Ok((row.get(0)?, row.get(1)?)),
            );
            Ok(found.optional()?)
        })
    }

    /// Stores the caller's feedback on one of their answers, replacing an earlier one. `false` when the caller asked no such
    /// question.
    pub fn give_analyst_feedback(
        &self,
        caller: &Caller,
        request_id: Uuid,
        positive: bool,
        message: Option<&str>,
    ) -> Result<bool, CatalogError> {
        let request_id = request_id.to_string();
        self.store().write(Durability::Synced, |transaction| {
            let asked: Option<i64> = transaction
                .query_row(
                    "SELECT 1 FROM analyst_requests WHERE request_id = ?1 AND user_id = ?2",
                    params![request_id, caller.user.id],
                    |row| row.get(0),
                )
                .optional()?;
            if asked.is_none() {
                return Ok(false);
            }
            transaction.execute(
                "INSERT INTO analyst_feedback (request_id, positive, message, created_on_ms) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT (request_id) DO UPDATE SET positive = ?2, message = ?3, created_on_ms = ?4",
                params![request_id, positive, message, now_ms()],
            )?;
            transaction.execute(
                "DELETE FROM analyst_feedback WHERE request_id IN (SELECT request_id FROM analyst_feedback \
                 ORDER BY created_on_ms DESC LIMIT -1 OFFSET ?1)",
                [FEEDBACK_MAX],
            )?;
            Ok(true)
        })
    }

    /// Questions over the model of a name that were answered with SQL, the latest first.
    pub fn answered_questions(
        &self,
        by: AskedBy,
        semantic_model: &str,
        limit: u32,
    ) -> Result<Vec<AnsweredQuestion>, CatalogError> {
        self.store().read(|connection| {
            let mut statement = connection.prepare(
                "SELECT r.created_on_ms, r.user_id, r.question, r.sql, f.positive FROM analyst_requests r \
                 LEFT JOIN analyst_feedback f USING (request_id) WHERE (?1 IS NULL OR r.user_id = ?1) \
                 AND r.semantic_model = ?2 AND r.sql IS NOT NULL ORDER BY r.created_on_ms DESC, r.request_id LIMIT ?3",
            )?;
            let rows = statement.query_map(params![by.user_id(), semantic_model, limit], |row| {
                Ok(AnsweredQuestion {
                    created_on_ms: row.get(0)?,
                    user_id: row.get(1)?,
                    question: row.get(2)?,
                    sql: row.get(3)?,
                    positive: row.get(4)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Feedback, the latest first.
    pub fn analyst_feedback(&self, of: AskedBy) -> Result<Vec<AnalystFeedback>, CatalogError> {
        self.store().read(|connection| {
            let mut statement = connection.prepare(
                "SELECT f.created_on_ms, f.request_id, r.user_id, f.positive, f.message, r.question, \
                 r.semantic_model, r.sql FROM analyst_feedback f JOIN analyst_requests r USING (request_id) \
                 WHERE ?1 IS NULL OR r.user_id = ?1 ORDER BY f.created_on_ms DESC, f.request_id",
            )?;
            let rows = statement.query_map([of.user_id()], |row| {
                Ok(AnalystFeedback {
                    created_on_ms: row.get(0)?,
                    request_id: row.get(1)?,
                    user_id: row.get(2)?,
                    positive: row.get(3)?,
                    message: row.get(4)?,
                    question: row.get(5)?,
                    semantic_model: row.get(6)?,
                    sql: row.get(7)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}
