//! `firn model`: checks a semantic model, or makes a first one from the tables of a database.

mod found_references;
mod generate;
mod guessed_keys;

use std::error::Error;
use std::path::PathBuf;

use clap::Subcommand;
use firn_analyst::semantic_model::{read_yaml, write_yaml};

use crate::server::{Connection, Server};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Read a model and tell what is wrong with it, with line and column
    Validate {
        /// YAML files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Make a model from a schema's tables: names, types, keys, relationships and sample values
    Generate {
        /// Name of the model [default: the schema's database]
        #[arg(long)]
        name: Option<String>,

        /// Only these tables and views
        #[arg(long, value_name = "TABLE", value_delimiter = ',')]
        tables: Vec<String>,

        #[command(flatten)]
        connection: Connection,
    },
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    match arguments.command {
        Command::Validate { files } => validate(&files),
        Command::Generate { name, tables, connection } => {
            let server = Server::new(connection)?;
            print!("{}", write_yaml(&generate::generate(&server, name, &tables)?));
            Ok(())
        }
    }
}

fn validate(files: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    let mut wrong = 0;
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        match read_yaml(&text) {
            Ok(read) => {
                for warning in &read.warnings {
                    println!("{}: warning: {warning}", file.display());
                }
                let (tables, queries) = (read.model.tables.len(), read.model.verified_queries.len());
                println!("{}: valid; {tables} tables, {queries} verified queries", file.display());
            }
            Err(error) => {
                println!("{}: {error}", file.display());
                wrong += 1;
            }
        }
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} of {} models cannot be used", files.len()).into()) }
}
