//! From a question to what is answered, before anything is checked or told.

use firn_analyst::semantic_model::SemanticModel;
use firn_analyst::semantic_model::logical_sql::with_logical_tables;
use firn_analyst::{onboarding, verified_queries};

use super::evidence::DataEvidence;
use super::reply::{SearchRetrieval, VerifiedQueryUsed};
use super::request::PastMessage;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    ClearSql,
    Onboarding,
    Ambiguous,
    Unanswerable,
}

/// What is to be told.
#[derive(Clone, Debug)]
pub struct Interpreted {
    pub category: Category,
    pub text: String,
    pub sql: Option<String>,
    pub suggestions: Vec<String>,
    pub verified_query: Option<VerifiedQueryUsed>,
    pub search_retrieval: Vec<SearchRetrieval>,
    pub warnings: Vec<String>,
    /// Language models that took part.
    pub model_names: Vec<String>,
    /// For the choice between several models; higher is surer.
    pub confidence: f64,
}

const SURE: f64 = 1.0;

impl Interpreted {
    fn new(category: Category, text: String) -> Self {
        Self {
            category,
            text,
            sql: None,
            suggestions: Vec::new(),
            verified_query: None,
            search_retrieval: Vec::new(),
            warnings: Vec::new(),
            model_names: Vec::new(),
            confidence: 0.0,
        }
    }
}

pub fn interpret(
    model: &SemanticModel,
    question: &str,
    _history: &[PastMessage],
    _evidence: &DataEvidence<'_>,
) -> Interpreted {
    if onboarding::is_asked(question) {
        return onboarding_answer(model);
    }
    if let Some(verified) = verified_answer(model, question) {
        return verified;
    }
    let text = "The question could not be answered from this semantic model.".to_owned();
    let suggestions = onboarding::questions(model);
    Interpreted { suggestions, ..Interpreted::new(Category::Unanswerable, text) }
}

fn onboarding_answer(model: &SemanticModel) -> Interpreted {
    let about = match &model.description {
        Some(description) => format!("The semantic model `{}`: {}", model.name, description.trim()),
        None => format!("The semantic model `{}`.", model.name),
    };
    let tables: Vec<&str> = model.tables.iter().map(|table| table.name.as_str()).collect();
    let text = format!("{about}\n\nIt describes {}. Here are questions to begin with.", tables.join(", "));
    let suggestions = onboarding::questions(model);
    Interpreted { suggestions, ..Interpreted::new(Category::Onboarding, text) }
}

fn verified_answer(model: &SemanticModel, question: &str) -> Option<Interpreted> {
    let query = verified_queries::find(model, question)?;
    let text = format!("This is our interpretation of your question:\n\n{}", query.question);
    let sql = match with_logical_tables(model, &query.sql) {
        Ok(sql) => sql,
        Err(problem) => {
            let warning = format!("The verified query `{}` cannot be used: {problem}", query.name);
            let unusable = Interpreted::new(Category::Unanswerable, text);
            return Some(Interpreted { warnings: vec![warning], ..unusable });
        }
    };
    let used = VerifiedQueryUsed {
        name: query.name.clone(),
        question: query.question.clone(),
        sql: query.sql.clone(),
        verified_at: query.verified_at,
        verified_by: query.verified_by.clone(),
    };
    let answer = Interpreted::new(Category::ClearSql, text);
    Some(Interpreted { sql: Some(sql), verified_query: Some(used), confidence: SURE, ..answer })
}
