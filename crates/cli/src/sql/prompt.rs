//! The prompt of `firn sql`: statements of one or many lines, with history, completion, colours, and commands of its own.

mod asking;
mod catalog;
mod commands;
mod complete;
mod editor;
mod highlight;
mod history;
mod keywords;
mod lexer;
mod line;
mod meta;
mod tables;

use std::error::Error;
use std::path::PathBuf;

use reedline::{EditCommand, Signal};

use self::asking::Asking;
use self::catalog::{Catalog, SharedCatalog};
use self::commands::{Next, Shell};
use self::line::PromptLine;
use super::runner::Runner;
use super::session::NAMES_QUERY;
use crate::failure::Failure;
use crate::interrupts;
use crate::output::sayln;

/// What `\ask` asks.
#[derive(clap::Args, Clone, Debug, Default)]
#[group(multiple = false)]
pub struct ModelOptions {
    /// The semantic model that \ask asks: a YAML file, or @database.schema.stage/path.yaml
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,

    /// The semantic view that \ask asks: database.schema.name
    #[arg(long, value_name = "NAME")]
    pub view: Option<String>,
}

pub fn run(mut runner: Runner<'_>, model: ModelOptions) -> Result<(), Box<dyn Error>> {
    let server = runner.server;
    // The first answer also tells whether there is a server that lets us in.
    let names = server.rows_as(NAMES_QUERY, &runner.session.names)?;
    if let Some(row) = names.rows.first() {
        runner.session.set_names(row);
    }
    runner.open_session()?;
    let catalog = SharedCatalog::default();
    let mut editor = editor::create(catalog.clone(), runner.layout.colors);
    let mut line = PromptLine::new(server.target());
    sayln!("firn {} on {}; \\? lists the commands, \\q leaves", env!("CARGO_PKG_VERSION"), server.http().url());
    runner.definitions_changed = true;
    let mut shell = Shell::new(runner, Asking::new(server, model), catalog.clone());
    std::thread::scope(|scope| {
        loop {
            if std::mem::take(&mut shell.runner.definitions_changed) {
                let (catalog, names) = (catalog.clone(), shell.runner.session.names.clone());
                scope.spawn(move || catalog.set(Catalog::read(server, &names)));
            }
            line.show(&shell.runner.session.names);
            let text = match editor.read_line(&line)? {
                Signal::Success(text) => text,
                Signal::CtrlD => return Ok(()),
                _ => continue,
            };
            // A history that cannot be written is no reason to stop.
            let _ = editor.sync_history();
            interrupts::clear();
            match shell.take(&text) {
                Next::Read => {}
                Next::ReadWith(text) => {
                    editor.run_edit_commands(&[EditCommand::Clear, EditCommand::InsertString(text)])
                }
                Next::Leave => return Ok(()),
            }
            if interrupts::is_ending() {
                return Err(Failure::Interrupted.into());
            }
            interrupts::clear();
        }
    })
}
