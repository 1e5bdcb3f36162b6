//! The door through which drivers carry files: what its addresses and tokens permit, and what they do not.

use std::time::Duration;

use firn_tests::server::ADMIN_TOKEN;
use firn_tests::{Client, Request, Response, Server, comes_true};
use serde_json::{Value, json};
use uuid::Uuid;

/// A session of a driver.
struct Driver {
    client: Client,
    token: String,
}

/// What a driver says of itself at its login: the universal core is let in by tokens, others by addresses.
#[derive(Clone, Copy)]
enum Kind {
    Universal,
    Python,
}

impl Driver {
    fn log_in(server: &Server, kind: Kind, user: &str, password: &str) -> Self {
        let mut data = json!({
            "CLIENT_APP_ID": "PythonConnector",
            "CLIENT_APP_VERSION": "4.8.1",
            "ACCOUNT_NAME": "FIRN",
            "LOGIN_NAME": user,
            "PASSWORD": password,
            "CLIENT_ENVIRONMENT": {"PYTHON_VERSION": "3.11"},
        });
        if let Kind::Universal = kind {
            data["CLIENT_CAPABILITIES"] = json!({"SMK_ID_AS_STRING": true});
        }
        let client = server.stranger();
        let request = Request::post("/session/v1/login-request").json(&json!({ "data": data }));
        let answer = client.send(&request.query("requestId", &Uuid::new_v4().to_string())).json();
        assert_eq!(answer["success"], true, "{answer}");
        let token = answer["data"]["token"].as_str().expect("a session token").to_owned();
        Self { client, token }
    }

    fn admin(server: &Server, kind: Kind) -> Self {
        Self::log_in(server, kind, "ADMIN", ADMIN_TOKEN)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let request = Request::post(path).json(body).query("requestId", &Uuid::new_v4().to_string());
        self.client.send(&request.header("authorization", &format!("Snowflake Token=\"{}\"", self.token))).json()
    }

    fn query(&self, sql: &str) -> Value {
        self.post("/queries/v1/query-request", &json!({"sqlText": sql, "asyncExec": false, "sequenceId": 1}))
    }

    /// The `data` of a statement that succeeds.
    fn run(&self, sql: &str) -> Value {
        let mut answer = self.query(sql);
        assert_eq!(answer["success"], true, "{sql}: {answer}");
        answer["data"].take()
    }

    fn log_out(&self) {
        let request = Request::post("/session").query("delete", "true").json(&json!({}));
        self.client.send(&request.header("authorization", &format!("Snowflake Token=\"{}\"", self.token)));
    }

    /// An address to put one file to, or to get one from.
    fn address(&self, server: &Server, sql: &str) -> String {
        let data = self.run(sql);
        let given = data["stageInfo"]["presignedUrl"].as_str().or_else(|| data["presignedUrls"][0].as_str());
        let given = given.unwrap_or_else(|| panic!("no address: {data}"));
        given.strip_prefix(server.base_url()).expect("an address of the server").to_owned()
    }

    /// A token, and the address of the folder it is for.
    fn folder(&self, server: &Server, sql: &str) -> (String, String) {
        let info = self.run(sql)["stageInfo"].take();
        let end_point = info["endPoint"].as_str().expect("an end point").strip_prefix(server.base_url());
        let location = info["location"].as_str().expect("a location");
        let token = info["creds"]["GCS_ACCESS_TOKEN"].as_str().expect("a token").to_owned();
        (token, format!("{}/{location}", end_point.expect("an end point of the server")))
    }
}

fn prepared() -> (Server, Client) {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE FILES");
    admin.rows("CREATE STAGE FILES.PUBLIC.S");
    admin.rows("CREATE STAGE FILES.PUBLIC.OTHER");
    (server, admin)
}

fn put(server: &Server, address: &str, content: &str) -> Response {
    let mut request = Request::new("PUT", address);
    request.body = content.as_bytes().to_vec();
    server.stranger().send(&request)
}

fn get(server: &Server, address: &str) -> Response {
    server.stranger().send(&Request::get(address))
}

fn with_token(method: &str, address: &str, token: &str, content: &str) -> Request {
    let mut request = Request::new(method, address).header("authorization", &format!("Bearer {token}"));
    request.body = content.as_bytes().to_vec();
    request
}

