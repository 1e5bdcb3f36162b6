//! `firn serve`.

use std::error::Error;
use std::path::PathBuf;

use firn_server::{Config, Settings};

use crate::output::out;

/// Nested statements are parsed and walked recursively: the deepest take 60 KB a level, and 250 levels are the most that
/// can be allowed.
const STACK_BYTES: usize = 32 << 20;

const PRECEDENCE: &str = "A flag counts before its FIRN_… variable, the variable before the configuration file, \
    the file before the default. The file is TOML; its keys are the flags with underscores: data_dir = \"/srv/firn\".";

#[derive(clap::Args)]
#[command(after_help = PRECEDENCE)]
pub struct Arguments {
    /// Configuration file (TOML)
    #[arg(long, env = "FIRN_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,

    /// Print the settings that would hold, as a configuration file, and stop
    #[arg(long)]
    print_config: bool,

    #[command(flatten)]
    settings: Settings,
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let settings = Settings::effective(arguments.settings, arguments.config.as_deref())?;
    if arguments.print_config {
        out!("{}", settings.to_toml()?);
        return Ok(());
    }
    let config = Config::try_from(settings)?;
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.enable_all().thread_stack_size(STACK_BYTES).build()?;
    let served = runtime.block_on(firn_server::serve(config));
    // A statement that was stopped while the engine planned it may be planned still; nothing is left to wait for.
    runtime.shutdown_background();
    Ok(served?)
}
