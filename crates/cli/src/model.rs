//! `firn model`: checks a semantic model, adds verified queries to it, or makes a first one from the tables of a database.

mod add_verified;
mod data_checks;
mod found_references;
mod generate;
mod guessed_keys;
mod personal_values;
mod role_references;

use std::error::Error;
use std::path::PathBuf;

use clap::Subcommand;
use firn_analyst::instructions::Instructions;
use firn_analyst::semantic_model::{read_yaml, write_yaml};

use self::generate::SampleValues;
use crate::connection::ConnectionOptions;
use crate::examples::examples;
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
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        match read_yaml(&text) {
            Ok(read) => {
                let unknown = Instructions::of(&read.model).unknown;
                let instructions =
                    unknown.iter().map(|sentence| format!("not an instruction of a known form: {sentence}"));
                for warning in read.warnings.iter().cloned().chain(instructions) {
                    outln!("{}: warning: {warning}", file.display());
                }
                let findings = server.map(|server| data_checks::check(server, &read.model)).unwrap_or_default();
                for warning in &findings.warnings {
                    outln!("{}: warning: {warning}", file.display());
                }
                for problem in &findings.problems {
                    outln!("{}: {problem}", file.display());
                }
                if findings.problems.is_empty() {
                    let (tables, queries) = (read.model.tables.len(), read.model.verified_queries.len());
                    outln!("{}: valid; {tables} tables, {queries} verified queries", file.display());
                } else {
                    wrong += 1;
                }
            }
            Err(error) => {
                outln!("{}: {error}", file.display());
                wrong += 1;
            }
        }
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} of {} models cannot be used", files.len()).into()) }
}