const PUT: &str = "PUT file:///tmp/a.csv @FILES.PUBLIC.S/in OVERWRITE = TRUE";
const GET: &str = "GET @FILES.PUBLIC.S/in file:///tmp/";

#[test]
fn an_address_is_for_one_file_and_one_direction() {
    let (server, admin) = prepared();
    let driver = Driver::admin(&server, Kind::Python);
    let address = driver.address(&server, PUT);
    assert_eq!(get(&server, &address).status, 403, "who may write is not shown what is there");
    assert_eq!(put(&server, &address, "1,a\n").status, 200);
    assert_eq!(admin.cell("SELECT $2 FROM @FILES.PUBLIC.S/in/a.csv"), "a");
    assert_eq!(get(&server, &address).status, 403, "who may write is not shown the file");
    assert_eq!(put(&server, &address.replace("a.csv", "b.csv"), "x").status, 403);
    assert_eq!(put(&server, &address.replace("/in/", "/out/"), "x").status, 403);

    let fetched = driver.address(&server, GET);
    assert_eq!(get(&server, &fetched).body, b"1,a\n");
    assert_eq!(put(&server, &fetched, "x").status, 403);
    assert_eq!(server.stranger().send(&Request::new("DELETE", &fetched)).status, 405);
    let part = server.stranger().send(&Request::get(&fetched).header("range", "bytes=2-"));
    assert_eq!((part.status, part.body.as_slice()), (206, b"a\n".as_slice()));
    let head = server.stranger().send(&Request::new("HEAD", &fetched));
    assert_eq!((head.status, head.headers["content-length"].as_str()), (200, "4"));
}

#[test]
fn a_token_is_for_one_folder_and_one_direction() {
    let (server, admin) = prepared();
    let driver = Driver::admin(&server, Kind::Universal);
    let (token, folder) = driver.folder(&server, PUT);
    let send = |method: &str, address: &str, content: &str| {
        server.stranger().send(&with_token(method, address, &token, content)).status
    };
    assert_eq!(send("HEAD", &format!("{folder}a.csv"), ""), 404);
    assert_eq!(send("PUT", &format!("{folder}a.csv"), "1"), 200);
    assert_eq!(send("PUT", &format!("{folder}deep/b%20c.csv"), "2"), 200);
    assert_eq!(send("HEAD", &format!("{folder}a.csv"), ""), 200);
    assert_eq!(admin.rows("LIST @FILES.PUBLIC.S").len(), 2);
    for address in [
        folder.replace("/in/", "/into/a.csv"),
        folder.replace("/in/", "/a.csv"),
        format!("{folder}../a.csv"),
        format!("{folder}%2e%2e/a.csv"),
        format!("{folder}..%2fa.csv"),
    ] {
        assert!([400, 403, 404].contains(&send("PUT", &address, "x")), "{address}");
    }
    for name in ["a%00b", "a%0ab", "%2e", "a%5cb", "", "x//y"] {
        let status = send("PUT", &format!("{folder}{name}"), "x");
        assert!([400, 403, 404].contains(&status), "{name}: {status}");
    }
    assert_eq!(admin.rows("LIST @FILES.PUBLIC.S").len(), 2);
    let other = driver.folder(&server, &PUT.replace("PUBLIC.S/", "PUBLIC.OTHER/")).1;
    assert_eq!(send("PUT", &format!("{other}a.csv"), "x"), 403, "another stage's folder");

    let (reading, all) = driver.folder(&server, GET);
    let fetch = |address: &str| server.stranger().send(&with_token("GET", address, &reading, ""));
    assert_eq!(fetch(&format!("{all}in/a.csv")).body, b"1");
    assert_eq!(fetch(&format!("{all}out/a.csv")).status, 403);
    let written = with_token("PUT", &format!("{all}in/a.csv"), &reading, "x");
    assert_eq!(server.stranger().send(&written).status, 403);
}

