//! Databases that are linked to a cluster: Sail with an Iceberg REST catalog, started by the test. A query over a linked table gives
//! the rows and the row types that the embedded engine gives over the same rows.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use firn_tests::{Client, Request, Server, comes_true};
use serde_json::{Value, json};

struct Cluster {
    process: Child,
    stdin: Option<ChildStdin>,
    port: u16,
    catalog_port: u16,
}

impl Cluster {
    /// Fails where the Python environment cannot be made.
    fn start() -> Self {
        Self::start_at(None)
    }

    fn start_at(port: Option<u16>) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::new(python());
        command.arg(folder.join("linked/cluster.py")).args(port.map(|port| port.to_string()));
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("start the cluster");
        let stdin = process.stdin.take();
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("its output")).read_line(&mut line).expect("the cluster's ports");
        let ports: Value = serde_json::from_str(&line).expect("the cluster's ports");
        let port = |name: &str| u16::try_from(ports[name].as_u64().expect("a port")).expect("a port");
        let cluster = Self { process, stdin, port: port("cluster"), catalog_port: port("catalog") };
        assert!(comes_true(|| std::net::TcpStream::connect(("127.0.0.1", cluster.port)).is_ok()), "the cluster is up");
        cluster
    }

    fn endpoint(&self) -> String {
        format!("sc://127.0.0.1:{}", self.port)
    }

    /// As another engine would.
    fn append(&self, table: &str, rows: Value) {
        let client = Client::new(&format!("http://127.0.0.1:{}", self.catalog_port), None);
        let request = Request::post("/append").json(&json!({ "table": table, "rows": rows }));
        assert_eq!(client.send(&request).status, 200);
    }

    fn stop(&mut self) {
        drop(self.stdin.take());
        self.process.wait().expect("the cluster ends");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The Python that has what the cluster needs; made once, beside the build output.
fn python() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the checkout");
    // target/release/deps/<this test>
    let target = std::env::current_exe().expect("this test").ancestors().nth(3).expect("the target folder").to_owned();
    let output = Command::new(folder.join("scripts/python.sh"))
        .arg(folder.join("tests/linked/requirements.txt"))
        .env("CARGO_TARGET_DIR", target)
        .output()
        .expect("run scripts/python.sh");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "no Python with Sail and PyIceberg can be made: {said}");
    PathBuf::from(String::from_utf8(output.stdout).expect("a path").trim())
}

fn link(admin: &Client, cluster: &Cluster) {
    admin.rows(&format!(
        "CREATE CATALOG INTEGRATION LAKE_CLUSTER CATALOG_SOURCE = SPARK_CONNECT TABLE_FORMAT = ICEBERG
         REST_CONFIG = (CATALOG_URI = '{}' CATALOG_NAME = 'lake')
         REST_AUTHENTICATION = (TYPE = BEARER BEARER_TOKEN = 'a-secret-token') ENABLED = TRUE",
        cluster.endpoint()
    ));
    admin.rows(
        "CREATE DATABASE LAKE LINKED_CATALOG = (CATALOG = 'LAKE_CLUSTER', ALLOWED_WRITE_OPERATIONS = NONE)
         CATALOG_CASE_SENSITIVITY = CASE_INSENSITIVE",
    );
}

fn linked() -> (Cluster, Server, Client) {
    let cluster = Cluster::start();
    let server = Server::start_with(&[("FIRN_SPARK_ENDPOINTS", &cluster.endpoint())]);
    let admin = server.admin();
    link(&admin, &cluster);
    (cluster, server, admin)
}

fn refused(client: &Client, statement: &str, expected: &str) {
    let response = client.sql_to_its_end(statement);
    assert_eq!(response.status, 422, "{statement}\n{response}");
    assert!(response.text().contains(expected), "{statement}\n{response}");
}

/// The columns as they are described, but for where they come from.
fn row_types(response: &firn_tests::Response) -> Value {
    let mut types = response.json()["resultSetMetaData"]["rowType"].clone();
    for column in types.as_array_mut().expect("columns") {
        let column = column.as_object_mut().expect("a column");
        for field in ["database", "schema", "table"] {
            column.remove(field);
        }
    }
    types
}

