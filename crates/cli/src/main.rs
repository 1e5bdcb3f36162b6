//! The `firn` command.

mod serve;
mod stage;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A self-hosted analytics server: SQL over HTTP on your own data.
#[derive(Parser)]
#[command(name = "firn", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start the server
    Serve(Box<serve::Arguments>),
    /// Bring files to the stages of a server, fetch, list and remove them
    Stage(Box<stage::Arguments>),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Serve(arguments) => serve::run(*arguments),
        Command::Stage(arguments) => stage::run(*arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("firn: {error}");
            ExitCode::FAILURE
        }
    }
}
