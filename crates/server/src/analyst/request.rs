//! The body of a question: strict about the contract's fields, blind to all others.

use firn_statements::AnalystLimits;
use serde::Deserialize;
use serde::de::IgnoredAny;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::request::json_body;

/// A question with its history, and exactly one of `semantic_model_file`, `semantic_model`, `semantic_models` and
/// `semantic_view`. A field that is null counts as absent; unknown fields are ignored.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = AnalystMessageRequest)]
#[serde(expecting = "a JSON object")]
pub struct MessageBody {
    /// The conversation, oldest first; the last message is the user's.
    messages: Option<Vec<HistoryMessage>>,
    /// Stage path of a semantic model, with database and schema.
    #[schema(example = "@DEMO.PUBLIC.MODELS/sales.yaml")]
    semantic_model_file: Option<String>,
    /// A semantic model as YAML.
    semantic_model: Option<String>,
    /// Several models or views; the best one for the question is chosen.
    semantic_models: Option<Vec<ModelEntry>>,
    /// Fully qualified name of a semantic view.
    #[schema(example = "DEMO.PUBLIC.SALES_VIEW")]
    semantic_view: Option<String>,
    /// true: the answer comes as server-sent events.
    stream: Option<bool>,
    /// `sql_generation`, which is also what an absent one means, or `answer_generation`: the SQL is run, and the answer
    /// also tells what came out.
    operation: Option<String>,
    /// The warehouse whose turn the question waits for; the user's own when absent.
    warehouse: Option<String>,
    /// A word for where the question comes from, such as `eval`; nothing is done with it.
    #[schema(value_type = Option<String>)]
    #[serde(rename = "source")]
    _source: Option<IgnoredAny>,
    /// `auto`, `require` or `disable`: whether the SQL is written over the semantic view. It is written over the tables.
    semantic_sql: Option<String>,
    /// JSON as text; nothing is done with it.
    #[schema(value_type = Option<String>)]
    #[serde(rename = "experimental")]
    _experimental: Option<IgnoredAny>,
}

/// One message of a conversation.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(expecting = "a JSON object")]
pub struct HistoryMessage {
    /// `user`, which is also what an absent one means, or `analyst` for an earlier answer.
    #[schema(example = "user")]
    role: Option<String>,
    content: Vec<HistoryBlock>,
}

/// A block of a message; blocks of unknown types are passed over.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(expecting = "a JSON object")]
pub struct HistoryBlock {
    #[serde(rename = "type")]
    #[schema(example = "text")]
    block_type: String,
    #[schema(example = "What was the revenue by region last quarter?")]
    text: Option<String>,
    statement: Option<String>,
}

/// One of several models; exactly one of its fields is there.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = AnalystModelEntry)]
#[serde(expecting = "a JSON object")]
pub struct ModelEntry {
    semantic_model_file: Option<String>,
    semantic_model: Option<String>,
    semantic_view: Option<String>,
    /// A semantic model as YAML, under the vendor's name.
    inline_semantic_model: Option<String>,
}

/// A checked request.
#[derive(Debug)]
pub struct MessageRequest {
    pub question: String,
    /// What was said before, oldest first.
    pub history: Vec<PastMessage>,
    pub models: Models,
    pub delivery: Delivery,
    pub warehouse: Option<String>,
    pub operation: Operation,
    pub semantic_sql: SemanticSql,
}

impl MessageRequest {
    /// What was asked for and is not done, in words.
    pub fn unmet_wishes(&self) -> Option<String> {
        let wish = "`semantic_sql` is `require`; the SQL is written over the tables of the semantic view nevertheless.";
        (self.semantic_sql == SemanticSql::Require).then(|| wish.to_owned())
    }
}

