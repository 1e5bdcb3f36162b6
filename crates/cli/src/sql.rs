//! `firn sql`: runs statements of an argument, of files, of the standard input, or of a prompt.

mod batch;
mod prompt;
mod runner;
mod script;
mod session;
mod source;

use std::collections::HashSet;
use std::error::Error;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use runner::{AfterFailure, Destination, Mode, Runner, Timing, Words, unless_closed};
use session::Session;
use source::Source;

use crate::connection::ConnectionOptions;
use crate::examples::examples;
use crate::failure::{Failure, report};
use crate::interrupts;
use crate::output::format::{Controls, Expanded, Format, Header, Layout};
use crate::output::terminal::{self, ColorChoice};
use crate::server::Server;

const EXAMPLES: &str = examples!(
    "firn sql \"select current_user(), current_role()\"",
    "firn sql -f report.sql -D year=2026 -o csv > report.csv"
);

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Statements, with semicolons between them
    #[arg(conflicts_with = "files")]
    statement: Option<String>,

    /// A file of statements; - is the standard input. Repeated, files run one after the other in one session
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,

    /// How results are written [default: table on a terminal, else csv]
    #[arg(short = 'o', long, value_name = "FORMAT")]
    output: Option<Format>,

    /// Leave out the names of columns, in table, csv and tsv
    #[arg(long)]
    no_header: bool,

    /// The text of NULL [default: NULL for people, nothing in csv, \N in tsv]
    #[arg(long, value_name = "TEXT")]
    null: Option<String>,

    /// Set the session variable that statements name as $NAME. Repeatable
    #[arg(short = 'D', long = "define", value_name = "NAME=VALUE", value_parser = definition)]
    definitions: Vec<(String, String)>,

    /// Show how long every request took
    #[arg(long)]
    timing: bool,

    /// Go on after a statement that failed; the exit code is 5 all the same
    #[arg(long = "continue")]
    go_on: bool,

    /// Show nothing but results and errors
    #[arg(short = 'q', long)]
    quiet: bool,

    /// Colours; NO_COLOR switches them off
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,

    #[command(flatten)]
    model: prompt::ModelOptions,

    #[command(flatten)]
    connection: ConnectionOptions,
}

fn definition(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it is written NAME=VALUE")?;
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    if is_name { Ok((name.to_owned(), value.to_owned())) } else { Err(format!("`{name}` cannot name a variable")) }
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let mut defined = HashSet::new();
    for (name, _) in &arguments.definitions {
        if !defined.insert(name.to_uppercase()) {
            return Err(Failure::usage(format!("-D {name} is given twice")));
        }
    }
    let server = Server::new(arguments.connection.clone())?;
    interrupts::listen()?;
    let asks_at_prompt = arguments.statement.is_none() && arguments.files.is_empty() && io::stdin().is_terminal();
    let mut runner = runner(&server, &arguments, if asks_at_prompt { Mode::Prompt } else { Mode::Batch });
    if asks_at_prompt {
        return prompt::run(runner, arguments.model);
    }
    if let Some(statement) = &arguments.statement {
        return unless_closed(runner.run(statement, &Source::Typed), Mode::Batch);
    }
    let files = match arguments.files.is_empty() {
        true => vec![PathBuf::from("-")],
        false => arguments.files,
    };
    // What can be known to be wrong is known before anything runs.
    let texts = files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    unless_closed(runner.run_all(&texts), Mode::Batch)
}

/// A text of statements, and what messages call it.
fn read(file: &Path) -> Result<(String, Source), Box<dyn Error>> {
    if file.as_os_str() == "-" {
        let mut text = String::new();
        let read = io::stdin().read_to_string(&mut text);
        read.map_err(|error| Failure::Usage(format!("the standard input cannot be read: {error}")))?;
        return Ok((without_mark(text), Source::File("standard input".to_owned())));
    }
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| Failure::of_file(file, &error))?;
    Ok((without_mark(text), Source::File(file.display().to_string())))
}

/// Some editors begin files with a mark of their byte order, which is no part of the text.
fn without_mark(text: String) -> String {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

fn runner<'a>(server: &'a Server, arguments: &Arguments, mode: Mode) -> Runner<'a> {
    let is_terminal = io::stdout().is_terminal();
    let mut session = Session::new(server.target().names.clone());
    arguments.definitions.iter().for_each(|(name, value)| session.define(name, value));
    let layout = Layout {
        format: arguments.output.unwrap_or(if is_terminal { Format::Table } else { Format::Csv }),
        header: if arguments.no_header { Header::Hidden } else { Header::Shown },
        null: arguments.null.clone(),
        colors: arguments.color.colors(),
        controls: if is_terminal { Controls::Escaped } else { Controls::Written },
        expanded: Expanded::Never,
        screen_width: terminal::size().1,
    };
    let is_paged = mode == Mode::Prompt && is_terminal && !terminal::is_dumb();
    Runner {
        server,
        session,
        kept: None,
        has_state: false,
        names_changed: false,
        layout,
        destination: if is_paged { Destination::Pager } else { Destination::Standard },
        timing: if arguments.timing { Timing::Shown } else { Timing::Hidden },
        words: if arguments.quiet { Words::Hidden } else { Words::Shown },
        after_failure: if arguments.go_on { AfterFailure::Continue } else { AfterFailure::Stop },
        mode,
        last_result: None,
        definitions_changed: false,
    }
}

/// At the prompt an error is shown, and the next statement may be typed.
fn show_error(outcome: Result<(), Box<dyn Error>>) {
    if let Err(error) = outcome {
        report(error.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_have_a_name_and_a_value() {
        assert_eq!(definition("a=1=2"), Ok(("a".to_owned(), "1=2".to_owned())));
        assert_eq!(definition("a="), Ok(("a".to_owned(), String::new())));
        assert!(definition("a").is_err() && definition("1a=x").is_err() && definition("=x").is_err());
    }
}
