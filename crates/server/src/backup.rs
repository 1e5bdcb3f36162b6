//! Backups of a data folder. A backup is a folder of its own with every file of one moment and a manifest, which is written
//! last: a folder without one is no backup. Files that the backup before has too are linked to it instead of copied, so
//! each backup is whole, and any of them can be removed.

mod backup_folder;
mod error;
mod jobs;
mod make;
mod manifest;
mod pins;
mod progress;
mod restore;
mod store_files;

use std::path::{Path, PathBuf};

pub use error::{BackupError, RestoreError};
pub use jobs::{BackupState, BackupView, Backups};
pub use make::back_up_stopped;
pub(crate) use manifest::MANIFEST;
pub use progress::Progress;
pub use restore::{Restored, restore};

/// Files of the data folder that are copied as they are.
const STAGE_KEY: &str = "stage-credentials.key";
const FOLDERS: [&str; 3] = ["databases", "stages", "results"];

/// What was made.
#[derive(Clone, Debug)]
pub struct Summary {
    pub name: String,
    pub files: usize,
    pub bytes: u64,
    /// Of them, those that the backup before has too.
    pub bytes_reused: u64,
    /// How long changes waited.
    pub paused_ms: u64,
}

/// Where a data folder holds files in place that a backup is about to copy.
fn pins_folder(data_dir: &Path) -> PathBuf {
    data_dir.join("backup-pins")
}

/// Removes what a backup left behind that a crash broke off.
pub(crate) fn remove_left_over(data_dir: &Path) -> std::io::Result<()> {
    backup_folder::remove(&pins_folder(data_dir))
}
