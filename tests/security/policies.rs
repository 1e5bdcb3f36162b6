//! Attempts to get around masking and row access policies. No answer may show a hidden value anywhere, error messages
//! included; the same statements show them to the role that may see them.

use firn_tests::{Client, Request, Response, Server};
use serde_json::json;

const ATTEMPTS: &str = include_str!("policies/attempts.txt");

/// Parts of the stored values: those of masked columns, and those of hidden rows.
const HIDDEN: [&str; 4] = ["SSN-7731", "91234567", "SECRETROW", "88776655"];

const SETUP: &[&str] = &[
    "CREATE DATABASE P",
    "CREATE SCHEMA P.S",
    "CREATE TABLE P.S.PEOPLE (ID INT, NAME VARCHAR, SSN VARCHAR, SALARY NUMBER(12, 2))",
    "INSERT INTO P.S.PEOPLE SELECT COLUMN1, COLUMN2, COLUMN3, COLUMN4 FROM VALUES (1, 'Ann', 'SSN-7731-1', 91234567.25), \
     (2, 'Bob', 'SSN-7731-2', 91234567.5)",
    "CREATE TABLE P.S.ORDERS (ID INT, REGION VARCHAR, SECRET VARCHAR, AMOUNT INT)",
    "INSERT INTO P.S.ORDERS VALUES (1, 'EU', '17', 10), (2, 'US', 'SECRETROW', 88776655)",
    "CREATE TABLE P.S.REGIONS (ROLE_NAME VARCHAR, REGION VARCHAR)",
    "INSERT INTO P.S.REGIONS VALUES ('BLIND', 'EU'), ('SEEING', 'EU'), ('SEEING', 'US')",
    "CREATE MASKING POLICY P.S.TEXTS AS (V VARCHAR) RETURNS VARCHAR -> CASE WHEN CURRENT_ROLE() = 'SEEING' THEN V ELSE '***' END EXEMPT_OTHER_POLICIES = TRUE",
    "CREATE MASKING POLICY P.S.NUMBERS AS (V NUMBER) RETURNS NUMBER -> IFF(IS_ROLE_IN_SESSION('SEEING'), V, 0)",
    "CREATE ROW ACCESS POLICY P.S.BY_REGION AS (R VARCHAR) RETURNS BOOLEAN -> \
     EXISTS (SELECT 1 FROM REGIONS M WHERE M.ROLE_NAME = CURRENT_ROLE() AND M.REGION = R)",
    "ALTER TABLE P.S.ORDERS ADD ROW ACCESS POLICY P.S.BY_REGION ON (REGION)",
    "CREATE VIEW P.S.VIEWED_PEOPLE AS SELECT * FROM P.S.PEOPLE",
    "CREATE VIEW P.S.VIEW_OF_VIEW (A, B) AS SELECT ID, SSN || SALARY FROM P.S.VIEWED_PEOPLE",
    "CREATE VIEW P.S.VIEWED_ORDERS AS SELECT ID, SECRET, AMOUNT FROM P.S.ORDERS",
    "CREATE SEMANTIC VIEW P.S.SV TABLES (PEOPLE AS P.S.PEOPLE PRIMARY KEY (ID)) DIMENSIONS (PEOPLE.NUMBER AS SSN) \
     METRICS (PEOPLE.TOP AS MAX(SSN))",
];

/// The ways to attach the masking policies. What is on the columns alone leaves those of ORDERS alone, as the attempts that
/// compare failures expect.
const MASKS: [(&str, &[&str]); 4] = [
    (
        "on the columns",
        &[
            "ALTER TABLE P.S.PEOPLE MODIFY COLUMN SSN SET MASKING POLICY P.S.TEXTS",
            "ALTER TABLE P.S.PEOPLE MODIFY COLUMN SALARY SET MASKING POLICY P.S.NUMBERS",
        ],
    ),
    (
        "by tags of the columns",
        &[
            "CREATE TAG P.S.PII",
            "ALTER TAG P.S.PII SET MASKING POLICY P.S.TEXTS, MASKING POLICY P.S.NUMBERS",
            "ALTER TABLE P.S.PEOPLE MODIFY COLUMN SSN SET TAG P.S.PII = 'x', COLUMN SALARY SET TAG P.S.PII = 'y'",
        ],
    ),
    (
        "by a tag of the table",
        &[
            "CREATE TAG P.S.PII",
            "ALTER TABLE P.S.PEOPLE SET TAG P.S.PII = 'x'",
            "ALTER TAG P.S.PII SET MASKING POLICY P.S.TEXTS, MASKING POLICY P.S.NUMBERS",
        ],
    ),
    (
        "by a tag of the database",
        &[
            "CREATE TAG P.S.PII",
            "ALTER TAG P.S.PII SET MASKING POLICY P.S.TEXTS, MASKING POLICY P.S.NUMBERS",
            "ALTER DATABASE P SET TAG P.S.PII = 'x'",
        ],
    ),
];

/// Questions about the masked column, by a part of a value and by what is near to one.
const QUESTIONS: [&str; 4] = [
    "How many people with number ssn-7731-1 are there?",
    "How many people have number ssn-7731-2?",
    "top of people by number",
    "people with number ssn77311",
];

