//! Why a backup cannot be made or brought back.

use std::io;
use std::path::PathBuf;

use firn_catalog::CatalogError;
use firn_statements::StatementError;

use crate::data_folder_lock::LockError;

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("backups are switched off; set `backup_dir`, a folder on another disk than the data folder")]
    SwitchedOff,
    #[error(
        "`{0}` is no name for a backup; it takes up to 64 letters, digits, `_`, `-` and `.`, and begins with a letter or digit"
    )]
    Name(String),
    #[error("there is a backup `{0}` already; give another name, or remove it first")]
    Exists(String),
    #[error("the backup `{0}` is being made; wait for its end")]
    Busy(String),
    #[error("another process is making a backup in the same folder; wait for its end")]
    FolderHeld,
    #[error("the folder for backups cannot be used: {0}")]
    Folder(io::Error),
    #[error("`{0}` in the folder for backups is not a regular file; remove it")]
    InTheWay(&'static str),
    #[error(
        "the folder for backups `{}` is inside of the data folder; give a folder outside of it, better on another disk",
        .0.display()
    )]
    InsideDataFolder(PathBuf),
    #[error(
        "the file `databases/{file}` of the database {database} is {problem}; bring it back from a backup, or give the \
         database up with DROP DATABASE {database}"
    )]
    Database { database: String, file: String, problem: &'static str },
    #[error("no room is left in the folder for backups; nothing of this backup stays there")]
    NoRoom,
    #[error("`{path}` cannot be read: {cause}")]
    Read { path: String, cause: io::Error },
    #[error("the copy of `{path}` cannot be written: {cause}; nothing of this backup stays")]
    Write { path: String, cause: io::Error },
    #[error("`{0}` changed while it was copied; try again")]
    Changed(String),
    #[error("{0}; the backup would be damaged too")]
    State(CatalogError),
    #[error("the data folder has no state file `{}`; give the folder of a server that has been started", .0.display())]
    NoStateFile(PathBuf),
    #[error(
        "the state file `{}` is empty: users, rights and the list of databases are gone; bring it back from a backup",
        .0.display()
    )]
    EmptyStateFile(PathBuf),
    #[error(
        "the server is stopping; make the backup again when it has started, or with --data-dir when it has stopped"
    )]
    ServerStopping,
    #[error("the backup was broken off by a signal; nothing of it stays in the folder for backups")]
    Stopped,
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Service(#[from] StatementError),
}

impl BackupError {
    pub(super) fn write(path: &str, cause: io::Error) -> Self {
        match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoRoom,
            _ => Self::Write { path: path.to_owned(), cause },
        }
    }

    pub(super) fn folder(cause: io::Error) -> Self {
        match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoRoom,
            _ => Self::Folder(cause),
        }
    }

    pub(super) fn state(cause: CatalogError) -> Self {
        if cause.is_disk_full() { Self::NoRoom } else { Self::State(cause) }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error("`{}` is no backup: {problem}", path.display())]
    NoBackup { path: PathBuf, problem: String },
    #[error("`{}` is a folder of backups; name one of them: {}", path.display(), names.join(", "))]
    SeveralBackups { path: PathBuf, names: Vec<String> },
    #[error("the backup is damaged: {0}; take another one")]
    Damaged(String),
    #[error("the backup was made by firn {made_by}, which is newer than this one; restore it with that version")]
    Newer { made_by: String },
    #[error("the data folder `{}` is not empty; give one that does not exist yet, or an empty one", .0.display())]
    NotEmpty(PathBuf),
    #[error(
        "the data folder `{}` is inside of the backup, which would be changed; give a folder outside of it", .0.display()
    )]
    InsideBackup(PathBuf),
    #[error(
        "the disk of the data folder `{}` has {free_bytes} bytes free; the backup has {bytes}, and a server needs {reserve_bytes} \
         beside them. Make room there, or give a folder on a larger disk",
        path.display()
    )]
    NoRoom { path: PathBuf, bytes: u64, reserve_bytes: u64, free_bytes: u64 },
    #[error("the restore was broken off by a signal; what was restored so far has been removed")]
    Stopped,
    #[error("`{}` cannot be written: {cause}; what was restored so far has been removed", path.display())]
    Write { path: PathBuf, cause: io::Error },
    #[error(transparent)]
    Lock(#[from] LockError),
}
