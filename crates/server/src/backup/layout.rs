//! What a data folder consists of, and what a backup says of it.

use std::path::{Path, PathBuf};

/// Files of the data folder that are copied as they are.
pub const STAGE_KEY: &str = "stage-credentials.key";
pub const FOLDERS: [&str; 3] = ["databases", "stages", "results"];

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
pub fn pins_folder(data_dir: &Path) -> PathBuf {
    data_dir.join("backup-pins")
}
