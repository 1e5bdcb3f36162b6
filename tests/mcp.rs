//! Tools for agents: over HTTP and over the standard input and output, by the protocol's raw messages.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use firn_tests::cli::Cli;
use firn_tests::client::STATEMENTS;
use firn_tests::server::{ADMIN_TOKEN, Shared};
use firn_tests::{Client, Request, Response, Server, comes_true};
use serde_json::{Value, json};

static SERVER: Shared = Shared::with(&[("FIRN_DEMO", "true")]);
static WRITING: Shared =
    Shared::with(&[("FIRN_MCP_ALLOW_WRITES", "true"), ("FIRN_MCP_ALLOWED_ORIGINS", "https://app.example.com:443")]);

fn message(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
}

fn post(body: &Value) -> Request {
    Request::post("/mcp").json(body).header("accept", "application/json, text/event-stream")
}

fn send(client: &Client, method: &str, params: &Value) -> Response {
    client.send(&post(&message(method, params)))
}

/// What a tool answers, and whether it is an error.
fn outcome(answer: &Value) -> (Value, bool) {
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"));
    (serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")), result["isError"] == true)
}

fn call(client: &Client, tool: &str, arguments: &Value) -> (Value, bool) {
    let response = send(client, "tools/call", &json!({"name": tool, "arguments": arguments}));
    assert_eq!(response.status, 200, "{tool}: {response}");
    outcome(&response.json())
}

fn done(client: &Client, tool: &str, arguments: &Value) -> Value {
    let (answer, is_error) = call(client, tool, arguments);
    assert!(!is_error, "{tool} {arguments}: {answer}");
    answer
}

fn refused(client: &Client, tool: &str, arguments: &Value) -> Value {
    let (answer, is_error) = call(client, tool, arguments);
    assert!(is_error, "{tool} {arguments}: {answer}");
    answer["error"].clone()
}

/// A user with a role of her own, which owns nothing.
fn newcomer(server: &Server, name: &str) -> Client {
    let admin = server.admin();
    admin.rows(&format!("CREATE ROLE IF NOT EXISTS {name}_ROLE"));
    admin.rows(&format!("CREATE USER {name} DEFAULT_ROLE = {name}_ROLE DEFAULT_WAREHOUSE = COMPUTE_WH"));
    admin.rows(&format!("GRANT ROLE {name}_ROLE TO USER {name}"));
    admin.rows(&format!("GRANT USAGE ON WAREHOUSE COMPUTE_WH TO ROLE {name}_ROLE"));
    let rows = admin.rows(&format!("ALTER USER {name} ADD PROGRAMMATIC ACCESS TOKEN T"));
    server.client(rows[0][1].as_deref().unwrap())
}

#[test]
fn a_client_introduces_itself_and_finds_the_tools() {
    let server = SERVER.get();
    let admin = server.admin();
    let hello =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let response = send(&admin, "initialize", &hello);
    assert_eq!(response.status, 200, "{response}");
    let result = &response.json()["result"];
    assert_eq!((&result["serverInfo"]["name"], &result["protocolVersion"]), (&"firn".into(), &"2025-06-18".into()));
    assert!(!response.headers.contains_key("mcp-session-id"), "nothing is kept between requests");
    let notification = admin.send(&post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})));
    assert_eq!(notification.status, 202, "{notification}");
    let tools = send(&admin, "tools/list", &json!({})).json()["result"]["tools"].clone();
    let names: Vec<&str> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = [
        "list_databases",
        "list_schemas",
        "list_objects",
        "describe_object",
        "run_statement",
        "fetch_rows",
        "cancel_statement",
        "find_column_values",
        "ask_analyst",
    ];
    assert_eq!(names, expected);
    let run = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "run_statement").unwrap();
    assert_eq!(run["annotations"]["readOnlyHint"], true);
    assert!(run["inputSchema"]["properties"]["allow_writes"].is_null(), "{run}");
}

