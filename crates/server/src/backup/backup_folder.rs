//! The folder that backups are made in, one folder each. A backup appears under its name when it is whole; until then it
//! has a hidden one, and is removed if its making breaks off.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::error::BackupError;
use super::manifest::Manifest;

const LOCK: &str = ".lock";
const UNFINISHED: &str = ".unfinished-";
const NAME_BYTES_MAX: usize = 64;

/// Held while a backup is made.
pub struct BackupFolder {
    path: PathBuf,
    _lock: File,
}

/// The backup that was made last.
pub struct Before {
    pub path: PathBuf,
    pub manifest: Manifest,
}

/// A backup that is being made; dropping it removes it.
pub struct Unfinished {
    pub path: PathBuf,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // What is left has a name that is no backup's, and goes before the next one is made.
        let _ = fs::remove_dir_all(&self.path);
    }
}

impl BackupFolder {
    /// Makes the folder if it is missing, and removes what an earlier process left half done.
    pub fn open(path: &Path) -> Result<Self, BackupError> {
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(BackupError::folder)?;
        let lock = open_lock(&path.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BackupError::FolderHeld),
            Err(TryLockError::Error(error)) => return Err(BackupError::Folder(error)),
        }
        for entry in fs::read_dir(path).map_err(BackupError::folder)? {
            let entry = entry.map_err(BackupError::folder)?;
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                remove(&entry.path()).map_err(BackupError::folder)?;
            }
        }
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    pub fn begin(&self, name: &str) -> Result<Unfinished, BackupError> {
        if is_taken(&self.path, name) {
            return Err(BackupError::Exists(name.to_owned()));
        }
        let path = self.path.join(format!("{UNFINISHED}{name}"));
        DirBuilder::new().mode(0o700).create(&path).map_err(BackupError::folder)?;
        Ok(Unfinished { path })
    }

    /// The latest that is whole.
    pub fn before(&self) -> Option<Before> {
        let mut found: Vec<(std::time::SystemTime, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.path).ok()?.filter_map(Result::ok) {
            let path = entry.path();
            let is_backup = entry.file_name().to_str().is_some_and(is_name);
            let manifest = path.join("manifest.json").metadata().and_then(|metadata| metadata.modified());
            found.extend(manifest.ok().filter(|_| is_backup).map(|modified| (modified, path)));
        }
        found.sort();
        found.into_iter().rev().find_map(|(_, path)| Some(Before { manifest: Manifest::read(&path).ok()?, path }))
    }

    /// Gives a whole backup its name.
    pub fn finish(&self, unfinished: Unfinished, name: &str) -> Result<(), BackupError> {
        fs::rename(&unfinished.path, self.path.join(name)).map_err(BackupError::folder)?;
        File::open(&self.path).and_then(|folder| folder.sync_all()).map_err(BackupError::folder)
    }
}

/// Opening a FIFO would wait for somebody who reads it, and a link may lead anywhere.
fn open_lock(path: &Path) -> Result<File, BackupError> {
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(BackupError::InTheWay(LOCK));
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600).open(path).map_err(BackupError::folder)
}

/// Whether anything has the name of a backup, whatever it is.
pub fn is_taken(folder: &Path, name: &str) -> bool {
    fs::symlink_metadata(folder.join(name)).is_ok()
}

/// Removes a folder with all that is in it, or whatever else has the name; a link goes, not what it leads to.
pub fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The whole backups of a folder.
pub fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_backup = entry.path().join("manifest.json").is_file();
        found.extend(entry.file_name().into_string().ok().filter(|name| is_backup && is_name(name)));
    }
    found.sort();
    Ok(found)
}

/// One part of a path, which neither hides nor leads anywhere else.
pub fn check_name(name: &str) -> Result<(), BackupError> {
    if is_name(name) { Ok(()) } else { Err(BackupError::Name(name.chars().take(NAME_BYTES_MAX).collect())) }
}

fn is_name(name: &str) -> bool {
    name.len() <= NAME_BYTES_MAX
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.chars().all(|each| each.is_ascii_alphanumeric() || "._-".contains(each))
}

/// The time in UTC, so that names are in the order in which backups were made.
pub fn name_for_now() -> String {
    chrono::Utc::now().format("%Y%m%dT%H%M%S%3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        for name in ["a", "20261117T093000123Z", "before-upgrade_1.0", "9"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".", "..", ".hidden", "-x", "a/b", "../a", "a b", "ä", "a\0", &"a".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
        assert!(is_name(&name_for_now()));
    }
}
