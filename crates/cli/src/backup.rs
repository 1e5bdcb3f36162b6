//! `firn backup`: a running server makes the backup itself; the folder of a stopped one is copied here.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use firn_server::backup::{Progress as Copied, back_up_stopped};
use serde_json::{Value, json};

use crate::connection::ConnectionOptions;
use crate::examples::examples;
use crate::output::outln;
use crate::progress::{Progress, size};
use crate::server::Server;
use crate::stop_signals::StopSignals;

const POLL_INTERVAL: Duration = Duration::from_millis(100);

const WHERE: &str = examples!(
    "A running server writes the backup into the folder that its setting backup_dir names, and needs the \
    role ACCOUNTADMIN for it. A stopped server's data folder is copied with --data-dir and --to. Either way a backup is a \
    folder of its own, whole by itself; files that the backup before has too are linked instead of copied. \
    `firn restore` makes a data folder from it.";
    "firn backup --name before-upgrade",
    "firn backup --data-dir ./firn-data --to ./backups"
);

#[derive(clap::Args)]
#[command(after_help = WHERE)]
pub struct Arguments {
    /// Name of the backup [default: the time]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Data folder of a server that is stopped
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,

    /// Folder that the backup of a stopped server goes to
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    connection: ConnectionOptions,
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    match (&arguments.data_dir, &arguments.to) {
        (Some(data_dir), Some(to)) => {
            refuse_server(&arguments)?;
            of_stopped_server(data_dir, to, &arguments)
        }
        (Some(_), None) => Err("--to is missing: the folder that the backup goes to".into()),
        (None, Some(_)) => {
            Err("a running server writes to the folder that its setting backup_dir names; leave --to out, \
                                or name the data folder of a stopped server with --data-dir"
                .into())
        }
        (None, None) => of_running_server(arguments),
    }
}

/// The folder of a stopped server is read without asking any.
fn refuse_server(arguments: &Arguments) -> Result<(), String> {
    match arguments.connection.given() {
        Some(flag) => Err(format!(
            "{flag} is for the backup of a running server, and --data-dir for that of a stopped one; leave one of them out"
        )),
        None => Ok(()),
    }
}

fn of_stopped_server(data_dir: &Path, to: &Path, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let made = watched("backup", arguments.quiet, |progress| {
        back_up_stopped(data_dir, to, arguments.name.as_deref(), progress).map_err(|error| error.to_string())
    })?;
    outln!(
        "backup {}: {} files, {} ({} of it as in the backup before)",
        to.join(&made.name).display(),
        made.files,
        size(made.bytes as f64),
        size(made.bytes_reused as f64)
    );
    Ok(())
}

fn of_running_server(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let server = Server::new(arguments.connection)?;
    let body = arguments.name.map_or_else(|| json!({}), |name| json!({"name": name}));
    let mut backup = server.begin_backup(&body)?;
    let name = backup["name"].as_str().unwrap_or_default().to_owned();
    let mut progress = Progress::new(&name, 0, arguments.quiet);
    let mut signals = StopSignals::listen()?;
    while backup["state"] == "running" {
        progress.set(number(&backup["bytesDone"]), number(&backup["bytes"]));
        if signals.came_within(POLL_INTERVAL) {
            return Err(format!("stopped by a signal; the server goes on with the backup {name}").into());
        }
        backup = server.backup(&name).map_err(|error| {
            format!("what became of the backup {name} is not known: {error}. If the server has stopped, nothing of it stays.")
        })?;
    }
    progress.set(number(&backup["bytesDone"]), number(&backup["bytes"]));
    progress.finish();
    if backup["state"] != "succeeded" {
        return Err(backup["message"].as_str().unwrap_or("the backup failed; the server's log says why").into());
    }
    outln!(
        "backup {name}: {} files, {} ({} of it as in the backup before), changes waited {} ms",
        number(&backup["files"]),
        size(number(&backup["bytes"]) as f64),
        size(number(&backup["bytesReused"]) as f64),
        number(&backup["pausedMs"])
    );
    Ok(())
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

/// Runs `work` on a thread of its own and shows how far it is. A signal asks it to stop.
pub fn watched<T: Send>(
    name: &str,
    quiet: bool,
    work: impl FnOnce(&Copied) -> Result<T, String> + Send,
) -> Result<T, Box<dyn Error>> {
    let copied = Copied::default();
    let mut signals = StopSignals::listen()?;
    let mut progress = Progress::new(name, 0, quiet);
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| work(&copied));
        while !worker.is_finished() {
            progress.set(copied.bytes_done(), copied.bytes());
            if signals.came_within(POLL_INTERVAL) {
                copied.stop();
            }
        }
        progress.set(copied.bytes_done(), copied.bytes());
        progress.finish();
        worker.join().unwrap_or_else(|_| Err("the work broke off".to_owned())).map_err(Into::into)
    })
}
