//! A backup becomes a data folder again. Everything is copied and checked in a folder of its own inside of the new data
//! folder, and then moved to its place, the state file last: a server does not start on less.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use firn_catalog::{STATE_FILE, STATE_VERSION};
use firn_engine::disk_room::DiskRoom;
use sha2::{Digest, Sha256};

use super::backup_folder;
use super::error::RestoreError;
use super::layout::{FOLDERS, STAGE_KEY};
use super::manifest::{Entry, Manifest, ManifestError, hexadecimal};
use super::progress::Progress;
use super::store_files::time;
use crate::data_folder_lock::DataFolderLock;
use crate::folders::is_within;
use crate::state_file::RESTORING;

const PIECE_BYTES: usize = 1 << 20;

/// What was brought back.
#[derive(Clone, Copy, Debug)]
pub struct Restored {
    pub files: usize,
    pub bytes: u64,
    pub made_on_ms: i64,
}

pub fn restore(backup: &Path, data_dir: &Path, progress: &Progress) -> Result<Restored, RestoreError> {
    let manifest = read_manifest(backup)?;
    if manifest.state_version > STATE_VERSION {
        return Err(RestoreError::Newer { made_by: manifest.firn_version });
    }
    if is_within(data_dir, backup) {
        return Err(RestoreError::InsideBackup(data_dir.to_owned()));
    }
    require_empty(data_dir)?;
    let is_new = !data_dir.exists();
    let lock = DataFolderLock::take(data_dir)?;
    // Another restore may have been quicker.
    require_empty(data_dir)?;
    let bytes = manifest.files.iter().map(|entry| entry.bytes).sum();
    progress.begin(bytes);
    // From here on no server takes the folder for a new one.
    let restored = make_folder(&data_dir.join(RESTORING)).and_then(|()| check_room(data_dir, bytes));
    let restored =
        restored.and_then(|()| copy_all(backup, data_dir, &manifest, progress)).and_then(|()| move_to_places(data_dir));
    if let Err(error) = restored {
        clear(data_dir);
        drop(lock);
        if is_new {
            let _ = fs::remove_dir_all(data_dir);
        }
        return Err(error);
    }
    Ok(Restored { files: manifest.files.len(), bytes, made_on_ms: manifest.made_on_ms })
}

/// A server needs some room beside its files.
fn check_room(data_dir: &Path, bytes: u64) -> Result<(), RestoreError> {
    match DiskRoom::of(data_dir) {
        Ok(DiskRoom { free_bytes, reserve_bytes }) if free_bytes < bytes.saturating_add(reserve_bytes) => {
            Err(RestoreError::NoRoom { path: data_dir.to_owned(), bytes, reserve_bytes, free_bytes })
        }
        _ => Ok(()),
    }
}

fn read_manifest(backup: &Path) -> Result<Manifest, RestoreError> {
    let no_backup = |problem: String| RestoreError::NoBackup { path: backup.to_owned(), problem };
    if !backup.is_dir() {
        return Err(no_backup("there is no such folder".to_owned()));
    }
    match Manifest::read(backup) {
        Ok(manifest) => Ok(manifest),
        Err(ManifestError::Newer(made_by)) => Err(RestoreError::Newer { made_by: made_by.to_string() }),
        Err(ManifestError::Missing) => match backup_folder::names(backup) {
            Ok(names) if !names.is_empty() => Err(RestoreError::SeveralBackups { path: backup.to_owned(), names }),
            _ => Err(no_backup(ManifestError::Missing.to_string())),
        },
        Err(ManifestError::Damaged) => Err(RestoreError::Damaged(ManifestError::Damaged.to_string())),
        Err(other) => Err(no_backup(other.to_string())),
    }
}

/// The lock of a server that has been stopped, or what a file system has in every folder, is nothing.
fn require_empty(data_dir: &Path) -> Result<(), RestoreError> {
    let entries = match fs::read_dir(data_dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(RestoreError::Write { path: data_dir.to_owned(), cause }),
    };
    let names = entries.filter_map(Result::ok).map(|entry| entry.file_name());
    match names.into_iter().any(|name| name != "lock" && name != "lost+found") {
        true => Err(RestoreError::NotEmpty(data_dir.to_owned())),
        false => Ok(()),
    }
}

