//! Files on their way into a backup: linked to the backup before where that has them, else copied, summed and synced.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use firn_engine::disk_room::require_room;
use sha2::{Digest, Sha256};

use super::backup_folder::Before;
use super::error::BackupError;
use super::manifest::{Entry, hexadecimal};
use super::pins::{Content, SourceFile};
use super::progress::Progress;

const PIECE_BYTES: usize = 1 << 20;

pub struct Target<'a> {
    root: &'a Path,
    before: Option<&'a Before>,
    progress: &'a Progress,
    folders: BTreeSet<PathBuf>,
    pub entries: Vec<Entry>,
    pub bytes_reused: u64,
}

impl<'a> Target<'a> {
    pub fn new(root: &'a Path, before: Option<&'a Before>, progress: &'a Progress) -> Self {
        let folders = BTreeSet::from([root.to_owned()]);
        Self { root, before, progress, folders, entries: Vec::new(), bytes_reused: 0 }
    }

    pub fn store(&mut self, file: &SourceFile, before: Option<&Entry>) -> Result<(), BackupError> {
        let place = self.place(&file.path)?;
        if let Some(entry) = before.filter(|entry| file.is_same_as(entry))
            && let Some(before) = self.before
            && is_as_written(&before.path.join(&file.path), entry)
            && fs::hard_link(before.path.join(&file.path), &place).is_ok()
        {
            self.progress.add(file.bytes);
            self.bytes_reused += file.bytes;
            self.entries.push(entry.clone());
            return Ok(());
        }
        let sha256 = self.copy(file, &place)?;
        self.entries.push(Entry {
            path: file.path.clone(),
            bytes: file.bytes,
            sha256,
            modified_ns: file.modified_ns,
            source: file.is_settled.then_some(file.id),
        });
        Ok(())
    }

    /// Adds a file that has been written in its place.
    pub fn add_written(&mut self, path: &str) -> Result<(), BackupError> {
        let read = |cause| BackupError::Read { path: path.to_owned(), cause };
        let file = File::open(self.root.join(path)).map_err(read)?;
        file.sync_all().map_err(|cause| BackupError::write(path, cause))?;
        let (sha256, bytes) = sum_of(file).map_err(read)?;
        self.entries.push(Entry { path: path.to_owned(), bytes, sha256, modified_ns: 0, source: None });
        Ok(())
    }

    /// Makes the names of all files durable.
    pub fn sync_folders(&self) -> Result<(), BackupError> {
        let sync = |folder: &PathBuf| File::open(folder).and_then(|folder| folder.sync_all());
        self.folders.iter().try_for_each(sync).map_err(BackupError::folder)
    }

    fn place(&mut self, path: &str) -> Result<PathBuf, BackupError> {
        let place = self.root.join(path);
        let parents = place.ancestors().skip(1).take_while(|parent| !self.folders.contains(*parent));
        let parents: Vec<PathBuf> = parents.map(Path::to_owned).collect();
        if let Some(parent) = parents.first() {
            DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(BackupError::folder)?;
        }
        self.folders.extend(parents);
        Ok(place)
    }

    fn copy(&self, file: &SourceFile, place: &Path) -> Result<String, BackupError> {
        let read = |cause| BackupError::Read { path: file.path.clone(), cause };
        let write = |cause| BackupError::write(&file.path, cause);
        let opened;
        let source = match &file.content {
            Content::Open(file) => file,
            Content::At(path) => {
                opened = File::open(path).map_err(read)?;
                &opened
            }
        };
        let mut target = OpenOptions::new().write(true).create_new(true).mode(0o600).open(place).map_err(write)?;
        let is_on_data_disk = is_same_disk(source, &target).map_err(read)?;
        let (mut sum, mut piece, mut done) = (Sha256::new(), vec![0; PIECE_BYTES], 0);
        while done < file.bytes {
            if !self.progress.goes_on() {
                return Err(BackupError::Stopped);
            }
            let wanted = piece.len().min(usize::try_from(file.bytes - done).unwrap_or(usize::MAX));
            let length = source.read_at(&mut piece[..wanted], done).map_err(read)?;
            if length == 0 {
                return Err(BackupError::Changed(file.path.clone()));
            }
            if is_on_data_disk {
                require_room(self.root, length as u64).map_err(write)?;
            }
            sum.update(&piece[..length]);
            target.write_all(&piece[..length]).map_err(write)?;
            done += length as u64;
            self.progress.add(length as u64);
        }
        target.set_modified(time(file.modified_ns)).map_err(write)?;
        target.sync_all().map_err(write)?;
        Ok(hexadecimal(&sum.finalize()))
    }
}

fn is_same_disk(one: &File, other: &File) -> std::io::Result<bool> {
    Ok(one.metadata()?.dev() == other.metadata()?.dev())
}

/// Whether a file of the backup before still is what was written.
fn is_as_written(path: &Path, entry: &Entry) -> bool {
    let is_whole = fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() == entry.bytes);
    is_whole && File::open(path).and_then(sum_of).is_ok_and(|(sum, _)| sum == entry.sha256)
}

/// The sum of a file's content and its length.
fn sum_of(mut file: File) -> std::io::Result<(String, u64)> {
    let (mut sum, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; PIECE_BYTES]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok((hexadecimal(&sum.finalize()), bytes)),
            length => {
                sum.update(&piece[..length]);
                bytes += length as u64;
            }
        }
    }
}

/// Times before 1970 are taken for 1970.
pub fn time(ns: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_nanos(u64::try_from(ns).unwrap_or_default())
}
