//! `firn restore`: makes a data folder from a backup.

use std::error::Error;
use std::path::PathBuf;

use firn_server::backup::restore;

use crate::backup::watched;
use crate::examples::examples;
use crate::output::outln;
use crate::progress::size;

const AFTER: &str = examples!(
    "Every file is checked against the sums of the backup's manifest. Afterwards `firn serve --data-dir DIR` \
    serves everything as it was when the backup was made.";
    "firn restore --from backups/before-upgrade --data-dir ./restored",
    "firn restore --from backups/before-upgrade --data-dir ./again --quiet"
);

#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Arguments {
    /// The backup: a folder that `firn backup` has made
    #[arg(long, value_name = "DIR")]
    from: PathBuf,

    /// Data folder to make; it must not exist yet, or be empty
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let Arguments { from, data_dir, quiet } = arguments;
    let restored =
        watched("restore", quiet, |progress| restore(&from, &data_dir, progress).map_err(|error| error.to_string()))?;
    let made_on = chrono::DateTime::from_timestamp_millis(restored.made_on_ms).unwrap_or_default();
    outln!(
        "data folder {}: {} files, {}, as of {}",
        data_dir.display(),
        restored.files,
        size(restored.bytes as f64),
        made_on.format("%Y-%m-%d %H:%M:%S UTC")
    );
    Ok(())
}
