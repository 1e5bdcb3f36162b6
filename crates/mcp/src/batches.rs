//! Batches over the standard input and output: the answers to the requests of one are sent together, once the last is there.

use std::collections::HashMap;

use rmcp::model::{ClientJsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, TxJsonRpcMessage};

use crate::messages::{Part, Refusal};

#[derive(Default)]
pub struct Batches {
    /// The batch of each request that is not answered yet.
    of_requests: HashMap<RequestId, u64>,
    open: HashMap<u64, Batch>,
    opened: u64,
}

struct Batch {
    missing: usize,
    answers: Vec<String>,
}

impl Batches {
    /// The messages of a new batch, and its answer if none of them needs another one.
    pub fn open(&mut self, parts: Vec<Part<'_>>) -> (Vec<ClientJsonRpcMessage>, Option<String>) {
        let mut batch = Batch { missing: 0, answers: Vec::new() };
        let mut messages = Vec::new();
        self.opened += 1;
        for part in parts {
            match part.message {
                Ok(Some(ClientJsonRpcMessage::Request(request))) => {
                    if self.of_requests.contains_key(&request.id) {
                        batch.answers.push(Refusal::repeated(request.id).answer().to_string());
                        continue;
                    }
                    self.of_requests.insert(request.id.clone(), self.opened);
                    batch.missing += 1;
                    messages.push(ClientJsonRpcMessage::Request(request));
                }
                Ok(Some(message)) => messages.push(message),
                Ok(None) => {}
                Err(refusal) => batch.answers.push(refusal.answer().to_string()),
            }
        }
        if batch.missing == 0 {
            return (messages, whole(&batch));
        }
        self.open.insert(self.opened, batch);
        (messages, None)
    }

    /// What is to be written for this answer: itself, the whole answer of its batch, or nothing yet.
    pub fn answered(&mut self, answer: &TxJsonRpcMessage<RoleServer>, line: String) -> Option<String> {
        let id = match answer {
            TxJsonRpcMessage::<RoleServer>::Response(response) => Some(&response.id),
            TxJsonRpcMessage::<RoleServer>::Error(error) => error.id.as_ref(),
            _ => None,
        };
        match id.and_then(|id| self.of_requests.remove(id)) {
            Some(number) => self.note(number, Some(line)),
            None => Some(line),
        }
    }

    /// A request that its client has cancelled gets no answer. The whole answer of its batch, if it was the last one missing.
    pub fn without_answer(&mut self, id: &RequestId) -> Option<String> {
        let number = self.of_requests.remove(id)?;
        self.note(number, None)
    }

    fn note(&mut self, number: u64, answer: Option<String>) -> Option<String> {
        let batch = self.open.get_mut(&number)?;
        batch.answers.extend(answer);
        batch.missing -= 1;
        if batch.missing > 0 {
            return None;
        }
        whole(&self.open.remove(&number)?)
    }
}

/// A batch of notifications alone gets no answer.
fn whole(batch: &Batch) -> Option<String> {
    (!batch.answers.is_empty()).then(|| format!("[{}]", batch.answers.join(",")))
}