#[test]
fn forged_permissions_are_refused() {
    let (server, _) = prepared();
    let driver = Driver::admin(&server, Kind::Python);
    let address = driver.address(&server, PUT);
    assert_eq!(put(&server, &address, "1").status, 200);
    for (from, to) in [
        ("use=put", "use=get"),
        ("reach=one", "reach=below"),
        ("expires=", "expires=9"),
        ("role=ACCOUNTADMIN", "role=PUBLIC"),
        ("user=", "user=9"),
        ("session=", "session=0"),
        ("identity=", "identity=x"),
        ("signature=", "signature=0"),
        ("&signature", "&nothing"),
        ("stage=", "stage=x"),
    ] {
        assert!(address.contains(from), "{from} is not in {address}");
        let status = put(&server, &address.replace(from, to), "2").status;
        assert!([403, 404].contains(&status), "{from} → {to}: {status}");
    }
    let (path, query) = address.split_once('?').unwrap();
    assert_eq!(put(&server, path, "2").status, 403);
    for token in [query.to_owned(), format!("address={path}&{query}"), "x".to_owned(), ADMIN_TOKEN.to_owned()] {
        let status = server.stranger().send(&with_token("PUT", path, &token, "2")).status;
        assert_eq!(status, 403, "an address's signature is no token");
    }
    // A link of SQL's is none of the door's, and the other way round.
    let other = "/api/v2/databases/FILES/schemas/PUBLIC/stages/S/files/in/a.csv";
    assert_eq!(get(&server, &format!("{other}?{query}")).status, 401);
}

#[test]
fn what_a_permission_was_for_ends_it() {
    let (server, admin) = prepared();
    for sql in [
        "CREATE ROLE CARRIER",
        "CREATE USER CARRIER PASSWORD = 'carried-Files-1' DEFAULT_ROLE = CARRIER DEFAULT_SECONDARY_ROLES = ()",
        "GRANT ROLE CARRIER TO USER CARRIER",
        "GRANT USAGE ON DATABASE FILES TO ROLE CARRIER",
        "GRANT USAGE ON SCHEMA FILES.PUBLIC TO ROLE CARRIER",
        "GRANT READ ON STAGE FILES.PUBLIC.S TO ROLE CARRIER",
    ] {
        admin.rows(sql);
    }
    let log_in = || Driver::log_in(&server, Kind::Python, "CARRIER", "carried-Files-1");
    let driver = log_in();
    assert_eq!(driver.query(PUT)["success"], false, "reading is not writing");
    assert_eq!(driver.query(&PUT.replace("PUBLIC.S", "PUBLIC.OTHER"))["success"], false);
    admin.rows("GRANT WRITE ON STAGE FILES.PUBLIC.S TO ROLE CARRIER");
    let address = driver.address(&server, PUT);
    assert_eq!(put(&server, &address, "1").status, 200);

    admin.rows("REVOKE WRITE ON STAGE FILES.PUBLIC.S FROM ROLE CARRIER");
    assert!([400, 403, 404].contains(&put(&server, &address, "2").status), "the privilege is gone");
    admin.rows("GRANT WRITE ON STAGE FILES.PUBLIC.S TO ROLE CARRIER");
    assert_eq!(put(&server, &address, "2").status, 200);

    driver.log_out();
    assert!(comes_true(|| [403, 404].contains(&put(&server, &address, "3").status)), "the session is gone");

    let driver = log_in();
    let address = driver.address(&server, PUT);
    admin.rows("CREATE OR REPLACE STAGE FILES.PUBLIC.S");
    admin.rows("GRANT READ, WRITE ON STAGE FILES.PUBLIC.S TO ROLE CARRIER");
    assert_eq!(put(&server, &address, "4").status, 404, "it is another stage now");

    let address = driver.address(&server, PUT);
    admin.rows("ALTER USER CARRIER SET DISABLED = TRUE");
    assert!([403, 404].contains(&put(&server, &address, "5").status), "the user is disabled");
    assert!(admin.rows("LIST @FILES.PUBLIC.S").is_empty());
}

#[test]
fn permissions_expire() {
    let server = Server::start_with(&[("FIRN_TRANSFER_LINK_MS", "1")]);
    server.admin().rows("CREATE DATABASE FILES");
    server.admin().rows("CREATE STAGE FILES.PUBLIC.S");
    let longer_than_it_lasts = Duration::from_millis(20);
    let address = Driver::admin(&server, Kind::Python).address(&server, PUT);
    std::thread::sleep(longer_than_it_lasts);
    assert_eq!(put(&server, &address, "1").status, 400, "the driver asks for another one");
    let (token, folder) = Driver::admin(&server, Kind::Universal).folder(&server, PUT);
    std::thread::sleep(longer_than_it_lasts);
    let sent = server.stranger().send(&with_token("PUT", &format!("{folder}a"), &token, "1"));
    assert_eq!(sent.status, 401, "the driver asks for another one");
    assert!(server.admin().rows("LIST @FILES.PUBLIC.S").is_empty());
}

