//! One operation on a cluster, from its start to its release. Its answer is read by a task that waits while the reader has
//! batches left, so that memory is bounded; a stream that breaks off is attached again behind the last answer that came.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::channel::{Channel, Reply};
use super::failure::{ConnectError, Refusal};
use super::messages::{Content, RemoteSession, plan_response};
use super::protobuf::Message;

/// Batches on their way from the cluster to the reader.
const BATCHES_MAX: usize = 3;
/// How often a stream that breaks off is attached again without an answer in between.
const ATTEMPTS_MAX: u32 = 6;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// For what is said to the cluster when a statement is over.
const FAREWELL_WAIT: Duration = Duration::from_secs(5);

/// What a reader of an operation gets.
pub(crate) type Item = Result<Vec<u8>, ConnectError>;

/// The reader's end. Dropping it ends the operation on the cluster.
pub(crate) struct Operation {
    items: mpsc::Receiver<Item>,
    _task: AbortHandle,
}

impl Operation {
    /// The next Arrow stream; blocks.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<u8>>, ConnectError> {
        self.items.blocking_recv().transpose()
    }
}

/// A query to begin. What only reads may be sent again where the cluster does not know it any more.
pub(crate) struct Start {
    pub(crate) channel: Arc<Channel>,
    pub(crate) session: RemoteSession,
    pub(crate) plan: Message,
    pub(crate) stop: watch::Receiver<bool>,
    pub(crate) progress: Arc<watch::Sender<f64>>,
}

impl Start {
    pub(crate) fn spawn(self, runtime: &tokio::runtime::Handle) -> Operation {
        let (sender, items) = mpsc::channel(BATCHES_MAX);
        let task = runtime.spawn(self.run(sender));
        Operation { items, _task: task.abort_handle() }
    }

    async fn run(self, items: mpsc::Sender<Item>) {
        let operation = uuid::Uuid::new_v4().to_string();
        let mut stop = self.stop.clone();
        let ended = tokio::select! {
            ended = self.read(&operation, &items) => ended,
            stopped = stop.wait_for(|stop| *stop) => match stopped {
                // Whoever could stop it is gone, and with it who waits for it.
                Ok(_) | Err(_) => Err(ConnectError::Interrupted),
            },
            () = items.closed() => Err(ConnectError::Interrupted),
        };
        let was_interrupted = ended == Err(ConnectError::Interrupted);
        if let Err(error) = ended {
            // The reader may be gone.
            let _ = items.send(Err(error)).await;
        }
        drop(items);
        if was_interrupted {
            self.say("Interrupt", self.session.interrupt(&operation)).await;
        }
        self.say("ReleaseExecute", self.session.release(&operation)).await;
    }

    /// What is said at the end need not be heard.
    async fn say(&self, method: &str, message: Message) {
        let said = async { self.channel.call(method, &message.into_bytes()).await?.only().await };
        match timeout(FAREWELL_WAIT, said).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::debug!(method, %error, "a cluster did not take the end of an operation"),
            Err(_) => tracing::debug!(method, "a cluster did not answer the end of an operation"),
        }
    }

    async fn read(&self, operation: &str, items: &mpsc::Sender<Item>) -> Result<(), ConnectError> {
        let execute = self.session.execute(operation, &self.plan).into_bytes();
        let mut place = Place::default();
        let mut attempt = 0;
        let mut reply = self.channel.call("ExecutePlan", &execute).await;
        loop {
            let seen = place.answers;
            let error = match reply {
                Ok(mut open) => match self.follow(operation, &mut open, &mut place, items).await {
                    Ok(Followed::Complete) => return Ok(()),
                    Ok(Followed::Ended) => None,
                    Err(error) => Some(error),
                },
                Err(error) => Some(error),
            };
            match &error {
                Some(ConnectError::Refused(refusal)) if is_unknown(refusal) && place.last.is_some() => {
                    return Err(lost_operation());
                }
                Some(ConnectError::Refused(refusal)) if is_unknown(refusal) => {}
                Some(ConnectError::Refused(refusal)) if !refusal.is_transient() => {
                    return Err(ConnectError::Refused(refusal.clone()));
                }
                Some(ConnectError::Protocol(message)) => return Err(ConnectError::Protocol(message.clone())),
                _ => {}
            }
            attempt = if place.answers > seen { 0 } else { attempt + 1 };
            // A reader that has had no row yet gets the error of a cluster that is down at once.
            let is_down = place.answers == 0 && matches!(error, Some(ConnectError::Unreachable(_)));
            if attempt >= ATTEMPTS_MAX || is_down {
                return Err(error.unwrap_or_else(lost_operation));
            }
            if attempt > 0 {
                sleep(FIRST_PAUSE * 2_u32.pow(attempt - 1)).await;
            }
            let is_unknown = matches!(&error, Some(ConnectError::Refused(refusal)) if is_unknown(refusal));
            reply = match is_unknown {
                true => self.channel.call("ExecutePlan", &execute).await,
                false => {
                    let again = self.session.reattach(operation, place.last.as_deref()).into_bytes();
                    self.channel.call("ReattachExecute", &again).await
                }
            };
        }
    }

    async fn follow(
        &self,
        operation: &str,
        reply: &mut Reply,
        place: &mut Place,
        items: &mpsc::Sender<Item>,
    ) -> Result<Followed, ConnectError> {
        while let Some(message) = reply.next().await? {
            let response = plan_response(&message);
            drop(message);
            place.answers += 1;
            if !response.response_id.is_empty() {
                place.last = Some(response.response_id);
            }
            match response.content {
                Content::Complete => return Ok(Followed::Complete),
                Content::Progress(percent) => drop(self.progress.send_replace(percent)),
                Content::Batch(batch) => {
                    if items.send(Ok(batch)).await.is_err() {
                        return Err(ConnectError::Interrupted);
                    }
                    self.release_read(operation, place).await;
                }
                Content::Other => {}
            }
        }
        Ok(Followed::Ended)
    }

    /// Lets the cluster forget answers that were read.
    async fn release_read(&self, operation: &str, place: &mut Place) {
        const BATCHES_BETWEEN: u32 = 16;
        place.unreleased += 1;
        if place.unreleased < BATCHES_BETWEEN {
            return;
        }
        if let Some(last) = &place.last {
            place.unreleased = 0;
            self.say("ReleaseExecute", self.session.release_until(operation, last)).await;
        }
    }
}

/// How far the answers of an operation were read.
#[derive(Default)]
struct Place {
    last: Option<String>,
    answers: u64,
    unreleased: u32,
}

enum Followed {
    Complete,
    /// The stream ended and the operation may have not.
    Ended,
}

fn is_unknown(refusal: &Refusal) -> bool {
    matches!(refusal.condition.as_str(), "INVALID_HANDLE.OPERATION_NOT_FOUND" | "INVALID_HANDLE.SESSION_NOT_FOUND")
}

fn lost_operation() -> ConnectError {
    ConnectError::Broken(
        "it lost the statement, perhaps because it was started anew; send the statement again".to_owned(),
    )
}
