//! The service around the statements: starting, stopping, health, metrics, documents, partitions of
//! a large result, limits that need more than one request to see.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;

use firn_tests::client::{STATEMENTS, gzip};
use firn_tests::server::{ADMIN_TOKEN, Shared};
use firn_tests::{Client, Request, Response, Server};
use serde_json::{Value, json};

static SHARED: Shared = Shared::with(&[]);

/// A query with that many rows, made of nothing but literals.
fn numbers(digits: u32) -> String {
    let ten = "(SELECT 0 AS D UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL \
               SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";
    let sources: Vec<String> = (0..digits).map(|index| format!("{ten} T{index}")).collect();
    let terms: Vec<String> = (0..digits).map(|index| format!("{} * T{index}.D", 10_u64.pow(index))).collect();
    format!("SELECT {} AS N FROM {}", terms.join(" + "), sources.join(", "))
}

fn links(response: &Response) -> BTreeMap<String, String> {
    let header = response.headers.get("link").unwrap_or_else(|| panic!("no Link header: {response}"));
    let entries = header.split(',').map(|entry| {
        let (url, rel) = entry.trim().split_once(">; rel=\"").unwrap_or_else(|| panic!("malformed entry {entry}"));
        (rel.trim_end_matches('"').to_owned(), url.trim_start_matches('<').to_owned())
    });
    entries.collect()
}

fn partition_of(url: &str) -> u64 {
    let (_, number) = url.rsplit_once("&partition=").unwrap_or_else(|| panic!("no partition in {url}"));
    number.parse().unwrap()
}

fn get(client: &Client, url: &str) -> Response {
    client.send(&Request::get(url))
}

#[test]
fn a_large_result_comes_in_growing_partitions_linked_to_each_other() {
    let server = SHARED.get();
    let admin = server.admin();
    let sql = format!("SELECT N, 'some text to fill the row ' || N AS S FROM ({}) X ORDER BY N", numbers(5));
    let first = admin.sql(&sql);
    assert_eq!(first.status, 200, "{first}");
    let body = first.json();
    let information = body["resultSetMetaData"]["partitionInfo"].as_array().unwrap().clone();
    assert!(information.len() > 3, "expected several partitions: {information:?}");
    assert!(first.body.len() < 200_000, "the first partition is small, not {} bytes", first.body.len());

    let counts: Vec<u64> = information.iter().map(|info| info["rowCount"].as_u64().unwrap()).collect();
    assert_eq!(counts.iter().sum::<u64>(), 100_000);
    for pair in counts[..counts.len() - 1].windows(2) {
        assert!(pair[0] <= pair[1], "partitions grow: {counts:?}");
    }
    let last = (information.len() - 1) as u64;
    let (mut response, mut next_row) = (first, 0);
    for index in 0..=last {
        let rows = response.rows();
        assert_eq!(rows.len() as u64, counts[index as usize]);
        for row in rows {
            assert_eq!(row[0], Some(next_row.to_string()));
            next_row += 1;
        }
        let info = &information[index as usize];
        assert!(info["uncompressedSize"].as_u64() > Some(0), "{info}");
        if index > 0 {
            assert!(info["compressedSize"].as_u64() > Some(0), "{info}");
            assert_eq!(response.headers.get("content-encoding").map(String::as_str), Some("gzip"));
            let fields: Vec<String> = response.json().as_object().unwrap().keys().cloned().collect();
            assert_eq!(fields, ["data"], "later partitions carry their rows and nothing else");
        }
        let links = links(&response);
        assert_eq!(partition_of(&links["first"]), 0);
        assert_eq!(partition_of(&links["last"]), last);
        assert_eq!(links.get("prev").map(|url| partition_of(url)), index.checked_sub(1));
        assert_eq!(links.get("next").map(|url| partition_of(url)), (index < last).then_some(index + 1));
        if let Some(next) = links.get("next") {
            response = get(&admin, next);
        }
    }
}

#[test]
fn a_single_partition_links_to_first_and_last_only() {
    let server = SHARED.get();
    let response = server.admin().sql("SELECT 1");
    let links = links(&response);
    assert_eq!(links.keys().map(String::as_str).collect::<Vec<_>>(), ["first", "last"]);
    let handle = response.handle();
    for url in links.values() {
        assert!(url.starts_with(&format!("{STATEMENTS}/{handle}?requestId=")), "{url}");
        assert_eq!(get(&server.admin(), url).rows(), [[Some("1".to_owned())]]);
    }
    let ids: Vec<&str> = links.values().filter_map(|url| url.split(['=', '&']).nth(1)).collect();
    assert_ne!(ids[0], ids[1], "each URL carries a fresh request id");
}

