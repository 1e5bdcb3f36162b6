//! The `firn` command.

mod ask;
mod backup;
mod connection;
mod console;
mod eval;
mod examples;
mod failure;
mod interrupts;
mod manual;
mod mcp;
mod model;
mod output;
mod own_server;
mod password_input;
mod progress;
mod restore;
mod serve;
mod server;
mod sql;
mod stage;
mod status;
mod stop_signals;
mod table_output;
mod token;
mod user;

use std::error::Error;
use std::ffi::OsStr;
use std::process::ExitCode;

use clap::builder::Resettable;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use examples::examples;

/// Syntax trees are many small pieces, made and freed on different threads.
#[cfg(not(feature = "system-allocator"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const EXAMPLES: &str = examples!(
    "Exit codes: 0 well, 1 failed, 2 wrong arguments, 3 no connection or no entry, 5 a statement failed, 130 interrupted.";
    "firn status",
    "firn sql \"select current_version()\""
);

/// A self-hosted analytics server: SQL over HTTP on your own data.
#[derive(Parser)]
#[command(name = "firn", version = env!("FIRN_VERSION"), arg_required_else_help = true, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start the server
    Serve(Box<serve::Arguments>),
    /// Run SQL: an argument, files, the standard input, or a prompt
    Sql(Box<sql::Arguments>),
    /// Ask a question in plain English and see its SQL and its rows
    Ask(Box<ask::Arguments>),
    /// Show whether the server answers, who one is there, and what runs
    Status(Box<status::Arguments>),
    /// Open the console in the browser
    Console(Box<console::Arguments>),
    /// Offer tools to an agent over the standard input and output
    Mcp(Box<mcp::Arguments>),
    /// Bring files to the stages of a server, fetch, list and remove them
    Stage(Box<stage::Arguments>),
    /// Check semantic models, or make one from the tables of a database
    Model(Box<model::Arguments>),
    /// Measure how well a set of questions is answered
    Eval(Box<eval::Arguments>),
    /// List, create and disable users, and set their passwords
    User(Box<user::Arguments>),
    /// List, create and revoke access tokens
    Token(Box<token::Arguments>),
    /// Make a backup of a running server, or of the data folder of a stopped one
    Backup(Box<backup::Arguments>),
    /// Make a data folder from a backup
    Restore(Box<restore::Arguments>),
    /// Write the completions of a shell
    Completions(Box<manual::CompletionsArguments>),
    /// Write the manual pages
    Man(Box<manual::ManArguments>),
}

fn main() -> ExitCode {
    let matches = without_empty_variables(Arguments::command()).get_matches();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if failure::is_closed_output(error.as_ref()) => ExitCode::SUCCESS,
        Err(error) => failure::report(error.as_ref()),
    }
}

/// A variable that is empty counts as none: so are those passed on that nobody has set.
fn without_empty_variables(command: clap::Command) -> clap::Command {
    let is_empty = |name: &OsStr| std::env::var_os(name).is_some_and(|value| value.is_empty());
    command.mut_subcommands(|command| {
        command.mut_args(|argument| match argument.get_env().is_some_and(is_empty) {
            true => argument.env(Resettable::Reset),
            false => argument,
        })
    })
}

fn run(command: Command) -> Result<(), Box<dyn Error>> {
    match command {
        Command::Serve(arguments) => serve::run(*arguments),
        Command::Sql(arguments) => sql::run(*arguments),
        Command::Ask(arguments) => ask::run(*arguments),
        Command::Status(arguments) => status::run(*arguments),
        Command::Console(arguments) => console::run(*arguments),
        Command::Mcp(arguments) => mcp::run(*arguments),
        Command::Stage(arguments) => stage::run(*arguments),
        Command::Model(arguments) => model::run(*arguments),
        Command::Eval(arguments) => eval::run(*arguments),
        Command::User(arguments) => user::run(*arguments),
        Command::Token(arguments) => token::run(*arguments),
        Command::Backup(arguments) => backup::run(*arguments),
        Command::Restore(arguments) => restore::run(*arguments),
        Command::Completions(arguments) => manual::complete(&arguments, Arguments::command()),
        Command::Man(arguments) => manual::write_pages(&arguments, Arguments::command()),
    }
}
