//! Every kind of object with every privilege: what it allows to a role that was granted it, to one that inherits that role, by a
//! future grant, to a role that has nothing, and after it is revoked.

use firn_tests::{Client, Request, Response, Server};
use serde_json::json;

/// What a privilege is for. `{n}` in a text is another number each time.
struct Case {
    /// Makes the object anew, without grants.
    create: &'static str,
    on: &'static str,
    /// The kind in the plural, for objects of schemas.
    future: Option<&'static str>,
    privileges: &'static str,
    /// A statement that needs all of the privileges.
    needs: &'static str,
}

const fn case(
    create: &'static str,
    on: &'static str,
    future: Option<&'static str>,
    privileges: &'static str,
    needs: &'static str,
) -> Case {
    Case { create, on, future, privileges, needs }
}

const TABLE: &str = "CREATE OR REPLACE TABLE D.S.X (A INT)";
const VIEW: &str = "CREATE OR REPLACE VIEW D.S.X AS SELECT 1 A";
const SEQUENCE: &str = "CREATE OR REPLACE SEQUENCE D.S.X";
const STAGE: &str = "CREATE OR REPLACE STAGE D.S.X";
const FORMAT: &str = "CREATE OR REPLACE FILE FORMAT D.S.X TYPE = CSV";
const FUNCTION: &str = "CREATE OR REPLACE FUNCTION D.S.X() RETURNS INT AS '1'";
const PROCEDURE: &str = "CREATE OR REPLACE PROCEDURE D.S.X() RETURNS INT LANGUAGE SQL AS 'BEGIN RETURN 1; END'";
const TAG: &str = "CREATE OR REPLACE TAG D.S.X";
const SCHEMA: &str = "CREATE OR REPLACE SCHEMA D.Y";
const DATABASE: &str = "CREATE OR REPLACE DATABASE Z";
const WAREHOUSE: &str = "CREATE OR REPLACE WAREHOUSE W";
const USER: &str = "CREATE OR REPLACE USER V";
const NOTHING: &str = "SELECT 1";

