//! Messages of JSON-RPC 2.0 as clients send them. What is no message is refused by the code that says why: of the typed messages
//! any wrong one would look like one of an unknown method.

use rmcp::model::{
    CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, InitializeRequestParams,
    JsonRpcRequest, PaginatedRequestParams, RequestId,
};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Of a batch.
const MESSAGES_MAX: usize = 100;
/// A value takes many times more memory than it does in the text.
const VALUES_MAX: usize = 200_000;

/// The one version of the protocol that has batches.
pub const VERSION_WITH_BATCHES: &str = "2025-03-26";

/// Requests that the protocol has, whether or not this server offers what they are about.
const METHODS: [&str; 18] = [
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/update",
    "tools/call",
    "tools/list",
];

/// What a line or a body holds.
pub enum Read<'text> {
    One(Box<Part<'text>>),
    Batch(Vec<Part<'text>>),
}

/// A message, by itself or of a batch.
pub struct Part<'text> {
    pub text: &'text str,
    /// `None` is a notification, or an answer, that nobody can make anything of; neither gets an answer.
    pub message: Result<Option<ClientJsonRpcMessage>, Refusal>,
}

/// Why something is not taken.
#[derive(Debug, PartialEq)]
pub struct Refusal {
    id: Option<RequestId>,
    error: ErrorData,
}

impl Refusal {
    fn new(id: Option<RequestId>, code: ErrorCode, message: impl Into<String>) -> Self {
        Self { id, error: ErrorData::new(code, message.into(), None) }
    }

    pub fn too_long(bytes_max: usize) -> Self {
        Self::invalid(None, format!("a message has at most {bytes_max} bytes"))
    }

    pub fn batch(version: &str) -> Self {
        let message = format!(
            "version {version} of the protocol has no batches, which {VERSION_WITH_BATCHES} alone has; send each message by itself"
        );
        Self::invalid(None, message)
    }

    pub fn early_batch() -> Self {
        Self::invalid(None, "`initialize` is no part of a batch, and comes before the first one")
    }

    /// Of a batch, where each answer is found by its id.
    pub fn repeated(id: RequestId) -> Self {
        Self::invalid(Some(id), "another request with this `id` is not answered yet")
    }

    fn invalid(id: Option<RequestId>, message: impl Into<String>) -> Self {
        Self::new(id, ErrorCode::INVALID_REQUEST, message)
    }

    pub fn is_of_unknown_method(&self) -> bool {
        self.error.code == ErrorCode::METHOD_NOT_FOUND
    }

    /// The answer, in which the id is null where that of the request is not known.
    pub fn answer(&self) -> Value {
        json!({"jsonrpc": "2.0", "id": self.id, "error": self.error})
    }
}

pub fn read(text: &[u8]) -> Result<Read<'_>, Refusal> {
    let no_json = |why: String| Refusal::new(None, ErrorCode::PARSE_ERROR, format!("the message is no JSON: {why}"));
    let text = std::str::from_utf8(text).map_err(|error| no_json(error.to_string()))?;
    let text = text.trim_start_matches('\u{feff}');
    let value: &RawValue = serde_json::from_str(text).map_err(|error| no_json(error.to_string()))?;
    if values(text) > VALUES_MAX {
        return Err(Refusal::invalid(None, format!("a message has at most {VALUES_MAX} values")));
    }
    if !value.get().starts_with('[') {
        return Ok(Read::One(Box::new(part(value))));
    }
    let parts: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| no_json(error.to_string()))?;
    match parts.len() {
        0 => Err(Refusal::invalid(None, "the batch is empty")),
        1..=MESSAGES_MAX => Ok(Read::Batch(parts.into_iter().map(part).collect())),
        count => {
            Err(Refusal::invalid(None, format!("a batch has at most {MESSAGES_MAX} messages, and this one {count}")))
        }
    }
}

/// No fewer than the values of a JSON text.
fn values(text: &str) -> usize {
    let (mut count, mut is_text, mut is_escaped) = (1, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b',' | b'[' | b'{' if !is_text => count += 1,
            _ => {}
        }
    }
    count
}

/// The members of any message; one that is null is there.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Envelope<'text> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'text RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'text RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'text RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'text RawValue>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

fn part(value: &RawValue) -> Part<'_> {
    Part { text: value.get(), message: message(value) }
}

fn message(value: &RawValue) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    let text = value.get();
    // An array would be taken for the members in their order.
    if !text.starts_with('{') {
        return Err(Refusal::invalid(None, "a message is an object"));
    }
    let envelope: Envelope<'_> = serde_json::from_str(text)
        .map_err(|error| Refusal::invalid(None, format!("the message is malformed: {error}")))?;
    let id = envelope.id.map(|id| serde_json::from_str::<RequestId>(id.get()));
    let id = id.transpose().map_err(|_| Refusal::invalid(None, "`id` has to be a text or a whole number"))?;
    if envelope.jsonrpc.map(RawValue::get) != Some("\"2.0\"") {
        return Err(Refusal::invalid(id, "`jsonrpc` has to be \"2.0\""));
    }
    let typed = || serde_json::from_str::<ClientJsonRpcMessage>(text);
    match (envelope.method, id) {
        (Some(method), Some(id)) => request(method, envelope.params, id, typed),
        (Some(_), None) => Ok(typed().ok().filter(|typed| matches!(typed, ClientJsonRpcMessage::Notification(_)))),
        (None, Some(id)) if !is_answer(text) => Err(Refusal::invalid(Some(id), "a request needs a `method`")),
        (None, Some(_)) => Ok(typed().ok()),
        (None, None) if is_answer(text) => Ok(None),
        (None, None) => Err(Refusal::invalid(None, "a message needs a `method`")),
    }
}

