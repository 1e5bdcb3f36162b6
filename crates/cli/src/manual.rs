//! `firn completions` and `firn man`: what a shell and `man` know of the command, made of its own definition.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Command;
use clap_complete::Shell;

use crate::examples::examples;
use crate::output::outln;
use crate::output::sink::Sink;

const COMPLETIONS_EXAMPLES: &str = examples!("firn completions bash > firn.bash", "firn completions zsh > _firn");
const MAN_EXAMPLES: &str = examples!("firn man ./man1", "firn man share/man/man1");

#[derive(clap::Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArguments {
    /// The shell they are for
    shell: Shell,
}

#[derive(clap::Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManArguments {
    /// The folder that the pages are written to; it is made if it is not there
    folder: PathBuf,
}

pub fn complete(arguments: &CompletionsArguments, mut command: Command) -> Result<(), Box<dyn Error>> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "firn", &mut text);
    let mut sink = Sink::standard();
    sink.write_all(&text)?;
    Ok(sink.finish()?)
}

pub fn write_pages(arguments: &ManArguments, command: Command) -> Result<(), Box<dyn Error>> {
    let folder = &arguments.folder;
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    // Built, every command knows the options of those above it.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let count = write_page(&command, "firn", folder)?;
    outln!("{count} pages in {}", folder.display());
    Ok(())
}

fn write_page(command: &Command, name: &str, folder: &Path) -> Result<usize, Box<dyn Error>> {
    let mut page = Vec::new();
    // The builder wants names that live as long as the program.
    let named = command.clone().name(name.to_owned().leak() as &'static str).display_name(name.to_owned());
    clap_mangen::Man::new(named).render(&mut page)?;
    let file = folder.join(format!("{name}.1"));
    fs::write(&file, page).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut count = 1;
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        count += write_page(below, &format!("{name}-{}", below.get_name()), folder)?;
    }
    Ok(count)
}