#[test]
fn objects_are_listed_and_described() {
    let server = SERVER.get();
    let admin = server.admin();
    let names = |answer: &Value| {
        answer["rows"].as_array().unwrap().iter().map(|row| row[0].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(names(&done(&admin, "list_databases", &json!({}))).contains(&"DEMO".to_owned()));
    assert!(names(&done(&admin, "list_schemas", &json!({"database": "demo"}))).contains(&"PUBLIC".to_owned()));
    let tables = done(&admin, "list_objects", &json!({"database": "demo", "schema": "public"}));
    assert!(names(&tables).contains(&"ORDERS".to_owned()), "{tables}");
    let one = done(&admin, "list_objects", &json!({"database": "demo", "like": "order_"}));
    assert!(names(&one).iter().all(|name| name == "ORDERS"), "{one}");
    let few = done(&admin, "list_objects", &json!({"database": "demo", "max_rows": 1}));
    assert_eq!((&few["returned_rows"], &few["next_offset"]), (&1.into(), &1.into()), "{few}");
    let columns = done(&admin, "describe_object", &json!({"name": "demo.public.orders"}));
    assert!(columns["rows"].as_array().unwrap().len() > 2, "{columns}");
    for kind in ["view", "semantic_view", "stage", "file_format", "sequence", "function", "procedure"] {
        done(&admin, "list_objects", &json!({"kind": kind, "database": "demo"}));
    }
    let missing = refused(&admin, "describe_object", &json!({"name": "demo.public.\"no such\""}));
    assert_eq!((&missing["code"], &missing["sql_state"]), (&"002003".into(), &"42S02".into()), "{missing}");
    let no_name = refused(&admin, "describe_object", &json!({"name": "orders; drop table orders"}));
    assert!(no_name["message"].as_str().unwrap().contains("no name"), "{no_name}");
}

#[test]
fn results_come_in_pages() {
    let server = SERVER.get();
    let admin = server.admin();
    let sql = "SELECT SEQ4() AS N, REPEAT('x', 200) AS T, TO_DATE('2024-01-05') AS D, PARSE_JSON('{\"a\": [1, 2]}') AS V, \
               NULL AS E, 1.50::NUMBER(10, 2) AS M FROM TABLE(GENERATOR(ROWCOUNT => 50000)) ORDER BY N";
    let first = done(&admin, "run_statement", &json!({"statement": sql, "max_rows": 2}));
    assert_eq!(first["total_rows"], 50_000);
    assert_eq!(first["rows"][1], json!([1, "x".repeat(200), "2024-01-05", {"a": [1, 2]}, null, 1.5]));
    assert_eq!(first["columns"][5], json!({"name": "M", "type": "NUMBER(10,2)"}));
    assert!(first["notes"][0].as_str().unwrap().contains("offset 2"), "{}", first["notes"]);
    let handle = first["handle"].as_str().unwrap();
    // Bytes bound a page before rows do.
    let page = done(&admin, "fetch_rows", &json!({"handle": handle, "offset": 2, "max_rows": 1000}));
    let returned = page["returned_rows"].as_u64().unwrap();
    assert!((100..1_000).contains(&returned), "{returned}");
    assert_eq!(page["next_offset"], 2 + returned);
    let last = done(&admin, "fetch_rows", &json!({"handle": handle, "offset": 49_999, "columns": ["n"]}));
    assert_eq!((&last["rows"], &last["next_offset"]), (&json!([[49_999]]), &Value::Null), "{last}");
    // Across the border of two partitions.
    let mut seen = 0;
    while seen < 3_000 {
        let page =
            done(&admin, "fetch_rows", &json!({"handle": handle, "offset": seen, "columns": ["N"], "max_rows": 999}));
        for row in page["rows"].as_array().unwrap() {
            assert_eq!(row[0], seen);
            seen += 1;
        }
    }
    let beyond = done(&admin, "fetch_rows", &json!({"handle": handle, "offset": 60_000}));
    assert!(beyond["notes"][0].as_str().unwrap().contains("none from offset 60000"), "{beyond}");
    let long = done(&admin, "run_statement", &json!({"statement": "SELECT REPEAT('y', 100000)"}));
    assert!(long["rows"][0][0].as_str().unwrap().len() < 5_000);
    assert!(long["notes"][0].as_str().unwrap().contains("SUBSTR"), "{}", long["notes"]);
}

#[test]
fn errors_of_statements_are_errors_of_the_tool() {
    let server = SERVER.get();
    let admin = server.admin();
    let error = refused(&admin, "run_statement", &json!({"statement": "SELECT 1,\n  FROM"}));
    assert_eq!((&error["code"], &error["sql_state"]), (&"001003".into(), &"42000".into()), "{error}");
    assert_eq!(error["location"]["line"], 2, "{error}");
    let unknown = refused(&admin, "run_statement", &json!({"sql": "SELECT 1"}));
    assert!(unknown["message"].as_str().unwrap().contains("no argument `sql`"), "{unknown}");
    let response = send(&admin, "tools/call", &json!({"name": "drop_everything"}));
    assert_eq!(response.json()["error"]["code"], -32602, "{response}");
}

#[test]
fn nothing_is_changed_unless_it_is_allowed() {
    let server = SERVER.get();
    let admin = server.admin();
    admin.rows("CREATE DATABASE IF NOT EXISTS MCP_READS");
    admin.rows("CREATE OR REPLACE TABLE MCP_READS.PUBLIC.T (A INT)");
    admin.rows("CREATE OR REPLACE SEQUENCE MCP_READS.PUBLIC.S");
    admin.rows(
        "CREATE OR REPLACE PROCEDURE MCP_READS.PUBLIC.P() RETURNS VARCHAR LANGUAGE SQL AS \
         'BEGIN INSERT INTO MCP_READS.PUBLIC.T VALUES (1); RETURN ''done''; END'",
    );
    admin.rows(
        "CREATE OR REPLACE PROCEDURE MCP_READS.PUBLIC.R() RETURNS TABLE (A INT) LANGUAGE SQL AS \
         'BEGIN INSERT INTO MCP_READS.PUBLIC.T VALUES (1); LET R RESULTSET := (SELECT 1 AS A); RETURN TABLE(R); END'",
    );
    for statement in [
        "INSERT INTO T VALUES (1)",
        "/* SELECT */ DELETE FROM T",
        "WITH X AS (SELECT 1 AS A) SELECT S.NEXTVAL",
        "CREATE TABLE U (A INT)",
        "CREATE TEMPORARY TABLE U (A INT)",
        "DROP TABLE T",
        "GRANT SELECT ON TABLE T TO ROLE PUBLIC",
        "CREATE USER MCP_USER",
        "CALL P()",
        "SELECT * FROM TABLE(R())",
        "EXECUTE IMMEDIATE 'INSERT INTO T VALUES (1)'",
        "BEGIN INSERT INTO T VALUES (1); RETURN 1; END",
        "COPY INTO @~/x FROM T",
        "SELECT SYSTEM$CANCEL_ALL_QUERIES('1')",
        "ALTER USER ADMIN SET DEFAULT_ROLE = PUBLIC",
        "COMMENT ON TABLE T IS 'x'",
        "TRUNCATE TABLE T",
    ] {
        let arguments = json!({"statement": statement, "database": "MCP_READS", "schema": "PUBLIC"});
        let error = refused(&admin, "run_statement", &arguments);
        let (code, message) = (error["code"].as_str().unwrap_or_default(), error["message"].to_string());
        assert!(
            code == "391913" || message.contains("391913") || message.contains("may only read"),
            "{statement}: {error}"
        );
    }
    let error = refused(&admin, "run_statement", &json!({"statement": "DROP TABLE T", "allow_writes": true}));
    assert!(error["message"].as_str().unwrap().contains("no argument `allow_writes`"), "{error}");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM MCP_READS.PUBLIC.T"), "0");
    assert_eq!(admin.cell("SELECT MCP_READS.PUBLIC.S.NEXTVAL"), "1");
    for statement in [
        "SELECT COUNT(*) FROM T",
        "SHOW TABLES",
        "DESCRIBE TABLE T",
        "DESCRIBE SEQUENCE S",
        "EXPLAIN INSERT INTO T VALUES (1)",
        "LIST @~",
        "EXECUTE IMMEDIATE 'SELECT 1'",
        "BEGIN RETURN 1; END",
    ] {
        done(&admin, "run_statement", &json!({"statement": statement, "database": "mcp_reads", "schema": "public"}));
    }
}

#[test]
fn changes_need_the_servers_leave_and_the_calls_word() {
    let server = WRITING.get();
    let admin = server.admin();
    let create = json!({"statement": "CREATE OR REPLACE TABLE FIRN.PUBLIC.MADE (A INT)"});
    assert_eq!(refused(&admin, "run_statement", &create)["sql_state"], "25006");
    let allowed = json!({"statement": create["statement"], "allow_writes": true});
    done(&admin, "run_statement", &allowed);
    assert_eq!(admin.cell("SELECT COUNT(*) FROM FIRN.PUBLIC.MADE"), "0");
}

#[test]
fn the_header_of_the_api_refuses_changes_too() {
    let server = WRITING.get();
    let admin = server.admin();
    let arguments = json!({"statement": "CREATE TABLE FIRN.PUBLIC.NEVER (A INT)", "allow_writes": true});
    let request = post(&message("tools/call", &json!({"name": "run_statement", "arguments": arguments})));
    let response = admin.send(&request.header("x-firn-read-only", "true"));
    let (answer, is_error) = outcome(&response.json());
    let message = answer["error"]["message"].as_str().unwrap_or_default().to_owned();
    assert!(is_error && message.contains("there is no argument `allow_writes`"), "{response}");
    assert!(admin.rows("SHOW TABLES LIKE 'NEVER' IN SCHEMA FIRN.PUBLIC").is_empty());
}

#[test]
fn a_pattern_is_a_text() {
    let server = SERVER.get();
    let admin = server.admin();
    let like = "x\\' ->> select current_user() as \"name\", $$o$$ as \"owner\", $$c$$ as \"comment\" --";
    for pattern in [like, "\\", "it's"] {
        assert_eq!(done(&admin, "list_databases", &json!({"like": pattern}))["rows"], json!([]), "{pattern}");
    }
}

#[test]
fn a_call_whose_client_leaves_stops_its_statement() {
    let server = SERVER.get();
    let admin = server.admin();
    let statement = "SELECT SYSTEM$WAIT(600)";
    let body =
        message("tools/call", &json!({"name": "run_statement", "arguments": {"statement": statement}})).to_string();
    let address = server.base_url().trim_start_matches("http://").to_owned();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nUser-Agent: t\r\nAuthorization: Bearer {ADMIN_TOKEN}\r\nAccept: application/json, \
         text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
        host = address,
        length = body.len()
    );
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.write_all((head + &body).as_bytes()).unwrap();
    let runs = || admin.send(&Request::get(STATEMENTS).query("state", "running")).text().contains(statement);
    assert!(firn_tests::comes_true(runs));
    drop(stream);
    assert!(firn_tests::comes_true(|| !runs()));
}

#[test]
fn a_callers_rights_hold() {
    let server = SERVER.get();
    let someone = newcomer(&server, "MCP_NEWCOMER");
    let hidden = refused(&someone, "describe_object", &json!({"name": "DEMO.PUBLIC.ORDERS"}));
    let missing = refused(&someone, "describe_object", &json!({"name": "DEMO.PUBLIC.NOWHERE"}));
    let text = |error: &Value, name: &str| {
        error["message"].as_str().unwrap().replace(name, "NAME") + error["code"].as_str().unwrap()
    };
    assert_eq!(text(&hidden, "ORDERS"), text(&missing, "NOWHERE"));
    let theirs = server.admin().sql("SELECT 'secret'").handle();
    let error = refused(&someone, "fetch_rows", &json!({"handle": theirs}));
    assert_eq!(error["code"], "000709", "{error}");
    let role = refused(&someone, "run_statement", &json!({"statement": "SELECT 1", "role": "ACCOUNTADMIN"}));
    assert_eq!(role["code"], "390186", "{role}");
    let current = done(&someone, "run_statement", &json!({"statement": "SELECT CURRENT_USER(), CURRENT_ROLE()"}));
    assert_eq!(current["rows"], json!([["MCP_NEWCOMER", "MCP_NEWCOMER_ROLE"]]));
}

#[test]
fn whoever_has_no_token_gets_nothing() {
    let server = SERVER.get();
    for method in ["initialize", "tools/list", "tools/call", "ping"] {
        let response = send(&server.stranger(), method, &json!({}));
        assert_eq!(response.status, 401, "{method}: {response}");
    }
    assert_eq!(send(&server.client("wrong"), "tools/list", &json!({})).status, 401);
}

#[test]
fn pages_of_other_origins_are_refused() {
    let list = post(&message("tools/list", &json!({})));
    let status = |server: &Server, origin: &str| server.admin().send(&list.clone().header("origin", origin)).status;
    let plain = SERVER.get();
    assert_eq!(status(&plain, "http://evil.example"), 403);
    assert_eq!(status(&plain, plain.base_url()), 403, "a name that resolves to this machine is one, too");
    assert_eq!(status(&plain, "null"), 403);
    let server = WRITING.get();
    assert_eq!(status(&server, "https://app.example.com"), 200);
    assert_eq!(status(&server, "https://app.example.com:444"), 403);
    // What a browser asks beforehand.
    let preflight = |origin: &str| {
        let request = Request::new("OPTIONS", "/mcp").header("origin", origin);
        let request = request.header("access-control-request-method", "POST");
        server.stranger().send(&request.header("access-control-request-headers", "authorization,content-type"))
    };
    let allowed = |response: &Response| response.headers.get("access-control-allow-origin").cloned();
    assert_eq!(allowed(&preflight("https://app.example.com")).as_deref(), Some("https://app.example.com"));
    assert_eq!(allowed(&preflight("https://evil.example")), None);
    let answer = server.admin().send(&list.clone().header("origin", "https://app.example.com"));
    assert_eq!(allowed(&answer).as_deref(), Some("https://app.example.com"));
}

#[test]
fn what_is_no_message_is_refused() {
    let server = SERVER.get();
    let admin = server.admin();
    for (body, code, id) in no_messages() {
        let mut request = post(&json!({}));
        request.body = body.into_bytes();
        let response = admin.send(&request);
        let status = if code == -32601 { 404 } else { 400 };
        assert_eq!((response.status, &response.json()["error"]["code"]), (status, &code.into()), "{response}");
        assert_eq!(response.json()["id"], id, "{response}");
    }
    let unknown = send(&admin, "tools/call", &json!({"name": "no_such_tool"}));
    assert_eq!(unknown.json()["error"]["code"], -32602, "{unknown}");
    assert_eq!(admin.send(&Request::get("/mcp")).status, 405);
    assert_eq!(admin.send(&Request::new("DELETE", "/mcp")).status, 405);
    let small = Server::start_with(&[("FIRN_BODY_BYTES_MAX", "1000"), ("FIRN_MCP", "true")]);
    let long = message("tools/call", &json!({"name": "run_statement", "arguments": {"statement": "x".repeat(2_000)}}));
    assert_eq!(small.admin().send(&post(&long)).status, 413);
    let off = Server::start_with(&[("FIRN_MCP", "false")]);
    assert_eq!(send(&off.admin(), "tools/list", &json!({})).status, 404);
}

/// Each with the code that it is refused with, and the id of the answer.
fn no_messages() -> Vec<(String, i64, Value)> {
    let of_method = |method: &str, params: Value| message(method, &params).to_string();
    vec![
        ("{".to_owned(), -32700, Value::Null),
        ("nonsense".to_owned(), -32700, Value::Null),
        ("[]".to_owned(), -32600, Value::Null),
        ("\"x\"".to_owned(), -32600, Value::Null),
        ("{\"a\": 1}".to_owned(), -32600, Value::Null),
        ("{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"ping\"}".to_owned(), -32600, 1.into()),
        ("{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"ping\"}".to_owned(), -32600, Value::Null),
        (of_method("no/such", json!({})), -32601, 7.into()),
        (of_method("tools/call", json!([1])), -32602, 7.into()),
        (of_method("tools/call", json!({"name": "run_statement", "arguments": "x"})), -32602, 7.into()),
    ]
}

#[test]
fn batches_are_answered_by_the_version_that_has_them() {
    let server = SERVER.get();
    let admin = server.admin();
    let call = json!({"name": "run_statement", "arguments": {"statement": "SELECT 41 + 1"}});
    let batch = json!([
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "id": "c", "method": "no/such"},
        5,
    ]);
    let answered = admin.send(&post(&batch).header("mcp-protocol-version", "2025-03-26"));
    assert_eq!(answered.status, 200, "{answered}");
    check_answers_of_batch(&answered.json());
    let notification = json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]);
    assert_eq!(admin.send(&post(&notification)).status, 202);
    let later = admin.send(&post(&batch).header("mcp-protocol-version", "2025-06-18"));
    assert_eq!((later.status, &later.json()["error"]["code"]), (400, &json!(-32600)), "{later}");
    let cli = Cli::start();
    let mut agent = Agent::start_by(&cli, &[], "2025-03-26");
    agent.write(&batch);
    check_answers_of_batch(&agent.answer());
    agent.write(&notification);
    assert_eq!(agent.ask("ping", &json!({}))["result"], json!({}));
    assert_eq!(agent.end(), 0);
    let mut agent = Agent::start(&cli, &[]);
    agent.write(&batch);
    assert_eq!(agent.answer()["error"]["code"], -32600);
    assert_eq!(agent.end(), 0);
}

