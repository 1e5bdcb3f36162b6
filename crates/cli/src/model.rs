//! `firn model`: checks a semantic model, adds verified queries to it, or makes a first one from the tables of a database.

mod add_verified;
mod found_references;
mod generate;
mod guessed_keys;
mod personal_values;
mod role_references;

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

use clap::Subcommand;
use firn_analyst::instructions::Instructions;
use firn_analyst::semantic_model::{ModelError, ReadModel, place_of_warning, read_or_errors, write_yaml};
use serde::{Deserialize, Serialize};

use self::generate::SampleValues;
use crate::connection::ConnectionOptions;
use crate::examples::examples;
use crate::failure::Failure;
use crate::output::{out, outln};
use crate::server::Server;

const EXAMPLES: &str = examples!("firn model validate shop.yaml", "firn model generate --database demo > demo.yaml");
const VALIDATE_EXAMPLES: &str =
    examples!("firn model validate shop.yaml", "firn model validate shop.yaml demo.yaml --connect --json");
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

        /// Write what is found as JSON: an array with an object for each file
        #[arg(long)]
        json: bool,

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
        Command::Validate { files, connect, json, connection } => {
            let server = if connect { Some(Server::new(connection)?) } else { None };
            validate(&files, server.as_ref(), if json { Form::Json } else { Form::Lines })
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

/// How what is found is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// File by file, for people.
    Lines,
    Json,
}

fn validate(files: &[PathBuf], server: Option<&Server>, form: Form) -> Result<(), Box<dyn Error>> {
    let mut all = Vec::with_capacity(files.len());
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|error| Failure::of_file(file, &error))?;
        let checked = Checked::of(file.display().to_string(), &text, server)?;
        if form == Form::Lines {
            checked.write_lines();
        }
        all.push(checked);
    }
    if form == Form::Json {
        outln!("{}", serde_json::to_string_pretty(&all)?);
    }
    match all.iter().filter(|checked| !checked.valid).count() {
        0 => Ok(()),
        wrong => Err(format!("{wrong} of {} models cannot be used", files.len()).into()),
    }
}

/// What was found in a file. A model with errors cannot be used; one with warnings may give wrong answers.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Checked {
    file: String,
    valid: bool,
    errors: Vec<Finding>,
    warnings: Vec<Finding>,
    tables: usize,
    verified_queries: usize,
}

/// Lines and columns count from 1; what is not about one place has none.
#[derive(Serialize, Deserialize)]
struct Finding {
    message: String,
    line: Option<u64>,
    column: Option<u64>,
}

impl Checked {
    fn write_lines(&self) {
        let Self { file, warnings, errors, valid, tables, verified_queries } = self;
        for warning in warnings {
            outln!("{file}: warning: {warning}");
        }
        for error in errors {
            outln!("{file}: {error}");
        }
        if *valid {
            outln!("{file}: valid; {tables} tables, {verified_queries} verified queries");
        }
    }

    fn of(file: String, text: &str, server: Option<&Server>) -> Result<Self, Box<dyn Error>> {
        let read = read_or_errors(text);
        let counts = read.as_ref().map(|ReadModel { model, .. }| (model.tables.len(), model.verified_queries.len()));
        let is_read = counts.is_ok();
        let (tables, verified_queries) = counts.unwrap_or_default();
        let (errors, warnings) = match (server, read) {
            // The server looks at the data, too.
            (Some(server), _) => {
                let answer = server.validate_model(text)?;
                let found = |field: &str| Vec::deserialize(&answer[field]).unwrap_or_default();
                (found("errors"), found("warnings"))
            }
            (None, Ok(ReadModel { model, warnings })) => {
                let mut found: Vec<Finding> = warnings.iter().map(|warning| Finding::of_warning(warning)).collect();
                found.extend(Instructions::of(&model).warnings().map(Finding::without_place));
                (Vec::new(), found)
            }
            (None, Err(errors)) => (errors.into_iter().map(Finding::from).collect(), Vec::new()),
        };
        let valid = is_read && errors.is_empty();
        Ok(Self { file, valid, errors, warnings, tables, verified_queries })
    }
}

impl Finding {
    fn without_place(message: String) -> Self {
        Self { message, line: None, column: None }
    }

    fn of_warning(warning: &str) -> Self {
        match place_of_warning(warning) {
            Some((line, column, message)) => {
                Self { message: message.to_owned(), line: Some(line as u64), column: Some(column as u64) }
            }
            None => Self::without_place(warning.to_owned()),
        }
    }
}

impl From<ModelError> for Finding {
    fn from(error: ModelError) -> Self {
        Self { message: error.message, line: Some(error.line as u64), column: Some(error.column as u64) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(formatter, "line {line}, column {column}: ")?;
        }
        formatter.write_str(&self.message)
    }
}
