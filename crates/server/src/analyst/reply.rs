//! An answer, and how it is written as JSON.

use firn_analyst::semantic_model::VerifiedQuery;
use serde::Serialize;
use utoipa::ToSchema;

use super::explanation::Explanation;

/// Which words the answer's fields have: the contract's, or the vendor's on the vendor's paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldNames {
    Neutral,
    Vendor,
}

/// The answer to a question.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalystMessageResponse)]
pub struct Reply {
    /// Names the request to the feedback endpoint.
    #[schema(format = "uuid")]
    pub request_id: String,
    pub message: ReplyMessage,
    pub warnings: Vec<Warning>,
    pub response_metadata: ResponseMetadata,
    /// Which model was chosen; there when the request gave `semantic_models`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub semantic_model_selection: Option<ModelSelection>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalystMessage)]
pub struct ReplyMessage {
    /// Always `analyst`.
    pub role: &'static str,
    pub content: Vec<Block>,
}

/// A part of an answer. `sql` and `suggestions` exclude each other; `results` and `chart` follow `sql`.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = AnalystContent)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Block {
    Text {
        text: String,
    },
    Sql {
        statement: String,
        confidence: Confidence,
    },
    Suggestions {
        suggestions: Vec<String>,
    },
    /// The statement that ran the SQL; its rows are fetched with this handle. There with `answer_generation`.
    Results {
        query_id: String,
    },
    /// A Vega-Lite specification as JSON text. There with `answer_generation`, where the rows make a chart.
    Chart {
        chart_spec: String,
    },
}

impl Block {
    /// The SQL of a block that has some.
    pub fn statement(&self) -> Option<&str> {
        match self {
            Self::Sql { statement, .. } => Some(statement),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Confidence {
    /// The verified query that the SQL came from, or null.
    #[schema(required = true)]
    pub verified_query_used: Option<VerifiedQueryUsed>,
}

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct VerifiedQueryUsed {
    pub name: String,
    pub question: String,
    pub sql: String,
    /// Seconds since 1970.
    pub verified_at: Option<i64>,
    pub verified_by: Option<String>,
}

impl From<&VerifiedQuery> for VerifiedQueryUsed {
    fn from(query: &VerifiedQuery) -> Self {
        Self {
            name: query.name.clone(),
            question: query.question.clone(),
            sql: query.sql.clone(),
            verified_at: query.verified_at,
            verified_by: query.verified_by.clone(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = AnalystWarning)]
pub struct Warning {
    pub message: String,
}

/// How the question was processed.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
#[schema(as = AnalystResponseMetadata)]
pub struct ResponseMetadata {
    /// Language models that took part; empty for the built-in interpreter.
    pub model_names: Vec<String>,
    /// How probable it is that the SQL answers the question, from 0 to 1; 0 without SQL.
    pub confidence: f64,
    /// Words of the question that the answer does not use.
    pub unused_words: Vec<String>,
    /// CLEAR_SQL, ONBOARDING, AMBIGUOUS or UNANSWERABLE.
    pub question_category: String,
    /// Values of the data that words of the question were matched with.
    pub search_retrieval: Vec<SearchRetrieval>,
    pub analyst_latency_ms: u64,
    /// `regular_sqlgen` or `vqr_fast_path`.
    pub analyst_orchestration_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub explanation: Option<Explanation>,
}

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct SearchRetrieval {
    pub service: String,
    pub response_body: SearchResponse,
    pub query: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct SearchResponse {
    pub results: Vec<serde_json::Value>,
    pub request_id: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = AnalystModelSelection)]
pub struct ModelSelection {
    /// Position in `semantic_models`.
    pub index: usize,
    pub identifier: ModelIdentifier,
}

/// One of the two is there, or none for an inline model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[schema(as = AnalystModelIdentifier)]
pub struct ModelIdentifier {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub semantic_view: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub semantic_model_file: Option<String>,
    /// The name inside of an inline model.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub semantic_model: Option<String>,
}

/// The JSON of a value, its fields named as the caller's path asks.
pub fn json_of(value: &impl Serialize, names: FieldNames) -> serde_json::Value {
    let mut json = serde_json::to_value(value).unwrap_or_default();
    if names == FieldNames::Vendor {
        let metadata = match json.get_mut("response_metadata") {
            Some(metadata) => metadata,
            None => &mut json,
        };
        if let Some(fields) = metadata.as_object_mut()
            && let Some(retrieval) = fields.remove("search_retrieval")
        {
            fields.insert("cortex_search_retrieval".to_owned(), retrieval);
        }
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vendors_paths_have_the_vendors_names() {
        let metadata = ResponseMetadata::default();
        assert!(json_of(&metadata, FieldNames::Neutral).get("search_retrieval").is_some());
        let vendor = json_of(&metadata, FieldNames::Vendor);
        assert!(vendor.get("search_retrieval").is_none());
        assert!(vendor.get("cortex_search_retrieval").is_some());
    }

    #[test]
    fn an_sql_block_always_carries_its_confidence() {
        let block = Block::Sql { statement: "select 1".to_owned(), confidence: Confidence::default() };
        let json = json_of(&block, FieldNames::Neutral);
        let expected = serde_json::json!({"type": "sql", "statement": "select 1",
            "confidence": {"verified_query_used": null}});
        assert_eq!(json, expected);
    }
}
