//! The body of a question: strict about the contract's fields, blind to all others.

use firn_statements::AnalystLimits;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::error::ApiError;

/// A question with its history, and exactly one of `semantic_model_file`, `semantic_model`, `semantic_models` and
/// `semantic_view`. A field that is null counts as absent; unknown fields are ignored.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = AnalystMessageRequest)]
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
    /// `sql_generation`, which is also what an absent one means.
    operation: Option<String>,
    /// The warehouse whose turn the question waits for; the user's own when absent.
    warehouse: Option<String>,
}

/// One message of a conversation.
#[derive(Debug, Deserialize, ToSchema)]
pub struct HistoryMessage {
    /// `user`, or `analyst` for an earlier answer.
    #[schema(example = "user")]
    role: String,
    content: Vec<HistoryBlock>,
}

/// A block of a message; blocks of unknown types are passed over.
#[derive(Debug, Deserialize, ToSchema)]
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
pub struct ModelEntry {
    semantic_model_file: Option<String>,
    semantic_model: Option<String>,
    semantic_view: Option<String>,
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
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        let body: Self = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
            invalid(match error.path().iter().next() {
                Some(_) => format!("Field `{}`: {}.", error.path(), error.inner()),
                None => format!("{}.", error.inner()),
            })
        })?;
        deserializer.end().map_err(|_| invalid("Something follows the JSON object."))?;
        body.check(limits)
    }

    fn check(self, limits: &AnalystLimits) -> Result<MessageRequest, ApiError> {
        if let Some(operation) = &self.operation
            && !operation.eq_ignore_ascii_case("sql_generation")
        {
            return Err(invalid(format!("Field `operation` is '{operation}'; it can be sql_generation.")));
        }
        let delivery = if self.stream == Some(true) { Delivery::Stream } else { Delivery::Whole };
        let (question, history) = conversation(self.messages.unwrap_or_default(), limits)?;
        let one = ModelEntry {
            semantic_model_file: self.semantic_model_file,
            semantic_model: self.semantic_model,
            semantic_view: self.semantic_view,
        };
        let models = match self.semantic_models {
            None => Models::One(one.source("the request", &["semantic_models"])?),
            Some(entries) => several(&one, entries, limits.models_max)?,
        };
        Ok(MessageRequest { question, history, models, delivery, warehouse: self.warehouse })
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
        ];
        fields.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect()
    }

    /// `beside` are the other fields that could have named a model.
    fn source(self, place: &str, beside: &[&str]) -> Result<ModelSource, ApiError> {
        match (self.semantic_model_file, self.semantic_model, self.semantic_view) {
            (Some(path), None, None) => Ok(ModelSource::File(path)),
            (None, Some(yaml), None) => Ok(ModelSource::Inline(yaml)),
            (None, None, Some(name)) => Ok(ModelSource::View(name)),
            (None, None, None) => {
                let fields = ["semantic_model_file", "semantic_model", "semantic_view"];
                let fields: Vec<&str> = fields.iter().chain(beside).copied().collect();
                Err(invalid(format!("Exactly one of {} is needed; {place} has none.", fields.join(", "))))
            }
            (file, model, view) => {
                let entry = Self { semantic_model_file: file, semantic_model: model, semantic_view: view };
                Err(invalid(format!("{EXACTLY_ONE} these are present: {}.", entry.present().join(", "))))
            }
        }
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
    let speaker = match message.role.to_ascii_lowercase().as_str() {
        "user" => Speaker::User,
        "analyst" | "assistant" => Speaker::Analyst,
        _ => {
            let message = format!("Field `messages[{index}].role` is '{}'; it can be user or analyst.", message.role);
            return Err(invalid(message));
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
        check(json!([{"content": []}]), "Field `messages[0]`: missing field `role` at line 1 column 27.");
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
