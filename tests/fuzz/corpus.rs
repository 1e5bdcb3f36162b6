//! Texts of the suites that mutations begin with.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sqllogictest::{DefaultColumnType, Record};

/// The folder `tests/`.
fn suites() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every statement of `tests/sql` and of the scenarios.
pub fn statements() -> Vec<String> {
    let mut found = Vec::new();
    for path in firn_tests::sqllogic::files() {
        for record in sqllogictest::parse_file::<DefaultColumnType>(&path).expect("a file of records") {
            if let Record::Statement { sql, .. } | Record::Query { sql, .. } = record {
                found.push(sql);
            }
        }
    }
    for file in yaml_files(&suites().join("http")) {
        found.extend(under(&file, "sql").into_iter().filter_map(|text| text.as_str().map(str::to_owned)));
    }
    found
}

/// Bodies of requests: of the scenarios' statements and of their other requests.
pub fn bodies() -> Vec<String> {
    let mut found = Vec::new();
    for file in yaml_files(&suites().join("http")) {
        found.extend(under(&file, "json").into_iter().map(Value::to_string));
        found.extend(steps(&file).into_iter().filter_map(body_of_statement));
    }
    found
}

/// Semantic models.
pub fn models() -> Vec<String> {
    let domains = std::fs::read_dir(suites().join("analyst/domains")).expect("the domains");
    let of_domains = domains.map(|entry| entry.expect("an entry").path().join("model.yaml"));
    let paths = of_domains.chain([suites().join("analyst/retail.yaml")]);
    let mut found: Vec<String> = paths.filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    found.sort();
    found
}

/// Questions in words.
pub fn questions() -> Vec<String> {
    let domains = std::fs::read_dir(suites().join("analyst/domains")).expect("the domains");
    let mut paths: Vec<PathBuf> = domains.map(|entry| entry.expect("an entry").path().join("questions.yaml")).collect();
    paths.extend(["analyst/questions.yaml", "analyst/business_questions.yaml"].map(|path| suites().join(path)));
    paths.sort();
    let files = paths.iter().filter(|path| path.exists()).map(|path| yaml(path));
    let texts = |file: Value| {
        let texts = under(&file, "question").into_iter().filter_map(|text| text.as_str().map(str::to_owned));
        texts.collect::<Vec<_>>()
    };
    files.flat_map(texts).collect()
}

fn body_of_statement(step: &Value) -> Option<String> {
    let mut body = step.get("with").cloned().unwrap_or_else(|| serde_json::json!({}));
    body.as_object_mut()?.insert("statement".to_owned(), step.get("sql")?.clone());
    Some(body.to_string())
}

fn steps(file: &Value) -> Vec<&Value> {
    under(file, "steps").into_iter().filter_map(Value::as_array).flatten().collect()
}

fn yaml_files(folder: &Path) -> Vec<Value> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect();
    paths.sort();
    paths.iter().map(|path| yaml(path)).collect()
}

fn yaml(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a file");
    serde_yaml_ng::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every value of this key, at any depth.
fn under<'value>(value: &'value Value, key: &str) -> Vec<&'value Value> {
    match value {
        Value::Object(fields) => {
            let own = fields.get(key);
            own.into_iter().chain(fields.values().flat_map(|field| under(field, key))).collect()
        }
        Value::Array(items) => items.iter().flat_map(|item| under(item, key)).collect(),
        _ => Vec::new(),
    }
}
