//! Results at rest and on the wire: partitions, their links, the room they take.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;

use firn_tests::client::STATEMENTS;
use firn_tests::server::{ADMIN_TOKEN, Shared};
use firn_tests::{Client, Request, Response, Server};
use serde_json::{Value, json};

static SHARED: Shared = Shared::with(&[]);

/// A query with ten to the power of that many rows, made of nothing but literals.
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
fn a_client_without_gzip_gets_later_partitions_whole() {
    let server = SHARED.get();
    let admin = server.admin();
    let first = admin.sql(&format!("SELECT N, REPEAT('x', 100) AS S FROM ({}) X ORDER BY N", numbers(4))).json();
    let information = first["resultSetMetaData"]["partitionInfo"].as_array().unwrap().clone();
    let mut next_row = first["data"].as_array().unwrap().len();
    for (index, info) in information.iter().enumerate().skip(1) {
        let url = format!("{STATEMENTS}/{}?partition={index}", first["statementHandle"].as_str().unwrap());
        let response = admin.send(&Request::get(&url).header("accept-encoding", "identity"));
        assert_eq!(response.headers.get("content-encoding"), None);
        let length = info["uncompressedSize"].as_u64().map(|size| size.to_string());
        assert_eq!(response.headers.get("content-length"), length.as_ref());
        let rows = response.rows();
        assert_eq!(rows[0][0], Some(next_row.to_string()));
        next_row += rows.len();
    }
    assert_eq!(next_row, 10_000);
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

/// Every value a statement gives is text, whatever its type.
#[test]
fn cells_are_strings_or_null() {
    let server = SHARED.get();
    let response = server.admin().sql("SELECT 1, 1.5, TRUE, NULL, 'x', DATE '2026-10-09'");
    for cell in response.json()["data"][0].as_array().unwrap() {
        assert!(matches!(cell, Value::String(_) | Value::Null), "{cell}");
    }
}

/// The oldest results make room for new ones.
#[test]
fn stored_results_stay_within_their_disk() {
    let settings = [("FIRN_RESULTS_DISK_BYTES_MAX", "700KB"), ("FIRN_SWEEP_INTERVAL_MS", "50")];
    let server = Server::start_with(&settings);
    let admin = server.admin();
    let handles: Vec<String> = (0..8)
        .map(|round| {
            let sql = format!("SELECT N, MD5(N || '-{round}') AS S FROM ({}) X", numbers(4));
            let response = admin.sql(&sql);
            assert_eq!(response.status, 200, "{response}");
            response.handle()
        })
        .collect();
    let fetched = |handle: &str| admin.status(handle).status;
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while fetched(&handles[0]) == 200 && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(fetched(&handles[0]), 422, "the oldest result is still there");
    assert_eq!(fetched(&handles[7]), 200, "the newest result is gone");
}

#[test]
fn a_whole_result_as_parquet_is_read_back_as_it_was() {
    let server = Server::start();
    let admin = server.admin();
    let sql = "SELECT SEQ4() AS ID, (SEQ4() / 8)::NUMBER(12, 3) AS EIGHTHS, TO_DATE('1969-12-31') + SEQ4() AS D, \
               'text \"' || SEQ4() AS T, IFF(MOD(SEQ4(), 3) = 0, NULL, SEQ4() > 5) AS B, (SEQ4() / 7)::FLOAT AS F, \
               '1970-01-01 00:00:00.000001'::TIMESTAMP_NTZ - INTERVAL '1 second' AS N, TO_BINARY('00FF', 'HEX') AS X, \
               OBJECT_CONSTRUCT('a', SEQ4()) AS V, 99999999999999999999999999999999999999::NUMBER(38, 0) AS W \
               FROM TABLE(GENERATOR(ROWCOUNT => 20000))";
    let result = admin.sql_with(sql, json!({"parameters": {"CLIENT_RESULT_CHUNK_SIZE": "1"}}));
    assert_eq!(result.status, 200, "{result}");
    assert!(result.json()["resultSetMetaData"]["partitionInfo"].as_array().unwrap().len() > 1, "{result}");
    let file = get(&admin, &format!("/api/v2/statements/{}/download?format=parquet", result.handle()));
    assert_eq!(file.headers["content-type"], "application/vnd.apache.parquet");
    assert_eq!((&file.body[..4], &file.body[file.body.len() - 4..]), (&b"PAR1"[..], &b"PAR1"[..]));
    admin.rows("CREATE STAGE FIRN.PUBLIC.BACK FILE_FORMAT = (TYPE = PARQUET BINARY_AS_TEXT = FALSE)");
    let path = "/api/v2/databases/FIRN/schemas/PUBLIC/stages/BACK/files/r.parquet";
    let mut put = Request::new("PUT", path);
    put.body = file.body;
    let stored = admin.send(&put);
    assert!(stored.status < 300, "{stored}");
    let columns = "ID NUMBER(38,0), EIGHTHS NUMBER(12,3), D DATE, T VARCHAR, B BOOLEAN, F FLOAT, N TIMESTAMP_NTZ, X BINARY, \
                   V VARCHAR, W NUMBER(38,0)";
    admin.rows(&format!("CREATE TABLE FIRN.PUBLIC.BACK ({columns})"));
    admin.rows("COPY INTO FIRN.PUBLIC.BACK FROM @FIRN.PUBLIC.BACK MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE");
    let original = admin.rows(&format!("SELECT * REPLACE (TO_JSON(V) AS V) FROM ({sql}) ORDER BY ID"));
    assert_eq!(admin.rows("SELECT * FROM FIRN.PUBLIC.BACK ORDER BY ID"), original);
    admin.rows("CREATE FILE FORMAT FIRN.PUBLIC.PQ TYPE = PARQUET");
    let infer = "SELECT COLUMN_NAME, TYPE FROM TABLE(INFER_SCHEMA(LOCATION => '@FIRN.PUBLIC.BACK', FILE_FORMAT => 'FIRN.PUBLIC.PQ'))";
    let inferred = admin.rows(infer);
    let of = |name: &str| inferred.iter().find(|row| row[0].as_deref() == Some(name)).and_then(|row| row[1].clone());
    assert_eq!(of("EIGHTHS").as_deref(), Some("NUMBER(12, 3)"));
    assert_eq!(of("D").as_deref(), Some("DATE"));
}
