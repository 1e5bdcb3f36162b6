//! What becomes of a connection: after refusals, with slow clients, and under load.

use std::io::Read;
use std::time::Duration;

use firn_tests::Server;
use firn_tests::client::STATEMENTS;
use firn_tests::raw::Connection;
use firn_tests::server::Shared;

static SHARED: Shared = Shared::with(&[]);

const BODY_BYTES_MAX: usize = 16 << 20;

/// A request that is refused before its body is read.
struct Refused {
    status: u16,
    line: String,
    headers: Vec<(&'static str, &'static str)>,
}

fn refusals() -> Vec<Refused> {
    let post = format!("POST {STATEMENTS}");
    let refused = |status, line: &str, headers: &[(&'static str, &'static str)]| Refused {
        status,
        line: line.to_owned(),
        headers: headers.to_vec(),
    };
    vec![
        refused(401, &post, &[("authorization", "")]),
        refused(401, &post, &[("authorization", "Bearer nobody")]),
        refused(400, &post, &[("user-agent", "")]),
        refused(400, &format!("{post}?async=perhaps"), &[]),
        refused(404, "POST /api/v2/nothing", &[]),
        refused(405, &format!("PUT {STATEMENTS}"), &[]),
        refused(415, &post, &[("content-type", "text/csv")]),
        refused(415, &post, &[("content-encoding", "br")]),
        refused(422, &post, &[("accept", "text/csv")]),
        refused(404, "PUT /api/v2/databases/NONE/schemas/PUBLIC/stages/S/files/a.csv", &[]),
        refused(401, "POST /api/v2/assistant/analyst/message", &[("authorization", "Bearer nobody")]),
    ]
}

/// Sends a refused request, all of its body or as much as the server lets it, and then another one.
fn check_refusal(server: &Server, refused: &Refused, bytes: usize, framing: Framing) {
    let what = format!("{} with {bytes} bytes, {framing:?}, {:?}", refused.line, refused.headers);
    let mut connection = Connection::open(server);
    let (body, length) = (vec![b'x'; bytes], bytes.to_string());
    let mut headers = refused.headers.clone();
    match framing {
        Framing::Length => headers.push(("content-length", &length)),
        Framing::Chunks => headers.push(("transfer-encoding", "chunked")),
    }
    connection.send(&refused.line, &headers, &framing.frame(body)).unwrap_or_else(|error| panic!("{what}: {error}"));
    let answer = connection.answer().unwrap_or_else(|error| panic!("{what}: {error}")).expect(&what);
    assert_eq!(answer.status(), refused.status, "{what}: {answer:?}");
    if answer.says_close() {
        // A reset could have destroyed the answer on its way: the end is orderly.
        let after = connection.stream.read(&mut [0; 16]).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(after, 0, "{what}");
        return;
    }
    connection.send("GET /healthz", &[], &[]).unwrap_or_else(|error| panic!("{what}: {error}"));
    let next = connection.answer().unwrap_or_else(|error| panic!("{what}: {error}"));
    let next = next.unwrap_or_else(|| panic!("{what}: the connection was closed, and {answer:?} does not say so"));
    assert_eq!(next.status(), 200, "{what}: {next:?}");
}

#[derive(Clone, Copy, Debug)]
enum Framing {
    Length,
    Chunks,
}

impl Framing {
    fn frame(self, body: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Length => body,
            Self::Chunks => {
                let pieces = body.chunks(10_000);
                let chunks = pieces.map(|piece| [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat());
                chunks.chain([b"0\r\n\r\n".to_vec()]).flatten().collect()
            }
        }
    }
}

#[test]
fn a_refusal_keeps_the_connection_or_says_that_it_closes() {
    let server = SHARED.get();
    for refused in refusals() {
        for bytes in [2, 5_000, 200_000, 3_000_000, 20_000_000] {
            check_refusal(&server, &refused, bytes, Framing::Length);
        }
        check_refusal(&server, &refused, 5_000, Framing::Chunks);
        check_refusal(&server, &refused, 3_000_000, Framing::Chunks);
    }
}

#[test]
fn a_body_that_is_too_large_is_refused_in_order() {
    let server = SHARED.get();
    let post = format!("POST {STATEMENTS}");
    let refused = Refused { status: 413, line: post, headers: Vec::new() };
    for bytes in [BODY_BYTES_MAX + 1, BODY_BYTES_MAX + 5_000_000] {
        check_refusal(&server, &refused, bytes, Framing::Length);
        check_refusal(&server, &refused, bytes, Framing::Chunks);
    }
}

/// A small body that was refused by its headers costs no connection.
#[test]
fn a_refusal_of_a_small_request_keeps_the_connection() {
    let server = SHARED.get();
    let mut connection = Connection::open(&server);
    for refused in refusals() {
        let mut headers = refused.headers.clone();
        headers.push(("content-length", "1000"));
        connection.send(&refused.line, &headers, &[]).unwrap();
        // The body may come when the answer is on its way.
        std::thread::sleep(Duration::from_millis(20));
        std::io::Write::write_all(&mut connection.stream, &[b'x'; 1000]).unwrap();
        let answer = connection.answer().unwrap().unwrap_or_else(|| panic!("{} found it closed", refused.line));
        assert_eq!((answer.status(), answer.says_close()), (refused.status, false), "{}: {answer:?}", refused.line);
    }
}

/// A client that waits for `100 Continue` gets the refusal, and its body is neither asked for nor waited for.
#[test]
fn a_refusal_comes_instead_of_100_continue() {
    let server = SHARED.get();
    for refused in refusals() {
        let mut connection = Connection::open(&server);
        let mut headers = refused.headers.clone();
        headers.extend([("content-length", "5000"), ("expect", "100-continue")]);
        connection.send(&refused.line, &headers, &[]).unwrap();
        let answer = connection.answer().unwrap().expect(&refused.line);
        assert_eq!((answer.status(), answer.says_close()), (refused.status, true), "{}: {answer:?}", refused.line);
        assert_eq!(connection.stream.read(&mut [0; 16]).unwrap(), 0, "{}", refused.line);
    }
}