#[test]
fn queries_give_what_the_embedded_engine_gives() {
    let (_cluster, _server, admin) = linked();
    admin.rows("CREATE DATABASE NEAR");
    admin.rows("CREATE SCHEMA NEAR.SALES");
    admin.rows(
        "CREATE TABLE NEAR.SALES.ORDERS (ID INT, CUSTOMER VARCHAR, AMOUNT NUMBER(12,2), ORDERED_ON DATE,
         ORDERED_AT TIMESTAMP_NTZ(6), WEIGHT FLOAT, PAID BOOLEAN)",
    );
    admin.rows(
        "INSERT INTO NEAR.SALES.ORDERS VALUES
         (1, 'anna', 10.50, '2024-01-30', '2024-01-30 12:30:15.25', 1.5, TRUE),
         (2, 'bob', 0.25, '2024-01-30', NULL, 2, FALSE),
         (3, NULL, NULL, NULL, '2024-01-30 12:30:15.25', NULL, NULL),
         (NULL, 'anna', -3, '2023-12-31', '2024-01-30 12:30:15.25', -0.25, TRUE)",
    );
    admin.rows("CREATE TABLE NEAR.SALES.MANY AS SELECT (ROW_NUMBER() OVER (ORDER BY 1) - 1)::INT AS N FROM TABLE(GENERATOR(ROWCOUNT => 300000))");
    let mut wrong = Vec::new();
    for query in include_str!("linked/queries.sql").lines().filter(|line| !line.is_empty()) {
        let of = |database: &str| admin.sql_with(query, json!({ "database": database, "schema": "SALES" }));
        let (near, far) = (of("NEAR"), of("LAKE"));
        assert_eq!(near.status, 200, "{query}\n{near}");
        if far.status != 200 || near.rows() != far.rows() {
            wrong.push(format!("{query}\n  near: {near}\n  far:  {far}"));
        } else if row_types(&near) != row_types(&far) {
            wrong.push(format!("{query}\n  near: {}\n  far:  {}", row_types(&near), row_types(&far)));
        }
    }
    assert!(wrong.is_empty(), "{} queries differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn large_results_come_in_partitions() {
    let (_cluster, _server, admin) = linked();
    let response = admin.sql_to_its_end("SELECT n FROM LAKE.SALES.MANY ORDER BY n");
    let partitions = response.json()["resultSetMetaData"]["partitionInfo"].as_array().expect("partitions").clone();
    let rows: u64 = partitions.iter().map(|partition| partition["rowCount"].as_u64().expect("a count")).sum();
    assert_eq!(rows, 300_000, "{response}");
    assert_eq!(response.rows()[1], [Some("1".to_owned())]);
}

#[test]
fn tables_are_listed_under_grants() {
    let (cluster, _server, admin) = linked();
    let names = |statement: &str, column: usize| -> Vec<String> {
        admin.rows(statement).into_iter().filter_map(|mut row| row[column].take()).collect()
    };
    assert_eq!(names("SHOW TABLES IN SCHEMA LAKE.SALES", 1), ["MANY", "ORDERS"]);
    assert_eq!(names("SHOW SCHEMAS IN DATABASE LAKE", 1), ["INFORMATION_SCHEMA", "SALES"]);
    let columns = admin.rows("DESCRIBE TABLE LAKE.SALES.ORDERS");
    let shown: Vec<_> = columns.iter().map(|row| row[1].clone().unwrap_or_default()).collect();
    let expected =
        ["NUMBER(38,0)", "VARCHAR(16777216)", "NUMBER(12,2)", "DATE", "TIMESTAMP_NTZ(6)", "FLOAT", "BOOLEAN"];
    assert_eq!(shown, expected);

    admin.rows("CREATE ROLE CLERK");
    admin.rows("GRANT ROLE CLERK TO USER ADMIN");
    let as_clerk = |statement: &str| admin.sql_with(statement, json!({ "role": "CLERK" }));
    assert_eq!(as_clerk("SELECT COUNT(*) FROM LAKE.SALES.ORDERS").code(), "002003");
    admin.rows("GRANT USAGE ON DATABASE LAKE TO ROLE CLERK");
    admin.rows("GRANT USAGE ON SCHEMA LAKE.SALES TO ROLE CLERK");
    admin.rows("GRANT SELECT ON TABLE LAKE.SALES.ORDERS TO ROLE CLERK");
    let count = || as_clerk("SELECT COUNT(*) FROM LAKE.SALES.ORDERS").rows()[0][0].clone();
    assert_eq!(count().as_deref(), Some("4"));
    assert_eq!(as_clerk("SELECT COUNT(*) FROM LAKE.SALES.MANY").code(), "002003");

    // What another engine adds is there at once.
    cluster.append("sales.orders", json!([{ "id": 5, "customer": "carl" }]));
    assert_eq!(count().as_deref(), Some("5"));
}

