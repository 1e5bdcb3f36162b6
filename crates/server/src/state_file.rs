//! A data folder with databases but without a state file is not a new one: a first start would make an account that knows
//! none of them.

use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
#[error(
    "the state file `{}` is missing, but the folder `databases` beside it has {databases} database files: this is not a \
     first start. Without it nobody knows the users, their rights and which databases there are. Bring it back from a \
     backup of the same time; or give an empty folder with --data-dir to begin anew, or move `databases` and `stages` away",
    state_file.display()
)]
pub struct MissingStateFile {
    state_file: PathBuf,
    databases: usize,
}

pub fn require(data_dir: &Path) -> Result<(), MissingStateFile> {
    let state_file = data_dir.join("firn.sqlite");
    if state_file.metadata().is_ok_and(|metadata| metadata.len() > 0) {
        return Ok(());
    }
    let databases = database_files(&data_dir.join("databases"));
    if databases == 0 { Ok(()) } else { Err(MissingStateFile { state_file, databases }) }
}

/// None where the folder cannot be read, which the start reports by itself.
fn database_files(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let is_database = |path: &Path| path.extension().is_some_and(|extension| extension == "duckdb");
    entries.filter_map(Result::ok).filter(|entry| is_database(&entry.path())).count()
}
