//! MD5 sums of staged files, stored beside them. A sum is valid for the size and modification time it was computed for;
//! one that is lost or cut is computed again, and one that cannot be stored is computed every time.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use md5::{Digest, Md5};
use uuid::Uuid;

use super::{StagedFile, names};

const SUM_CHARACTERS: usize = 32;

/// The sums of one stage.
pub(super) struct Sums {
    pub(super) folder: PathBuf,
    /// Where a sum is written before it is moved to its place; emptied at every start.
    pub(super) incoming: PathBuf,
}

impl Sums {
    pub(super) fn md5(&self, file: &StagedFile) -> io::Result<String> {
        let state = state(&file.place)?;
        let place = self.place(file)?;
        if let Ok(known) = fs::read_to_string(&place)
            && let Some(sum) = known.strip_prefix(&state)
            && is_sum(sum)
        {
            return Ok(sum.to_owned());
        }
        let sum = computed(&file.place)?;
        self.store(&place, &state, &sum);
        Ok(sum)
    }

    /// Stores a sum that was computed while the file was written.
    pub(super) fn remember(&self, file: &StagedFile, sum: &str) -> io::Result<()> {
        self.store(&self.place(file)?, &state(&file.place)?, sum);
        Ok(())
    }

    /// The file is in its stage already: a sum that a full or failing disk does not take is no reason to refuse it.
    fn store(&self, place: &Path, state: &str, sum: &str) {
        let unfinished = self.incoming.join(Uuid::new_v4().simple().to_string());
        if write(&unfinished, place, &format!("{state}{sum}")).is_err() {
            // It goes at the next start, if it cannot now.
            let _ = fs::remove_file(&unfinished);
        }
    }

    fn place(&self, file: &StagedFile) -> io::Result<PathBuf> {
        Ok(self.folder.join(names::encoded(&file.path)?))
    }
}

/// Whole or not at all, also after power loss.
fn write(unfinished: &Path, place: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(unfinished)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    if let Some(parent) = place.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::rename(unfinished, place)
}

fn is_sum(text: &str) -> bool {
    text.len() == SUM_CHARACTERS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What changes when the file does.
fn state(place: &Path) -> io::Result<String> {
    let metadata = fs::symlink_metadata(place)?;
    let modified = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{} {} ", metadata.len(), modified.as_nanos()))
}

fn computed(place: &Path) -> io::Result<String> {
    let mut file = File::open(place)?;
    let mut sum = Md5::new();
    let mut buffer = vec![0; 256 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            length => sum.update(&buffer[..length]),
        }
    }
    Ok(sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
