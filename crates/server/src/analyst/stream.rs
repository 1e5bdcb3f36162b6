//! An answer as server-sent events. The stream always ends with `done` or `error`; when the client goes away, the work
//! is stopped.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use firn_statements::ReadStop;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWriteExt, DuplexStream, ReadBuf};
use tokio::sync::mpsc;
use tokio_util::io::ReaderStream;
use uuid::Uuid;

use super::answer::Asking;
use super::progress::Progress;
use super::reply::FieldNames;
use super::reply::{Block, Reply, json_of};
use crate::error::ApiError;

const BUFFER_BYTES: usize = 64 << 10;
/// Characters of text in one delta.
const DELTA_CHARACTERS: usize = 24;
/// A line that says nothing keeps proxies from giving up, and shows whether the client is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(1);
const PROGRESS_MAX: usize = 16;

pub fn response(asking: Asking, names: FieldNames) -> Response {
    let (to_client, from_work) = tokio::io::duplex(BUFFER_BYTES);
    let stop = Arc::clone(&asking.stop);
    tokio::spawn(write_events(asking, names, to_client));
    let body = Body::from_stream(ReaderStream::new(StoppingReader { inner: from_work, stop }));
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

/// The client's end: once it is gone, nobody waits for the work.
struct StoppingReader {
    inner: DuplexStream,
    stop: Arc<ReadStop>,
}

impl AsyncRead for StoppingReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, out)
    }
}

impl Drop for StoppingReader {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// Ends by itself when the client is gone: writing fails then, and the work has been stopped.
async fn write_events(asking: Asking, names: FieldNames, client: DuplexStream) {
    let request_id = asking.request_id;
    let (report, mut progress) = mpsc::channel(PROGRESS_MAX);
    let mut events = Events { client, names, request_id };
    let mut work = std::pin::pin!(asking.answer(Some(report)));
    let answered = loop {
        let step = tokio::select! {
            biased;
            Some(step) = progress.recv() => events.status(step).await,
            answered = &mut work => break answered,
            () = tokio::time::sleep(KEEP_ALIVE) => events.send(": still at work\n\n").await,
        };
        if step.is_err() {
            return;
        }
    };
    while let Ok(step) = progress.try_recv() {
        if events.status(step).await.is_err() {
            return;
        }
    }
    // A client that is gone is no failure of ours.
    let _ = match answered {
        Ok(reply) => events.reply(&reply).await,
        Err(error) => events.error(&error).await,
    };
    let _ = events.client.shutdown().await;
}

struct Events {
    client: DuplexStream,
    names: FieldNames,
    request_id: Uuid,
}

impl Events {
    async fn send(&mut self, text: &str) -> std::io::Result<()> {
        self.client.write_all(text.as_bytes()).await
    }

    async fn event(&mut self, name: &str, data: &Value) -> std::io::Result<()> {
        self.send(&format!("event: {name}\ndata: {data}\n\n")).await
    }

    async fn status(&mut self, progress: Progress) -> std::io::Result<()> {
        let (status, message) = progress.words();
        let data = json!({"status": status, "status_message": message, "request_id": self.request_id.to_string()});
        self.event("status", &data).await
    }

    async fn error(&mut self, error: &ApiError) -> std::io::Result<()> {
        let summary = error.summary();
        let data = json!({"message": summary.message, "code": summary.code, "error_code": summary.code,
            "request_id": self.request_id.to_string()});
        self.event("error", &data).await
    }

    async fn reply(&mut self, reply: &Reply) -> std::io::Result<()> {
        for (index, block) in reply.message.content.iter().enumerate() {
            for delta in deltas(index, block) {
                self.event("message.content.delta", &delta).await?;
            }
        }
        if !reply.warnings.is_empty() {
            self.event("warnings", &json!({"warnings": reply.warnings})).await?;
        }
        let mut metadata = json_of(&reply.response_metadata, self.names);
        if let (Some(fields), Some(selection)) = (metadata.as_object_mut(), &reply.semantic_model_selection) {
            fields.insert("semantic_model_selection".to_owned(), json!(selection));
        }
        self.event("response_metadata", &metadata).await?;
        self.status(Progress::Done).await?;
        self.event("done", &json!({})).await
    }
}

/// The pieces that a client puts together to the block at `index`.
fn deltas(index: usize, block: &Block) -> Vec<Value> {
    match block {
        Block::Text { text } => {
            let piece = |piece| json!({"index": index, "type": "text", "text_delta": piece});
            pieces(text).into_iter().map(piece).collect()
        }
        Block::Sql { statement, confidence } => {
            vec![json!({"index": index, "type": "sql", "statement_delta": statement, "confidence": confidence})]
        }
        Block::Results { query_id } => vec![json!({"index": index, "type": "results", "query_id": query_id})],
        Block::Chart { chart_spec } => vec![json!({"index": index, "type": "chart", "chart_spec": chart_spec})],
        Block::Suggestions { suggestions } => {
            let of_one = |(position, text): (usize, &String)| {
                let delta = move |piece| {
                    json!({"index": index, "type": "suggestions",
                        "suggestions_delta": {"index": position, "suggestion_delta": piece}})
                };
                pieces(text).into_iter().map(delta).collect::<Vec<_>>()
            };
            suggestions.iter().enumerate().flat_map(of_one).collect()
        }
    }
}

/// A text cut at spaces into pieces of a few words.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut length = 0;
    for (position, character) in text.char_indices() {
        length += 1;
        if length >= DELTA_CHARACTERS && character.is_whitespace() {
            let end = position + character.len_utf8();
            pieces.push(&text[start..end]);
            (start, length) = (end, 0);
        }
    }
    if start < text.len() {
        pieces.push(&text[start..]);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_the_whole_again() {
        for text in ["", "a", "This is our interpretation of your question: the number of orders, for each région – ö."]
        {
            assert_eq!(pieces(text).concat(), text);
        }
        assert_eq!(pieces("This is our interpretation of your question").len(), 2);
    }

    #[test]
    fn suggestions_are_sent_one_by_one() {
        let block = Block::Suggestions { suggestions: vec!["a".to_owned(), "b".to_owned()] };
        let sent = deltas(1, &block);
        let expected =
            json!({"index": 1, "type": "suggestions", "suggestions_delta": {"index": 1, "suggestion_delta": "b"}});
        assert_eq!(sent.get(1), Some(&expected));
    }
}
