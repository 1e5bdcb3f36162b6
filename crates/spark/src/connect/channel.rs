//! Calls of gRPC on one HTTP/2 connection to a cluster. A connection that is gone is made anew by the next call.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use h2::client::{self, SendRequest};
use h2::{Ping, RecvStream};
use http::{HeaderMap, HeaderValue, Method, Request};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::endpoint::Endpoint;
use super::failure::{ConnectError, Refusal};

const SERVICE: &str = "/spark.connect.SparkConnectService/";
const CONNECT_WAIT: Duration = Duration::from_secs(5);
/// A connection on which nothing answers for so long is given up.
const PING_EVERY: Duration = Duration::from_secs(15);
const PONG_WAIT: Duration = Duration::from_secs(15);
/// What may be on its way before it is read.
const STREAM_WINDOW_BYTES: u32 = 1 << 20;
const CONNECTION_WINDOW_BYTES: u32 = 16 << 20;
/// Spark sends messages of 128 MB at most.
const MESSAGE_BYTES_MAX: usize = 192 << 20;

pub(crate) struct Channel {
    endpoint: Endpoint,
    token: Option<HeaderValue>,
    tls: Arc<rustls::ClientConfig>,
    sender: Mutex<Option<SendRequest<Bytes>>>,
}

impl Channel {
    pub(crate) fn new(
        endpoint: Endpoint,
        token: Option<&str>,
        tls: Arc<rustls::ClientConfig>,
    ) -> Result<Self, ConnectError> {
        let bearer = |token: &str| {
            let mut value = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
            value.set_sensitive(true);
            Some(value)
        };
        let invalid = || ConnectError::Protocol("the bearer token has characters that no header may have".to_owned());
        let token = token.map(|token| bearer(token).ok_or_else(invalid)).transpose()?;
        Ok(Self { endpoint, token, tls, sender: Mutex::new(None) })
    }

    /// Sends a message; what it is answered with is read from the reply.
    pub(crate) async fn call(&self, method: &str, message: &[u8]) -> Result<Reply, ConnectError> {
        let mut sender = self.ready_sender().await?;
        let request = self.request(method)?;
        let (response, mut body) = sender.send_request(request, false).map_err(|error| broken(&error))?;
        let mut framed = BytesMut::with_capacity(5 + message.len());
        let length = u32::try_from(message.len()).map_err(|_| too_large())?;
        framed.extend_from_slice(&[0]);
        framed.extend_from_slice(&length.to_be_bytes());
        framed.extend_from_slice(message);
        body.send_data(framed.freeze(), true).map_err(|error| broken(&error))?;
        let response = response.await.map_err(|error| broken(&error))?;
        let (head, stream) = response.into_parts();
        if head.status != http::StatusCode::OK {
            return Err(ConnectError::Protocol(format!("it answers with the HTTP status {}", head.status.as_u16())));
        }
        // A call that fails at once has no body.
        if head.headers.contains_key("grpc-status") {
            status_of(&head.headers)?;
        }
        Ok(Reply { stream, buffer: BytesMut::new() })
    }

    fn request(&self, method: &str) -> Result<Request<()>, ConnectError> {
        let scheme = if self.endpoint.tls { "https" } else { "http" };
        let uri = format!("{scheme}://{}{SERVICE}{method}", self.endpoint.authority());
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(uri)
            .header("te", "trailers")
            .header("content-type", "application/grpc")
            .header("user-agent", concat!("firn/", env!("CARGO_PKG_VERSION")));
        if let Some(token) = &self.token {
            request = request.header("authorization", token.clone());
        }
        request.body(()).map_err(|error| ConnectError::Protocol(error.to_string()))
    }

    async fn ready_sender(&self) -> Result<SendRequest<Bytes>, ConnectError> {
        let mut sender = self.sender.lock().await;
        if let Some(open) = sender.take()
            && let Ok(ready) = open.ready().await
        {
            *sender = Some(ready.clone());
            return Ok(ready);
        }
        let connected = timeout(CONNECT_WAIT, self.connect()).await;
        let no_answer = || {
            ConnectError::Unreachable(format!("{} does not answer within {} s", self.endpoint, CONNECT_WAIT.as_secs()))
        };
        let made = connected.map_err(|_| no_answer())??;
        *sender = Some(made.clone());
        Ok(made)
    }

