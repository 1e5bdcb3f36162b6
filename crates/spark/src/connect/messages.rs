//! The messages of Spark Connect that are sent and read, by the numbers of its protocol.

use super::protobuf::{Fields, Message, Value, field};

const CLIENT: &str = concat!("firn/", env!("CARGO_PKG_VERSION"));
const USER: &str = "firn";

/// A session on the cluster: its settings are its own.
#[derive(Clone, Debug)]
pub(crate) struct RemoteSession {
    pub(crate) id: String,
    /// How the server names it. A request that names another one is refused, so that no statement runs without its settings.
    pub(crate) server_side_id: Option<String>,
}

impl RemoteSession {
    fn user() -> Message {
        Message::default().text(1, USER)
    }

    /// `observed` is the number of the field for the server's own name of the session.
    fn request(&self, observed: u64) -> Message {
        let request = Message::default().text(1, &self.id).message(2, &Self::user());
        match &self.server_side_id {
            Some(id) => request.text(observed, id),
            None => request,
        }
    }

    pub(crate) fn execute(&self, operation: &str, plan: &Message) -> Message {
        let reattachable = Message::default().message(1, &Message::default().flag(1, true));
        self.request(8).message(3, plan).text(4, CLIENT).message(5, &reattachable).text(6, operation)
    }

    pub(crate) fn reattach(&self, operation: &str, last_response: Option<&str>) -> Message {
        let request = self.request(6).text(3, operation).text(4, CLIENT);
        match last_response {
            Some(id) => request.text(5, id),
            None => request,
        }
    }

    pub(crate) fn release(&self, operation: &str) -> Message {
        self.request(7).text(3, operation).text(4, CLIENT).message(5, &Message::default())
    }

    pub(crate) fn release_until(&self, operation: &str, response: &str) -> Message {
        self.request(7).text(3, operation).text(4, CLIENT).message(6, &Message::default().text(1, response))
    }

    pub(crate) fn interrupt(&self, operation: &str) -> Message {
        const BY_OPERATION: u64 = 3;
        self.request(7).text(3, CLIENT).number(4, BY_OPERATION).text(6, operation)
    }

    pub(crate) fn set(&self, settings: &[(&str, &str)]) -> Message {
        let pair = |(name, value): &(&str, &str)| Message::default().text(1, name).text(2, value);
        let pairs = settings.iter().fold(Message::default(), |set, setting| set.message(1, &pair(setting)));
        self.request(8).message(3, &Message::default().message(1, &pairs)).text(4, CLIENT)
    }
}

/// The plan of a query in Spark's SQL.
pub(crate) fn query_plan(sql: &str) -> Message {
    let common = Message::default().number(2, 0);
    let relation = Message::default().message(1, &common).message(10, &Message::default().text(1, sql));
    Message::default().message(1, &relation)
}

/// A part of the answer to a plan.
#[derive(Debug, Default)]
pub(crate) struct PlanResponse {
    pub(crate) response_id: String,
    pub(crate) content: Content,
}

#[derive(Debug, Default, PartialEq)]
pub(crate) enum Content {
    /// An Arrow stream with rows.
    Batch(Vec<u8>),
    Complete,
    /// How much is done, in percent.
    Progress(f64),
    #[default]
    Other,
}

pub(crate) fn plan_response(bytes: &[u8]) -> PlanResponse {
    let mut response = PlanResponse::default();
    for (number, value) in Fields(bytes) {
        match number {
            13 => response.response_id = value.text(),
            2 => {
                response.content =
                    Content::Batch(field(value.bytes(), 2).map(Value::bytes).unwrap_or_default().to_vec())
            }
            14 => response.content = Content::Complete,
            18 => response.content = Content::Progress(progress(value.bytes())),
            _ => {}
        }
    }
    response
}

fn progress(bytes: &[u8]) -> f64 {
    let (mut tasks, mut done) = (0, 0);
    for (_, stage) in Fields(bytes).filter(|(number, _)| *number == 1) {
        tasks += field(stage.bytes(), 2).map_or(0, Value::number);
        done += field(stage.bytes(), 3).map_or(0, Value::number);
    }
    if tasks == 0 { 0.0 } else { 100.0 * done as f64 / tasks as f64 }
}

/// The server's name of the session, in the answer to settings.
pub(crate) fn server_side_id(bytes: &[u8]) -> Option<String> {
    field(bytes, 4).map(Value::text).filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_read() {
        let batch = Message::default().number(1, 2).bytes(2, b"rows");
        let bytes = Message::default().text(13, "r1").message(2, &batch).into_bytes();
        let response = plan_response(&bytes);
        assert_eq!((response.response_id.as_str(), response.content), ("r1", Content::Batch(b"rows".to_vec())));
        let stage = |tasks, done| Message::default().number(1, 1).number(2, tasks).number(3, done);
        let stages = Message::default().message(1, &stage(8, 2)).message(1, &stage(2, 0));
        let bytes = Message::default().message(18, &stages).into_bytes();
        assert_eq!(plan_response(&bytes).content, Content::Progress(20.0));
        assert_eq!(
            plan_response(&Message::default().message(14, &Message::default()).into_bytes()).content,
            Content::Complete
        );
    }
}