/// What is done with the SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    SqlGeneration,
    /// It is run, and its rows are answered in words.
    AnswerGeneration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SemanticSql {
    Any,
    Require,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastMessage {
    pub speaker: Speaker,
    pub text: String,
    /// SQL of an earlier answer.
    pub statement: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    User,
    Analyst,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Models {
    One(ModelSource),
    Several(Vec<ModelSource>),
}

/// Where a model comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelSource {
    File(String),
    Inline(String),
    View(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    Whole,
    Stream,
}

impl MessageBody {
    pub fn decode(bytes: &[u8], limits: &AnalystLimits) -> Result<MessageRequest, ApiError> {
        let body: Self = json_body::decode(bytes)?;
        body.check(limits)
    }

    fn check(self, limits: &AnalystLimits) -> Result<MessageRequest, ApiError> {
        const OPERATIONS: [(&str, Operation); 2] =
            [("sql_generation", Operation::SqlGeneration), ("answer_generation", Operation::AnswerGeneration)];
        const SEMANTIC_SQL: [(&str, SemanticSql); 3] =
            [("auto", SemanticSql::Any), ("disable", SemanticSql::Any), ("require", SemanticSql::Require)];
        let operation = choice("operation", self.operation.as_deref(), &OPERATIONS)?;
        let semantic_sql = choice("semantic_sql", self.semantic_sql.as_deref(), &SEMANTIC_SQL)?;
        let delivery = if self.stream == Some(true) { Delivery::Stream } else { Delivery::Whole };
        let (question, history) = conversation(self.messages.unwrap_or_default(), limits)?;
        let one = ModelEntry {
            semantic_model_file: self.semantic_model_file,
            semantic_model: self.semantic_model,
            semantic_view: self.semantic_view,
            inline_semantic_model: None,
        };
        let models = match self.semantic_models {
            None => Models::One(one.source("the request", &["semantic_models"])?),
            Some(entries) => several(&one, entries, limits.models_max)?,
        };
        Ok(MessageRequest {
            question,
            history,
            models,
            delivery,
            warehouse: self.warehouse,
            operation: operation.unwrap_or(Operation::SqlGeneration),
            semantic_sql: semantic_sql.unwrap_or(SemanticSql::Any),
        })
    }
}

/// One of the words, in any case of letters.
pub fn choice<T: Copy>(field: &str, given: Option<&str>, choices: &[(&str, T)]) -> Result<Option<T>, ApiError> {
    let Some(given) = given else { return Ok(None) };
    match choices.iter().find(|(word, _)| word.eq_ignore_ascii_case(given)) {
        Some((_, chosen)) => Ok(Some(*chosen)),
        None => {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            Err(invalid(format!("Field `{field}` is '{given}'; it can be {}.", words.join(" or "))))
        }
    }
}

fn several(one: &ModelEntry, entries: Vec<ModelEntry>, models_max: usize) -> Result<Models, ApiError> {
    let mut present = one.present();
    if !present.is_empty() {
        present.push("semantic_models");
        return Err(invalid(format!("{EXACTLY_ONE} these are present: {}.", present.join(", "))));
    }
    if entries.is_empty() || entries.len() > models_max {
        return Err(invalid(format!("Field `semantic_models` has {} entries; 1 to {models_max} go.", entries.len())));
    }
    let read = |(index, entry): (usize, ModelEntry)| entry.source(&format!("semantic_models[{index}]"), &[]);
    Ok(Models::Several(entries.into_iter().enumerate().map(read).collect::<Result<_, _>>()?))
}

const EXACTLY_ONE: &str =
    "Exactly one of semantic_model_file, semantic_model, semantic_models, semantic_view is needed;";

impl ModelEntry {
    fn present(&self) -> Vec<&'static str> {
        let fields = [
            ("semantic_model_file", self.semantic_model_file.is_some()),
            ("semantic_model", self.semantic_model.is_some()),
            ("semantic_view", self.semantic_view.is_some()),
            ("inline_semantic_model", self.inline_semantic_model.is_some()),
        ];
        fields.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect()
    }

    /// `beside` are the other fields that could have named a model.
    pub fn source(self, place: &str, beside: &[&str]) -> Result<ModelSource, ApiError> {
        match self.present().as_slice() {
            [_] => {}
            [] => {
                let fields = ["semantic_model_file", "semantic_model", "semantic_view"];
                let fields: Vec<&str> = fields.iter().chain(beside).copied().collect();
                return Err(invalid(format!("Exactly one of {} is needed; {place} has none.", fields.join(", "))));
            }
            present => return Err(invalid(format!("{EXACTLY_ONE} these are present: {}.", present.join(", ")))),
        }
        let file = self.semantic_model_file.map(ModelSource::File);
        let inline = self.semantic_model.or(self.inline_semantic_model).map(ModelSource::Inline);
        let view = self.semantic_view.map(ModelSource::View);
        file.or(inline).or(view).ok_or_else(|| invalid(format!("{place} names no semantic model.")))
    }
}

fn conversation(messages: Vec<HistoryMessage>, limits: &AnalystLimits) -> Result<(String, Vec<PastMessage>), ApiError> {
    if messages.is_empty() {
        return Err(invalid("Field `messages` is missing or empty; it holds the question."));
    }
    let messages_max = limits.messages_max;
    if messages.len() > messages_max {
        return Err(invalid(format!("Field `messages` has {} entries; {messages_max} go.", messages.len())));
    }
    let mut past = Vec::new();
    for (index, message) in messages.into_iter().enumerate() {
        past.push(past_message(message, index, limits)?);
    }
    match past.pop() {
        Some(PastMessage { speaker: Speaker::User, text, .. }) if !text.trim().is_empty() => {
            Ok((text.trim().to_owned(), past))
        }
        Some(PastMessage { speaker: Speaker::User, .. }) => {
            Err(invalid("The last message has no text; it holds the question."))
        }
        _ => Err(invalid("The last message must have the role user.")),
    }
}

fn past_message(message: HistoryMessage, index: usize, limits: &AnalystLimits) -> Result<PastMessage, ApiError> {
    let speaker = match message.role.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None | Some("user") => Speaker::User,
        Some("analyst" | "assistant") => Speaker::Analyst,
        Some(_) => {
            let role = message.role.unwrap_or_default();
            return Err(invalid(format!("Field `messages[{index}].role` is '{role}'; it can be user or analyst.")));
        }
    };
    if message.content.len() > limits.messages_max {
        let blocks_max = limits.messages_max;
        return Err(invalid(format!("Field `messages[{index}].content` has more than {blocks_max} blocks.")));
    }
    let mut texts = Vec::new();
    let mut statement = None;
    for block in message.content {
        match block.block_type.as_str() {
            "text" => texts.extend(block.text),
            "sql" => statement = block.statement,
            _ => {}
        }
    }
    let text = texts.join("\n");
    let characters_max = limits.text_characters_max;
    if text.chars().count() > characters_max {
        let message = format!("The text of messages[{index}] is longer than {characters_max} characters.");
        return Err(invalid(message));
    }
    Ok(PastMessage { speaker, text, statement })
}