/// What an attempt gives the role that may see everything.
#[derive(Debug, PartialEq, Eq)]
enum Expected {
    Shown,
    Failure,
    Anything,
}

/// A client in a role of its own, with everything but the right to change policies.
fn reader(admin: &Client, role: &str) -> Client {
    let statements = [
        format!("CREATE ROLE {role}"),
        format!("CREATE USER {role}_USER DEFAULT_ROLE = {role} DEFAULT_WAREHOUSE = COMPUTE_WH"),
        format!("GRANT ROLE {role} TO USER {role}_USER"),
        format!("GRANT USAGE ON WAREHOUSE COMPUTE_WH TO ROLE {role}"),
        format!("GRANT USAGE ON DATABASE P TO ROLE {role}"),
        format!("GRANT ALL ON SCHEMA P.S TO ROLE {role}"),
        format!("GRANT ALL ON ALL TABLES IN SCHEMA P.S TO ROLE {role}"),
        format!("GRANT ALL ON ALL VIEWS IN SCHEMA P.S TO ROLE {role}"),
        format!("GRANT ALL ON ALL SEMANTIC VIEWS IN SCHEMA P.S TO ROLE {role}"),
    ];
    statements.iter().for_each(|statement| run(admin, statement));
    let created = admin.sql(&format!("ALTER USER {role}_USER ADD PROGRAMMATIC ACCESS TOKEN T"));
    let token = created.rows()[0][1].clone().unwrap_or_default();
    admin.with_token(Some(&token))
}

fn run(client: &Client, statement: &str) {
    let response = client.sql(statement);
    assert_eq!(response.status, 200, "{statement}: {}", response.text());
}

fn ask(client: &Client, role: &str, statement: &str) -> Response {
    client.sql_with(statement, json!({"database": "P", "schema": "S", "warehouse": "COMPUTE_WH", "role": role}))
}

/// The analyst looks values up, and shows those that are like the words of a question.
fn ask_analyst(client: &Client, question: &str) -> Response {
    client.send_until_done(&Request::post("/api/v2/cortex/analyst/message").json(&json!({
        "messages": [{"role": "user", "content": [{"type": "text", "text": question}]}],
        "semantic_view": "P.S.SV",
    })))
}

/// Whether a stored value is anywhere in an answer.
fn names_hidden(response: &Response) -> bool {
    let text = response.text();
    HIDDEN.iter().any(|hidden| text.contains(hidden))
}

/// Whether an answer shows what is hidden.
fn shows(response: &Response) -> bool {
    let is_leak = |cell: &Option<String>| cell.as_deref() == Some("LEAK");
    names_hidden(response) || (response.status == 200 && response.rows().iter().flatten().any(is_leak))
}

#[test]
fn no_statement_shows_what_policies_hide() {
    for (how, masks) in MASKS {
        check_attempts(how, masks);
    }
}

fn check_attempts(how: &str, masks: &[&str]) {
    let server = Server::start();
    let admin = server.admin();
    SETUP.iter().chain(masks).for_each(|statement| run(&admin, statement));
    let masks_orders = how == "by a tag of the database";
    let (blind, seeing) = (reader(&admin, "BLIND"), reader(&admin, "SEEING"));
    let mut failures = Vec::new();
    let mut attempts = 0;
    for line in ATTEMPTS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        attempts += 1;
        let (expected, line) = match line.split_at(2) {
            ("! ", rest) => (Expected::Anything, rest),
            ("= ", rest) => (Expected::Failure, rest),
            _ => (Expected::Shown, line),
        };
        for statement in line.split(";; ") {
            let response = ask(&blind, "BLIND", &statement.replace("{own}", "BLIND"));
            if shows(&response) {
                failures.push(format!("shown by {statement}\n    {}", response.text()));
            }
            if expected == Expected::Failure && response.status != 200 && !masks_orders {
                failures.push(format!("a hidden row fails {statement}\n    {}", response.text()));
            }
        }
        let answers: Vec<Response> =
            line.split(";; ").map(|statement| ask(&seeing, "SEEING", &statement.replace("{own}", "SEEING"))).collect();
        let Some(last) = answers.last() else { continue };
        let is_expected = match expected {
            Expected::Shown => shows(last),
            Expected::Failure => last.status != 200,
            Expected::Anything => true,
        };
        if !is_expected {
            failures.push(format!("not {expected:?} to who may see it: {line}\n    {}", last.text()));
        }
    }
    for question in QUESTIONS {
        attempts += 1;
        let response = ask_analyst(&blind, question);
        if response.status != 200 || names_hidden(&response) {
            failures.push(format!("shown by the question {question}\n    {}", response.text()));
        }
    }
    let seen: Vec<Response> = QUESTIONS.iter().map(|question| ask_analyst(&seeing, question)).collect();
    if !seen.iter().any(names_hidden) {
        let texts: Vec<String> = seen.iter().map(Response::text).collect();
        failures.push(format!("no question shows anything to who may see it:\n    {}", texts.join("\n    ")));
    }
    assert!(attempts >= 60, "there are {attempts} attempts only");
    assert!(failures.is_empty(), "masked {how}: {} of {attempts}:\n{}", failures.len(), failures.join("\n"));
}
