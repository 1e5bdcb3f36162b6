//! MD5 sums of staged files, stored beside them when a file is put. A file whose size or time is no longer that of its sum is
//! read for comparison; one with other content is damaged and never gets a new sum. A sum that is lost, cut or cannot be
//! stored is computed again.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use md5::{Digest, Md5};
use uuid::Uuid;

use super::{ReceivedSums, StagedFile, is_missing, names};
use crate::regular_files;

const SUM_CHARACTERS: usize = 32;

/// The sums of one stage.
pub(super) struct Sums {
    pub(super) folder: PathBuf,
    /// Where a sum is written before it is moved to its place; emptied at every start.
    pub(super) incoming: PathBuf,
}

/// What the sum of a file was stored with.
struct Recorded {
    state: String,
    sum: String,
    digest: Option<String>,
}

/// What changes with a file's content, whoever changes it: nobody can set the time of the last change of its inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ContentState {
    bytes: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl ContentState {
    pub(super) fn of(place: &Path) -> io::Result<Self> {
        let metadata = fs::symlink_metadata(place)?;
        Ok(Self {
            bytes: metadata.len(),
            inode: metadata.ino(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

/// Whether a file has the content that was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    AsPut,
    Changed,
}

impl Sums {
    /// Of the content that the file has now.
    pub(super) fn md5(&self, file: &StagedFile) -> io::Result<String> {
        let state = state(&fs::symlink_metadata(&file.place)?)?;
        let recorded = self.recorded(file)?;
        match recorded.filter(|recorded| recorded.state == state) {
            Some(recorded) => Ok(recorded.sum),
            None => Ok(self.compared(file, &|| false)?.1),
        }
    }

    /// Reads the file; `is_stopped` ends that.
    pub(super) fn check(&self, file: &StagedFile, is_stopped: &dyn Fn() -> bool) -> io::Result<Content> {
        Ok(self.compared(file, is_stopped)?.0)
    }

    fn compared(&self, file: &StagedFile, is_stopped: &dyn Fn() -> bool) -> io::Result<(Content, String)> {
        let state = state(&fs::symlink_metadata(&file.place)?)?;
        let sum = computed(&file.place, is_stopped)?;
        match self.recorded(file)? {
            Some(recorded) if recorded.sum != sum => return Ok((Content::Changed, sum)),
            Some(recorded) if recorded.state == state => {}
            recorded => {
                let digest = recorded.and_then(|recorded| recorded.digest);
                self.store(&self.place(file)?, &state, ReceivedSums { md5: &sum, digest: digest.as_deref() });
            }
        }
        Ok((Content::AsPut, sum))
    }

    /// Of the content that was put.
    pub(super) fn digest(&self, file: &StagedFile) -> io::Result<Option<String>> {
        let state = state(&fs::symlink_metadata(&file.place)?)?;
        let recorded = self.recorded(file)?.filter(|recorded| recorded.state == state);
        Ok(recorded.and_then(|recorded| recorded.digest))
    }

    /// Stores the sums of a file that was put, as `metadata` describes it.
    pub(super) fn remember(
        &self,
        file: &StagedFile,
        metadata: &Metadata,
        received: ReceivedSums<'_>,
    ) -> io::Result<()> {
        self.store(&self.place(file)?, &state(metadata)?, received);
        Ok(())
    }

    /// To be called before the file is replaced and after it is removed. Whether there was a sum.
    pub(super) fn forget(&self, path: &firn_sql::stages::StagePath) -> io::Result<bool> {
        match fs::remove_file(self.folder.join(names::encoded(path)?)) {
            Ok(()) => Ok(true),
            Err(error) if is_missing(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn recorded(&self, file: &StagedFile) -> io::Result<Option<Recorded>> {
        let Ok(text) = regular_files::read_to_string(&self.place(file)?) else { return Ok(None) };
        let (text, digest) = match text.split_once('\n') {
            Some((text, digest)) => (text, Some(digest.to_owned())),
            None => (text.as_str(), None),
        };
        let recorded = text.rfind(' ').map(|space| text.split_at(space + 1));
        let recorded = recorded.filter(|(_, sum)| is_sum(sum));
        Ok(recorded.map(|(state, sum)| Recorded { state: state.to_owned(), sum: sum.to_owned(), digest }))
    }

    /// The file is in its stage already: a sum that a full or failing disk does not take is no reason to refuse it.
    fn store(&self, place: &Path, state: &str, received: ReceivedSums<'_>) {
        let unfinished = self.incoming.join(Uuid::new_v4().simple().to_string());
        let digest = received.digest.map_or_else(String::new, |digest| format!("\n{digest}"));
        if write(&unfinished, place, &format!("{state}{}{digest}", received.md5)).is_err() {
            // It goes at the next start, if it cannot now.
            let _ = fs::remove_file(&unfinished);
        }
    }

    fn place(&self, file: &StagedFile) -> io::Result<PathBuf> {
        Ok(self.folder.join(names::encoded(&file.path)?))
    }
}

/// Whole or, after power loss, not at all: a sum that is cut is none.
fn write(unfinished: &Path, place: &Path, text: &str) -> io::Result<()> {
    File::create(unfinished)?.write_all(text.as_bytes())?;
    if let Some(parent) = place.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::rename(unfinished, place)
}

fn is_sum(text: &str) -> bool {
    text.len() == SUM_CHARACTERS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The size and time that a sum is stored with.
fn state(metadata: &Metadata) -> io::Result<String> {
    let modified = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{} {} ", metadata.len(), modified.as_nanos()))
}

pub(super) fn computed(place: &Path, is_stopped: &dyn Fn() -> bool) -> io::Result<String> {
    let mut file = regular_files::open(place)?;
    let mut sum = Md5::new();
    let mut buffer = vec![0; 256 << 10];
    loop {
        if is_stopped() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match file.read(&mut buffer)? {
            0 => break,
            length => sum.update(&buffer[..length]),
        }
    }
    Ok(sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