const CASES: [Case; 53] = [
    case(TABLE, "TABLE D.S.X", Some("TABLES"), "SELECT", "SELECT COUNT(*) FROM D.S.X"),
    case(TABLE, "TABLE D.S.X", Some("TABLES"), "INSERT", "INSERT INTO D.S.X VALUES ({n})"),
    case(TABLE, "TABLE D.S.X", Some("TABLES"), "SELECT, UPDATE", "UPDATE D.S.X SET A = {n}"),
    case(TABLE, "TABLE D.S.X", Some("TABLES"), "DELETE", "DELETE FROM D.S.X"),
    case(TABLE, "TABLE D.S.X", Some("TABLES"), "TRUNCATE", "TRUNCATE TABLE D.S.X"),
    case(TABLE, "TABLE D.S.X", Some("TABLES"), "SELECT, DELETE", "DELETE FROM D.S.X WHERE A = {n}"),
    case(TABLE, "TABLE D.S.X", Some("TABLES"), "REFERENCES", "CREATE TABLE D.OPEN.R{n} (A INT REFERENCES D.S.X (A))"),
    case(TABLE, "TABLE D.S.X", Some("TABLES"), "OWNERSHIP", "ALTER TABLE D.S.X ADD COLUMN B{n} INT"),
    case(TABLE, "TABLE D.S.X", Some("TABLES"), "OWNERSHIP", "CREATE OR REPLACE TABLE D.S.X (A INT, B INT)"),
    case(VIEW, "VIEW D.S.X", Some("VIEWS"), "SELECT", "SELECT COUNT(*) FROM D.S.X"),
    case(VIEW, "VIEW D.S.X", Some("VIEWS"), "OWNERSHIP", "ALTER VIEW D.S.X SET COMMENT = 'c'"),
    case(SEQUENCE, "SEQUENCE D.S.X", Some("SEQUENCES"), "USAGE", "SELECT D.S.X.NEXTVAL"),
    case(SEQUENCE, "SEQUENCE D.S.X", Some("SEQUENCES"), "OWNERSHIP", "ALTER SEQUENCE D.S.X SET COMMENT = 'c'"),
    case(STAGE, "STAGE D.S.X", Some("STAGES"), "READ", "LIST @D.S.X"),
    case(STAGE, "STAGE D.S.X", Some("STAGES"), "READ, WRITE", "COPY INTO @D.S.X/f{n} FROM (SELECT 1)"),
    case(STAGE, "STAGE D.S.X", Some("STAGES"), "OWNERSHIP", "ALTER STAGE D.S.X SET COMMENT = 'c'"),
    case(FORMAT, "FILE FORMAT D.S.X", Some("FILE FORMATS"), "USAGE", "DESCRIBE FILE FORMAT D.S.X"),
    case(FORMAT, "FILE FORMAT D.S.X", Some("FILE FORMATS"), "OWNERSHIP", "ALTER FILE FORMAT D.S.X SET COMMENT = 'c'"),
    case(FUNCTION, "FUNCTION D.S.X()", Some("FUNCTIONS"), "USAGE", "SELECT D.S.X()"),
    case(FUNCTION, "FUNCTION D.S.X()", Some("FUNCTIONS"), "OWNERSHIP", "ALTER FUNCTION D.S.X() SET COMMENT = 'c'"),
    case(PROCEDURE, "PROCEDURE D.S.X()", Some("PROCEDURES"), "USAGE", "CALL D.S.X()"),
    case(PROCEDURE, "PROCEDURE D.S.X()", Some("PROCEDURES"), "OWNERSHIP", "ALTER PROCEDURE D.S.X() SET COMMENT = 'c'"),
    case(TAG, "TAG D.S.X", Some("TAGS"), "APPLY", "CREATE TABLE D.OPEN.G{n} (A INT WITH TAG (D.S.X = 'v'))"),
    case(TAG, "TAG D.S.X", Some("TAGS"), "OWNERSHIP", "ALTER TAG D.S.X SET COMMENT = 'c'"),
    case(SCHEMA, "SCHEMA D.Y", None, "USAGE, CREATE TAG", "CREATE TAG D.Y.N{n}"),
    case(SCHEMA, "SCHEMA D.Y", None, "USAGE", "SHOW TABLES IN SCHEMA D.Y"),
    case(SCHEMA, "SCHEMA D.Y", None, "USAGE, CREATE TABLE", "CREATE TABLE D.Y.N{n} (A INT)"),
    case(SCHEMA, "SCHEMA D.Y", None, "USAGE, CREATE VIEW", "CREATE VIEW D.Y.N{n} AS SELECT 1 A"),
    case(SCHEMA, "SCHEMA D.Y", None, "USAGE, CREATE SEQUENCE", "CREATE SEQUENCE D.Y.N{n}"),
    case(SCHEMA, "SCHEMA D.Y", None, "USAGE, CREATE STAGE", "CREATE STAGE D.Y.N{n}"),
    case(SCHEMA, "SCHEMA D.Y", None, "USAGE, CREATE FILE FORMAT", "CREATE FILE FORMAT D.Y.N{n} TYPE = CSV"),
    case(SCHEMA, "SCHEMA D.Y", None, "USAGE, CREATE FUNCTION", "CREATE FUNCTION D.Y.N{n}() RETURNS INT AS '1'"),
    case(
        SCHEMA,
        "SCHEMA D.Y",
        None,
        "USAGE, CREATE PROCEDURE",
        "CREATE PROCEDURE D.Y.N{n}() RETURNS INT LANGUAGE SQL AS 'BEGIN RETURN 1; END'",
    ),
    case(SCHEMA, "SCHEMA D.Y", None, "MODIFY", "ALTER SCHEMA D.Y SET COMMENT = 'c'"),
    case(SCHEMA, "SCHEMA D.Y", None, "OWNERSHIP", "ALTER SCHEMA D.Y DISABLE MANAGED ACCESS"),
    case(DATABASE, "DATABASE Z", None, "USAGE", "SHOW SCHEMAS IN DATABASE Z"),
    case(DATABASE, "DATABASE Z", None, "USAGE, CREATE SCHEMA", "CREATE SCHEMA Z.N{n}"),
    case(DATABASE, "DATABASE Z", None, "USAGE, CREATE DATABASE ROLE", "CREATE DATABASE ROLE Z.N{n}"),
    case(DATABASE, "DATABASE Z", None, "MODIFY", "ALTER DATABASE Z SET COMMENT = 'c'"),
    case(DATABASE, "DATABASE Z", None, "OWNERSHIP", "ALTER DATABASE Z SET COMMENT = 'c'"),
    case(WAREHOUSE, "WAREHOUSE W", None, "USAGE", "USE WAREHOUSE W; SELECT COUNT(*) FROM D.OPEN.T"),
    case(WAREHOUSE, "WAREHOUSE W", None, "OPERATE", "ALTER WAREHOUSE W RESUME IF SUSPENDED"),
    case(WAREHOUSE, "WAREHOUSE W", None, "MODIFY", "ALTER WAREHOUSE W SET COMMENT = 'c'"),
    case(WAREHOUSE, "WAREHOUSE W", None, "MONITOR", "DESCRIBE WAREHOUSE W"),
    case(WAREHOUSE, "WAREHOUSE W", None, "OWNERSHIP", "ALTER WAREHOUSE W SET COMMENT = 'c'"),
    case(USER, "USER V", None, "MONITOR", "DESCRIBE USER V"),
    case(USER, "USER V", None, "OWNERSHIP", "ALTER USER V SET COMMENT = 'c'"),
    case(NOTHING, "ACCOUNT", None, "CREATE DATABASE", "CREATE DATABASE N{n}"),
    case(NOTHING, "ACCOUNT", None, "CREATE ROLE", "CREATE ROLE N{n}"),
    case(NOTHING, "ACCOUNT", None, "CREATE USER", "CREATE USER N{n}"),
    case(NOTHING, "ACCOUNT", None, "CREATE WAREHOUSE", "CREATE WAREHOUSE N{n}"),
    case(NOTHING, "ACCOUNT", None, "MANAGE GRANTS", "GRANT ROLE FOREIGN_ROLE TO ROLE OTHER"),
    case(NOTHING, "ACCOUNT", None, "MANAGE WAREHOUSES", "ALTER WAREHOUSE COMPUTE_WH RESUME IF SUSPENDED"),
];