fn check_answers_of_batch(answers: &Value) {
    let answers = answers.as_array().unwrap();
    let of = |id: &Value| answers.iter().find(|answer| answer["id"] == *id).unwrap_or_else(|| panic!("{answers:?}"));
    assert_eq!(answers.len(), 4, "{answers:?}");
    assert_eq!(of(&"a".into())["result"], json!({}));
    assert_eq!(outcome(of(&"b".into())).0["rows"], json!([[42]]));
    assert_eq!(of(&"c".into())["error"]["code"], -32601);
    assert_eq!(of(&Value::Null)["error"]["code"], -32600);
}

#[test]
fn the_command_goes_on_after_what_is_no_message() {
    let cli = Cli::start();
    let mut agent = Agent::start_unknown(&cli);
    // Nobody has introduced themselves yet.
    agent.write_line("{");
    assert_eq!(agent.answer()["error"]["code"], -32700);
    agent.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    agent.write(&json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    agent.introduce("2025-06-18");
    for (line, code, id) in no_messages() {
        agent.write_line(&line);
        let answer = agent.answer();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&code.into(), &id), "{line}: {answer}");
    }
    // A notification gets no answer, whatever it is.
    agent.write_line("");
    agent.write(&json!({"jsonrpc": "2.0", "method": "no/such"}));
    agent.write(&json!({"jsonrpc": "2.0", "method": 5}));
    let before = agent.peak_memory_bytes();
    for _ in 0..3 {
        agent.write_endless(200 << 20);
        let answer = agent.answer();
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("16777216"), "{answer}");
    }
    let taken = agent.peak_memory_bytes() - before;
    assert!(taken < 128 << 20, "{taken} bytes for a line of 200 MiB");
    // As many values as there is room for would take a hundred times that in memory.
    let values = "0,".repeat(7 << 20);
    agent.write_line(&format!(
        "{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\", \"params\": {{\"a\": [{values}0]}}}}"
    ));
    assert_eq!(agent.answer()["error"]["code"], -32600);
    let taken = agent.peak_memory_bytes() - before;
    assert!(taken < 128 << 20, "{taken} bytes for a line of 14 MiB");
    let long = "x".repeat(1 << 19);
    let (rows, _) = agent.call("run_statement", &json!({"statement": format!("SELECT LENGTH('{long}')")}));
    assert_eq!(rows["rows"], json!([[1 << 19]]), "{rows}");
    assert_eq!(agent.ask("ping", &json!({}))["result"], json!({}));
    assert_eq!(agent.end(), 0);
}

