//! `firn ask`: a question, its interpretation, its SQL and its rows; or a conversation, one question after the other.

mod conversation;
mod rendering;

use std::error::Error;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::conversation::Conversation;
use crate::server::{Connection, Detail, Server};

#[derive(clap::Args)]
pub struct Arguments {
    /// The question, in plain English; without one, questions are read line by line and follow each other
    question: Option<String>,

    #[command(flatten)]
    model: Model,

    #[command(flatten)]
    connection: Connection,

    /// Show the SQL without running it
    #[arg(long)]
    dry_run: bool,

    /// Also show what words were linked to, and how else the question could be read
    #[arg(long)]
    explain: bool,
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
    /// The field that names the model in a request.
    pub fn field(&self) -> Result<(&'static str, String), Box<dyn Error>> {
        match (&self.model, &self.view) {
            (Some(path), _) => file_field(path),
            (None, Some(view)) => Ok(("semantic_view", view.clone())),
            (None, None) => Err("a model is missing; give --model or --view".into()),
        }
    }
}

pub fn file_field(path: &Path) -> Result<(&'static str, String), Box<dyn Error>> {
    match path.to_str() {
        Some(staged) if staged.starts_with('@') => Ok(("semantic_model_file", staged.to_owned())),
        _ => match std::fs::read_to_string(path) {
            Ok(yaml) => Ok(("semantic_model", yaml)),
            Err(error) => Err(format!("{}: {error}", path.display()).into()),
        },
    }
}

/// What is done with the SQL of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Statement {
    Run,
    Show,
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let server = Server::new(arguments.connection)?;
    let (field, model) = arguments.model.field()?;
    let detail = if arguments.explain { Detail::Explained } else { Detail::Answer };
    let statement = if arguments.dry_run { Statement::Show } else { Statement::Run };
    let mut conversation = Conversation::new(server, field, model, detail, statement);
    match arguments.question {
        Some(question) => conversation.ask(&question),
        None => conversation.read_on(),
    }
}

pub fn request(question: &str, earlier: &[String], field: &str, model: &str) -> Value {
    let said = earlier.iter().map(String::as_str).chain([question]);
    let messages = said.map(|text| json!({"role": "user", "content": [{"type": "text", "text": text}]}));
    let mut body = json!({"messages": messages.collect::<Vec<_>>()});
    body[field] = json!(model);
    body
}
