//! A statement as a row of the table STATEMENTS.

use std::collections::HashMap;

use firn_catalog::registry::{EndState, Ended, PastStatement, Sender, StatementRecord, StoredResult};
use firn_catalog::{Catalog, DatabaseRecord};
use serde::Deserialize;

use super::quoted_values::{RecordedFailure, is_computed_text, may_quote_values};
use super::record_sql::instant;
use super::record_sql::{Row, text};
use crate::handle::session_of;
use crate::query_type::query_type;
use crate::reads::REDACTED;

/// Longer texts are cut.
const TEXT_CHARACTERS_MAX: usize = 100_000;
/// Messages quote what a statement says, which has its own column.
const MESSAGE_CHARACTERS_MAX: usize = 2_000;
const NOT_SHOWN: &str = "The message is not shown here, as it may quote values that the statement read; the statement's handle \
                         gives it to its user.";
/// What a record takes beside its texts.
const ROW_BYTES: usize = 300;

/// Names that records are shown with, as they are when a batch is written.
pub struct Names {
    users: HashMap<i64, String>,
    databases: HashMap<String, i64>,
    warehouse_sizes: HashMap<String, String>,
}

impl Names {
    pub fn of(catalog: &Catalog) -> Self {
        let databases = |found: DatabaseRecord| (found.name, found.id);
        Self {
            users: catalog.principals().users().map(|user| (user.id, user.name.clone())).collect(),
            databases: catalog.databases().into_iter().map(databases).collect(),
            warehouse_sizes: catalog.warehouses().into_iter().map(|found| (found.name, found.size)).collect(),
        }
    }

    pub fn user(&self, id: i64) -> Option<String> {
        self.users.get(&id).cloned()
    }

    pub fn database(&self, name: &str) -> Option<i64> {
        self.databases.get(name).copied()
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Stats {
    num_rows_inserted: Option<u64>,
    num_rows_updated: Option<u64>,
    num_rows_deleted: Option<u64>,
}

/// A statement as it waits to be written: the rows of its result would take memory.
pub fn without_rows(record: &StatementRecord) -> StatementRecord {
    let result = |stored: &StoredResult| StoredResult {
        row_type: String::new(),
        rows: stored.rows,
        partitions: stored.partitions.clone(),
        stats: stored.stats.clone(),
        inline_rows: None,
        stored_under: stored.stored_under,
        cells: stored.cells,
    };
    let ended = |ended: &Ended| Ended {
        finished_on_ms: ended.finished_on_ms,
        expires_on_ms: ended.expires_on_ms,
        state: ended.state,
        code: ended.code.clone(),
        sql_state: String::new(),
        message: match hides_message(ended, &record.text) {
            true => NOT_SHOWN.to_owned(),
            false => ended.message.clone(),
        },
        result: ended.result.as_ref().map(result),
        reads: None,
        profile: None,
        queued_ms: ended.queued_ms,
    };
    StatementRecord {
        handle: record.handle,
        user_id: record.user_id,
        request_id: None,
        parent: record.parent,
        children: Vec::new(),
        created_on_ms: record.created_on_ms,
        text: match record.ended.as_ref().is_some_and(|ended| is_computed_text(ended.reads.as_deref())) {
            true => REDACTED.to_owned(),
            false => cut(&record.text, TEXT_CHARACTERS_MAX).to_owned(),
        },
        query_tag: record.query_tag.clone(),
        sender: record.sender,
        session: record.session,
        role: record.role.clone(),
        warehouse: record.warehouse.clone(),
        database: record.database.clone(),
        schema: record.schema.clone(),
        ended: record.ended.as_ref().map(ended),
    }
}

/// `None` while it runs.
pub fn row(record: &StatementRecord, names: &Names) -> Option<Row> {
    record.ended.as_ref()?;
    let past = PastStatement::of(record.clone());
    let past = PastStatement { text: cut(&past.text, TEXT_CHARACTERS_MAX).to_owned(), ..past };
    Some(row_of_past(past, names))
}

pub fn row_of_past(past: PastStatement, names: &Names) -> Row {
    let session = session_of(&past);
    let stats: Stats = past.stats.and_then(|stats| serde_json::from_str(&stats).ok()).unwrap_or_default();
    let number = |value: Option<u64>| value.map(|value| value.to_string());
    let failed = past.state.is_some_and(|state| state != EndState::Succeeded);
    let failure = RecordedFailure {
        code: past.code.as_deref().unwrap_or_default(),
        sql_state: past.sql_state.as_deref().unwrap_or_default(),
        reads: past.reads.as_deref(),
        text: &past.text,
    };
    let message = match past.state == Some(EndState::Failed) && may_quote_values(&failure) {
        true => Some(NOT_SHOWN.to_owned()),
        false => past.message.filter(|_| failed).map(|message| cut(&message, MESSAGE_CHARACTERS_MAX).to_owned()),
    };
    let (shown, query_type) = match past.text == REDACTED || is_computed_text(past.reads.as_deref()) {
        true => (REDACTED, "UNKNOWN".to_owned()),
        false => (cut(&past.text, TEXT_CHARACTERS_MAX), query_type(&past.text)),
    };
    let size = past.warehouse.as_ref().and_then(|name| names.warehouse_sizes.get(name).cloned());
    let record_bytes = shown.len() + message.as_ref().map_or(0, String::len) + ROW_BYTES;
    vec![
        Some(past.handle.to_string()),
        text(shown),
        past.database.as_deref().and_then(|name| names.database(name)).map(|id| id.to_string()),
        past.database,
        past.schema,
        Some(query_type),
        Some(session.to_string()),
        names.user(past.user_id),
        Some(past.role),
        past.warehouse,
        size,
        Some(past.query_tag.unwrap_or_default()),
        text(match past.state {
            Some(EndState::Succeeded) => "SUCCESS",
            Some(EndState::Failed | EndState::Cancelled | EndState::TimedOut) => "FAIL",
            None => "RUNNING",
        }),
        past.code.filter(|_| failed),
        message,
        Some(instant(past.created_on_ms)),
        past.finished_on_ms.map(instant),
        past.rows.map(|rows| rows.to_string()),
        number(stats.num_rows_inserted),
        number(stats.num_rows_updated),
        number(stats.num_rows_deleted),
        number(past.bytes),
        past.parent.map(|parent| parent.to_string()),
        Some(record_bytes.to_string()),
        text(if past.sender == Sender::Client { "true" } else { "false" }),
    ]
}

fn hides_message(ended: &Ended, text: &str) -> bool {
    let Ended { code, sql_state, .. } = ended;
    let failure = RecordedFailure { code, sql_state, reads: ended.reads.as_deref(), text };
    ended.state == EndState::Failed && may_quote_values(&failure)
}

fn cut(text: &str, characters_max: usize) -> &str {
    text.char_indices().nth(characters_max).map_or(text, |(end, _)| &text[..end])
}

/// Whether a statement may have changed what exists or who may do what.
pub fn changes_objects(record: &StatementRecord) -> bool {
    const OTHERS: [&str; 10] =
        ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "SHOW", "DESCRIBE", "EXPLAIN", "USE", "LIST"];
    let succeeded = |ended: &Ended| ended.state == EndState::Succeeded;
    record.ended.as_ref().is_some_and(succeeded) && !OTHERS.contains(&query_type(&record.text).as_str())
}
