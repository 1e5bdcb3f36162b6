//! `firn serve`.

use std::error::Error;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use firn_server::{Config, ConsoleFile, ServeError, Settings};

use crate::examples::examples;
use crate::failure::Failure;
use crate::output::out;

/// Nested statements are parsed and walked recursively: the deepest take 60 KB a level, and 250 levels are the most that
/// can be allowed.
const STACK_BYTES: usize = 32 << 20;

/// What `web/` was built to; empty where it was not.
static CONSOLE: &[ConsoleFile] = include!(concat!(env!("OUT_DIR"), "/console.rs"));

const PRECEDENCE: &str = examples!(
    "A flag counts before its FIRN_… variable, the variable before the configuration file, \
    the file before the default. The file is TOML; its keys are the flags with underscores: data_dir = \"/srv/firn\".";
    "firn serve --demo",
    "firn serve --data-dir ./firn-data --listen 127.0.0.1:8090 --print-config"
);

#[derive(clap::Args)]
#[command(after_help = PRECEDENCE)]
pub struct Arguments {
    /// Configuration file (TOML)
    #[arg(long, env = "FIRN_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,

    /// Print the settings that would hold, as a configuration file, and stop
    #[arg(long)]
    print_config: bool,

    /// Serve tests: data in a temporary folder that goes with the server, a free port, and one line of JSON that says
    /// `url` and `token`. It also ends when its standard input, if that is a pipe, is closed
    #[arg(long, conflicts_with = "print_config")]
    ephemeral: bool,

    #[command(flatten)]
    settings: Settings,
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let file = arguments.config.as_deref();
    if arguments.print_config {
        let settings = Settings::effective(arguments.settings, file);
        out!("{}", settings.map_err(|error| Failure::usage(error.to_string()))?.to_toml()?);
        return Ok(());
    }
    let config = if arguments.ephemeral {
        Config::ephemeral(arguments.settings, file)
    } else {
        Config::load(arguments.settings, file)
    };
    let config = config.map_err(|error| Failure::usage(error.to_string()))?;
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.enable_all().thread_stack_size(STACK_BYTES).build()?;
    let served = runtime.block_on(firn_server::serve(config, CONSOLE));
    if matches!(served, Err(ServeError::EngineLost)) && !arguments.ephemeral {
        return Err(start_anew().into());
    }
    // A statement that was stopped while the engine planned it may be planned still; nothing is left to wait for.
    runtime.shutdown_background();
    match served {
        Err(ServeError::Logging(error)) => Err(Failure::usage(error.to_string())),
        served => Ok(served?),
    }
}

/// Puts a new `firn serve` with the same arguments in the place of this process. Its files, locks and connections are closed
/// by the system, whatever threads still hold them. Returns only if that fails.
fn start_anew() -> String {
    eprintln!(
        "firn: the disk failed at a sync, or a rollback had no memory; the server starts anew and recovers from its logs what was committed"
    );
    let failed = match std::env::current_exe() {
        Ok(program) => Command::new(program).args(std::env::args_os().skip(1)).exec(),
        Err(error) => error,
    };
    format!(
        "the disk failed at a sync, or a rollback had no memory, and the server cannot start anew ({failed}); start it again"
    )
}
