//! Why an answer is as it is: what words were linked to, and the readings between which the judge chose.

use firn_analyst::interpreter::{Alternative, Link};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

/// Readings beyond this number tell nothing new.
const READINGS_MAX: usize = 10;

/// How the question was understood; there when the request asks for it with `explain=true`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[schema(as = AnalystExplanation)]
pub struct Explanation {
    pub links: Vec<ExplainedLink>,
    /// The readings, the best first.
    pub readings: Vec<ExplainedReading>,
}

/// A part of the question and what it was linked to.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = AnalystLink)]
pub struct ExplainedLink {
    pub text: String,
    /// Tables, `table.column` or `table.column = value`, the best first.
    pub targets: Vec<String>,
}

/// One way to read the question.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = AnalystReading)]
pub struct ExplainedReading {
    /// Compares readings of this question.
    pub score: f32,
    /// The share of the question's words that it explains, from 0 to 1.
    pub explained: f32,
    /// Whether that is enough to be an answer.
    pub is_sure: bool,
    pub restatement: String,
    pub sql: Option<String>,
    /// What the judge looked at, by name.
    #[schema(value_type = Object)]
    pub features: Map<String, Value>,
}

impl Explanation {
    pub fn new(links: &[Link], alternatives: Vec<Alternative>) -> Self {
        let link = |link: &Link| ExplainedLink { text: link.text.clone(), targets: link.targets.clone() };
        let reading = |reading: Alternative| ExplainedReading {
            score: reading.score,
            explained: reading.explained,
            is_sure: reading.is_sure,
            restatement: reading.restatement,
            sql: reading.sql,
            features: reading.features.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect(),
        };
        Self {
            links: links.iter().map(link).collect(),
            readings: alternatives.into_iter().take(READINGS_MAX).map(reading).collect(),
        }
    }
}