#[test]
fn secrets_stay_sealed_and_endpoints_are_those_of_the_configuration() {
    let (_cluster, server, admin) = linked();
    let answer = admin.cell("SELECT SYSTEM$VERIFY_CATALOG_INTEGRATION('LAKE_CLUSTER')");
    assert!(answer.contains("\"success\":true"), "{answer}");
    let described = format!("{:?}", admin.rows("DESCRIBE CATALOG INTEGRATION LAKE_CLUSTER"));
    assert!(described.contains("BEARER") && !described.contains("a-secret-token"), "{described}");
    assert_eq!(admin.rows("SHOW CATALOG INTEGRATIONS")[0][0].as_deref(), Some("LAKE_CLUSTER"));
    for file in ["firn.sqlite", "firn.sqlite-wal"] {
        let content = std::fs::read(server.data_dir().join(file)).unwrap_or_default();
        assert!(!content.windows(14).any(|bytes| bytes == b"a-secret-token"), "{file} has the token");
    }
    refused(
        &admin,
        "CREATE CATALOG INTEGRATION ELSEWHERE CATALOG_SOURCE = SPARK_CONNECT
         REST_CONFIG = (CATALOG_URI = 'sc://169.254.169.254:80' CATALOG_NAME = 'x') ENABLED = TRUE",
        "spark_endpoints",
    );
    refused(&admin, "DROP CATALOG INTEGRATION LAKE_CLUSTER", "is linked to it");
    admin.rows("ALTER CATALOG INTEGRATION LAKE_CLUSTER SET ENABLED = FALSE");
    refused(&admin, "SELECT COUNT(*) FROM LAKE.SALES.ORDERS", "is not enabled");
    admin.rows("ALTER CATALOG INTEGRATION LAKE_CLUSTER SET ENABLED = TRUE");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM LAKE.SALES.ORDERS"), "4");
    admin.rows("DROP DATABASE LAKE");
    admin.rows("DROP CATALOG INTEGRATION LAKE_CLUSTER");
}

#[test]
fn without_the_setting_there_are_no_clusters() {
    let server = Server::start();
    refused(
        &server.admin(),
        "CREATE CATALOG INTEGRATION C CATALOG_SOURCE = SPARK_CONNECT
         REST_CONFIG = (CATALOG_URI = 'sc://127.0.0.1:15002' CATALOG_NAME = 'x') ENABLED = TRUE",
        "spark_endpoints",
    );
}

