//! MD5 sums of staged files, stored beside them. A sum is valid for the size and modification time it was computed for;
//! one that is lost is computed again.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use md5::{Digest, Md5};

use super::{StagedFile, names};

pub(super) fn md5(sums: &Path, file: &StagedFile) -> io::Result<String> {
    let state = state(&file.place)?;
    let place = place(sums, file)?;
    if let Ok(known) = fs::read_to_string(&place)
        && let Some(sum) = known.strip_prefix(&state)
    {
        return Ok(sum.to_owned());
    }
    let sum = computed(&file.place)?;
    write(&place, &state, &sum)?;
    Ok(sum)
}

/// Stores a sum that was computed while the file was written.
pub(super) fn remember(sums: &Path, file: &StagedFile, sum: &str) -> io::Result<()> {
    write(&place(sums, file)?, &state(&file.place)?, sum)
}

fn write(place: &Path, state: &str, sum: &str) -> io::Result<()> {
    if let Some(parent) = place.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(place, format!("{state}{sum}"))
}

fn place(sums: &Path, file: &StagedFile) -> io::Result<PathBuf> {
    Ok(sums.join(names::encoded(&file.path)?))
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
