//! Inputs past every limit with its default: each is refused with an error of its own that names the limit, and the server
//! goes on.

use std::io::Write;

use firn_tests::raw::Connection;
use firn_tests::{Client, Request, Server};
use serde_json::{Value, json};

/// Each statement with the code and a part of the message that refuses it.
fn too_large() -> Vec<(String, &'static str, &'static str)> {
    let nested = |open: &str, inside: &str, close: &str, times: usize| {
        format!("SELECT {}{inside}{}", open.repeat(times), close.repeat(times))
    };
    let deep = |function: &str, open: &str, close: &str| {
        format!("SELECT {function}(REPEAT('{open}', 100000) || REPEAT('{close}', 100000))")
    };
    let chained = |first: &str, step: &str, times: usize| {
        let steps = (1..=times).map(|number| format!(", A{} {step} AS A{number}", number - 1));
        format!("SELECT {first} AS A0{}", steps.collect::<String>())
    };
    vec![
        (
            chained("RANDOM()", "+ RANDOM()", 2_000),
            "000603",
            "volatile items that are computed from each other exceeds 100",
        ),
        (chained("1", "", 8_000), "000603", "nested too deeply to be expanded"),
        (format!("SELECT '{}'", "x".repeat(2_000_000)), "000603", "is longer than the 1048576 allowed"),
        (nested("(", "1", ")", 100_000), "000603", "nesting depth exceeds 100"),
        (nested("(SELECT ", "1", ")", 20_000), "000603", "nesting depth exceeds 100"),
        (nested("CASE WHEN TRUE THEN ", "1", " END", 5_000), "000603", "nesting depth exceeds 100"),
        (nested("[", "", "]", 100_000), "000603", "nesting depth exceeds 100"),
        (nested("NOT ", "TRUE", "", 100_000), "000603", "depth of an expression exceeds 500"),
        (nested("- ", "1", "", 100_000), "000603", "depth of an expression exceeds 500"),
        (nested("1+", "1", "", 100_000), "000603", "depth of an expression exceeds 500"),
        (nested("", "PARSE_JSON('1')", ":a", 50_000), "000603", "depth of an expression exceeds 500"),
        (nested("", "1", "::INT", 50_000), "000603", "depth of an expression exceeds 500"),
        (nested("TRUE AND ", "TRUE", "", 50_000), "000603", "ANDs and ORs in a condition exceeds"),
        (nested("", "1", " UNION ALL SELECT 1", 20_000), "000603", "set operations in a query exceeds"),
        (nested("POSITION(", "'a'", ", 'b')", 60), "000603", "nesting depth of POSITION exceeds 10"),
        (
            format!("SELECT 'x' LIKE ANY ({}'z')", "'y',".repeat(100_000)),
            "000603",
            "the elements of a list exceeds 100000",
        ),
        (
            format!("SELECT (1, 2) IN ({}(1, 2))", "(1,3),".repeat(100_000)),
            "000603",
            "the elements of a list exceeds 100000",
        ),
        (format!("{}RETURN 1;{}", "BEGIN ".repeat(5_000), " END;".repeat(5_000)), "000603", "blocks nest deeper than"),
        (deep("PARSE_JSON", "[", "]"), "100069", "nested too deeply"),
        (deep("PARSE_JSON", "{\"a\":", "}"), "100069", "nested too deeply"),
        (deep("PARSE_XML", "<a>", "</a>"), "100100", "nested too deeply"),
        (deep("TO_GEOGRAPHY", "GEOMETRYCOLLECTION(", ")"), "100205", "nested too deeply"),
        ("SELECT REGEXP_LIKE('a', '(a{1000}){1000}')".to_owned(), "100048", "invalid repetition size"),
        ("SELECT REGEXP_COUNT('a', REPEAT('a', 100000))".to_owned(), "100048", "Regular expression too large"),
    ]
}

/// As long as they may be.
#[test]
fn long_lists_are_answered() {
    let server = Server::start();
    let admin = server.admin();
    for statement in [
        format!("SELECT 'x' LIKE ANY ({}'x')", "'y',".repeat(10_000)),
        format!("SELECT (1, 2) IN ({}(1, 2))", "(1,3),".repeat(10_000)),
    ] {
        assert_eq!(admin.cell(&statement), "true");
    }
}

