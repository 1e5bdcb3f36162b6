//! The protocol's messages as lines of the standard input and output. Whatever a line holds, the next one is read: a line that is
//! no message, or too long, is answered with an error. No more than a line is in memory.

use std::collections::VecDeque;
use std::io;

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta, ServerResult};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::batches::Batches;
use crate::messages::{Part, Read, Refusal, VERSION_WITH_BATCHES, read};

/// Answers that wait for the output. While it takes none, nothing more is read.
const WAITING_MAX: usize = 16;
/// What is kept of the memory of a long line.
const RETAINED_BYTES_MAX: usize = 64 << 10;

pub struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    line_bytes_max: usize,
    /// The rest of a line that was too long is passed over.
    is_skipping: bool,
    /// Messages that were read and not yet taken.
    read: VecDeque<ClientJsonRpcMessage>,
    /// Answers to what is no message.
    refusals: VecDeque<String>,
    batches: Batches,
    /// Of the protocol, once client and server have agreed.
    version: Option<String>,
    /// The client has introduced itself, or its first request says by itself who it is.
    has_begun: bool,
    output: Option<mpsc::Sender<String>>,
    writer: JoinHandle<io::Result<()>>,
}

enum Line {
    Whole,
    TooLong,
    End,
}

impl<R: AsyncRead + Send + Unpin> Lines<R> {
    pub fn new<W>(input: R, output: W, line_bytes_max: usize) -> Self
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (sender, receiver) = mpsc::channel(WAITING_MAX);
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            line_bytes_max,
            is_skipping: false,
            read: VecDeque::new(),
            refusals: VecDeque::new(),
            batches: Batches::default(),
            version: None,
            has_begun: false,
            output: Some(sender),
            writer: tokio::spawn(write(output, receiver)),
        }
    }

    /// Reads into `line`, without its end. A call that is dropped is continued by the next one.
    async fn next_line(&mut self) -> io::Result<Line> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                let is_whole = !self.line.is_empty() && !self.is_skipping;
                return Ok(if is_whole { Line::Whole } else { Line::End });
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = &available[..end.unwrap_or(available.len())];
            let consumed = taken.len() + usize::from(end.is_some());
            let is_too_long = !self.is_skipping && self.line.len() + taken.len() > self.line_bytes_max;
            if is_too_long {
                self.is_skipping = true;
                self.line = Vec::new();
            } else if !self.is_skipping {
                self.line.extend_from_slice(taken);
            }
            self.input.consume(consumed);
            let was_skipped = self.is_skipping;
            if end.is_some() {
                self.is_skipping = false;
            }
            match (end, is_too_long) {
                (_, true) => return Ok(Line::TooLong),
                (Some(_), false) if !was_skipped => return Ok(Line::Whole),
                _ => {}
            }
        }
    }

    fn take_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if !line.trim_ascii().is_empty() {
            match read(&line) {
                Ok(Read::One(part)) => self.take_part(*part),
                Ok(Read::Batch(parts)) => self.take_batch(parts),
                Err(refusal) => self.refuse(&refusal),
            }
        }
        self.line = line;
        self.line.clear();
        self.line.shrink_to(RETAINED_BYTES_MAX);
    }

    fn refuse(&mut self, refusal: &Refusal) {
        self.refusals.push_back(refusal.answer().to_string());
    }

    fn take_part(&mut self, part: Part<'_>) {
        match part.message {
            Ok(Some(message)) => self.take_message(message),
            Ok(None) => {}
            Err(refusal) => self.refuse(&refusal),
        }
    }

    fn take_batch(&mut self, parts: Vec<Part<'_>>) {
        match &self.version {
            Some(version) if version == VERSION_WITH_BATCHES => {
                let (messages, whole) = self.batches.open(parts);
                self.refusals.extend(whole);
                messages.into_iter().for_each(|message| self.take_message(message));
            }
            Some(version) => self.refuse(&Refusal::batch(version)),
            None => self.refuse(&Refusal::early_batch()),
        }
    }

    /// Before a client has introduced itself only its requests count.
    fn take_message(&mut self, message: ClientJsonRpcMessage) {
        match &message {
            ClientJsonRpcMessage::Request(request) => {
                let is_introduction = matches!(request.request, ClientRequest::InitializeRequest(_));
                self.has_begun |= is_introduction || request.request.get_meta().protocol_version().is_some();
            }
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification {
                    let whole = cancelled.params.request_id.as_ref().and_then(|id| self.batches.without_answer(id));
                    self.refusals.extend(whole);
                }
                if !self.has_begun {
                    return;
                }
            }
            _ if !self.has_begun => return,
            _ => {}
        }
        self.read.push_back(message);
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        answer: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let TxJsonRpcMessage::<RoleServer>::Response(response) = &answer
            && let ServerResult::InitializeResult(result) = &response.result
        {
            self.version = Some(result.protocol_version.to_string());
        }
        let line = serde_json::to_string(&answer).map(|line| self.batches.answered(&answer, line));
        let output = self.output.clone();
        async move {
            let Some(line) = line? else { return Ok(()) };
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            output.ok_or_else(closed)?.send(line).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            while !self.refusals.is_empty() {
                let place = self.output.as_ref()?.reserve().await.ok()?;
                if let Some(refusal) = self.refusals.pop_front() {
                    place.send(refusal);
                }
            }
            if let Some(message) = self.read.pop_front() {
                return Some(message);
            }
            match self.next_line().await.ok()? {
                Line::Whole => self.take_line(),
                Line::TooLong => self.refuse(&Refusal::too_long(self.line_bytes_max)),
                Line::End => return None,
            }
        }
    }

    /// What was answered is written first.
    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output = None;
        (&mut self.writer).await?
    }
}

impl<R> Drop for Lines<R> {
    fn drop(&mut self) {
        self.writer.abort();
    }
}

async fn write<W: AsyncWrite + Unpin>(mut output: W, mut lines: mpsc::Receiver<String>) -> io::Result<()> {
    while let Some(mut line) = lines.recv().await {
        line.push('\n');
        output.write_all(line.as_bytes()).await?;
        output.flush().await?;
    }
    Ok(())
}
