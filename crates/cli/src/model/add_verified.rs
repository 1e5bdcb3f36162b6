//! `firn model add-verified`: stores a question with its SQL, so that it is answered the same way from then on.

use std::error::Error;
use std::path::{Path, PathBuf};

use chrono::Utc;
use firn_analyst::semantic_model::logical_sql::with_logical_tables;
use firn_analyst::semantic_model::{VerifiedQuery, read_yaml, with_verified_query};
use serde_json::{Value, json};

use crate::connection::ConnectionOptions;
use crate::examples::examples;
use crate::failure::Failure;
use crate::output::outln;
use crate::server::Server;

const EXAMPLES: &str = examples!(
    "firn model add-verified shop.yaml --question \"How many orders are there?\" --sql \"SELECT COUNT(*) FROM __orders\"",
    "firn model add-verified --view DEMO.PUBLIC.RETAIL --question \"How many stores?\" --sql \"SELECT COUNT(*) FROM __stores\""
);

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The model: a YAML file, or @database.schema.stage/path.yaml
    #[arg(required_unless_present = "view", conflicts_with = "view")]
    model: Option<PathBuf>,

    /// A semantic view instead: database.schema.name
    #[arg(long, value_name = "NAME")]
    view: Option<String>,

    /// The request_id of an answer to keep
    #[arg(long, value_name = "ID", conflicts_with_all = ["question", "sql"])]
    request_id: Option<String>,

    /// The question
    #[arg(long, required_unless_present = "request_id")]
    question: Option<String>,

    /// The SQL that answers it, over the logical tables of the model
    #[arg(long, required_unless_present = "request_id")]
    sql: Option<String>,

    /// A name for it [default: the question]
    #[arg(long)]
    name: Option<String>,

    /// Who has verified it
    #[arg(long, value_name = "WHO")]
    verified_by: Option<String>,

    /// Offer it to those who ask what can be asked
    #[arg(long)]
    onboarding: bool,

    #[command(flatten)]
    connection: ConnectionOptions,
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let staged = |path: &Path| path.to_str().filter(|path| path.starts_with('@')).map(str::to_owned);
    match (&arguments.model, &arguments.view) {
        (Some(path), _) => match staged(path) {
            Some(staged) => on_server(arguments, "semantic_model_file", &staged),
            None => {
                let path = path.clone();
                in_file(arguments, &path)
            }
        },
        (None, Some(view)) => {
            let view = view.clone();
            on_server(arguments, "semantic_view", &view)
        }
        (None, None) => Err("a model is missing; give a file or --view".into()),
    }
}

fn in_file(arguments: Arguments, path: &Path) -> Result<(), Box<dyn Error>> {
    let (Some(question), Some(sql)) = (&arguments.question, &arguments.sql) else {
        return Err("a file takes --question and --sql; --request-id goes with --view or a model on a stage".into());
    };
    let in_file = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| Failure::of_file(path, &error))?;
    let model = read_yaml(&text).map_err(|error| in_file(&error))?.model;
    let refused = |problem| format!("the SQL cannot be used: {problem}");
    let statement = sql.trim().trim_end_matches(';');
    let over_tables = with_logical_tables(&model, statement).map_err(refused)?;
    let is_checked = !arguments.connection.names_no_server();
    if is_checked {
        // Its plan alone: functions that act would do so though no row is wanted.
        let checked = Server::new(arguments.connection)?.rows(&format!("EXPLAIN SELECT * FROM (\n{over_tables}\n)"));
        checked.map_err(|error| refused(error.to_string()))?;
    }
    let query = VerifiedQuery {
        name: arguments.name.clone().unwrap_or_else(|| question.clone()),
        question: question.clone(),
        sql: statement.to_owned(),
        verified_at: Some(Utc::now().timestamp()),
        verified_by: arguments.verified_by.clone(),
        use_as_onboarding_question: arguments.onboarding,
    };
    let added = with_verified_query(&text, &query).map_err(|error| in_file(&error))?;
    std::fs::write(path, added).map_err(|error| in_file(&error))?;
    let hint = "; the SQL was not checked, `firn model validate --connect` does so";
    outln!("{}: added{}", path.display(), if is_checked { "" } else { hint });
    Ok(())
}

fn on_server(arguments: Arguments, field: &str, model: &str) -> Result<(), Box<dyn Error>> {
    let mut body = json!({"request_id": arguments.request_id, "question": arguments.question, "sql": arguments.sql,
        "name": arguments.name, "verified_by": arguments.verified_by,
        "use_as_onboarding_question": arguments.onboarding});
    body[field] = Value::from(model);
    let server = Server::new(arguments.connection)?;
    let added = server.add_verified_query(&body)?;
    outln!("{model}: added `{}`", added["verified_query"]["name"].as_str().unwrap_or_default());
    Ok(())
}
