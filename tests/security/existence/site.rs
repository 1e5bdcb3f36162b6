//! A server with objects that a user with PUBLIC alone does not see, beside some that are the user's own.

use firn_tests::{Client, Request, Response, Server};
use serde_json::{Value, json};

use super::names::{DROPPED, Kind};

pub struct Site {
    server: Server,
    prober: Client,
}

const INTEGRATION: &str = "TYPE = EXTERNAL_OAUTH ENABLED = TRUE EXTERNAL_OAUTH_TYPE = CUSTOM \
     EXTERNAL_OAUTH_ISSUER = 'https://issuer.example' EXTERNAL_OAUTH_JWS_KEYS_URL = 'http://127.0.0.1:9/keys' \
     EXTERNAL_OAUTH_AUDIENCE_LIST = ('firn') EXTERNAL_OAUTH_TOKEN_USER_MAPPING_CLAIM = 'sub' \
     EXTERNAL_OAUTH_SNOWFLAKE_USER_MAPPING_ATTRIBUTE = 'LOGIN_NAME'";

/// What PUBLIC needs to reach its own objects, where privileges are needed for it.
const USAGE: [&str; 3] = ["WAREHOUSE COMPUTE_WH", "DATABASE SEEN", "SCHEMA SEEN.OPENED"];

/// What is in the schema `SEEN.OWNED`.
const OWNED: [&str; 13] = [
    "CREATE TABLE SEEN.OWNED.T (A INT)",
    "CREATE VIEW SEEN.OWNED.V AS SELECT A FROM SEEN.OWNED.T",
    "CREATE SEQUENCE SEEN.OWNED.Q",
    "CREATE STAGE SEEN.OWNED.S",
    "CREATE FILE FORMAT SEEN.OWNED.F TYPE = CSV",
    "CREATE FUNCTION SEEN.OWNED.G(X INT) RETURNS INT AS 'X'",
    "CREATE MASKING POLICY SEEN.OWNED.M AS (X INT) RETURNS INT -> X",
    "CREATE ROW ACCESS POLICY SEEN.OWNED.R AS (X INT) RETURNS BOOLEAN -> TRUE",
    "CREATE PASSWORD POLICY SEEN.OWNED.W",
    "CREATE SESSION POLICY SEEN.OWNED.X",
    "CREATE AUTHENTICATION POLICY SEEN.OWNED.Y",
    "CREATE TAG SEEN.OWNED.G1",
    "CREATE PROCEDURE SEEN.OWNED.P() RETURNS INT LANGUAGE SQL AS 'BEGIN RETURN 1; END'",
];

impl Site {
    pub fn prepare() -> Self {
        let site = Self::hidden();
        site.own(&site.server.admin());
        site.check();
        site
    }

    /// PUBLIC has nothing here but a warehouse to ask with: what `prepare` gives to it is the administrator's.
    pub fn of_the_administrator() -> Self {
        let site = Self::hidden();
        let admin = site.server.admin();
        admin.rows("CREATE TABLE SEEN.OPENED.SHOWN (A INT)");
        admin.rows("CREATE SCHEMA SEEN.OWNED");
        OWNED.iter().for_each(|statement| drop(admin.rows(statement)));
        admin.rows("GRANT USAGE ON WAREHOUSE COMPUTE_WH TO ROLE PUBLIC");
        site
    }

    pub fn admin(&self) -> Client {
        self.server.admin()
    }

