//! Backups of a data folder. A backup is a folder of its own with every file of one moment and a manifest, which is written
//! last: a folder without one is no backup. Files that the backup before has too are linked to it instead of copied, so
//! each backup is whole, and any of them can be removed.

mod backup_folder;
mod error;
mod jobs;
pub(crate) mod layout;
mod make;
pub(crate) mod manifest;
mod pins;
mod progress;
mod restore;
mod store_files;

use std::path::Path;

pub use error::{BackupError, RestoreError};
pub use jobs::{BackupState, BackupView, Backups};
use layout::pins_folder;
pub use make::back_up_stopped;
pub use progress::Progress;
pub use restore::{Restored, restore};

/// Removes what a backup left behind that a crash broke off.
pub(crate) fn remove_left_over(data_dir: &Path) -> std::io::Result<()> {
    backup_folder::remove(&pins_folder(data_dir))
}