#[test]
fn results_of_many_columns_come_in_parts() {
    let server = SERVER.get();
    let admin = server.admin();
    let columns: Vec<String> = (0..5_000).map(|number| format!("REPEAT('\\u0001', 300) AS COLUMN_{number}")).collect();
    let sql = format!("SELECT {} FROM TABLE(GENERATOR(ROWCOUNT => 20))", columns.join(", "));
    let bytes = |page: &Value| page.to_string().len();
    let first = done(&admin, "run_statement", &json!({"statement": sql}));
    assert!(bytes(&first) < 200 << 10, "{} bytes", bytes(&first));
    let shown = first["columns"].as_array().unwrap().len();
    assert!((10..=200).contains(&shown) && first["rows"][0].as_array().unwrap().len() == shown, "{shown}");
    assert_eq!((&first["total_columns"], &first["next_column_offset"]), (&5_000.into(), &shown.into()));
    let notes = first["notes"].to_string();
    assert!(notes.contains("5000 columns") && notes.contains(&format!("column_offset {shown}")), "{notes}");
    let handle = &first["handle"];
    let mut names = Vec::new();
    let mut next = json!(0);
    while !next.is_null() {
        let page = done(&admin, "fetch_rows", &json!({"handle": handle, "column_offset": next, "max_rows": 1}));
        assert!(bytes(&page) < 200 << 10, "{} bytes", bytes(&page));
        names.extend(
            page["columns"].as_array().unwrap().iter().map(|column| column["name"].as_str().unwrap().to_owned()),
        );
        next = page["next_column_offset"].clone();
    }
    assert_eq!(names.len(), 5_000);
    assert_eq!((names[0].as_str(), names[4_999].as_str()), ("COLUMN_0", "COLUMN_4999"));
    let one = done(&admin, "fetch_rows", &json!({"handle": handle, "columns": ["column_4999"], "offset": 19}));
    assert_eq!((&one["columns"][0]["name"], &one["total_columns"]), (&"COLUMN_4999".into(), &5_000.into()));
    assert_eq!(one["rows"][0][0].as_str().unwrap().chars().count(), 300);
    let many = done(&admin, "fetch_rows", &json!({"handle": handle, "columns": names, "max_rows": 1}));
    assert!(bytes(&many) < 200 << 10 && many["notes"].to_string().contains("left out"), "{}", many["notes"]);
    let beyond = done(&admin, "fetch_rows", &json!({"handle": handle, "column_offset": 5_000}));
    assert_eq!(beyond["columns"], json!([]));
    let both = json!({"handle": handle, "column_offset": 1, "columns": ["COLUMN_1"]});
    assert!(refused(&admin, "fetch_rows", &both)["message"].as_str().unwrap().contains("one of"));
}

