//! What becomes of a connection: after refusals, with slow clients, and under load.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use firn_tests::client::STATEMENTS;
use firn_tests::raw::{Connection, head};
use firn_tests::server::Shared;
use firn_tests::{Request, Server, comes_true};

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
        connection.stream.write_all(&[b'x'; 1000]).unwrap();
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

const SLOW: usize = 175;
/// The kinds of slow clients.
const KINDS: usize = 6;

/// What a slow client does once it is connected.
fn begin_slowly(server: &Server, kind: usize) -> Connection {
    let mut connection = Connection::open(server);
    match kind % KINDS {
        // Nothing.
        3 => {}
        // What may become the preface of HTTP/2.
        4 => connection.stream.write_all(b"PRI * HT").unwrap(),
        // The preface, and nothing behind it.
        5 => connection.stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap(),
        // Headers that never end.
        0 => connection.stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nuser-ag").unwrap(),
        // A body that never comes.
        1 => {
            connection.send(&format!("POST {STATEMENTS}"), &[("content-length", "1000")], b"{\"statement\": ").unwrap();
        }
        // Answers that are never read.
        _ => {
            let one = head("GET /api/v2/openapi.json", &[]);
            connection.stream.set_nonblocking(true).unwrap();
            // As many requests as the connection takes before its buffers are full.
            while connection.stream.write_all(one.repeat(50).as_bytes()).is_ok() {}
            connection.stream.set_nonblocking(false).unwrap();
        }
    }
    connection
}

/// Whether the server has ended the connection; what it sent before is read away.
fn is_ended(connection: &mut Connection) -> bool {
    let mut piece = vec![0; 1 << 16];
    loop {
        match connection.stream.read(&mut piece) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }
}

/// Clients that say nothing, or send or read slowly, six times 175 of them, hold up nobody, and are gone after a while.
#[test]
fn slow_connections_are_closed_and_hold_up_nobody() {
    let settings = [
        ("FIRN_HEADER_READ_WAIT_MS", "2000"),
        ("FIRN_BODY_READ_WAIT_MS", "2000"),
        ("FIRN_ANSWER_READ_WAIT_MS", "2000"),
        ("FIRN_LOG_LEVEL", "warn"),
    ];
    let server = Server::start_with(&settings);
    let mut slow: Vec<Connection> = (0..KINDS * SLOW).map(|kind| begin_slowly(&server, kind)).collect();
    for _ in 0..20 {
        assert_eq!(server.admin().cell("SELECT 1"), "1");
        assert_eq!(server.stranger().send(&Request::get("/healthz")).status, 200);
    }
    // Past its deadline every one of them is closed, though the client still does nothing.
    wait_until_closed(&server);
    for (kind, connection) in slow.iter_mut().enumerate() {
        assert!(is_ended(connection), "connection {kind} is still open");
    }
    assert_eq!(server.admin().cell("SELECT 1"), "1");
}

/// The server's side of connections that are open, but for those that clients have left.
fn open_connections(server: &Server) -> usize {
    let sockets = std::fs::read_dir(format!("/proc/{}/fd", server.process_id())).unwrap();
    let is_socket = |place: std::path::PathBuf| {
        std::fs::read_link(place).is_ok_and(|target| target.to_string_lossy().starts_with("socket:"))
    };
    sockets.filter_map(Result::ok).filter(|entry| is_socket(entry.path())).count()
}

fn wait_until_closed(server: &Server) {
    let are_closed = || open_connections(server) < 50;
    assert!(comes_true(are_closed), "{} connections are still open", open_connections(server));
}

/// A file that comes byte by byte is given up although each byte comes in time.
#[test]
fn a_body_that_trickles_is_given_up() {
    let server = Server::start_with(&[("FIRN_BODY_READ_WAIT_MS", "1000")]);
    for line in
        [format!("POST {STATEMENTS}"), "PUT /api/v2/databases/FIRN/schemas/PUBLIC/stages/~/files/slow".to_owned()]
    {
        let mut connection = Connection::open(&server);
        connection.send(&line, &[("content-length", "100000")], b"x").unwrap();
        let mut writer = connection.stream.try_clone().unwrap();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) && writer.write_all(b"x").is_ok() {
                    std::thread::sleep(Duration::from_millis(100));
                }
            });
            let answer = connection.answer().unwrap().expect(&line);
            is_over.store(true, Ordering::Relaxed);
            assert_eq!((answer.status(), answer.says_close()), (400, true), "{line}: {answer:?}");
            assert!(answer.body.contains("did not arrive in time"), "{line}: {answer:?}");
        });
    }
}