#[test]
fn a_chunk_size_bounds_the_partitions() {
    let server = SHARED.get();
    let sql = format!("SELECT N, REPEAT('x', 100) AS S FROM ({}) X", numbers(5));
    let fields = json!({"parameters": {"CLIENT_RESULT_CHUNK_SIZE": 1}});
    let body = server.admin().sql_with(&sql, fields).json();
    let sizes = body["resultSetMetaData"]["partitionInfo"].as_array().unwrap().clone();
    let largest = sizes.iter().filter_map(|info| info["uncompressedSize"].as_u64()).max();
    assert!(largest <= Some(1_200_000), "chunks of one megabyte were asked for: {largest:?}");
}

#[test]
fn a_rate_limit_refuses_a_burst_and_says_when_to_come_back() {
    let server = Server::start_with(&[("FIRN_REQUESTS_PER_SECOND_MAX", "5")]);
    let refused = (0..200).map(|_| server.admin().sql("SELECT 1")).find(|response| response.status != 200);
    let refused = refused.expect("two hundred requests at five a second");
    assert_eq!(refused.status, 429, "{refused}");
    assert_eq!(refused.json(), json!({"code": "390505", "message": "Too many requests."}));
    let seconds: u64 = refused.headers["retry-after"].parse().expect("Retry-After counts seconds");
    std::thread::sleep(std::time::Duration::from_secs(seconds.max(1)));
    assert_eq!(server.admin().sql("SELECT 1").status, 200);
}

#[test]
fn large_and_malformed_bodies_are_refused() {
    let server = Server::start_with(&[("FIRN_BODY_BYTES_MAX", "20000"), ("FIRN_SQL_BYTES_MAX", "5000")]);
    let admin = server.admin();
    let long = format!("SELECT '{}'", "x".repeat(30_000));
    let plain = Request::statement(&long, json!({}));
    assert_eq!(admin.send(&plain).status, 413);
    let mut packed = plain.clone().header("content-encoding", "gzip");
    packed.body = gzip(&packed.body);
    assert_eq!(admin.send(&packed).status, 413, "a small body that unpacks to a large one");
    let response = admin.sql(&format!("SELECT '{}'", "x".repeat(10_000)));
    assert!((400..=422).contains(&response.status), "{response}");
    assert_eq!(admin.sql("SELECT 1").status, 200);
}

#[test]
fn deep_nesting_is_refused_and_harms_nothing() {
    let server = SHARED.get();
    for depth in [200, 5_000, 100_000] {
        for (open, close) in [("(", ")"), ("-", ""), ("NOT ", ""), ("ABS(", ")")] {
            let sql = format!("SELECT {}1{}", open.repeat(depth), close.repeat(depth));
            let response = server.admin().sql(&sql);
            assert!(response.status < 500, "{open} × {depth}: {response}");
        }
        let selects = format!("{}SELECT 1{}", "SELECT * FROM (".repeat(depth), ")".repeat(depth));
        let response = server.admin().sql(&selects);
        assert!(response.status < 500, "subqueries × {depth}: {response}");
    }
    let json = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let request = Request { body: json.into_bytes(), ..Request::statement("", json!({})) };
    assert_eq!(server.admin().send(&request).status, 400);
    assert_eq!(server.admin().cell("SELECT 1"), "1");
}

#[test]
fn health_metrics_and_documents_answer_anyone() {
    let server = SHARED.get();
    let stranger = server.stranger();
    for path in ["/healthz", "/readyz"] {
        assert_eq!(stranger.send(&Request::get(path)).status, 200, "{path}");
    }
    server.admin().rows("SELECT 1");
    let metrics = stranger.send(&Request::get("/metrics").header("accept", "*/*"));
    assert!(metrics.headers["content-type"].starts_with("text/plain"), "{:?}", metrics.headers);
    assert!(metrics.text().contains("# TYPE firn_"), "{metrics}");
    let document = stranger.send(&Request::get("/api/v2/openapi.json")).json();
    assert!(document["openapi"].as_str().is_some_and(|version| version.starts_with('3')), "{document}");
    let page = stranger.send(&Request::get("/api/v2/docs").header("accept", "text/html"));
    assert!(page.headers["content-type"].starts_with("text/html"));
    assert!(page.text().contains("/api/v2/statements"));
}

