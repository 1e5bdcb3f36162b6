//! The operators that a statement ran: as they are stored with its record, and as rows.

use firn_catalog::Caller;
use firn_catalog::registry::EndState;
use firn_engine::{PlanStep, ProfiledStep};
use firn_sql::command::DataType;
use firn_sql::lookups::Rows;
use firn_sql::{Constant, Failure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::error::StatementError;
use crate::handle::StatementHandle;
use crate::past_results;
use crate::run_error::RunError;
use crate::service::StatementService;
use crate::view::{self, StatementView};

/// Characters of an operator's expressions.
const EXPRESSIONS_CHARACTERS_MAX: usize = 2_000;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Profile {
    /// From the first operator's begin to the last one's end.
    pub milliseconds: f64,
    /// Parents before children.
    pub operators: Vec<Operator>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Operator {
    pub id: usize,
    pub parent: Option<usize>,
    /// As EXPLAIN calls it.
    pub operation: String,
    /// The table it reads.
    pub object: Option<String>,
    pub expressions: Option<String>,
    /// Rows that it gave to its parent; `None` where that would tell of hidden rows.
    pub rows: Option<u64>,
    /// Of all threads together.
    pub milliseconds: f64,
    /// Of the time of all operators, 0 to 1.
    pub share: f64,
}

impl Profile {
    pub fn new(steps: Vec<ProfiledStep>, milliseconds: f64) -> Self {
        let all: f64 = steps.iter().map(|step| step.milliseconds).sum();
        let operator = |profiled: ProfiledStep| Operator {
            rows: Some(profiled.rows),
            milliseconds: rounded(profiled.milliseconds),
            share: if all > 0.0 { rounded(profiled.milliseconds / all) } else { 0.0 },
            ..Operator::unmeasured(profiled.step)
        };
        Self { milliseconds: rounded(milliseconds), operators: steps.into_iter().map(operator).collect() }
    }

    /// Of a statement whose operators would show how many rows and which values are hidden: the steps in their place.
    pub fn without_operators(steps: Vec<PlanStep>, rows: u64, milliseconds: f64) -> Self {
        let mut operators: Vec<Operator> = steps.into_iter().map(Operator::unmeasured).collect();
        if let Some(result) = operators.first_mut() {
            let milliseconds = rounded(milliseconds);
            *result = Operator { rows: Some(rows), milliseconds, share: 1.0, ..result.clone() };
        }
        Self { milliseconds: rounded(milliseconds), operators }
    }

    /// As it is stored.
    pub fn text(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// What GET_QUERY_OPERATOR_STATS answers.
    pub fn statistics(&self, query_id: &str) -> Rows {
        let number = DataType::Number { precision: 38, scale: 0 };
        let text = DataType::Varchar { length: None };
        let columns = [
            ("QUERY_ID", text.clone()),
            ("STEP_ID", number.clone()),
            ("OPERATOR_ID", number),
            ("PARENT_OPERATORS", DataType::Array),
            ("OPERATOR_TYPE", text),
            ("OPERATOR_STATISTICS", DataType::Variant),
            ("EXECUTION_TIME_BREAKDOWN", DataType::Variant),
            ("OPERATOR_ATTRIBUTES", DataType::Variant),
        ];
        let columns = columns.map(|(name, data_type)| (name.to_owned(), data_type)).to_vec();
        let row = |operator: &Operator| {
            let cells = [
                Some(query_id.to_owned()),
                Some("1".to_owned()),
                Some(operator.id.to_string()),
                operator.parent.map(|parent| json!([parent]).to_string()),
                Some(operator.operation.clone()),
                Some(self.rows_of(operator).to_string()),
                Some(json!({"overall_percentage": operator.share, "processing": operator.share}).to_string()),
                Some(attributes(operator).to_string()),
            ];
            let cells = cells.into_iter().zip(&columns);
            cells.map(|(text, (_, data_type))| Constant { data_type: data_type.clone(), text }).collect()
        };
        let rows = self.operators.iter().map(row).collect();
        Rows::new(columns, rows)
    }

    fn rows_of(&self, operator: &Operator) -> Value {
        let Some(rows) = operator.rows else { return json!({}) };
        let below = self.operators.iter().filter(|below| below.parent == Some(operator.id));
        let read: Option<u64> = below.map(|below| below.rows).sum();
        match read.filter(|_| self.operators.iter().any(|below| below.parent == Some(operator.id))) {
            Some(read) => json!({"input_rows": read, "output_rows": rows}),
            None => json!({"output_rows": rows}),
        }
    }
}

impl Operator {
    fn unmeasured(step: PlanStep) -> Self {
        let shortened = |text: String| match text.char_indices().nth(EXPRESSIONS_CHARACTERS_MAX) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        };
        Self {
            id: step.id,
            parent: step.parent,
            operation: step.operation,
            object: step.object,
            expressions: step.expressions.map(shortened),
            rows: None,
            milliseconds: 0.0,
            share: 0.0,
        }
    }
}

fn attributes(operator: &Operator) -> Value {
    let mut attributes = json!({});
    if let Some(object) = &operator.object {
        attributes["table_name"] = json!(object);
    }
    if let Some(expressions) = &operator.expressions {
        attributes["expressions"] = json!([expressions]);
    }
    attributes
}

/// What a caller gets who asks for a profile.
pub enum ProfileView {
    Profile(Profile),
    /// The statement runs, or failed before it had one.
    Without(StatementView),
}

impl StatementService {
    pub async fn profile(&self, caller: &Caller, handle: StatementHandle) -> Result<ProfileView, StatementError> {
        self.take_request(caller)?;
        if let Some(execution) = self.inner.services.running_statement(caller, handle) {
            return Ok(ProfileView::Without(view::of_running(&execution)));
        }
        let (services, caller) = (self.inner.services.clone(), caller.clone());
        let look = move || {
            let found = services.past_statement(&caller, handle.0)?;
            let record = found.ok_or_else(|| StatementError::UnknownHandle(handle.to_string()))?;
            past_results::check_for(&services, &caller, &record)?;
            let ended = record.ended.as_ref();
            match ended.and_then(|ended| Profile::parse(ended.profile.as_deref()?)) {
                Some(profile) => Ok(ProfileView::Profile(profile)),
                None if ended.is_some_and(|ended| ended.state == EndState::Succeeded) => {
                    Err(StatementError::NotProfiled(handle))
                }
                None => services.view_of(&record, None).map(ProfileView::Without),
            }
        };
        tokio::task::spawn_blocking(look).await.map_err(|error| StatementError::Internal(error.to_string()))?
    }
}

pub fn missing(handle: Uuid) -> RunError {
    Failure::new("000709", "02000", StatementError::NotProfiled(StatementHandle(handle)).to_string()).into()
}

/// Four digits behind the point.
fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}
