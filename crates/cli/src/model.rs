//! `firn model`: checks a semantic model, adds verified queries to it, or makes a first one from the tables of a database.

mod add_verified;
mod found_references;
mod generate;
mod guessed_keys;
mod personal_values;
mod role_references;

use std::error::Error;
use std::path::PathBuf;

use clap::Subcommand;
use firn_analyst::instructions::Instructions;
use firn_analyst::semantic_model::{ReadModel, read_yaml, write_yaml};
use serde_json::Value;

use self::generate::SampleValues;
use crate::connection::ConnectionOptions;
use crate::examples::examples;
use crate::failure::Failure;
use crate::output::{out, outln};
use crate::server::Server;

const EXAMPLES: &str = examples!("firn model validate shop.yaml", "firn model generate --database demo > demo.yaml");
const VALIDATE_EXAMPLES: &str =
    examples!("firn model validate shop.yaml", "firn model validate shop.yaml demo.yaml --connect");
const GENERATE_EXAMPLES: &str = examples!(
    "firn model generate --database demo > demo.yaml",
    "firn model generate --database demo --tables orders,customers --name shop > shop.yaml"
);

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check a model and report errors with line and column
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate {
        /// YAML files
        #[arg(required = true)]
        files: Vec<PathBuf>,

        /// Also check tables, columns, keys and relationships against the data of a server
        #[arg(long)]
        connect: bool,

        #[command(flatten)]
        connection: ConnectionOptions,
    },
    /// Keep a question with its SQL as a verified query: in a YAML file, a model on a stage, or a semantic view
    AddVerified(add_verified::Arguments),
    /// Make a model from a schema's tables: names, types, keys, relationships and sample values
    #[command(after_help = GENERATE_EXAMPLES)]
    Generate {
        /// Name of the model [default: the schema's database]
        #[arg(long)]
        name: Option<String>,

        /// Only these tables and views
        #[arg(long, value_name = "TABLE", value_delimiter = ',')]
        tables: Vec<String>,

        /// Also show sample values that look personal: e-mail addresses, telephone numbers, names
        #[arg(long)]
        personal_values: bool,

        #[command(flatten)]
        connection: ConnectionOptions,
    },
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    match arguments.command {
        Command::Validate { files, connect, connection } => {
            let server = if connect { Some(Server::new(connection)?) } else { None };
            validate(&files, server.as_ref())
        }
        Command::AddVerified(arguments) => add_verified::run(arguments),
        Command::Generate { name, tables, personal_values, connection } => {
            let server = Server::new(connection)?;
            let samples = if personal_values { SampleValues::All } else { SampleValues::Impersonal };
            out!("{}", write_yaml(&generate::generate(&server, name, &tables, samples)?));
            Ok(())
        }
    }
}

fn validate(files: &[PathBuf], server: Option<&Server>) -> Result<(), Box<dyn Error>> {
    let mut wrong = 0;
    for file in files {
        let shown = file.display();
        let text = std::fs::read_to_string(file).map_err(|error| Failure::of_file(file, &error))?;
        let found = match server {
            Some(server) => Findings::of_server(&server.validate_model(&text)?),
            None => Findings::of_text(&text),
        };
        for warning in &found.warnings {
            outln!("{shown}: warning: {warning}");
        }
        for error in &found.errors {
            outln!("{shown}: {error}");
        }
        match read_yaml(&text) {
            Ok(ReadModel { model, .. }) if found.errors.is_empty() => {
                let (tables, queries) = (model.tables.len(), model.verified_queries.len());
                outln!("{shown}: valid; {tables} tables, {queries} verified queries");
            }
            _ => wrong += 1,
        }
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} of {} models cannot be used", files.len()).into()) }
}

/// A model with errors cannot be used; one with warnings may give wrong answers.
struct Findings {
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Findings {
    fn of_text(text: &str) -> Self {
        match read_yaml(text) {
            Ok(ReadModel { model, mut warnings }) => {
                warnings.extend(Instructions::of(&model).warnings());
                Self { errors: Vec::new(), warnings }
            }
            Err(error) => Self { errors: vec![error.to_string()], warnings: Vec::new() },
        }
    }

    /// What a server answers, which has looked at the data, too.
    fn of_server(answer: &Value) -> Self {
        let messages = |field: &str| answer[field].as_array().into_iter().flatten().map(message).collect();
        Self { errors: messages("errors"), warnings: messages("warnings") }
    }
}

fn message(finding: &Value) -> String {
    let message = finding["message"].as_str().unwrap_or_default();
    match (finding["line"].as_u64(), finding["column"].as_u64()) {
        (Some(line), Some(column)) => format!("line {line}, column {column}: {message}"),
        _ => message.to_owned(),
    }
}
