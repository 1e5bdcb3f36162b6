//! A data folder with databases but without a state file is not a new one: a first start would make an account that knows
//! none of them. Nor is one in which a restore was broken off.

use std::path::{Path, PathBuf};

use firn_catalog::STATE_FILE;

use crate::backup::manifest::MANIFEST;

/// Holds what a restore has not yet moved to its place; the state file is moved last.
pub const RESTORING: &str = "restoring";

#[derive(Debug, thiserror::Error)]
pub enum MissingStateFile {
    #[error(
        "the state file `{}` is missing, but the folder `databases` beside it has {databases} database files: this is \
         not a first start. Without it nobody knows the users, their rights and which databases there are. Bring it back \
         from a backup of the same time; or give an empty folder with --data-dir to begin anew, or move `databases` and \
         `stages` away",
        state_file.display()
    )]
    BesideDatabases { state_file: PathBuf, databases: usize },
    #[error(
        "the state file `{}` has no account, but the folder `databases` beside it has {databases} database files: this is \
         not a first start. Its log `{STATE_FILE}-wal` may be missing or damaged. Bring both back, or a backup of the same \
         time; or give an empty folder with --data-dir to begin anew, or move `databases` and `stages` away",
        state_file.display()
    )]
    WithoutAccount { state_file: PathBuf, databases: usize },
    #[error(
        "a restore into the data folder `{}` was broken off; remove the folder and run `firn restore` again",
        .0.display()
    )]
    UnfinishedRestore(PathBuf),
    #[error("`{}` is a backup; `firn restore` makes a data folder of it", .0.display())]
    Backup(PathBuf),
}

pub fn require(data_dir: &Path) -> Result<(), MissingStateFile> {
    // Its files may be those of other backups too.
    if data_dir.join(MANIFEST).exists() {
        return Err(MissingStateFile::Backup(data_dir.to_owned()));
    }
    let state_file = data_dir.join(STATE_FILE);
    if state_file.metadata().is_ok_and(|metadata| metadata.len() > 0) {
        // Empty, if the restore was broken off after the state file was in its place.
        let _ = std::fs::remove_dir(data_dir.join(RESTORING));
        return Ok(());
    }
    if data_dir.join(RESTORING).exists() {
        return Err(MissingStateFile::UnfinishedRestore(data_dir.to_owned()));
    }
    let databases = database_files(&data_dir.join("databases"));
    if databases == 0 { Ok(()) } else { Err(MissingStateFile::BesideDatabases { state_file, databases }) }
}

/// For a state file without an account, which a first start would make.
pub fn require_no_databases(data_dir: &Path) -> Result<(), MissingStateFile> {
    match database_files(&data_dir.join("databases")) {
        0 => Ok(()),
        databases => Err(MissingStateFile::WithoutAccount { state_file: data_dir.join(STATE_FILE), databases }),
    }
}

/// None where the folder cannot be read, which the start reports by itself.
fn database_files(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let is_database = |path: &Path| path.extension().is_some_and(|extension| extension == "duckdb");
    entries.filter_map(Result::ok).filter(|entry| is_database(&entry.path())).count()
}
