//! What a caller may not know of looks like what does not exist. Every statement and request that names an object is
//! asked about one that exists and is hidden, and about one that is missing, by a user with the role PUBLIC alone: the
//! answers are the same but for the names.
//!
//! `existence/known_differences.txt` lists statements whose answers still differ; `FIRN_UPDATE_DIFFERENCES=1` writes it
//! anew.

#[path = "existence/commands.rs"]
pub mod commands;
#[path = "existence/names.rs"]
pub mod names;
#[path = "existence/requests.rs"]
pub mod requests;
#[path = "existence/site.rs"]
pub mod site;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use commands::Template;
use names::Question;
use site::Site;

const KNOWN: &str = include_str!("existence/known_differences.txt");
const THREADS: usize = 4;

/// The different answers to one question, each with the first name that gave it.
struct Difference {
    /// As `known_differences.txt` writes it.
    line: String,
    answers: Vec<(String, String)>,
}

impl Difference {
    fn shown(&self) -> String {
        let answers: Vec<String> = self.answers.iter().map(|(name, answer)| format!("  {name}: {answer}")).collect();
        format!("{}\n{}", self.line, answers.join("\n"))
    }
}

/// Asks about every name, and returns the answers if they are not all the same.
fn compare(line: String, question: &Question, ask: impl Fn(&str) -> String) -> Option<Difference> {
    let mut answers: Vec<(String, String)> = Vec::new();
    for name in &question.names {
        let answer = names::masked(&ask(name));
        if answers.iter().all(|(_, known)| *known != answer) {
            answers.push((name.clone(), answer));
        }
    }
    (answers.len() > 1).then_some(Difference { line, answers })
}

fn statement_differences(site: &Site, template: &Template) -> Vec<Difference> {
    let differences = |question: &Question| {
        let line = format!("{}, {}: {}", template.kind, question.place, template.text);
        compare(line, question, |name| site.answer(&template.about(name)))
    };
    names::questions(template.kind).iter().filter_map(differences).collect()
}

fn differences_side_by_side(site: &Site, templates: &[Template]) -> Vec<Difference> {
    let next = AtomicUsize::new(0);
    let work = || {
        let templates = std::iter::from_fn(|| templates.get(next.fetch_add(1, Ordering::Relaxed)));
        templates.flat_map(|template| statement_differences(site, template)).collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends")).collect()
    })
}

fn request_differences(site: &Site) -> Vec<Difference> {
    let mut found = Vec::new();
    for (kind, text, request) in requests::all() {
        for question in names::questions(kind) {
            let line = format!("{kind}, {}: {text}", question.place);
            found.extend(compare(line, &question, |name| site.answer_to(&request(name))));
        }
    }
    found
}

#[test]
fn what_is_hidden_looks_like_what_is_missing() {
    let (last, templates): (Vec<Template>, Vec<Template>) =
        commands::all().into_iter().partition(|template| template.is_last);
    assert!(templates.len() > 800, "only {} statements were read", templates.len());
    let site = Site::prepare();
    let mut differences = differences_side_by_side(&site, &templates);
    differences.extend(request_differences(&site));
    site.check();
    differences.extend(last.iter().flat_map(|template| statement_differences(&site, template)));

    let found: BTreeSet<&str> = differences.iter().map(|difference| difference.line.as_str()).collect();
    if std::env::var_os("FIRN_UPDATE_DIFFERENCES").is_some() {
        let lines: String = found.iter().map(|line| format!("{line}\n")).collect();
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("security/existence/known_differences.txt");
        std::fs::write(file, lines).unwrap();
        return;
    }
    let known: BTreeSet<&str> = KNOWN.lines().collect();
    let unknown: Vec<String> = differences
        .iter()
        .filter(|difference| !known.contains(difference.line.as_str()))
        .map(Difference::shown)
        .collect();
    assert!(unknown.is_empty(), "{} statements tell what exists:\n{}", unknown.len(), unknown.join("\n"));
    let gone: Vec<&str> = known.difference(&found).copied().collect();
    assert!(gone.is_empty(), "these no longer differ; remove them from the list:\n{}", gone.join("\n"));
}

/// The reference's statements that firn supports are all asked, but for those that name nothing.
#[test]
fn every_supported_statement_is_asked() {
    const NAMELESS: [&str; 10] = [
        "ALTER ACCOUNT",
        "ALTER SESSION",
        "DESCRIBE RESULT",
        "DESCRIBE TRANSACTION",
        "SHOW ANALYST FEEDBACK",
        "SHOW BUILTIN FUNCTIONS",
        "SHOW LOCKS",
        "SHOW TRANSACTIONS",
        "SHOW VARIABLES",
        "USE SECONDARY ROLES",
    ];
    const VERBS: [&str; 12] = [
        "ALTER", "COMMENT", "COPY", "CREATE", "DELETE", "DESCRIBE", "DROP", "INSERT", "MERGE", "SHOW", "UNDROP", "USE",
    ];
    let page = include_str!("../../docs/sql.md");
    let asked = commands::all();
    let mut is_supported = false;
    for line in page.lines() {
        match line {
            "Supported:" => is_supported = true,
            "Refused:" | "Supported, and deviates:" => is_supported = false,
            _ => {}
        }
        let Some(name) = line.strip_prefix("- `").and_then(|rest| rest.split(['`', '…', '(']).next()) else {
            continue;
        };
        let name = name.trim_end().trim_end_matches(" table").trim_end_matches(" location");
        let is_statement = VERBS.contains(&name.split(' ').next().unwrap_or_default());
        if !is_supported || !is_statement || NAMELESS.contains(&name) || name.contains(" with ") {
            continue;
        }
        assert!(asked.iter().any(|template| template.text.starts_with(name)), "no statement begins with {name}");
    }
}
