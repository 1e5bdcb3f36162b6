//! A user with the role PUBLIC alone walks through every statement and every request. What is carried out is listed in
//! `public_alone/carried_out.txt`, and nothing of it changes the account: all that the administrator can list is
//! afterwards as it was before.
//!
//! `FIRN_UPDATE_CARRIED_OUT=1` writes the list anew; read what it adds.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::existence::site::Site;
use super::existence::{commands, names, requests};

const CARRIED_OUT: &str = include_str!("public_alone/carried_out.txt");
/// Statements that name no object; `[a|b]` stands for both.
const NAMELESS: &str = include_str!("public_alone/nameless.txt");
const THREADS: usize = 4;

/// Columns that change by themselves, or because somebody has asked.
const RESTLESS: [&str; 9] = [
    "last_success_login",
    "state",
    "running",
    "queued",
    "resumed_on",
    "updated_on",
    "started_clusters",
    "is_current",
    "is_default",
];

/// What can be listed without naming an object.
const LISTS: [&str; 22] = [
    "SHOW DATABASES HISTORY",
    "SHOW SCHEMAS HISTORY IN ACCOUNT",
    "SHOW TABLES HISTORY IN ACCOUNT",
    "SHOW VIEWS IN ACCOUNT",
    "SHOW COLUMNS IN ACCOUNT",
    "SHOW SEQUENCES IN ACCOUNT",
    "SHOW STAGES IN ACCOUNT",
    "SHOW FILE FORMATS IN ACCOUNT",
    "SHOW USER FUNCTIONS IN ACCOUNT",
    "SHOW USER PROCEDURES IN ACCOUNT",
    "SHOW SEMANTIC VIEWS IN ACCOUNT",
    "SHOW PRIMARY KEYS IN ACCOUNT",
    "SHOW WAREHOUSES",
    "SHOW USERS",
    "SHOW ROLES",
    "SHOW INTEGRATIONS",
    "SHOW PARAMETERS IN ACCOUNT",
    "SHOW GRANTS ON ACCOUNT",
    "SHOW GRANTS TO ROLE PUBLIC",
    "SHOW GRANTS OF ROLE PUBLIC",
    "SHOW GRANTS OF ROLE ACCOUNTADMIN",
    "SHOW USER PROGRAMMATIC ACCESS TOKENS FOR USER HID_USE",
];

/// What is inside of the objects.
const CONTENTS: [&str; 9] = [
    "SELECT * FROM SEEN.OPENED.HID_TAB",
    "SELECT * FROM SEEN.OPENED.HID_VIE",
    "SELECT * FROM SEEN.OPENED.SHOWN",
    "SELECT * FROM SEEN.OWNED.T",
    "SELECT * FROM HID_DAT.HID_SCH.HID_TAB",
    "LIST @SEEN.OPENED.HID_STA",
    "LIST @SEEN.OWNED.S",
    "SELECT GET_DDL('DATABASE', 'SEEN')",
    "SELECT GET_DDL('DATABASE', 'HID_DAT')",
];

/// All that the administrator can list, without what is of the walking user's own.
fn account(site: &Site) -> Vec<String> {
    let admin = site.admin();
    let mut found = Vec::new();
    for statement in LISTS.iter().chain(&CONTENTS) {
        let response = admin.sql_with(statement, json!({}));
        assert_eq!(response.status, 200, "{statement}\n{response}");
        let body = response.json();
        let columns = body["resultSetMetaData"]["rowType"].as_array().cloned().unwrap_or_default();
        let is_steady = |index: usize| !RESTLESS.iter().any(|name| columns[index]["name"] == *name);
        for row in response.rows().iter().filter(|row| !row.contains(&Some("PROBER".to_owned()))) {
            let cells = row.iter().enumerate().filter(|(index, _)| is_steady(*index)).map(|(_, cell)| cell);
            found.push(format!("{statement}: {:?}", cells.collect::<Vec<_>>()));
        }
    }
    let granted = found.iter().filter(|row| row.contains("GRANTS")).count();
    assert!(found.len() > 100 && granted > 3, "the lists are too short: {found:#?}");
    found
}

/// Each statement as the list writes it, beside those that are sent for it.
fn walk() -> Vec<(String, Vec<String>)> {
    let mut steps = Vec::new();
    for template in commands::all() {
        let statements =
            names::questions(template.kind).iter().map(|question| template.about(&question.names[0])).collect();
        steps.push((format!("{}: {}", template.kind, template.text), statements));
    }
    let nameless = NAMELESS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for statement in nameless.flat_map(commands::written_out) {
        steps.push((statement.clone(), vec![statement]));
    }
    steps
}

fn carried_out(site: &Site) -> BTreeSet<String> {
    let (steps, next, found) = (walk(), AtomicUsize::new(0), Mutex::new(BTreeSet::new()));
    assert!(steps.len() > 900, "only {} statements were read", steps.len());
    let work = || {
        while let Some((line, statements)) = steps.get(next.fetch_add(1, Ordering::Relaxed)) {
            if statements.iter().any(|statement| site.is_done(statement)) {
                found.lock().expect("no thread has panicked").insert(line.clone());
            }
        }
    };
    std::thread::scope(|scope| (0..THREADS).for_each(|_| drop(scope.spawn(work))));
    let mut found = found.into_inner().expect("no thread has panicked");
    for (kind, text, request) in requests::all() {
        let questions = names::questions(kind);
        if questions.iter().any(|question| site.is_granted(&request(&question.names[0]))) {
            found.insert(format!("{kind}: {text}"));
        }
    }
    found
}

#[test]
fn public_alone_changes_nothing_and_does_what_is_listed() {
    let site = Site::of_the_administrator();
    let before = account(&site);
    let found = carried_out(&site);
    let after = account(&site);
    let changed: Vec<&String> =
        before.iter().chain(&after).filter(|row| !before.contains(row) || !after.contains(row)).collect();
    assert!(changed.is_empty(), "the walk has changed the account:\n{changed:#?}");

    if std::env::var_os("FIRN_UPDATE_CARRIED_OUT").is_some() {
        let lines: String = found.iter().map(|line| format!("{line}\n")).collect();
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("security/public_alone/carried_out.txt");
        std::fs::write(file, lines).expect("the list is written");
        return;
    }
    let listed: BTreeSet<String> = CARRIED_OUT.lines().map(str::to_owned).collect();
    let unlisted: Vec<&String> = found.difference(&listed).collect();
    assert!(unlisted.is_empty(), "carried out for a user with PUBLIC alone:\n{unlisted:#?}");
    let refused: Vec<&String> = listed.difference(&found).collect();
    assert!(refused.is_empty(), "no longer carried out; remove them from the list:\n{refused:#?}");
}
