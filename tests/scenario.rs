//! Scenarios: requests and the answers they must get, written as YAML in `tests/http/`.
//!
//! A file gets a server (its own when it names settings) and a database of its own, in which every
//! `sql` step runs unless it says otherwise. `README.md` beside the files describes the format.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::client::{Client, Request, STATEMENTS, gzip};
use crate::server::{Server, Shared};

mod expectation;
mod variables;

use expectation::Expectation;
use variables::Variables;

static SHARED: Shared = Shared::with(&[]);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    settings: BTreeMap<String, Value>,
    scenarios: Vec<Scenario>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    name: String,
    steps: Vec<Step>,
}

#[derive(Clone, Deserialize)]
struct Step {
    #[serde(flatten)]
    action: Action,
    #[serde(flatten)]
    expectation: Expectation,
    /// Misspelt keys; a step with any of them fails.
    #[serde(flatten)]
    unknown: BTreeMap<String, Value>,
}

#[derive(Clone, Default, Deserialize)]
struct Action {
    /// A statement to submit; its other body fields are in `with`.
    sql: Option<String>,
    #[serde(default)]
    with: Map<String, Value>,
    /// Any other request: `METHOD /path`.
    call: Option<String>,
    json: Option<Value>,
    text: Option<String>,
    #[serde(default)]
    gzip: bool,
    #[serde(default)]
    query: Map<String, Value>,
    /// A null takes a default header away.
    #[serde(default)]
    headers: BTreeMap<String, Option<String>>,
    /// The variable that holds the token, or `nobody`; ADMIN when absent.
    #[serde(rename = "as")]
    caller: Option<String>,
    /// Repeat while the answer is 202.
    #[serde(default)]
    poll: bool,
    /// Steps sent at the same time.
    #[serde(default)]
    together: Vec<Step>,
    /// How many times over, in `together`.
    times: Option<usize>,
}

/// Runs every scenario of a file and panics with all that went wrong.
pub fn run(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file: File = serde_yaml_ng::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let server = server_for(&file.settings);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let database = format!("T_{}", stem.to_uppercase());
    prepare(&server.admin(), &database);

    let wanted = std::env::var("SCENARIO").unwrap_or_default();
    let mut failures = Vec::new();
    for scenario in file.scenarios.iter().filter(|scenario| scenario.name.contains(&wanted)) {
        let mut variables = Variables::new(&database);
        for (index, step) in scenario.steps.iter().enumerate() {
            if let Err(problem) = run_step(&server, step, &mut variables) {
                failures.push(format!("## {} (step {})\n{problem}", scenario.name, index + 1));
                break;
            }
        }
    }
    let count = file.scenarios.len();
    println!("{stem}: {} of {count} scenarios hold", count - failures.len());
    assert!(failures.is_empty(), "{} of {count} scenarios fail\n\n{}", failures.len(), failures.join("\n\n"));
}

fn server_for(settings: &BTreeMap<String, Value>) -> Arc<Server> {
    if settings.is_empty() {
        return SHARED.get();
    }
    let settings: Vec<(String, String)> = settings.iter().map(|(name, value)| (name.clone(), plain(value))).collect();
    let borrowed: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    Arc::new(Server::start_with(&borrowed))
}

/// The database of a file, with the table that `${slow}` and `${thousand}` count on.
fn prepare(admin: &Client, database: &str) {
    for statement in [
        format!("CREATE OR REPLACE DATABASE {database}"),
        format!("CREATE TABLE {database}.PUBLIC.DIGITS (D INT)"),
        format!("INSERT INTO {database}.PUBLIC.DIGITS VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)"),
    ] {
        let response = admin.sql_to_its_end(&statement);
        // A file whose server admits nothing has no database, and needs none.
        assert!([200, 403].contains(&response.status), "{statement}\n{response}");
    }
}

fn run_step(server: &Server, step: &Step, variables: &mut Variables) -> Result<(), String> {
    if let Some(key) = step.unknown.keys().next() {
        return Err(format!("a step has no key `{key}`"));
    }
    if step.action.together.is_empty() {
        let client = client_for(server, &step.action, variables)?;
        return perform(&client, step, variables);
    }
    let copies = step.action.together.iter().flat_map(|step| std::iter::repeat_n(step, step.action.times.unwrap_or(1)));
    std::thread::scope(|scope| {
        let running: Vec<_> = copies
            .map(|step| {
                let mut own = variables.clone();
                scope.spawn(move || {
                    let client = client_for(server, &step.action, &own)?;
                    perform(&client, step, &mut own)
                })
            })
            .collect();
        running.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a step panicked".to_owned())?)
    })
}

fn client_for(server: &Server, action: &Action, variables: &Variables) -> Result<Client, String> {
    match action.caller.as_deref() {
        None => Ok(server.admin()),
        Some("nobody") => Ok(server.stranger()),
        Some(name) => Ok(server.client(&variables.text(name)?)),
    }
}

fn perform(client: &Client, step: &Step, variables: &mut Variables) -> Result<(), String> {
    let request = request_for(&step.action, variables)?;
    let response = if step.action.poll { client.send_until_done(&request) } else { client.send(&request) };
    let expectation = &step.expectation;
    expectation.check(&response, variables).map_err(|problem| {
        let body = String::from_utf8_lossy(&request.body);
        format!("{} {} {body}\n{problem}\nthe answer was {response}", request.method, request.path)
    })?;
    expectation.save(&response, variables)
}

fn request_for(action: &Action, variables: &mut Variables) -> Result<Request, String> {
    let mut request = match (&action.sql, &action.call) {
        (Some(sql), None) => statement_request(sql, &action.with, variables)?,
        (None, Some(call)) => {
            let call = variables.fill(call)?;
            let (method, path) = call.split_once(' ').ok_or("`call` is METHOD /path")?;
            Request::new(method, path)
        }
        _ => return Err("a step has either `sql` or `call`".to_owned()),
    };
    if let Some(body) = &action.json {
        request = request.json(&variables.fill_value(body)?);
    }
    if let Some(text) = &action.text {
        request = request.header("content-type", "application/json");
        request.body = variables.fill(text)?.into_bytes();
    }
    if action.gzip {
        request.body = gzip(&request.body);
        request = request.header("content-encoding", "gzip");
    }
    for (name, value) in &action.query {
        request = request.query(name, &variables.fill(&plain(value))?);
    }
    for (name, value) in &action.headers {
        let name = name.to_ascii_lowercase();
        match value {
            Some(value) => request = request.header(&name, &variables.fill(value)?),
            None => drop(request.headers.remove(&name)),
        }
    }
    Ok(request)
}

fn statement_request(sql: &str, with: &Map<String, Value>, variables: &mut Variables) -> Result<Request, String> {
    let mut body =
        json!({"statement": variables.fill(sql)?, "database": variables.text("database")?, "schema": "PUBLIC"});
    for (name, value) in with {
        if value == "<omit>" {
            body.as_object_mut().map(|fields| fields.remove(name));
        } else {
            body[name] = variables.fill_value(value)?;
        }
    }
    Ok(Request::post(STATEMENTS).json(&body))
}

/// A YAML scalar as the text a query string or an environment variable holds.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