    fn hidden() -> Self {
        let server = Server::start();
        let admin = server.admin();
        admin.rows("CREATE DATABASE SEEN");
        admin.rows("CREATE SCHEMA SEEN.OPENED");
        fill(&admin, "SEEN.OPENED");
        let [table, schema, database] = DROPPED;
        admin.rows(&format!("CREATE TABLE SEEN.OPENED.{table} (A INT)"));
        admin.rows(&format!("DROP TABLE SEEN.OPENED.{table}"));
        admin.rows(&format!("CREATE SCHEMA SEEN.{schema}"));
        fill(&admin, &format!("SEEN.{schema}"));
        admin.rows(&format!("DROP SCHEMA SEEN.{schema}"));
        admin.rows(&format!("CREATE DATABASE {database}"));
        admin.rows(&format!("DROP DATABASE {database}"));
        let (schema, database) = (Kind::Schema.hidden(), Kind::Database.hidden());
        admin.rows(&format!("CREATE DATABASE {database}"));
        admin.rows(&format!("CREATE DATABASE ROLE {database}.INSIDE"));
        for hidden in [format!("SEEN.{schema}"), format!("{database}.{schema}")] {
            admin.rows(&format!("CREATE SCHEMA {hidden}"));
            fill(&admin, &hidden);
        }
        admin.rows(&format!("CREATE WAREHOUSE {}", Kind::Warehouse.hidden()));
        admin.rows(&format!("CREATE ROLE {}", Kind::Role.hidden()));
        admin.rows(&format!("CREATE USER {}", Kind::User.hidden()));
        admin.rows(&format!("ALTER USER {} ADD PROGRAMMATIC ACCESS TOKEN T", Kind::User.hidden()));
        admin.rows(&format!("CREATE SECURITY INTEGRATION {} {INTEGRATION}", Kind::Integration.hidden()));
        let policy = Kind::NetworkPolicy.hidden();
        admin.rows(&format!("CREATE NETWORK POLICY {policy} ALLOWED_IP_LIST = ('127.0.0.1')"));
        admin.rows(&format!("CREATE RESOURCE MONITOR {} WITH CREDIT_QUOTA = 100", Kind::ResourceMonitor.hidden()));
        Self { prober: prober(&server), server }
    }

    /// What belongs to PUBLIC: a table that makes `SEEN.OPENED` visible, and the schema `SEEN.OWNED`.
    fn own(&self, admin: &Client) {
        admin.rows("CREATE TABLE SEEN.OPENED.SHOWN (A INT)");
        admin.rows("GRANT OWNERSHIP ON TABLE SEEN.OPENED.SHOWN TO ROLE PUBLIC");
        admin.rows("CREATE SCHEMA SEEN.OWNED");
        admin.rows("GRANT OWNERSHIP ON SCHEMA SEEN.OWNED TO ROLE PUBLIC");
        for place in USAGE {
            let granted = admin.sql(&format!("GRANT USAGE ON {place} TO ROLE PUBLIC"));
            let is_unsupported = granted.text().contains("nsupported");
            assert!(granted.status == 200 || is_unsupported, "{granted}");
        }
        OWNED.iter().for_each(|statement| drop(self.prober.rows(statement)));
    }

    /// The objects of PUBLIC are there, so that statements about them fail for the names that are asked about only; and
    /// what is missing still is.
    pub fn check(&self) {
        for statement in [
            "SELECT COUNT(*) FROM SEEN.OPENED.SHOWN",
            "SELECT COUNT(*) FROM SEEN.OWNED.T",
            "SELECT COUNT(*) FROM SEEN.OWNED.V",
            "SELECT SEEN.OWNED.Q.NEXTVAL, SEEN.OWNED.G(1)",
            "LIST @SEEN.OWNED.S",
            "DESCRIBE FILE FORMAT SEEN.OWNED.F",
            "CALL SEEN.OWNED.P()",
        ] {
            let response = self.prober.send(&asked(statement));
            assert_eq!(response.status, 200, "{statement}\n{response}");
        }
        for kind in [
            "DATABASES",
            "WAREHOUSES",
            "USERS",
            "ROLES",
            "INTEGRATIONS",
            "NETWORK POLICIES",
            "SCHEMAS",
            "OBJECTS",
            "STAGES",
        ] {
            let statement = format!("SHOW {kind} LIKE 'MIS\\\\_%'");
            let found = self.server.admin().sql_with(&statement, json!({"database": "SEEN", "schema": "OPENED"}));
            assert_eq!(found.rows().len(), 0, "{statement}\n{found}");
        }
    }

    /// The answer to a statement in the schema `SEEN.OPENED`, without what is of this one request.
    pub fn answer(&self, statement: &str) -> String {
        self.answer_to(&asked(statement))
    }

    pub fn answer_to(&self, request: &Request) -> String {
        described(&self.prober.send(request))
    }

    /// Whether the statement, sent without a database, is carried out.
    pub fn is_done(&self, statement: &str) -> bool {
        self.is_granted(&asked_in(statement, json!({})))
    }

