//! One server per data folder: the holder of the locks on the folder itself and on its `lock` file, which names the process and
//! which somebody may remove. The system releases them when the process ends, however it ends.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Held as long as it lives.
pub struct DataFolderLock {
    _file: File,
    _folder: File,
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
}

impl DataFolderLock {
    /// Makes the folder if it is missing, for its owner only: it will hold everyone's data.
    pub fn take(folder: &Path) -> Result<Self, LockError> {
        let unusable = |source| LockError::Unusable { path: folder.to_owned(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(unusable)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(folder.join("lock"))
            .map_err(unusable)?;
        let locked_folder = File::open(folder).map_err(unusable)?;
        // Some file systems lock files only.
        if let Err(TryLockError::WouldBlock) = locked_folder.try_lock() {
            return Err(LockError::Held { path: folder.to_owned(), holder: holder(&mut file) });
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LockError::Held { path: folder.to_owned(), holder: holder(&mut file) });
            }
            Err(TryLockError::Error(source)) => return Err(unusable(source)),
        }
        file.set_len(0).map_err(unusable)?;
        match writeln!(file, "{}", std::process::id()) {
            // The lock holds without the name of its holder.
            Err(error) if error.kind() != ErrorKind::StorageFull => return Err(unusable(error)),
            _ => {}
        }
        Ok(Self { _file: file, _folder: locked_folder })
    }
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    match file.read_to_string(&mut text) {
        Ok(_) if !text.trim().is_empty() => format!("process {}", text.trim()),
        _ => "a process that has just started".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn the_second_server_reports_who_holds_it() {
        let folder = std::env::temp_dir().join(format!("firn-lock-{}", std::process::id()));
        let first = DataFolderLock::take(&folder).unwrap();
        let refusal = DataFolderLock::take(&folder).err().unwrap().to_string();
        assert!(refusal.contains(&format!("process {}", std::process::id())), "{refusal}");
        std::fs::remove_file(folder.join("lock")).unwrap();
        assert!(DataFolderLock::take(&folder).is_err(), "the folder itself is locked, too");
        drop(first);
        assert!(DataFolderLock::take(&folder).is_ok());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