#[test]
fn what_a_linked_database_has_not_is_refused_by_name() {
    let (_cluster, _server, admin) = linked();
    admin.rows("CREATE DATABASE NEAR");
    admin.rows("CREATE TABLE NEAR.PUBLIC.T (ID INT)");
    for (statement, expected) in [
        ("CREATE TABLE LAKE.SALES.X (A INT)", "read only"),
        ("INSERT INTO LAKE.SALES.ORDERS (ID) VALUES (1)", "read only"),
        ("UPDATE LAKE.SALES.ORDERS SET ID = 1", "read only"),
        ("DELETE FROM LAKE.SALES.ORDERS", "read only"),
        ("DROP TABLE LAKE.SALES.ORDERS", "read only"),
        ("CREATE SCHEMA LAKE.OTHER", "read only"),
        ("CREATE VIEW LAKE.SALES.V AS SELECT 1 AS A", "read only"),
        ("CREATE VIEW NEAR.PUBLIC.V AS SELECT ID FROM LAKE.SALES.ORDERS", "is no query"),
        ("CREATE TABLE NEAR.PUBLIC.C AS SELECT ID FROM LAKE.SALES.ORDERS", "is no query"),
        ("INSERT INTO NEAR.PUBLIC.T SELECT ID FROM LAKE.SALES.ORDERS", "is no query"),
        ("SELECT * FROM LAKE.SALES.ORDERS O JOIN NEAR.PUBLIC.T T ON O.ID = T.ID", "and another one"),
        ("SELECT * FROM LAKE.INFORMATION_SCHEMA.TABLES", "INFORMATION_SCHEMA of a linked database"),
        ("CREATE DATABASE COPIED CLONE LAKE", "CLONE of the linked database"),
        ("SELECT HASH(ID) FROM LAKE.SALES.ORDERS", "function HASH"),
    ] {
        refused(&admin, statement, expected);
    }
    assert_eq!(admin.cell("SELECT COUNT(*) FROM LAKE.SALES.ORDERS"), "4");
}

#[test]
fn a_cluster_that_is_down_fails_quickly_and_alone() {
    let (mut cluster, _server, admin) = linked();
    assert_eq!(admin.cell("SELECT COUNT(*) FROM LAKE.SALES.ORDERS"), "4");
    let port = cluster.port;
    cluster.stop();
    let begun = std::time::Instant::now();
    refused(&admin, "SELECT COUNT(*) FROM LAKE.SALES.ORDERS", "cannot be reached");
    assert!(begun.elapsed().as_secs() < 10, "the failure took {:?}", begun.elapsed());
    admin.rows("CREATE DATABASE NEAR");
    assert_eq!(admin.cell("SELECT 1"), "1");
    assert!(admin.rows("SHOW TABLES IN ACCOUNT").iter().all(|row| row[1].as_deref() != Some("ORDERS")));
    // It is reached again without a restart.
    let _again = Cluster::start_at(Some(port));
    assert!(comes_true(|| admin.sql_to_its_end("SELECT COUNT(*) FROM LAKE.SALES.ORDERS").status == 200));
}

#[test]
fn cancelling_ends_the_statement() {
    let (_cluster, _server, admin) = linked();
    let handle = admin.submit_async(
        "SELECT COUNT(*) FROM LAKE.SALES.MANY A JOIN LAKE.SALES.MANY B ON A.N * 7 <> B.N AND A.N + B.N > A.N * B.N - 5",
    );
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(admin.cancel(&handle).status, 200);
    assert!(comes_true(|| admin.status(&handle).status == 422), "{}", admin.status(&handle));
}

#[test]
fn the_link_outlives_a_killed_server() {
    let (_cluster, server, admin) = linked();
    drop(admin);
    let server = server.kill_and_restart();
    assert_eq!(server.admin().cell("SELECT COUNT(*) FROM LAKE.SALES.ORDERS"), "4");
}

/// Nothing is left open where the address of a cluster is taken by something that says nothing.
#[test]
fn an_address_that_does_not_answer_gives_up() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let endpoint = format!("sc://{}", silent.local_addr().expect("its address"));
    let server = Server::start_with(&[("FIRN_SPARK_ENDPOINTS", &endpoint)]);
    let admin = server.admin();
    admin.rows(&format!(
        "CREATE CATALOG INTEGRATION SILENT CATALOG_SOURCE = SPARK_CONNECT
         REST_CONFIG = (CATALOG_URI = '{endpoint}' CATALOG_NAME = 'x') ENABLED = TRUE"
    ));
    let begun = std::time::Instant::now();
    let answer = admin.cell("SELECT SYSTEM$VERIFY_CATALOG_INTEGRATION('SILENT')");
    assert!(answer.contains("\"success\":false"), "{answer}");
    assert!(begun.elapsed().as_secs() < 60, "it took {:?}", begun.elapsed());
    std::io::stdout().flush().expect("standard output");
}
