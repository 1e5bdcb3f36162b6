//! Values that go in as bindings and come back as cells: a seeded generator makes them, and every one of
//! them has to survive the way through a statement and the way through a table.

use firn_tests::Server;
use firn_tests::client::Client;
use firn_tests::random::Random;
use serde_json::{Map, Value, json};

const SEED: u64 = 20_261_115;
const ROUNDS: usize = 40;

fn text_of(random: &mut Random) -> String {
    const PIECES: [&str; 14] = ["a", "Z", "é", "日", "😀", "'", "\"", "\\", "\n", "\t", " ", "--", "{}", "0"];
    (0..random.below(12)).map(|_| *random.pick(&PIECES)).collect()
}

/// A value of one type: what is bound, and the cell it comes back as.
struct Trip {
    type_name: &'static str,
    column_type: &'static str,
    bound: String,
    cell: String,
}

fn trips(random: &mut Random) -> Vec<Trip> {
    let trip = |type_name, column_type, bound: String, cell: String| Trip { type_name, column_type, bound, cell };
    let whole = random.number() as i64;
    let cents = random.below(1_000_000_000) as i64 - 500_000_000;
    let decimal = format!("{}{}.{:02}", if cents < 0 { "-" } else { "" }, cents.abs() / 100, cents.abs() % 100);
    let real = f64::from_bits(random.number());
    let real = if real.is_finite() { real } else { 0.5 };
    let text = text_of(random);
    let truth = random.below(2) == 1;
    let days = random.below(200_000) as i64 - 100_000;
    let time = random.below(86_400_000_000) as i64;
    let moment = random.below(8_000_000_000_000_000) as i64 - 4_000_000_000_000_000;
    let offset = random.below(1_680) as i64 - 840;
    let bytes: String = (0..random.below(9)).map(|_| format!("{:02X}", random.below(256))).collect();
    vec![
        trip("FIXED", "NUMBER(38,0)", whole.to_string(), whole.to_string()),
        trip("FIXED", "NUMBER(20,2)", decimal.clone(), decimal),
        trip("REAL", "FLOAT", format!("{real:?}"), format!("{real:?}")),
        trip("TEXT", "VARCHAR", text.clone(), text),
        trip("BOOLEAN", "BOOLEAN", truth.to_string(), truth.to_string()),
        trip("DATE", "DATE", (days * 86_400_000).to_string(), days.to_string()),
        trip("TIME", "TIME", (time * 1_000).to_string(), seconds(time)),
        trip("TIMESTAMP_NTZ", "TIMESTAMP_NTZ", (moment * 1_000).to_string(), seconds(moment)),
        trip("TIMESTAMP_LTZ", "TIMESTAMP_LTZ", (moment * 1_000).to_string(), seconds(moment)),
        trip(
            "TIMESTAMP_TZ",
            "TIMESTAMP_TZ",
            format!("{} {}", moment * 1_000, offset + 1_440),
            format!("{} {}", seconds(moment), offset + 1_440),
        ),
        trip("BINARY", "BINARY", bytes.clone(), bytes),
    ]
}

/// Microseconds as seconds with nine digits after the point.
fn seconds(microseconds: i64) -> String {
    let sign = if microseconds < 0 { "-" } else { "" };
    let magnitude = microseconds.unsigned_abs();
    format!("{sign}{}.{:06}000", magnitude / 1_000_000, magnitude % 1_000_000)
}

fn bindings(trips: &[Trip]) -> Value {
    let numbered = trips
        .iter()
        .enumerate()
        .map(|(index, trip)| ((index + 1).to_string(), json!({"type": trip.type_name, "value": trip.bound})));
    json!({ "bindings": numbered.collect::<Map<String, Value>>() })
}

fn check(cells: &[Option<String>], trips: &[Trip], way: &str) {
    assert_eq!(cells.len(), trips.len());
    for (cell, trip) in cells.iter().zip(trips) {
        let cell = cell.as_deref().unwrap_or("NULL");
        let same = match trip.type_name {
            "REAL" => cell.parse::<f64>().ok() == trip.cell.parse::<f64>().ok(),
            _ => cell == trip.cell,
        };
        assert!(same, "{way}: {} {:?} came back as {cell:?}", trip.type_name, trip.bound);
    }
}

fn run(client: &Client, sql: &str, fields: Value) -> Vec<Vec<Option<String>>> {
    let response = client.sql_with(sql, fields);
    assert_eq!(response.status, 200, "{sql}: {response}");
    response.rows()
}