const SETUP: &str = "CREATE DATABASE D; CREATE SCHEMA D.S; CREATE SCHEMA D.OPEN; CREATE TABLE D.OPEN.T (A INT); \
     CREATE ROLE GRANTED; CREATE ROLE INHERITING; CREATE ROLE FOREIGN_ROLE; CREATE ROLE OTHER; \
     GRANT ROLE GRANTED TO ROLE INHERITING; CREATE USER U; GRANT ROLE GRANTED TO USER U; \
     GRANT ROLE INHERITING TO USER U; GRANT ROLE FOREIGN_ROLE TO USER U; \
     GRANT USAGE ON DATABASE D TO ROLE PUBLIC; GRANT USAGE ON SCHEMA D.S TO ROLE PUBLIC; \
     GRANT ALL ON SCHEMA D.OPEN TO ROLE PUBLIC; GRANT SELECT ON TABLE D.OPEN.T TO ROLE PUBLIC; \
     GRANT ALL ON SCHEMA D.S TO ROLE PUBLIC; GRANT USAGE ON WAREHOUSE COMPUTE_WH TO ROLE PUBLIC";

struct Account {
    admin: Client,
    user: Client,
    numbers: u32,
    wrong: Vec<String>,
}

impl Account {
    fn run(&mut self, client: &Client, text: &str, role: &str, warehouse: &str) -> Response {
        self.numbers += 1;
        let text = text.replace("{n}", &self.numbers.to_string());
        let parameters = json!({"MULTI_STATEMENT_COUNT": "0"});
        client.send(&Request::statement(&text, json!({"role": role, "warehouse": warehouse, "parameters": parameters})))
    }

    fn change(&mut self, text: &str) {
        let admin = self.admin.clone();
        let answer = self.run(&admin, text, "ACCOUNTADMIN", "COMPUTE_WH");
        assert_eq!(answer.status, 200, "{text}: {}", answer.text());
    }

    fn expect(&mut self, case: &Case, state: &str, role: &str, allowed: bool) {
        let user = self.user.clone();
        let answer = self.run(&user, case.needs, role, "COMPUTE_WH");
        if answer.status != if allowed { 200 } else { 422 } {
            let Case { needs, privileges, on, .. } = case;
            self.wrong.push(format!("{privileges} ON {on}, {state}, {role}: {needs}: {}", answer.text()));
        }
    }

    fn ownership(&mut self, case: &Case, role: &str) {
        self.change(&format!("GRANT OWNERSHIP ON {} TO ROLE {role} REVOKE CURRENT GRANTS", case.on));
    }

    fn walk(&mut self, case: &Case) {
        let Case { create, on, privileges, .. } = case;
        self.change(create);
        self.expect(case, "nothing granted", "GRANTED", false);
        self.expect(case, "nothing granted", "FOREIGN_ROLE", false);
        match *privileges {
            "OWNERSHIP" => self.ownership(case, "GRANTED"),
            _ => self.change(&format!("GRANT {privileges} ON {on} TO ROLE GRANTED")),
        }
        self.expect(case, "granted", "FOREIGN_ROLE", false);
        self.expect(case, "granted", "GRANTED", true);
        self.expect(case, "inherited", "INHERITING", true);
        match *privileges {
            "OWNERSHIP" => self.change(&format!("GRANT OWNERSHIP ON {on} TO ROLE ACCOUNTADMIN COPY CURRENT GRANTS")),
            _ => self.change(&format!("REVOKE {privileges} ON {on} FROM ROLE GRANTED")),
        }
        self.expect(case, "revoked", "GRANTED", false);
        self.expect(case, "revoked", "INHERITING", false);
        if let Some(kinds) = case.future {
            self.change(&format!("GRANT {privileges} ON FUTURE {kinds} IN SCHEMA D.S TO ROLE GRANTED"));
            self.change(create);
            self.expect(case, "by a future grant", "GRANTED", true);
            self.expect(case, "by a future grant", "FOREIGN_ROLE", false);
            self.change(&format!("REVOKE {privileges} ON FUTURE {kinds} IN SCHEMA D.S FROM ROLE GRANTED"));
            self.change(create);
            self.expect(case, "by a future grant that is revoked", "GRANTED", false);
            self.change(&format!("DROP {on}"));
        }
    }
}

#[test]
fn each_privilege_allows_what_it_is_for_and_nothing_else_does() {
    let server = Server::start();
    let admin = server.admin();
    let mut account = Account { user: admin.clone(), admin, numbers: 0, wrong: Vec::new() };
    account.change(SETUP);
    let token = account.admin.rows("ALTER USER U ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    account.user = server.client(&token);
    for case in &CASES {
        account.walk(case);
    }
    assert!(account.wrong.is_empty(), "{}", account.wrong.join("\n"));
}
