//! Filters, facts and metrics that a model could have, as changes of the model.

use firn_analyst::past_queries::{Definition, DefinitionKind, frequent_definitions};
use serde::Serialize;
use utoipa::ToSchema;

use super::super::reply::Warning;
use super::{Work, counted, score};
use crate::error::ApiError;

/// The form of the changes.
const VERSION: u32 = 2;
const APPEND: &str = "SEMANTIC_MODEL_CHANGE_OPERATION_APPEND";

/// A change of the model, and what speaks for it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalystDefinitionSuggestion)]
pub struct DefinitionSuggestion {
    /// From 0 to 1; it grows with how often the expression was used.
    pub score: f64,
    pub changes: Vec<ModelChange>,
    pub metadata: DefinitionSuggestionMetadata,
    /// The form of `changes`: 2.
    pub version: u32,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalystModelChange)]
pub struct ModelChange {
    /// Always `SEMANTIC_MODEL_CHANGE_OPERATION_APPEND`.
    pub operation: &'static str,
    /// The list of the model that `value` goes to.
    #[schema(example = "tables/name:orders/metrics")]
    pub path: String,
    pub value: ChangeValue,
}

/// One of its fields.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalystModelChangeValue)]
#[serde(rename_all = "snake_case")]
pub enum ChangeValue {
    NamedFilter(DefinitionItem),
    Fact(DefinitionItem),
    Metric(DefinitionItem),
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalystDefinition)]
pub struct DefinitionItem {
    pub name: String,
    pub expr: String,
    pub description: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalystDefinitionSuggestionMetadata)]
pub struct DefinitionSuggestionMetadata {
    /// How many statements used the expression.
    pub frequency: usize,
    /// Of how many users.
    pub users: usize,
    /// Seconds since 1970.
    pub last_used_at: i64,
    pub justification: String,
    /// Always `query history`.
    pub source: &'static str,
}

pub fn suggested(work: &Work) -> Result<(Vec<DefinitionSuggestion>, Vec<Warning>), ApiError> {
    let (known, warnings) = work.known_tables()?;
    let definitions = frequent_definitions(&known, &work.past_queries()?);
    let suggestions = work.page.of(definitions.into_iter().map(|definition| Ok(suggestion(definition))))?;
    Ok((suggestions, warnings.into_iter().map(|message| Warning { message }).collect()))
}

fn suggestion(definition: Definition) -> DefinitionSuggestion {
    let Definition { kind, table, name, expr, usage } = definition;
    let (users, frequency) = (usage.users.len(), usage.frequency);
    let statements = counted(frequency, "statement", "statements");
    let justification = format!("Used by {statements} of {}.", counted(users, "user", "users"));
    let description = format!("{} ({expr})", name.replace('_', " "));
    let item = DefinitionItem { name, expr, description };
    let (list, value) = match kind {
        DefinitionKind::Filter => ("filters", ChangeValue::NamedFilter(item)),
        DefinitionKind::Fact => ("facts", ChangeValue::Fact(item)),
        DefinitionKind::Metric => ("metrics", ChangeValue::Metric(item)),
    };
    let path = format!("tables/name:{table}/{list}");
    let last_used_at = usage.last_on_ms / 1_000;
    DefinitionSuggestion {
        score: score(frequency as f64 + users as f64 - 1.0),
        changes: vec![ModelChange { operation: APPEND, path, value }],
        metadata: DefinitionSuggestionMetadata {
            frequency,
            users,
            last_used_at,
            justification,
            source: "query history",
        },
        version: VERSION,
    }
}