#[test]
fn bound_values_come_back() {
    let server = Server::start();
    let client = server.admin();
    let mut random = Random(SEED);
    let columns: Vec<String> =
        trips(&mut random).iter().enumerate().map(|(index, trip)| format!("C{index} {}", trip.column_type)).collect();
    client.rows("CREATE DATABASE TRIPS");
    client.rows(&format!("CREATE TABLE TRIPS.PUBLIC.T (N INT, {})", columns.join(", ")));
    let marks = vec!["?"; columns.len()].join(", ");
    for round in 0..ROUNDS {
        let trips = trips(&mut random);
        let rows = run(&client, &format!("SELECT {marks}"), bindings(&trips));
        check(&rows[0], &trips, "selected");
        run(&client, &format!("INSERT INTO TRIPS.PUBLIC.T VALUES ({round}, {marks})"), bindings(&trips));
        let stored = run(&client, &format!("SELECT * EXCLUDE (N) FROM TRIPS.PUBLIC.T WHERE N = {round}"), json!({}));
        check(&stored[0], &trips, "stored");
    }
}

fn any_json(random: &mut Random, depth: u64) -> Value {
    match random.below(if depth == 0 { 5 } else { 7 }) {
        0 => Value::Null,
        1 => json!(random.below(2) == 1),
        2 => json!(random.number() as i64),
        3 => json!(random.below(100_000) as i64 - 50_000),
        4 => json!(text_of(random)),
        5 => (0..random.below(4)).map(|_| any_json(random, depth - 1)).collect(),
        _ => Value::Object((0..random.below(4)).map(|_| (text_of(random), any_json(random, depth - 1))).collect()),
    }
}

/// What a value becomes on its way through a text and back.
fn through_text(column_type: &str) -> String {
    const FRACTION: &str = "YYYY-MM-DD HH24:MI:SS.FF6";
    match column_type {
        "TIME" => "TO_TIME(TO_CHAR(?::TIME, 'HH24:MI:SS.FF6'))".to_owned(),
        "TIMESTAMP_NTZ" => format!("TO_TIMESTAMP_NTZ(TO_CHAR(?::TIMESTAMP_NTZ, '{FRACTION}'))"),
        "TIMESTAMP_LTZ" => format!("TO_TIMESTAMP_LTZ(TO_CHAR(?::TIMESTAMP_LTZ, '{FRACTION} TZH:TZM'))"),
        "TIMESTAMP_TZ" => format!("TO_TIMESTAMP_TZ(TO_CHAR(?::TIMESTAMP_TZ, '{FRACTION} TZH:TZM'))"),
        other => format!("?::{other}::VARCHAR::{other}"),
    }
}

#[test]
fn values_survive_being_cast_to_text_and_to_variant() {
    let server = Server::start();
    let client = server.admin();
    let mut random = Random(SEED);
    for _ in 0..ROUNDS {
        let trips = trips(&mut random);
        let items: Vec<String> = trips.iter().map(|trip| through_text(trip.column_type)).collect();
        let cells = run(&client, &format!("SELECT {}", items.join(", ")), bindings(&trips)).remove(0);
        check(&cells, &trips, "a text");
        let in_variants: Vec<Trip> =
            trips.into_iter().filter(|trip| matches!(trip.type_name, "FIXED" | "TEXT" | "BOOLEAN" | "DATE")).collect();
        let items: Vec<String> =
            in_variants.iter().map(|trip| format!("TO_VARIANT(?::{0})::{0}", trip.column_type)).collect();
        let cells = run(&client, &format!("SELECT {}", items.join(", ")), bindings(&in_variants)).remove(0);
        check(&cells, &in_variants, "a VARIANT");
    }
}

#[test]
fn semi_structured_values_come_back() {
    let server = Server::start();
    let client = server.admin();
    let mut random = Random(SEED);
    for _ in 0..ROUNDS {
        let value = any_json(&mut random, 4);
        let bound = json!({"bindings": {"1": {"type": "TEXT", "value": value.to_string()}}});
        let sql =
            "SELECT PARSE_JSON(V), TO_JSON(PARSE_JSON(V)), TO_JSON(TO_VARIANT(PARSE_JSON(V))) FROM (SELECT ? AS V)";
        for cell in run(&client, sql, bound).remove(0) {
            let read: Value = serde_json::from_str(&cell.unwrap_or_default()).expect("a cell of JSON");
            assert_eq!(read, value);
        }
    }
}