/// Five times what the server can do: what is too much is refused, health is answered, and afterwards all is as before.
#[test]
fn overload_is_turned_away_and_passes() {
    let server = Server::start_with(&[("FIRN_QUEUE_LENGTH_MAX", "8")]);
    server.admin().rows("ALTER WAREHOUSE COMPUTE_WH SET MAX_CONCURRENCY_LEVEL = 4");
    let (served, turned_away) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for number in 0..60 {
            let (server, served, turned_away) = (&server, &served, &turned_away);
            scope.spawn(move || {
                let response = server.admin().sql(&format!("SELECT SYSTEM$WAIT(1), {number}"));
                match response.status {
                    200 => served.fetch_add(1, Ordering::Relaxed),
                    429 => {
                        assert!(response.headers["retry-after"].parse::<u64>().is_ok(), "{response}");
                        turned_away.fetch_add(1, Ordering::Relaxed)
                    }
                    _ => panic!("{response}"),
                };
            });
        }
        for _ in 0..20 {
            assert_eq!(server.stranger().send(&Request::get("/healthz")).status, 200);
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let (served, turned_away) = (served.into_inner(), turned_away.into_inner());
    // Four slots, and the three quarters of the queue that one user may have.
    assert!(served >= 10 && turned_away > 0, "{served} were served, {turned_away} turned away");
    assert_eq!(server.admin().cell("SELECT 1"), "1");
}

#[test]
fn a_broken_body_ends_the_connection_and_the_answer_says_so() {
    let server = SHARED.get();
    for line in
        [format!("POST {STATEMENTS}"), "PUT /api/v2/databases/FIRN/schemas/PUBLIC/stages/~/files/a.csv".to_owned()]
    {
        let mut connection = Connection::open(&server);
        let chunked = [("transfer-encoding", "chunked")];
        connection.send(&line, &chunked, b"zz\r\nGET /healthz HTTP/1.1\r\n\r\n").unwrap();
        let answer = connection.answer().unwrap().unwrap_or_else(|| panic!("{line}: no answer"));
        assert_eq!(answer.status(), 400, "{line}: {answer:?}");
        assert!(answer.says_close(), "{line}: {answer:?}");
        assert!(connection.answer().unwrap().is_none(), "{line}: the rest was answered as a request");
    }
}

#[test]
fn a_request_names_exactly_one_host() {
    let server = SHARED.get();
    let mut connection = Connection::open(&server);
    let check = |connection: &mut Connection, request: &str, status: u16| {
        connection.stream.write_all(request.as_bytes()).unwrap();
        let answer = connection.answer().unwrap().unwrap_or_else(|| panic!("{request}: no answer"));
        assert_eq!(answer.status(), status, "{request}: {answer:?}");
    };
    check(&mut connection, "GET /healthz HTTP/1.1\r\n\r\n", 400);
    check(&mut connection, "GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", 400);
    check(&mut connection, "POST /api/v2/statements HTTP/1.1\r\ncontent-length: 5\r\n\r\nabcde", 400);
    check(&mut connection, "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n", 200);
    check(&mut connection, "GET /healthz HTTP/1.0\r\n\r\n", 200);
}

/// A client that asks for a whole result and reads the head of the answer alone.
fn begin_download(server: &Server, handle: &str) -> (Connection, String) {
    let mut connection = Connection::open(server);
    connection.send(&format!("GET {STATEMENTS}/{handle}/download"), &[("content-type", "")], b"").unwrap();
    let mut head = [0; 12];
    connection.stream.read_exact(&mut head).unwrap();
    (connection, String::from_utf8_lossy(&head).into_owned())
}

#[test]
fn downloads_that_are_not_read_take_little_memory_and_end() {
    let server = Server::start_with(&[("FIRN_DOWNLOADS_PER_USER_MAX", "40"), ("FIRN_ANSWER_READ_WAIT_MS", "4000")]);
    let admin = server.admin();
    let sql = "SELECT SEQ8() AS N, REPEAT(UUID_STRING(), 28) AS S FROM TABLE(GENERATOR(ROWCOUNT => 100000))";
    let handle = admin.sql_to_its_end(sql).handle();
    let before = server.peak_memory_bytes();
    let slow: Vec<(Connection, String)> = (0..40).map(|_| begin_download(&server, &handle)).collect();
    for (_, head) in &slow {
        assert_eq!(head, "HTTP/1.1 200");
    }
    let download = Request::get(&format!("{STATEMENTS}/{handle}/download"));
    let refused = admin.send(&download);
    assert_eq!(refused.status, 429, "{refused}");
    assert!(refused.headers.contains_key("retry-after"), "{refused}");
    std::thread::sleep(Duration::from_secs(2));
    let grown = server.peak_memory_bytes().saturating_sub(before);
    assert!(grown < 40 * (3 << 20), "40 downloads took {} MB", grown >> 20);
    // Who does not read is disconnected, and others have the turn.
    assert!(comes_true(|| admin.send(&download).status == 200), "the slow clients are still there");
    let whole = admin.send(&download);
    assert!(whole.body.len() > 100_000 * 28 * 36, "{} bytes", whole.body.len());
    drop(slow);
}
