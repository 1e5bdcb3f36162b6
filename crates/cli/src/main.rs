//! The `firn` command.

mod ask;
mod backup;
mod eval;
mod model;
mod output;
mod own_server;
mod progress;
mod restore;
mod serve;
mod server;
mod stage;
mod stop_signals;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Syntax trees are many small pieces, made and freed on different threads.
#[cfg(not(feature = "system-allocator"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
    /// Make a backup of a running server, or of the data folder of a stopped one
    Backup(Box<backup::Arguments>),
    /// Make a data folder from a backup
    Restore(Box<restore::Arguments>),
    /// Bring files to the stages of a server, fetch, list and remove them
    Stage(Box<stage::Arguments>),
    /// Ask a question in plain English and see its SQL and its rows
    Ask(Box<ask::Arguments>),
    /// Check semantic models, or make one from the tables of a database
    Model(Box<model::Arguments>),
    /// Measure how well a set of questions is answered
    Eval(Box<eval::Arguments>),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Serve(arguments) => serve::run(*arguments),
        Command::Backup(arguments) => backup::run(*arguments),
        Command::Restore(arguments) => restore::run(*arguments),
        Command::Stage(arguments) => stage::run(*arguments),
        Command::Ask(arguments) => ask::run(*arguments),
        Command::Model(arguments) => model::run(*arguments),
        Command::Eval(arguments) => eval::run(*arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("firn: {error}");
            ExitCode::FAILURE
        }
    }
}
