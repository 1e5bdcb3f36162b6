//! Servers for tests: their data folder lies among the temporary ones and goes with them, and they end with whoever started
//! them.

use std::fs::{self, DirEntry};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use uuid::Uuid;

use crate::data_folder_lock::DataFolderLock;

const PREFIX: &str = "firn-ephemeral-";
const STANDARD_INPUT: &str = "/dev/stdin";

/// A folder is made a moment before it is locked.
const LOCKED_WITHIN: Duration = Duration::from_secs(60);

/// Removes the folder when it is dropped.
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    pub fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    pub fn remove(&self) {
        match fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(folder = %self.0.display(), %error, "the temporary data folder cannot be removed");
            }
            _ => {}
        }
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        self.remove();
    }
}

/// A name that nobody can guess, in the folder that TMPDIR names; nothing is made yet.
pub fn folder_name() -> PathBuf {
    std::env::temp_dir().join(format!("{PREFIX}{}", Uuid::new_v4().simple()))
}

/// Removes the folders beside this one, which is locked, of servers that were killed.
pub fn remove_left_over(own: &Path) {
    let (Some(parent), Ok(metadata)) = (own.parent(), fs::metadata(own)) else { return };
    let entries = fs::read_dir(parent).into_iter().flatten().filter_map(Result::ok);
    for entry in entries.filter(|entry| entry.path() != own && is_left_over(entry, metadata.uid())) {
        if let Ok(_lock) = DataFolderLock::take(&entry.path()) {
            TemporaryFolder::new(&entry.path()).remove();
        }
    }
}

/// In a folder that others may write to, a link could lead anywhere.
fn is_left_over(entry: &DirEntry, own_user: u32) -> bool {
    if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
        return false;
    }
    let Ok(metadata) = fs::symlink_metadata(entry.path()) else { return false };
    let is_own = metadata.is_dir() && metadata.uid() == own_user && metadata.mode() & 0o077 == 0;
    is_own && metadata.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age > LOCKED_WITHIN))
}

/// Tells when the standard input is closed, if it is a pipe: its other end is held by the program that started this one, and
/// is closed with that program, however it ends. The thread ends with the input or with the process.
pub fn follow_input(closed: Arc<Notify>) {
    let is_pipe = fs::metadata(STANDARD_INPUT).is_ok_and(|metadata| {
        let kind = metadata.file_type();
        kind.is_fifo() || kind.is_socket()
    });
    if is_pipe {
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while !matches!(io::stdin().read(&mut piece), Ok(0) | Err(_)) {}
            closed.notify_one();
        });
    }
}