#[test]
fn a_second_server_on_the_same_folder_says_so_and_exits() {
    let server = SHARED.get();
    let (status, output) = server.start_a_second_one();
    assert!(!status.success());
    let folder = server.data_dir().display().to_string();
    assert!(output.contains(&folder), "the message names the folder: {output}");
    assert_eq!(server.admin().cell("SELECT 1"), "1");
}

#[test]
fn sigterm_drains_and_stops() {
    let mut server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE STOPPED");
    admin.rows("CREATE TABLE STOPPED.PUBLIC.T AS SELECT 1 AS N");
    assert!(server.terminate().success(), "{}", server.log());
    let server = server.kill_and_restart();
    assert_eq!(server.admin().cell("SELECT N FROM STOPPED.PUBLIC.T"), "1");
}

#[test]
fn neither_tokens_nor_literals_are_logged() {
    let server = Server::start_with(&[("FIRN_LOG_LEVEL", "debug")]);
    let admin = server.admin();
    admin.sql("SELECT 'a-literal-of-the-user'");
    admin.sql("SELECT 'a-literal-of-the-user' FROM NOWHERE");
    admin.sql_with("SELECT ?", json!({"bindings": {"1": {"type": "TEXT", "value": "a-bound-value"}}}));
    admin.sql_with("SELECT ?", json!({"bindings": {"1": {"type": "FIXED", "value": "a-bound-value"}}}));
    server.client("a-wrong-token-that-was-sent").sql("SELECT 1");
    admin.rows("CREATE USER LOGGED");
    let secret = admin.rows("ALTER USER LOGGED ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    server.client(&secret).sql("SELECT 1");
    let log = server.log();
    for text in ["a-literal-of-the-user", "a-bound-value", "a-wrong-token-that-was-sent", ADMIN_TOKEN, &secret] {
        assert!(!log.contains(text), "the log holds `{text}`:\n{log}");
    }
}

/// Secrets are kept as hashes: nowhere in the folder is one to be found.
#[test]
fn secrets_are_not_on_disk() {
    let mut server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE USER HASHED");
    let secret = admin.rows("ALTER USER HASHED ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    server.kill();
    let mut folders = vec![server.data_dir().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = std::fs::read(entry.path()).unwrap();
            for text in [secret.as_str(), ADMIN_TOKEN] {
                let found = bytes.windows(text.len()).any(|window| window == text.as_bytes());
                assert!(!found, "{} holds a secret", entry.path().display());
            }
        }
    }
}

#[test]
fn a_dropped_connection_does_not_cancel() {
    let server = SHARED.get();
    let admin = server.admin();
    admin.rows("CREATE OR REPLACE DATABASE DROPPED_CLIENT");
    admin.rows("CREATE TABLE DROPPED_CLIENT.PUBLIC.T (N INT)");
    let sql = format!("INSERT INTO DROPPED_CLIENT.PUBLIC.T SELECT COUNT(*) FROM ({}) X", numbers(6));
    let id = uuid::Uuid::new_v4();
    let body = json!({"statement": sql}).to_string();
    let address = server.base_url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    let head = format!(
        "POST {STATEMENTS}?requestId={id} HTTP/1.1\r\nhost: {address}\r\nuser-agent: firn-tests/1.0\r\naccept: */*\r\n\
         authorization: Bearer {ADMIN_TOKEN}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(50));
    drop(stream);
    let again = Request::statement(&sql, json!({})).request_id(id).query("retry", "true");
    let outcome = admin.send_until_done(&again);
    assert_eq!(outcome.status, 200, "{outcome}");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM DROPPED_CLIENT.PUBLIC.T"), "1");
}

#[test]
fn two_authorization_headers_are_refused() {
    let server = SHARED.get();
    let address = server.base_url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    let head = format!(
        "GET {STATEMENTS}/x HTTP/1.1\r\nhost: {address}\r\nuser-agent: t/1\r\nauthorization: Bearer {ADMIN_TOKEN}\r\n\
         authorization: Bearer other\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
}

/// Every value a statement gives is text, whatever its type.
#[test]
fn cells_are_strings_or_null() {
    let server = SHARED.get();
    let response = server.admin().sql("SELECT 1, 1.5, TRUE, NULL, 'x', DATE '2026-10-09'");
    for cell in response.json()["data"][0].as_array().unwrap() {
        assert!(matches!(cell, Value::String(_) | Value::Null), "{cell}");
    }
}
