//! The files of stages on disk: one folder per stage below one root. A file's place is made from a
//! checked `StagePath` alone, every part of it written with plain characters, so that no name reaches
//! outside its stage, hides, or means anything to whoever reads the folder.

mod missing;
mod names;
mod precondition;
mod sums;
mod usage;
mod verified;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::UNIX_EPOCH;

use firn_sql::stages::StagePath;
use uuid::Uuid;

use crate::disk_room::require_room;
use crate::error::DamagedFile;
pub use missing::MissingFiles;
pub use precondition::{Precondition, UnmetPrecondition};
use sums::{Content, ContentState, Sums};
pub use usage::StageQuotas;
use usage::Usage;
use verified::Verified;

/// Folders of users' own stages are not swept.
const USER_PREFIX: &str = "user-";

/// Folders of temporary stages, and of the stages of temporary tables, end with their session.
const TEMPORARY_PREFIX: &str = "temporary-";

pub struct StageFiles {
    root: PathBuf,
    usage: Arc<Mutex<Usage>>,
    verified: Verified,
    /// The folders of temporary stages that there are.
    temporary: Mutex<HashSet<String>>,
}

/// What is known of a file that was received.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedSums<'a> {
    /// Of what was received, in hexadecimal digits.
    pub md5: &'a str,
    /// What the driver that brought it calls its content; it is given back as it came.
    pub digest: Option<&'a str>,
}

/// One file as it was found.
#[derive(Clone, Debug)]
pub struct StagedFile {
    pub path: StagePath,
    pub bytes: u64,
    pub modified_ms: i64,
    /// Where it lies.
    pub place: PathBuf,
    /// The ETag of a file in external storage, which has no local file until it is fetched.
    pub etag: Option<String>,
}

/// A file on its way into a stage; what is not put anywhere vanishes.
pub struct IncomingFile {
    place: PathBuf,
    usage: Arc<Mutex<Usage>>,
    admitted: Mutex<Option<Admitted>>,
}

/// What of a file on its way counts already.
struct Admitted {
    folder: String,
    bytes: u64,
}

