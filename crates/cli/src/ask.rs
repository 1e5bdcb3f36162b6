//! `firn ask`: a question, its interpretation, its SQL and its rows; or a conversation, one question after the other.

mod answer;
pub mod conversation;
mod events;
mod json_lines;
mod rendering;

use std::error::Error;
use std::path::{Path, PathBuf};

use firn_sql::completed_name;
use firn_sql::names::Namespace;
use serde_json::{Value, json};

use self::conversation::Conversation;
use self::rendering::table_text;
use crate::connection::{ConnectionOptions, Names};
use crate::examples::examples;
use crate::failure::Failure;
use crate::output::out;
use crate::server::{Detail, Server};

const EXAMPLES: &str = examples!(
    "firn ask \"How many orders were cancelled?\" --view DEMO.PUBLIC.RETAIL",
    "firn ask --view DEMO.PUBLIC.RETAIL --json < questions.txt"
);

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The question, in plain English; without one, questions are read line by line and follow each other
    question: Option<String>,

    #[command(flatten)]
    model: Model,

    /// Show the SQL without running it
    #[arg(long)]
    dry_run: bool,

    /// Also show what words were linked to, and how else the question could be read
    #[arg(long)]
    explain: bool,

    /// Every answer as a line of JSON: the server's, with the rows of its SQL
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Which semantic model describes the data.
#[derive(clap::Args, Clone)]
#[group(required = true, multiple = false)]
pub struct Model {
    /// A semantic model: a YAML file, or @database.schema.stage/path.yaml
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,

    /// A semantic view: database.schema.name
    #[arg(long, value_name = "NAME")]
    pub view: Option<String>,
}

impl Model {
    /// The field that names the model in a request, in a session of these names.
    pub fn field(&self, names: &Names) -> Result<(&'static str, String), Box<dyn Error>> {
        match (&self.model, &self.view) {
            (Some(path), _) => file_field(path),
            (None, Some(view)) => Ok(view_field(view, names)),
            (None, None) => Err(Failure::usage("a model is missing; give --model or --view")),
        }
    }
}

pub fn view_field(view: &str, names: &Names) -> (&'static str, String) {
    let namespace = Namespace { database: names.database.clone(), schema: names.schema.clone() };
    ("semantic_view", completed_name(view, &namespace))
}

pub fn file_field(path: &Path) -> Result<(&'static str, String), Box<dyn Error>> {
    match path.to_str() {
        Some(staged) if staged.starts_with('@') => Ok(("semantic_model_file", staged.to_owned())),
        _ => match std::fs::read_to_string(path) {
            Ok(yaml) => Ok(("semantic_model", yaml)),
            Err(error) => Err(Failure::of_file(path, &error)),
        },
    }
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let server = Server::new(arguments.connection)?;
    let (field, model) = arguments.model.field(server.names())?;
    let detail = if arguments.explain { Detail::Explained } else { Detail::Answer };
    let is_run = !arguments.dry_run;
    let mut run = |statement: &str| {
        if is_run {
            out!("{}", table_text(&server.rows(statement)?));
        }
        Ok(())
    };
    let mut conversation = Conversation::new(&server, field, model, detail);
    let mut ask = |conversation: &mut Conversation<'_>, question: &str| match arguments.json {
        true => json_lines::answer(conversation, question, is_run.then_some(&server)),
        false => conversation.ask(question, &mut run),
    };
    match arguments.question {
        Some(question) if question.trim().is_empty() => Err(Failure::usage("the question is empty")),
        Some(question) => {
            ask(&mut conversation, &question)?;
            if conversation.is_answered() { Ok(()) } else { Err(Failure::Unanswered.into()) }
        }
        None => conversation.read_on(&mut ask),
    }
}

pub fn request(question: &str, earlier: &[String], field: &str, model: &str) -> Value {
    let said = earlier.iter().map(String::as_str).chain([question]);
    let messages = said.map(|text| json!({"role": "user", "content": [{"type": "text", "text": text}]}));
    let mut body = json!({"messages": messages.collect::<Vec<_>>()});
    body[field] = json!(model);
    body
}