#[test]
fn statements_past_a_limit_name_it() {
    let server = Server::start();
    let admin = server.admin();
    for (statement, code, message) in too_large() {
        let response = admin.sql(&statement);
        let shown: String = statement.chars().take(60).collect();
        assert_eq!((response.status, response.code().as_str()), (422, code), "{shown}\n{response}");
        assert!(response.text().contains(message), "{shown}\n{response}");
        assert!(response.text().len() < 2_000, "{shown}: a message of {} bytes", response.text().len());
    }
    assert_eq!(admin.cell("SELECT 1"), "1");
}

fn body(admin: &Client, path: &str, text: String) -> (u16, String) {
    let mut request = Request::post(path).json(&Value::Null);
    request.body = text.into_bytes();
    let response = admin.send(&request);
    (response.status, response.text())
}

#[test]
fn deep_bodies_are_refused() {
    let server = Server::start();
    let admin = server.admin();
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    for (path, text) in [
        ("/api/v2/statements", format!("{{\"statement\": \"SELECT 1\", \"parameters\": {open}{close}}}")),
        ("/api/v2/statements", format!("{{\"statement\": {open}{close}}}")),
        (
            "/api/v2/statements",
            format!("{{\"bindings\": {{\"1\": {{\"type\": \"TEXT\", \"value\": {open}{close}}}}}}}"),
        ),
        ("/api/v2/assistant/analyst/message", format!("{{\"messages\": {open}{close}}}")),
        ("/api/v2/assistant/analyst/feedback", format!("{{\"request_id\": {open}{close}}}")),
    ] {
        let (status, answer) = body(&admin, path, text);
        assert_eq!(status, 400, "{path}: {answer}");
        assert!(answer.contains("390142"), "{path}: {answer}");
    }
    assert_eq!(admin.cell("SELECT 1"), "1");
}

#[test]
fn semantic_models_have_limits() {
    let server = Server::start();
    let admin = server.admin();
    let mut laughs = "name: x\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        laughs.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    for (model, message) in [
        (laughs, "with its aliases written out"),
        (format!("name: {}", "[".repeat(100_000)), "nested deeper than 100 levels"),
        ("{a: ".repeat(50_000), "nested deeper than 100 levels"),
        (format!("name: {}", "x".repeat(3_000_000)), "2097152 are allowed"),
    ] {
        let content = json!([{"type": "text", "text": "How many are there?"}]);
        let request = Request::post("/api/v2/assistant/analyst/message")
            .json(&json!({"messages": [{"role": "user", "content": content}], "semantic_model": model}));
        let response = admin.send(&request);
        assert_eq!(response.status, 400, "{response}");
        assert!(response.text().contains(message), "{message}: {response}");
    }
    assert_eq!(admin.cell("SELECT 1"), "1");
}

/// Sends a request byte by byte and returns the status, or `None` where the server hung up instead.
fn status_of(server: &Server, line: &str, headers: &[(&str, &str)]) -> Option<u16> {
    let mut connection = Connection::open(server);
    // The server may answer and close before all is sent.
    let _ = connection.send(line, headers, b"");
    let _ = connection.stream.flush();
    connection.answer().ok().flatten().map(|answer| answer.status())
}

#[test]
fn headers_and_addresses_have_limits() {
    let server = Server::start();
    let long = "a".repeat(100_000);
    let names: Vec<String> = (0..2_000).map(|number| format!("x-{number}")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "a")).collect();
    let parameters: Vec<String> = (0..100_000).map(|number| format!("p{number}=1")).collect();
    assert_eq!(status_of(&server, "GET /healthz", &[("x-long", &long)]), Some(431));
    assert_eq!(status_of(&server, "GET /healthz", &many), Some(431));
    assert_eq!(status_of(&server, &format!("GET /{long}"), &[]), Some(431));
    assert_eq!(status_of(&server, &format!("GET /healthz?{}", parameters.join("&")), &[]), Some(431));
    assert_eq!(status_of(&server, &format!("GET /healthz?{}", parameters[..2_000].join("&")), &[]), Some(200));
    assert_eq!(server.admin().cell("SELECT 1"), "1");
}