    /// Whether the request is carried out.
    pub fn is_granted(&self, request: &Request) -> bool {
        self.prober.send(request).status < 300
    }
}

/// A statement as the user with PUBLIC alone, whatever an earlier one has made of the user's defaults.
fn asked(statement: &str) -> Request {
    asked_in(statement, json!({"database": "SEEN", "schema": "OPENED"}))
}

fn asked_in(statement: &str, mut fields: Value) -> Request {
    fields["role"] = json!("PUBLIC");
    fields["warehouse"] = json!("COMPUTE_WH");
    if statement.contains("; SELECT 1") {
        fields["parameters"] = json!({"MULTI_STATEMENT_COUNT": "2"});
    }
    Request::statement(statement, fields)
}

/// A hidden object of every kind.
fn fill(admin: &Client, schema: &str) {
    let name = |kind: Kind| format!("{schema}.{}", kind.hidden());
    let (table, stage) = (name(Kind::Table), name(Kind::Stage));
    for statement in [
        format!("CREATE TABLE {table} (A INT PRIMARY KEY)"),
        format!("INSERT INTO {table} VALUES (1)"),
        format!("CREATE VIEW {} AS SELECT A FROM {table}", name(Kind::View)),
        format!("CREATE SEQUENCE {}", name(Kind::Sequence)),
        format!("CREATE STAGE {stage} DIRECTORY = (ENABLE = TRUE)"),
        format!("COPY INTO @{stage}/a FROM (SELECT 1) SINGLE = TRUE"),
        format!("COPY INTO @{schema}.%{} FROM (SELECT 1)", Kind::Table.hidden()),
        format!("CREATE FILE FORMAT {} TYPE = CSV", name(Kind::FileFormat)),
        format!("CREATE FUNCTION {}(X INT) RETURNS INT AS 'X'", name(Kind::Function)),
        format!("CREATE PROCEDURE {}() RETURNS INT LANGUAGE SQL AS 'BEGIN RETURN 1; END'", name(Kind::Procedure)),
        format!("CREATE MASKING POLICY {} AS (X INT) RETURNS INT -> X", name(Kind::MaskingPolicy)),
        format!("CREATE ROW ACCESS POLICY {} AS (X INT) RETURNS BOOLEAN -> TRUE", name(Kind::RowAccessPolicy)),
        format!("CREATE PASSWORD POLICY {}", name(Kind::PasswordPolicy)),
        format!("CREATE SESSION POLICY {}", name(Kind::SessionPolicy)),
        format!("CREATE AUTHENTICATION POLICY {}", name(Kind::AuthenticationPolicy)),
        format!("CREATE TAG {}", name(Kind::Tag)),
        format!("CREATE SEMANTIC VIEW {} TABLES (X AS {table}) METRICS (X.N AS COUNT(*))", name(Kind::SemanticView)),
    ] {
        admin.rows(&statement);
    }
}

fn prober(server: &Server) -> Client {
    let admin = server.admin();
    admin.rows("CREATE USER PROBER DEFAULT_ROLE = PUBLIC DEFAULT_WAREHOUSE = COMPUTE_WH");
    let tokens = admin.rows("ALTER USER PROBER ADD PROGRAMMATIC ACCESS TOKEN T");
    server.client(tokens[0][1].as_deref().expect("the token"))
}

/// The status and the body, without handles and times.
fn described(response: &Response) -> String {
    let mut body = response.json();
    without_handles(&mut body);
    match body {
        Value::Null => format!("{} {}", response.status, response.text()),
        body => format!("{} {body}", response.status),
    }
}

fn without_handles(value: &mut Value) {
    const OF_THE_REQUEST: [&str; 9] = [
        "statementHandle",
        "statementHandles",
        "statementStatusUrl",
        "createdOn",
        "requestId",
        "request_id",
        "queryId",
        "response_metadata",
        "resultSetMetaData",
    ];
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !OF_THE_REQUEST.contains(&name.as_str()));
            fields.values_mut().for_each(without_handles);
        }
        Value::Array(values) => values.iter_mut().for_each(without_handles),
        _ => {}
    }
}