#[test]
fn statements_that_take_long_are_waited_for_and_cancelled() {
    let server = Server::start_with(&[("FIRN_SYNC_WAIT_MS", "100")]);
    let admin = server.admin();
    let slow = json!({"statement": "SELECT SYSTEM$WAIT(1), 5 AS N"});
    let running = done(&admin, "run_statement", &slow);
    assert_eq!(running["state"], "running", "{running}");
    let fetched = done(&admin, "fetch_rows", &json!({"handle": running["handle"]}));
    assert_eq!(fetched["total_rows"], 1, "{fetched}");
    let long = done(&admin, "run_statement", &json!({"statement": "SELECT SYSTEM$WAIT(600)"}));
    done(&admin, "cancel_statement", &json!({"handle": long["handle"]}));
    let error = refused(&admin, "fetch_rows", &json!({"handle": long["handle"]}));
    assert_eq!(error["code"], "000604", "{error}");
}

#[test]
fn values_of_a_column_are_found() {
    let server = SERVER.get();
    let admin = server.admin();
    admin.rows("CREATE DATABASE IF NOT EXISTS MCP_VALUES");
    admin.rows("CREATE OR REPLACE TABLE MCP_VALUES.PUBLIC.T (C VARCHAR)");
    admin.rows("INSERT INTO MCP_VALUES.PUBLIC.T VALUES ('Germany'), ('Germany'), ('France'), ('German Democratic Republic'), (NULL)");
    let found = |arguments: Value| {
        let mut arguments = arguments;
        arguments["table"] = "mcp_values.public.t".into();
        arguments["column"] = "c".into();
        done(&admin, "find_column_values", &arguments)["rows"].clone()
    };
    assert_eq!(found(json!({"max_values": 1})), json!([["Germany", 2]]));
    assert_eq!(found(json!({"text": "GERMANY"}))[0], json!(["Germany", 2]));
    assert_eq!(found(json!({"text": "germny"})), json!([["Germany", 2]]));
    assert_eq!(found(json!({"text": "democratic"})), json!([["German Democratic Republic", 1]]));
    assert_eq!(found(json!({"text": "x' OR 'a' = 'a"})), json!([]));
}