#[test]
fn a_file_that_is_there_is_kept_unless_it_may_be_replaced() {
    let (server, admin) = prepared();
    let keeping = PUT.replace("TRUE", "FALSE");
    let driver = Driver::admin(&server, Kind::Python);
    let address = driver.address(&server, &keeping);
    let digest = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=";
    let mut first = Request::new("PUT", &address).header("x-goog-meta-sfc-digest", digest);
    first.body = b"test".to_vec();
    assert_eq!(server.stranger().send(&first).status, 200);
    assert_eq!(put(&server, &address, "other").status, 200, "an older driver cannot be told");
    assert_eq!(admin.rows("LIST @FILES.PUBLIC.S")[0][1].as_deref(), Some("4"));

    let (token, folder) = Driver::admin(&server, Kind::Universal).folder(&server, &keeping);
    let place = format!("{folder}a.csv");
    let looked = server.stranger().send(&with_token("HEAD", &place, &token, ""));
    assert_eq!((looked.status, looked.headers["x-goog-meta-sfc-digest"].as_str()), (200, digest));
    let again = with_token("PUT", &place, &token, "other").header("x-goog-if-generation-match", "0");
    assert_eq!(server.stranger().send(&again).status, 412);
    assert_eq!(server.stranger().send(&with_token("PUT", &place, &token, "other")).status, 412);
    assert_eq!(put(&server, &driver.address(&server, PUT), "other").status, 200);
    assert_eq!(admin.rows("LIST @FILES.PUBLIC.S")[0][1].as_deref(), Some("5"));
}

#[test]
fn a_body_is_taken_as_it_is_and_counted() {
    let server = Server::start_with(&[("FIRN_STAGE_FILE_BYTES_MAX", "1000"), ("FIRN_STAGES_BYTES_MAX", "1500")]);
    server.admin().rows("CREATE DATABASE FILES");
    server.admin().rows("CREATE STAGE FILES.PUBLIC.S");
    let driver = Driver::admin(&server, Kind::Python);
    let address = driver.address(&server, PUT);
    let mut named = Request::new("PUT", &address).header("content-encoding", "gzip");
    named.body = b"not packed".to_vec();
    assert_eq!(server.stranger().send(&named).status, 200);
    assert_eq!(get(&server, &driver.address(&server, GET)).body, b"not packed");
    assert_eq!(put(&server, &address, &"x".repeat(1001)).status, 413);
    assert_eq!(put(&server, &address, &"x".repeat(1000)).status, 200);
    let second = driver.address(&server, &PUT.replace("a.csv", "b.csv"));
    assert_eq!(put(&server, &second, &"x".repeat(600)).status, 413, "all stages together");
    assert_eq!(put(&server, &second, &"x".repeat(500)).status, 200);
}

#[test]
fn temporary_stages_take_files_as_long_as_they_are() {
    let (server, _) = prepared();
    let driver = Driver::admin(&server, Kind::Python);
    driver.run("USE SCHEMA FILES.PUBLIC");
    driver.run("CREATE TEMPORARY STAGE MINE");
    let sql = "PUT file:///tmp/a.csv @MINE";
    let address = driver.address(&server, sql);
    assert_eq!(put(&server, &address, "1").status, 200);
    assert_eq!(driver.run("LIST @MINE")["total"], 1);
    let stranger = Driver::admin(&server, Kind::Python);
    stranger.run("USE SCHEMA FILES.PUBLIC");
    assert_eq!(stranger.query(sql)["success"], false, "another session's");
    driver.run("DROP STAGE MINE");
    assert_eq!(put(&server, &address, "2").status, 404);
    driver.run("CREATE TEMPORARY STAGE MINE");
    assert_eq!(put(&server, &address, "3").status, 404, "another one of that name");
    let address = driver.address(&server, sql);
    assert_eq!(put(&server, &address, "4").status, 200);
    driver.log_out();
    assert!(comes_true(|| [403, 404].contains(&put(&server, &address, "5").status)));
    let left = || {
        let folders = std::fs::read_dir(server.data_dir().join("stages")).unwrap();
        folders
            .filter(|folder| folder.as_ref().unwrap().file_name().to_string_lossy().starts_with("temporary-"))
            .count()
    };
    assert!(comes_true(|| left() == 0), "its files went with the session");
}