impl StageFiles {
    /// Opens the root and removes what an earlier process left half done.
    pub fn open(root: &Path, quotas: StageQuotas) -> io::Result<Self> {
        let files = Self {
            root: root.to_owned(),
            usage: Arc::new(Mutex::new(Usage::new(quotas))),
            verified: Verified::default(),
            temporary: Mutex::default(),
        };
        match fs::remove_dir_all(files.incoming_folder()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::create_dir_all(files.incoming_folder())?;
        for folder in files.folders(&[TEMPORARY_PREFIX])? {
            files.remove_folder(&folder)?;
        }
        Ok(files)
    }

    /// A name for a new stage's folder, which is made when its first file comes.
    pub fn fresh_folder(kind: &str) -> String {
        format!("{kind}-{}", Uuid::new_v4().simple())
    }

    /// As `fresh_folder`, for a temporary stage: once it is removed, no file comes into it any more.
    pub fn fresh_temporary_folder(&self) -> String {
        let folder = format!("{TEMPORARY_PREFIX}{}", Uuid::new_v4().simple());
        self.temporary().insert(folder.clone());
        folder
    }

    pub fn is_temporary(folder: &str) -> bool {
        folder.starts_with(TEMPORARY_PREFIX)
    }

    /// Whether the temporary stage of the folder still exists.
    pub fn has_temporary(&self, folder: &str) -> bool {
        self.temporary().contains(folder)
    }

    pub fn user_folder(user_id: i64) -> String {
        format!("{USER_PREFIX}{user_id}")
    }

    /// The files whose path begins with `prefix`, in the order of their paths.
    pub fn list(&self, folder: &str, prefix: &str) -> io::Result<Vec<StagedFile>> {
        let mut found = Vec::new();
        collect(&self.files_folder(folder), "", prefix, &mut found)?;
        found.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    pub fn find(&self, folder: &str, path: &StagePath) -> io::Result<Option<StagedFile>> {
        let place = self.place(folder, path)?;
        match fs::symlink_metadata(&place) {
            Ok(metadata) if metadata.is_file() => Ok(Some(staged(path.clone(), place, &metadata))),
            Ok(_) => Ok(None),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Where a file that is being made may be written; `put` moves it to its place.
    pub fn receive(&self) -> IncomingFile {
        // A folder that somebody removed is made again; where it cannot be, writing the file reports it.
        let _ = fs::create_dir_all(self.incoming_folder());
        IncomingFile {
            place: self.incoming_folder().join(Uuid::new_v4().simple().to_string()),
            usage: Arc::clone(&self.usage),
            admitted: Mutex::default(),
        }
    }

    /// Counts bytes of a file that is received piece by piece, so that it is refused before it is whole.
    pub fn admit(&self, incoming: &IncomingFile, folder: &str, bytes: u64) -> io::Result<()> {
        require_room(&self.root, bytes)?;
        self.usage().admit(&self.root, folder, bytes)?;
        let mut admitted = incoming.admitted.lock().unwrap_or_else(PoisonError::into_inner);
        admitted.get_or_insert_with(|| Admitted { folder: folder.to_owned(), bytes: 0 }).bytes += bytes;
        Ok(())
    }

    /// Moves a finished file to its place, over one that is there.
    pub fn put(&self, incoming: IncomingFile, folder: &str, path: &StagePath) -> io::Result<StagedFile> {
        let md5 = sums::computed(&incoming.place, &|| false)?;
        self.put_with_sums(incoming, folder, path, ReceivedSums { md5: &md5, digest: None }, &Precondition::None)
    }

    /// As `put`, with the sums of the content.
    pub fn put_with_sums(
        &self,
        incoming: IncomingFile,
        folder: &str,
        path: &StagePath,
        received: ReceivedSums<'_>,
        precondition: &Precondition,
    ) -> io::Result<StagedFile> {
        require_room(&self.root, 0)?;
        File::open(&incoming.place)?.sync_all()?;
        let place = self.place(folder, path)?;
        let bytes = fs::symlink_metadata(&incoming.place)?.len();
        incoming.release();
        let mut usage = self.usage();
        if Self::is_temporary(folder) && !self.has_temporary(folder) {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the temporary stage is gone"));
        }
        precondition.check(|| self.sum_of(folder, path))?;
        let replaced = bytes_of_file(&place)?;
        usage.check_placed(&self.root, folder, bytes, replaced)?;
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent)?;
        }
        // A crash in between leaves a file without a sum, never one with the sum of another.
        let sums = self.sums(folder);
        sums.forget(path)?;
        fs::rename(&incoming.place, &place)?;
        usage.placed(folder, bytes, replaced);
        let metadata = fs::symlink_metadata(&place)?;
        let file = staged(path.clone(), place, &metadata);
        sums.remember(&file, &metadata, received)?;
        self.verified.note(&file.place, ContentState::of(&file.place)?);
        Ok(file)
    }

    /// Fails for a file that does not have the content that was put. `is_stopped` ends the reading of a long one.
    pub fn verify(&self, folder: &str, file: &StagedFile, is_stopped: &dyn Fn() -> bool) -> io::Result<()> {
        let state = ContentState::of(&file.place)?;
        if self.verified.contains(&file.place, &state) {
            return Ok(());
        }
        match self.sums(folder).check(file, is_stopped)? {
            Content::AsPut => {
                self.verified.note(&file.place, state);
                Ok(())
            }
            // It may have been replaced by another PUT while it was read.
            Content::Changed if ContentState::of(&file.place)? != state => self.verify(folder, file, is_stopped),
            Content::Changed => {
                Err(io::Error::new(io::ErrorKind::InvalidData, DamagedFile { path: file.path.to_string() }))
            }
        }
    }

    /// Whether there was a file to remove.
    pub fn remove(&self, folder: &str, path: &StagePath) -> io::Result<bool> {
        self.remove_if(folder, path, &Precondition::None)
    }

    /// As `remove`, of a file that is the expected one.
    pub fn remove_if(&self, folder: &str, path: &StagePath, precondition: &Precondition) -> io::Result<bool> {
        let place = self.place(folder, path)?;
        let mut usage = self.usage();
        precondition.check(|| self.sum_of(folder, path))?;
        let bytes = bytes_of_file(&place)?;
        match fs::remove_file(&place) {
            Ok(()) => {
                usage.removed(folder, bytes);
                // Who puts a file of this name again removes what stays here.
                let _ = self.sums(folder).forget(path);
                self.remove_empty_parents(folder, &place);
                Ok(true)
            }
            Err(error) if is_missing(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub fn remove_folder(&self, folder: &str) -> io::Result<()> {
        let mut usage = self.usage();
        self.temporary().remove(folder);
        usage.removed_folder(folder);
        for place in [self.root.join(folder), self.sums_folder(folder)] {
            match fs::remove_dir_all(place) {
                Err(error) if !is_missing(&error) => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Runs `work` while no file comes, goes or is replaced.
    pub fn freeze<T>(&self, work: impl FnOnce() -> T) -> T {
        let _no_changes = self.usage();
        work()
    }

    /// Removes the folders of stages that are no more. `is_known` is asked after the folders were
    /// looked up, so that a stage made meanwhile is safe.
    pub fn sweep(&self, is_known: impl FnOnce(&[String]) -> Vec<String>) -> io::Result<()> {
        let folders = self.folders(&["stage-", "table-"])?;
        if folders.is_empty() {
            return Ok(());
        }
        let known = is_known(&folders);
        folders.iter().filter(|folder| !known.contains(folder)).try_for_each(|folder| self.remove_folder(folder))
    }

    fn folders(&self, prefixes: &[&str]) -> io::Result<Vec<String>> {
        let mut folders = Vec::new();
        for entry in fs::read_dir(&self.root)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if prefixes.iter().any(|prefix| name.starts_with(prefix)) {
                folders.push(name);
            }
        }
        Ok(folders)
    }

    /// What the driver that brought the file called its content, if it did.
    pub fn digest(&self, folder: &str, file: &StagedFile) -> io::Result<Option<String>> {
        self.sums(folder).digest(file)
    }

    /// The hexadecimal MD5 of a file's content; cached until the file changes.
    pub fn md5(&self, folder: &str, file: &StagedFile) -> io::Result<String> {
        self.sums(folder).md5(file)
    }

    /// Fails unless the file at the path is the expected one.
    pub fn check(&self, folder: &str, path: &StagePath, precondition: &Precondition) -> io::Result<()> {
        precondition.check(|| self.sum_of(folder, path))
    }

    fn sum_of(&self, folder: &str, path: &StagePath) -> io::Result<Option<String>> {
        self.find(folder, path)?.map(|file| self.md5(folder, &file)).transpose()
    }

    fn usage(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn temporary(&self) -> MutexGuard<'_, HashSet<String>> {
        self.temporary.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self, folder: &str, path: &StagePath) -> io::Result<PathBuf> {
        Ok(self.files_folder(folder).join(names::encoded(path)?))
    }

    fn files_folder(&self, folder: &str) -> PathBuf {
        self.root.join(folder)
    }

    fn sums_folder(&self, folder: &str) -> PathBuf {
        self.root.join("sums").join(folder)
    }

    fn sums(&self, folder: &str) -> Sums {
        Sums { folder: self.sums_folder(folder), incoming: self.incoming_folder() }
    }

    fn incoming_folder(&self) -> PathBuf {
        self.root.join("incoming")
    }

    fn remove_empty_parents(&self, folder: &str, place: &Path) {
        let top = self.files_folder(folder);
        let mut parent = place.parent();
        while let Some(current) = parent.filter(|current| current.starts_with(&top)) {
            if fs::remove_dir(current).is_err() {
                return;
            }
            parent = current.parent();
        }
    }
}

impl IncomingFile {
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Refuses so many bytes with `StorageFull` if the disk has no room for them.
    pub fn require_room(&self, bytes: u64) -> io::Result<()> {
        require_room(self.place.parent().unwrap_or(&self.place), bytes)
    }

    fn release(&self) {
        let admitted = self.admitted.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Admitted { folder, bytes }) = admitted {
            self.usage.lock().unwrap_or_else(PoisonError::into_inner).release(&folder, bytes);
        }
    }
}

impl Drop for IncomingFile {
    fn drop(&mut self) {
        self.release();
        // After `put` there is nothing left here to remove.
        let _ = fs::remove_file(&self.place);
    }
}

fn collect(place: &Path, path: &str, prefix: &str, found: &mut Vec<StagedFile>) -> io::Result<()> {
    let entries = match fs::read_dir(place) {
        Ok(entries) => entries,
        Err(error) if is_missing(&error) => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let file_type = entry.file_type()?;
        let Some(name) = entry.file_name().to_str().and_then(names::decoded_part) else { continue };
        let below = format!("{path}{name}");
        if file_type.is_dir() {
            let below = format!("{below}/");
            if below.starts_with(prefix) || prefix.starts_with(&below) {
                collect(&entry.path(), &below, prefix, found)?;
            }
        } else if file_type.is_file()
            && below.starts_with(prefix)
            && let Ok(path) = StagePath::parse(&below)
        {
            match entry.metadata() {
                Ok(metadata) => found.push(staged(path, entry.path(), &metadata)),
                Err(error) if is_missing(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

fn staged(path: StagePath, place: PathBuf, metadata: &fs::Metadata) -> StagedFile {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    StagedFile {
        path,
        bytes: metadata.len(),
        modified_ms: i64::try_from(modified.as_millis()).unwrap_or(i64::MAX),
        place,
        etag: None,
    }
}

/// Nothing where there is no such file.
fn bytes_of_file(place: &Path) -> io::Result<u64> {
    match fs::symlink_metadata(place) {
        Ok(metadata) if metadata.is_file() => Ok(metadata.len()),
        Ok(_) => Ok(0),
        Err(error) if is_missing(&error) => Ok(0),
        Err(error) => Err(error),
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests;