fn invalid(detail: impl Into<String>) -> ApiError {
    ApiError::InvalidPayload(detail.into())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use serde_json::json;

    use super::*;

    fn check_refused(mut body: serde_json::Value, expected: &str) {
        if body.get("messages").is_none() {
            body["messages"] = json!([{"role": "user", "content": [{"type": "text", "text": "q"}]}]);
        }
        match MessageBody::decode(body.to_string().as_bytes(), &AnalystLimits::default()) {
            Err(ApiError::InvalidPayload(detail)) => assert_eq!(detail, expected, "{body}"),
            other => panic!("{body}: {other:?}"),
        }
    }

    #[test]
    fn exactly_one_model_is_named() {
        check_refused(
            json!({}),
            "Exactly one of semantic_model_file, semantic_model, semantic_view, semantic_models is needed; the request \
             has none.",
        );
        check_refused(
            json!({"semantic_view": "a.b.c", "semantic_model": "x"}),
            &format!("{EXACTLY_ONE} these are present: semantic_model, semantic_view."),
        );
        check_refused(
            json!({"semantic_model_file": "@a", "semantic_models": [{"semantic_model": "x"}]}),
            &format!("{EXACTLY_ONE} these are present: semantic_model_file, semantic_models."),
        );
        check_refused(json!({"semantic_models": []}), "Field `semantic_models` has 0 entries; 1 to 50 go.");
        check_refused(
            json!({"semantic_models": [{"semantic_view": "v"}, {}]}),
            "Exactly one of semantic_model_file, semantic_model, semantic_view is needed; semantic_models[1] has none.",
        );
    }

    #[test]
    fn messages_hold_a_question() {
        let check = |messages, expected: &str| check_refused(json!({"messages": messages}), expected);
        check(json!([]), "Field `messages` is missing or empty; it holds the question.");
        check(json!([{"role": "user", "content": []}]), "The last message has no text; it holds the question.");
        check(json!([{"role": "analyst", "content": []}]), "The last message must have the role user.");
        check(json!([{"role": "x", "content": []}]), "Field `messages[0].role` is 'x'; it can be user or analyst.");
        check(json!([{"content": []}]), "The last message has no text; it holds the question.");
        check(json!([{"role": "user"}]), "Field `messages[0]`: missing field `content` at line 1 column 28.");
    }

    #[test]
    fn what_the_vendors_requests_hold_is_taken() {
        let question = json!([{"content": [{"type": "text", "text": "q"}]}]);
        let body = json!({"semantic_models": [{"inline_semantic_model": "name: a"}, {"semantic_view": "v"}],
            "messages": question, "operation": "answer_generation", "source": "eval", "semantic_sql": "require",
            "experimental": {"a": 1}});
        let request = MessageBody::decode(body.to_string().as_bytes(), &AnalystLimits::default()).unwrap();
        assert_eq!(request.operation, Operation::AnswerGeneration);
        assert!(request.unmet_wishes().is_some());
        let sources = vec![ModelSource::Inline("name: a".to_owned()), ModelSource::View("v".to_owned())];
        assert_eq!(request.models, Models::Several(sources));
        let wrong = |field: &str, expected: &str| check_refused(json!({"semantic_view": "v", field: "x"}), expected);
        wrong("operation", "Field `operation` is 'x'; it can be sql_generation or answer_generation.");
        wrong("semantic_sql", "Field `semantic_sql` is 'x'; it can be auto or disable or require.");
        check_refused(
            json!({"semantic_models": [{"inline_semantic_model": "a", "semantic_model": "a"}]}),
            &format!("{EXACTLY_ONE} these are present: semantic_model, inline_semantic_model."),
        );
    }

    #[test]
    fn history_and_unknown_blocks_are_taken() {
        let body = json!({"semantic_view": "v", "stream": true, "x": 1, "operation": "sql_generation", "messages": [
            {"role": "user", "content": [{"type": "text", "text": "first"}]},
            {"role": "analyst", "content": [{"type": "text", "text": "said"}, {"type": "sql", "statement": "select 1"},
                {"type": "chart", "spec": {}}]},
            {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": " and "}]}]});
        let request = MessageBody::decode(body.to_string().as_bytes(), &AnalystLimits::default()).unwrap();
        assert_eq!(request.question, "and");
        assert_eq!(request.delivery, Delivery::Stream);
        assert_eq!(request.history.len(), 2);
        assert_eq!(request.history[1].statement.as_deref(), Some("select 1"));
        assert_eq!(request.models, Models::One(ModelSource::View("v".to_owned())));
    }
}