#[test]
fn the_analyst_answers_and_follows_up() {
    let server = SERVER.get();
    let admin = server.admin();
    let views = done(&admin, "list_objects", &json!({"kind": "semantic_view", "database": "demo"}));
    let row = &views["rows"][0];
    let view = format!("{}.{}.{}", row[1].as_str().unwrap(), row[2].as_str().unwrap(), row[0].as_str().unwrap());
    let question = "How many orders were there?";
    let answer = done(&admin, "ask_analyst", &json!({"question": question, "semantic_view": view}));
    let statement = answer["statement"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(answer["result"]["returned_rows"], 1, "{answer}");
    let earlier = json!([{"question": question, "statement": statement}]);
    let follow_up = json!({"question": "and in 2024?", "semantic_view": view, "earlier": earlier, "run": false});
    let next = done(&admin, "ask_analyst", &follow_up);
    assert!(next["statement"].as_str().unwrap_or_default().contains("2024"), "{next}");
    assert!(next["result"].is_null(), "{next}");
    let error = refused(&admin, "ask_analyst", &json!({"question": question}));
    assert!(error["message"].as_str().unwrap().contains("semantic_view"), "{error}");
    let missing = refused(&admin, "ask_analyst", &json!({"question": question, "semantic_view": "DEMO.PUBLIC.NONE"}));
    assert_eq!(missing["status"], 404, "{missing}");
}

/// `firn mcp` with its input and output held.
struct Agent {
    process: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Agent {
    fn start(cli: &Cli, arguments: &[&str]) -> Self {
        Self::start_by(cli, arguments, "2025-06-18")
    }

    fn start_by(cli: &Cli, arguments: &[&str], version: &str) -> Self {
        let mut agent = Self::of(cli.command(&[&["mcp"], arguments].concat()));
        agent.introduce(version);
        agent
    }

    /// One that has not said who it is.
    fn start_unknown(cli: &Cli) -> Self {
        Self::of(cli.command(&["mcp"]))
    }

    fn of(mut command: Command) -> Self {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("run firn mcp");
        let lines = BufReader::new(process.stdout.take().expect("an output")).lines();
        Self { process, lines }
    }

    fn introduce(&mut self, version: &str) {
        let hello =
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let answer = self.ask("initialize", &hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "firn", "{answer}");
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        self.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    fn write(&mut self, message: &Value) {
        self.write_line(&message.to_string());
    }

    fn write_line(&mut self, line: &str) {
        let input = self.process.stdin.as_mut().expect("an input");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("write to firn mcp");
    }

    /// A line of so many bytes.
    fn write_endless(&mut self, bytes: usize) {
        let input = self.process.stdin.as_mut().expect("an input");
        let piece = vec![b'['; 1 << 20];
        for _ in 0..bytes / piece.len() {
            input.write_all(&piece).expect("write to firn mcp");
        }
        writeln!(input).expect("write to firn mcp");
    }

    fn peak_memory_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.write(&message(method, params));
        self.answer()
    }

    fn answer(&mut self) -> Value {
        let line = self.lines.next().expect("an answer").expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> (Value, bool) {
        outcome(&self.ask("tools/call", &json!({"name": tool, "arguments": arguments})))
    }

    fn end(mut self) -> i32 {
        drop(self.process.stdin.take());
        self.process.wait().expect("wait for firn mcp").code().unwrap_or(-1)
    }
}

#[test]
fn the_command_offers_the_same_tools() {
    let cli = Cli::start();
    let mut agent = Agent::start(&cli, &["--database", "demo", "--schema", "public"]);
    let over_http = send(&cli.server().admin(), "tools/list", &json!({})).json()["result"]["tools"].clone();
    assert_eq!(agent.ask("tools/list", &json!({}))["result"]["tools"], over_http);
    let (rows, is_error) = agent.call("run_statement", &json!({"statement": "SELECT COUNT(*) > 0 FROM ORDERS"}));
    assert!(!is_error && rows["rows"] == json!([[true]]), "{rows}");
    let (bound, _) = agent.call("run_statement", &json!({"statement": "SELECT ?, ?", "bindings": ["a", "b"]}));
    assert_eq!(bound["rows"], json!([["a", "b"]]));
    let (error, is_error) = agent.call("run_statement", &json!({"statement": "CREATE TABLE X (A INT)"}));
    assert!(is_error && error["error"]["code"] == "391913", "{error}");
    assert_eq!(agent.end(), 0);
}

#[test]
fn the_command_changes_things_where_it_may() {
    let cli = Cli::start();
    let mut agent = Agent::start(&cli, &["--allow-writes", "--role", "accountadmin"]);
    let create = "CREATE OR REPLACE TABLE FIRN.PUBLIC.BY_AGENT (A INT)";
    assert!(agent.call("run_statement", &json!({"statement": create})).1);
    let (made, is_error) = agent.call("run_statement", &json!({"statement": create, "allow_writes": true}));
    assert!(!is_error, "{made}");
    assert_eq!(agent.end(), 0);
}

#[test]
fn the_command_says_what_is_wrong_with_its_connection() {
    let cli = Cli::start().without_token().with_variable("FIRN_TOKEN", "wrong");
    let mut agent = Agent::start(&cli, &[]);
    let (error, is_error) = agent.call("list_databases", &json!({}));
    assert!(is_error && error["error"]["status"] == 401, "{error}");
    let unreachable = Cli::start().without_variables();
    let mut agent = Agent::start(&unreachable, &["--url", "http://127.0.0.1:9", "--token", "x"]);
    let (error, is_error) = agent.call("list_databases", &json!({}));
    assert!(is_error && error["error"]["message"].as_str().unwrap().contains("no answer from"), "{error}");
}

fn is_running(client: &Client, statement: &str) -> bool {
    let listed = client.send(&Request::get(STATEMENTS).query("state", "running"));
    let listed = listed.json()["statements"].as_array().cloned().unwrap_or_else(|| panic!("{listed}"));
    listed.iter().any(|running| running["text"] == statement)
}

#[test]
fn a_call_that_is_cancelled_cancels_its_statement() {
    const LONG: &str = "SELECT SYSTEM$WAIT(600)";
    let cli = Cli::start();
    let admin = cli.server().admin();
    let mut agent = Agent::start(&cli, &[]);
    let call = json!({"name": "run_statement", "arguments": {"statement": LONG}});
    agent.write(&json!({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": call}));
    assert!(comes_true(|| is_running(&admin, LONG)), "the statement did not begin");
    agent.write(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}}));
    assert!(comes_true(|| !is_running(&admin, LONG)), "the statement goes on");
    let (answer, is_error) = agent.call("run_statement", &json!({"statement": "SELECT 1"}));
    assert!(!is_error, "{answer}");
    assert_eq!(agent.end(), 0);
}