fn copy_all(backup: &Path, data_dir: &Path, manifest: &Manifest, progress: &Progress) -> Result<(), RestoreError> {
    if !manifest.files.iter().any(|entry| entry.path == STATE_FILE) {
        return Err(RestoreError::Damaged(format!("its manifest has no `{STATE_FILE}`")));
    }
    let restoring = data_dir.join(RESTORING);
    for entry in &manifest.files {
        let place = restoring.join(&entry.path);
        if let Some(parent) = place.parent() {
            make_folder(parent)?;
        }
        require_plain(backup, &entry.path)?;
        copy(&backup.join(&entry.path), &place, entry, progress)?;
    }
    sync_folders(&restoring)
}

/// A backup has no links: what they lead to is not what was written.
fn require_plain(backup: &Path, path: &str) -> Result<(), RestoreError> {
    let mut place = backup.to_owned();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        place.push(part);
        let Ok(found) = fs::symlink_metadata(&place) else { return Ok(()) };
        let is_folder = parts.peek().is_some();
        if is_folder && !found.is_dir() {
            return Err(RestoreError::Damaged(format!("the folder of its file `{path}` is not a folder")));
        }
        if !is_folder && !found.is_file() {
            return Err(RestoreError::Damaged(format!("its file `{path}` is not a regular file")));
        }
    }
    Ok(())
}

fn make_folder(path: &Path) -> Result<(), RestoreError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|cause| RestoreError::Write { path: path.to_owned(), cause })
}

fn copy(source: &Path, place: &Path, entry: &Entry, progress: &Progress) -> Result<(), RestoreError> {
    let damaged = |problem: &str| RestoreError::Damaged(format!("its file `{}` {problem}", entry.path));
    let write = |cause| RestoreError::Write { path: place.to_owned(), cause };
    let mut from = match File::open(source) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(damaged("is missing")),
        Err(error) => return Err(damaged(&format!("cannot be read: {error}"))),
    };
    let mut to = OpenOptions::new().write(true).create_new(true).mode(0o600).open(place).map_err(write)?;
    let (mut sum, mut piece, mut bytes) = (Sha256::new(), vec![0; PIECE_BYTES], 0);
    loop {
        if !progress.goes_on() {
            return Err(RestoreError::Stopped);
        }
        let length = from.read(&mut piece).map_err(|error| damaged(&format!("cannot be read: {error}")))?;
        if length == 0 {
            break;
        }
        sum.update(&piece[..length]);
        to.write_all(&piece[..length]).map_err(write)?;
        bytes += length as u64;
        progress.add(length as u64);
    }
    if bytes != entry.bytes {
        return Err(damaged(&format!("has {bytes} bytes instead of {}", entry.bytes)));
    }
    if hexadecimal(&sum.finalize()) != entry.sha256 {
        return Err(damaged("has another content than was written; its SHA-256 differs"));
    }
    if entry.modified_ns != 0 {
        to.set_modified(time(entry.modified_ns)).map_err(write)?;
    }
    to.sync_all().map_err(write)
}

fn sync_folders(folder: &Path) -> Result<(), RestoreError> {
    let write = |cause| RestoreError::Write { path: folder.to_owned(), cause };
    for entry in fs::read_dir(folder).map_err(write)? {
        let path = entry.map_err(write)?.path();
        if path.is_dir() {
            sync_folders(&path)?;
        }
    }
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(write)
}

fn move_to_places(data_dir: &Path) -> Result<(), RestoreError> {
    let restoring = data_dir.join(RESTORING);
    for name in FOLDERS.into_iter().chain([STAGE_KEY, STATE_FILE]) {
        let (from, to) = (restoring.join(name), data_dir.join(name));
        if from.exists() {
            fs::rename(&from, &to).map_err(|cause| RestoreError::Write { path: to, cause })?;
        }
    }
    let write = |cause| RestoreError::Write { path: data_dir.to_owned(), cause };
    File::open(data_dir).and_then(|folder| folder.sync_all()).map_err(write)?;
    fs::remove_dir(&restoring).map_err(write)
}

/// Everything below the data folder is ours: it was empty.
fn clear(data_dir: &Path) {
    let places: Vec<PathBuf> =
        FOLDERS.into_iter().chain([RESTORING, STAGE_KEY, STATE_FILE]).map(|name| data_dir.join(name)).collect();
    for place in places {
        let _ = if place.is_dir() { fs::remove_dir_all(&place) } else { fs::remove_file(&place) };
    }
}
