//! One connection, byte by byte: for what an HTTP client hides, such as when the server closes.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::Server;
use crate::server::ADMIN_TOKEN;

/// A server that says nothing for so long has forgotten the connection.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Connection {
    pub stream: TcpStream,
    unread: Vec<u8>,
}

/// An answer whose body has a length.
#[derive(Debug)]
pub struct Answer {
    /// In lower case.
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn status(&self) -> u16 {
        self.head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub fn says_close(&self) -> bool {
        self.header("connection") == Some("close")
    }
}

impl Connection {
    pub fn open(server: &Server) -> Self {
        let stream = TcpStream::connect(server.base_url().trim_start_matches("http://")).expect("connect");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        stream.set_write_timeout(Some(PATIENCE)).expect("a time limit");
        Self { stream, unread: Vec::new() }
    }

    /// The head of a request of ADMIN, and as much of its body as is given.
    pub fn send(&mut self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(head(line, headers).as_bytes())?;
        self.stream.write_all(body)
    }

    /// The next answer, or `None` where the connection was closed before it.
    pub fn answer(&mut self) -> std::io::Result<Option<Answer>> {
        let mut piece = [0; 4096];
        loop {
            if let Some(answer) = self.take_answer() {
                return Ok(Some(answer));
            }
            let length = self.stream.read(&mut piece)?;
            if length == 0 {
                assert!(self.unread.is_empty(), "the connection was closed after {:?}", self.unread);
                return Ok(None);
            }
            self.unread.extend_from_slice(&piece[..length]);
        }
    }

    fn take_answer(&mut self) -> Option<Answer> {
        let end = self.unread.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&self.unread[..end]).to_ascii_lowercase();
        let length: usize = head.lines().find_map(|line| line.strip_prefix("content-length: "))?.parse().ok()?;
        let whole = end + 4 + length;
        if self.unread.len() < whole {
            return None;
        }
        let body = String::from_utf8_lossy(&self.unread[end + 4..whole]).into_owned();
        self.unread.drain(..whole);
        Some(Answer { head, body })
    }
}

/// Defaults are left out where `headers` has them; an empty value leaves one out altogether.
pub fn head(line: &str, headers: &[(&str, &str)]) -> String {
    let token = format!("Bearer {ADMIN_TOKEN}");
    let defaults =
        [("host", "localhost"), ("user-agent", "t/1"), ("authorization", &token), ("content-type", "application/json")];
    let mut text = format!("{line} HTTP/1.1\r\n");
    let given = |name: &str| headers.iter().any(|(given, _)| *given == name);
    let fields = defaults.iter().filter(|(name, _)| !given(name)).chain(headers);
    for (name, value) in fields.filter(|(_, value)| !value.is_empty()) {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text + "\r\n"
}