fn request(
    method: &RawValue,
    params: Option<&RawValue>,
    id: RequestId,
    typed: impl FnOnce() -> serde_json::Result<ClientJsonRpcMessage>,
) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    let Ok(method) = serde_json::from_str::<String>(method.get()) else {
        return Err(Refusal::invalid(Some(id), "`method` has to be a text"));
    };
    if !METHODS.contains(&method.as_str()) {
        return Err(Refusal::new(Some(id), ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`")));
    }
    let wrong = |id, why: &str| {
        Refusal::new(Some(id), ErrorCode::INVALID_PARAMS, format!("the parameters of {method} are wrong: {why}"))
    };
    if params.is_some_and(|params| !params.get().starts_with('{') && params.get() != "null") {
        return Err(wrong(id, "they have to be an object"));
    }
    match typed() {
        Ok(ClientJsonRpcMessage::Request(JsonRpcRequest { request: ClientRequest::CustomRequest(custom), .. })) => {
            Err(wrong(id, &why_wrong(&method, custom.params.unwrap_or_else(|| json!({})))))
        }
        Ok(message) => Ok(Some(message)),
        Err(error) => Err(wrong(id, &error.to_string())),
    }
}

fn is_answer(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Outcome<'text> {
        #[serde(borrow, default, deserialize_with = "present")]
        result: Option<&'text RawValue>,
        #[serde(borrow, default, deserialize_with = "present")]
        error: Option<&'text RawValue>,
    }
    serde_json::from_str::<Outcome<'_>>(text).is_ok_and(|outcome| outcome.result.or(outcome.error).is_some())
}

/// A request of a method that the protocol has is typed, unless its parameters are wrong.
fn why_wrong(method: &str, params: Value) -> String {
    let why = match method {
        "tools/call" => wrong::<CallToolRequestParams>(params),
        "tools/list" => wrong::<PaginatedRequestParams>(params),
        "initialize" => wrong::<InitializeRequestParams>(params),
        _ => None,
    };
    why.unwrap_or_else(|| "they are none that it takes".to_owned())
}

fn wrong<T: DeserializeOwned>(params: Value) -> Option<String> {
    serde_json::from_value::<T>(params).err().map(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn refusal(text: &[u8]) -> (i64, Value) {
        let refusal = match read(text) {
            Err(refusal) => refusal,
            Ok(Read::One(part)) => part.message.unwrap_err(),
            Ok(Read::Batch(_)) => panic!("a batch"),
        };
        let answer = refusal.answer();
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty());
        (answer["error"]["code"].as_i64().unwrap(), answer["id"].clone())
    }

    #[test]
    fn what_is_no_message_is_refused_by_its_code() {
        let check = |text: &str, code: i64, id: Value| assert_eq!(refusal(text.as_bytes()), (code, id), "{text}");
        for text in ["", "{", "nonsense", "{\"jsonrpc\": \"2.0\",}", "{} {}", "[1", "\u{1}"] {
            check(text, -32700, Value::Null);
        }
        assert_eq!(refusal(b"{\"a\": \"\xff\"}").0, -32700);
        for text in [
            "1",
            "\"x\"",
            "null",
            "[]",
            "{}",
            r#"{"jsonrpc": "2.0"}"#,
            r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#,
            r#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#,
            r#"{"jsonrpc": "2.0", "id": {}, "method": "ping"}"#,
            r#"{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}"#,
        ] {
            check(text, -32600, Value::Null);
        }
        check(r#"{"jsonrpc": "1.0", "id": 1, "method": "ping"}"#, -32600, 1.into());
        check(r#"{"id": "a", "method": "ping"}"#, -32600, "a".into());
        check(r#"{"jsonrpc": "2.0", "id": 1, "method": 5}"#, -32600, 1.into());
        check(r#"{"jsonrpc": "2.0", "id": 1, "params": {}}"#, -32600, 1.into());
        check(r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/none"}"#, -32601, 1.into());
        for params in ["5", "[1]", "{}", r#"{"name": 5}"#, r#"{"name": "x", "arguments": [1]}"#, "null"] {
            let text = format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {params}}}"#);
            check(&text, -32602, 1.into());
        }
        let deep = format!(
            r#"{{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}1{}}}"#,
            "[".repeat(500),
            "]".repeat(500)
        );
        check(&deep, -32602, 1.into());
        check(&format!("[{}1]", "1,".repeat(MESSAGES_MAX)), -32600, Value::Null);
        let many = "0,".repeat(VALUES_MAX);
        check(
            &format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {{"a": [{many}0]}}}}"#),
            -32600,
            Value::Null,
        );
        assert_eq!(values(r#"{"a, [": ["\",{", 1], "b\\": 2}"#), 5);
    }

    #[test]
    fn what_needs_no_answer_gets_none() {
        let check = |text: &str, is_known: bool| {
            let Ok(Read::One(part)) = read(text.as_bytes()) else { panic!("{text}") };
            assert_eq!(part.message.unwrap().is_some(), is_known, "{text}");
        };
        check(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#, true);
        check(r#"{"jsonrpc": "2.0", "method": "notifications/of-ours", "params": {"a": 1}}"#, true);
        check(r#"{"jsonrpc": "2.0", "method": 5}"#, false);
        check(r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#, true);
        check(r#"{"jsonrpc": "2.0", "id": 1, "error": 5}"#, false);
        check(r#"{"jsonrpc": "2.0", "error": {"code": 1, "message": ""}}"#, false);
    }
}
