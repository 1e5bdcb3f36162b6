//! Making a backup, of a running server or of a folder that no server holds.

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use firn_catalog::{DatabaseFile, STATE_FILE, StateCopied, StateSnapshot};
use firn_sql::names::display_identifier;
use firn_statements::StatementService;

use super::backup_folder::{self, BackupFolder, Before};
use super::error::BackupError;
use super::layout::Summary;
use super::manifest::{Entry, FORMAT, Manifest};
use super::pins::Pinned;
use super::progress::Progress;
use super::store_files::Target;
use crate::data_folder_lock::{DataFolderLock, LockError};
use crate::folders::is_within;
use crate::own_files;

/// A checkpoint that ends while files are copied makes the copy useless; it is rare.
const TRIES: usize = 3;

/// Of a server that is running in this process.
pub fn back_up_running(
    statements: &StatementService,
    data_dir: &Path,
    folder: &Path,
    name: &str,
    progress: &Progress,
) -> Result<Summary, BackupError> {
    let making = Making { folder: BackupFolder::open(folder)?, name, progress };
    let mut tries = 0;
    loop {
        tries += 1;
        let before = making.folder.before();
        let entries = entries(before.as_ref());
        let mut paused_ms = 0;
        let pin = || {
            let start = Instant::now();
            let pinned = Pinned::take(data_dir, &entries);
            paused_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            pinned
        };
        let made = statements.at_one_moment(pin, |state, pinned| {
            let pinned = pinned.map_err(|cause| BackupError::Read { path: "the data folder".to_owned(), cause })?;
            making.write(&state, &pinned, before.as_ref(), &entries)
        });
        match made? {
            Err(BackupError::Changed(_)) if tries < TRIES => {}
            Err(error) => return Err(error),
            Ok(summary) => return Ok(Summary { paused_ms, ..summary }),
        }
    }
}

/// Of a data folder whose server has been stopped.
pub fn back_up_stopped(
    data_dir: &Path,
    folder: &Path,
    name: Option<&str>,
    progress: &Progress,
) -> Result<Summary, BackupError> {
    let generated = backup_folder::name_for_now();
    let name = name.unwrap_or(&generated);
    backup_folder::check_name(name)?;
    let state_file = data_dir.join(STATE_FILE);
    match state_file.metadata() {
        Ok(found) if found.is_file() && found.len() == 0 => return Err(BackupError::EmptyStateFile(state_file)),
        Ok(found) if found.is_file() => {}
        _ => return Err(BackupError::NoStateFile(state_file)),
    }
    if is_within(folder, data_dir) {
        return Err(BackupError::InsideDataFolder(folder.to_owned()));
    }
    let _lock = DataFolderLock::take(data_dir)?;
    own_files::require(data_dir).map_err(LockError::from)?;
    let making = Making { folder: BackupFolder::open(folder)?, name, progress };
    let before = making.folder.before();
    let entries = entries(before.as_ref());
    let state = StateSnapshot::of_stopped_server(data_dir).map_err(BackupError::state)?;
    let pinned = Pinned::take(data_dir, &entries)
        .map_err(|cause| BackupError::Read { path: data_dir.display().to_string(), cause })?;
    making.write(&state, &pinned, before.as_ref(), &entries)
}

fn entries(before: Option<&Before>) -> HashMap<&str, &Entry> {
    before.map(|before| before.manifest.by_path()).unwrap_or_default()
}

/// A database without its file would come back without its data.
fn require_files(databases: &[DatabaseFile], pinned: &Pinned) -> Result<(), BackupError> {
    for DatabaseFile { database, file } in databases {
        let path = format!("databases/{file}");
        let problem = match pinned.files.iter().find(|pinned| pinned.path == path) {
            None => "missing",
            Some(found) if found.bytes == 0 => "empty",
            Some(_) => continue,
        };
        return Err(BackupError::Database { database: display_identifier(database), file: file.clone(), problem });
    }
    Ok(())
}

struct Making<'a> {
    folder: BackupFolder,
    name: &'a str,
    progress: &'a Progress,
}

impl Making<'_> {
    fn write(
        &self,
        state: &StateSnapshot,
        pinned: &Pinned,
        before: Option<&Before>,
        entries: &HashMap<&str, &Entry>,
    ) -> Result<Summary, BackupError> {
        let unfinished = self.folder.begin(self.name)?;
        self.progress.begin(pinned.files.iter().map(|file| file.bytes).sum());
        let mut target = Target::new(&unfinished.path, before, self.progress);
        let state_file = unfinished.path.join(STATE_FILE);
        let copied = state.copy_to(&state_file, || self.progress.goes_on()).map_err(BackupError::state)?;
        let StateCopied::Whole { version: state_version, databases } = copied else {
            return Err(BackupError::Stopped);
        };
        require_files(&databases, pinned)?;
        target.add_written(STATE_FILE)?;
        for file in &pinned.files {
            target.store(file, entries.get(file.path.as_str()).copied())?;
        }
        let changed = pinned.changed().map_err(|cause| BackupError::Read { path: "databases".to_owned(), cause })?;
        if let Some(path) = changed {
            return Err(BackupError::Changed(path.to_owned()));
        }
        target.sync_folders()?;
        let bytes_reused = target.bytes_reused;
        let manifest = Manifest {
            format: FORMAT,
            firn_version: env!("CARGO_PKG_VERSION").to_owned(),
            state_version,
            made_on_ms: chrono::Utc::now().timestamp_millis(),
            files: target.entries,
        };
        manifest.write(&unfinished.path).map_err(BackupError::folder)?;
        let bytes = manifest.files.iter().map(|entry| entry.bytes).sum();
        self.folder.finish(unfinished, self.name)?;
        Ok(Summary { name: self.name.to_owned(), files: manifest.files.len(), bytes, bytes_reused, paused_ms: 0 })
    }
}
