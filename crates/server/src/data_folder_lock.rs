//! One server per data folder: the holder of the locks on the folder itself and on its `lock` file, which names the process and
//! which somebody may remove. The system releases them when the process ends, however it ends.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use firn_engine::regular_files::{self, InTheWay, Links};

const FILE: &str = "lock";

/// Held as long as it lives.
pub struct DataFolderLock {
    _file: File,
    _folder: File,
    /// The `lock` file, if it was not there before.
    made: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("the data folder `{}` cannot be used: {source}", path.display())]
    Unusable { path: PathBuf, source: std::io::Error },
    #[error(
        "the data folder `{}` is in use by another firn server ({holder}); stop it first, or give this one a folder of its own with --data-dir",
        path.display()
    )]
    Held { path: PathBuf, holder: String },
    #[error(transparent)]
    InTheWay(#[from] InTheWay),
}

impl DataFolderLock {
    /// Makes the folder if it is missing, for its owner only: it will hold everyone's data. In a folder that another server
    /// holds nothing is changed.
    pub fn take(folder: &Path) -> Result<Self, LockError> {
        let unusable = |source| LockError::Unusable { path: folder.to_owned(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(unusable)?;
        let locked_folder = File::open(folder).map_err(unusable)?;
        // Some file systems lock files only.
        if let Err(TryLockError::WouldBlock) = locked_folder.try_lock() {
            return Err(held(folder));
        }
        let path = folder.join(FILE);
        regular_files::require_file(&path, Links::Refused)?;
        let is_new = !path.exists();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = regular_files::open_with(&mut options, &path).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(held(folder)),
            Err(TryLockError::Error(source)) => return Err(unusable(source)),
        }
        file.set_len(0).map_err(unusable)?;
        match writeln!(file, "{}", std::process::id()) {
            // The lock holds without the name of its holder.
            Err(error) if error.kind() != ErrorKind::StorageFull => return Err(unusable(error)),
            _ => {}
        }
        Ok(Self { _file: file, _folder: locked_folder, made: is_new.then_some(path) })
    }

    /// Who holds the folder, if a server does. Makes nothing.
    pub fn refuse_if_held(folder: &Path) -> Result<(), LockError> {
        let is_held = |opened: io::Result<File>| {
            opened.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
        };
        let is_held = is_held(File::open(folder)) || is_held(regular_files::open(&folder.join(FILE)));
        if is_held { Err(held(folder)) } else { Ok(()) }
    }

    /// Leaves the folder as it was, for a server that does not start in it.
    pub fn withdraw(self) {
        if let Some(path) = &self.made {
            // An empty file that stays is in nobody's way.
            let _ = fs::remove_file(path);
        }
    }
}

fn held(folder: &Path) -> LockError {
    let holder = match regular_files::read_to_string(&folder.join(FILE)) {
        Ok(text) if !text.trim().is_empty() => format!("process {}", text.trim()),
        Ok(_) => "a process that has just started".to_owned(),
        Err(_) => "a process whose `lock` file was removed".to_owned(),
    };
    LockError::Held { path: folder.to_owned(), holder }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_link_in_its_place_is_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("other");
        fs::write(&other, "whatever it holds").unwrap();
        std::os::unix::fs::symlink(&other, folder.path().join(FILE)).unwrap();
        let refusal = DataFolderLock::take(folder.path()).err().unwrap().to_string();
        assert!(refusal.contains("lock` is a link"), "{refusal}");
        assert_eq!(fs::read_to_string(&other).unwrap(), "whatever it holds");
    }

    #[test]
    fn the_second_server_reports_who_holds_it() {
        let folder = std::env::temp_dir().join(format!("firn-lock-{}", std::process::id()));
        let first = DataFolderLock::take(&folder).unwrap();
        let refusal = DataFolderLock::take(&folder).err().unwrap().to_string();
        assert!(refusal.contains(&format!("process {}", std::process::id())), "{refusal}");
        assert!(DataFolderLock::refuse_if_held(&folder).is_err());
        fs::remove_file(folder.join(FILE)).unwrap();
        assert!(DataFolderLock::take(&folder).is_err(), "the folder itself is locked, too");
        assert!(!folder.join(FILE).exists(), "nothing is made in a folder of another server");
        drop(first);
        assert!(DataFolderLock::refuse_if_held(&folder).is_ok());
        DataFolderLock::take(&folder).unwrap().withdraw();
        assert!(!folder.join(FILE).exists());
        fs::remove_dir_all(&folder).unwrap();
    }
}