    async fn connect(&self) -> Result<SendRequest<Bytes>, ConnectError> {
        let refused = |error: &dyn std::fmt::Display| ConnectError::Unreachable(format!("{}: {error}", self.endpoint));
        let tcp = TcpStream::connect((self.endpoint.host.as_str(), self.endpoint.port))
            .await
            .map_err(|error| refused(&error))?;
        tcp.set_nodelay(true).map_err(|error| refused(&error))?;
        if !self.endpoint.tls {
            return handshake(tcp).await;
        }
        let name = ServerName::try_from(self.endpoint.host.clone()).map_err(|error| refused(&error))?;
        let connector = TlsConnector::from(self.tls.clone());
        handshake(connector.connect(name, tcp).await.map_err(|error| refused(&error))?).await
    }
}

/// The connection's task ends with the connection: when the last sender is dropped, or nothing answers.
async fn handshake<T>(io: T) -> Result<SendRequest<Bytes>, ConnectError>
where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = client::Builder::new();
    builder.initial_window_size(STREAM_WINDOW_BYTES).initial_connection_window_size(CONNECTION_WINDOW_BYTES);
    let (sender, mut connection) = builder.handshake(io).await.map_err(|error| broken(&error))?;
    let pings = connection.ping_pong();
    tokio::spawn(async move {
        let alive = async {
            let Some(mut pings) = pings else { return std::future::pending().await };
            loop {
                tokio::time::sleep(PING_EVERY).await;
                if !matches!(timeout(PONG_WAIT, pings.ping(Ping::opaque())).await, Ok(Ok(_))) {
                    return;
                }
            }
        };
        tokio::select! {
            ended = connection => if let Err(error) = ended {
                tracing::debug!(%error, "the connection to a cluster ended");
            },
            () = alive => tracing::debug!("a cluster does not answer pings; its connection is given up"),
        }
    });
    Ok(sender)
}

/// The messages that answer a call.
pub(crate) struct Reply {
    stream: RecvStream,
    buffer: BytesMut,
}

impl Reply {
    /// `None` at the end of a call that succeeded.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, ConnectError> {
        loop {
            if let Some(message) = self.buffered()? {
                return Ok(Some(message));
            }
            match self.stream.data().await {
                Some(Ok(data)) => {
                    // What is read makes room for what follows.
                    self.stream.flow_control().release_capacity(data.len()).map_err(|error| broken(&error))?;
                    self.buffer.extend_from_slice(&data);
                }
                Some(Err(error)) => return Err(broken(&error)),
                None => break,
            }
        }
        if !self.buffer.is_empty() {
            return Err(ConnectError::Broken("the connection broke off in the middle of a message".to_owned()));
        }
        match self.stream.trailers().await {
            Ok(Some(trailers)) => status_of(&trailers).map(|()| None),
            Ok(None) => Ok(None),
            Err(error) => Err(broken(&error)),
        }
    }

    /// The only message of an answer.
    pub(crate) async fn only(mut self) -> Result<Bytes, ConnectError> {
        let message = self.next().await?;
        while self.next().await?.is_some() {}
        Ok(message.unwrap_or_default())
    }

    fn buffered(&mut self) -> Result<Option<Bytes>, ConnectError> {
        let Some((head, _)) = self.buffer.split_first_chunk::<5>() else { return Ok(None) };
        let [compressed, length @ ..] = *head;
        let length = u32::from_be_bytes(length) as usize;
        if compressed != 0 {
            return Err(ConnectError::Protocol("a message is compressed".to_owned()));
        }
        if length > MESSAGE_BYTES_MAX {
            return Err(too_large());
        }
        if self.buffer.len() < 5 + length {
            return Ok(None);
        }
        self.buffer.advance(5);
        Ok(Some(self.buffer.split_to(length).freeze()))
    }
}

fn too_large() -> ConnectError {
    ConnectError::Protocol(format!("a message has more than {MESSAGE_BYTES_MAX} bytes"))
}

fn status_of(trailers: &HeaderMap) -> Result<(), ConnectError> {
    let text = |name: &str| trailers.get(name).and_then(|value| value.to_str().ok());
    let status: u32 = text("grpc-status").and_then(|status| status.parse().ok()).unwrap_or(2);
    if status == 0 {
        return Ok(());
    }
    let message = percent_decoded(text("grpc-message").unwrap_or_default());
    let details = trailers.get("grpc-status-details-bin").map(HeaderValue::as_bytes);
    Err(ConnectError::Refused(Refusal::of(status, &message, details)))
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok());
        match code.filter(|_| *first == b'%') {
            Some(code) => {
                bytes.push(code);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn broken(error: &h2::Error) -> ConnectError {
    ConnectError::Broken(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_trailers_are_decoded() {
        for (text, expected) in [("a%20b", "a b"), ("%E6%97%A5", "日"), ("100%", "100%"), ("%zz", "%zz"), ("", "")] {
            assert_eq!(percent_decoded(text), expected);
        }
    }
}
