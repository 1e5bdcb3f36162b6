//! A look at the write-ahead log of a database before the engine replays it. The engine takes a log whose beginning it cannot
//! read, and whatever follows an entry that is longer than the file, for what a crash has cut off, and goes on without it; some
//! damaged beginnings end the whole engine. A crash only ever cuts the end off: what has a commit behind the cut is damaged.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use firn_engine::EngineError;

/// The fields of the first entry around its version: that it is one, the version, the end.
const HEADER_START: [u8; 5] = [0x64, 0, 98, 0x65, 0];
const HEADER_END: [u8; 2] = [0xff, 0xff];
const HEADER_BYTES: usize = HEADER_START.len() + 1 + HEADER_END.len();
/// The last entry of a commit.
const COMMIT: [u8; 5] = [0x64, 0, 100, 0xff, 0xff];
const SIZE_BYTES: u64 = 8;
/// The size and the checksum before the data of an entry.
const ENTRY_HEAD_BYTES: u64 = SIZE_BYTES + 8;
const WINDOW_BYTES: usize = 64 << 10;

/// Refuses a log that is damaged. One that is missing, empty or cut off is none.
pub(super) fn check(log: &Path) -> Result<(), EngineError> {
    // What cannot be read is the engine's to report, as it reports every failure of the disk.
    match File::open(log).and_then(damage) {
        Ok(Some(place)) => Err(EngineError::Internal(format!(
            "its log {} is damaged at byte {place}; bring both files back from a backup, or move the log away and give up the \
             changes in it",
            log.file_name().unwrap_or_default().to_string_lossy()
        ))),
        Ok(None) | Err(_) => Ok(()),
    }
}

/// Where the log is damaged.
fn damage(file: File) -> io::Result<Option<u64>> {
    let length = file.metadata()?.len();
    let mut log = BufReader::new(file);
    let mut header = [0; HEADER_BYTES];
    if length < HEADER_BYTES as u64 {
        return Ok(None);
    }
    log.read_exact(&mut header)?;
    if !header.starts_with(&HEADER_START) || !header.ends_with(&HEADER_END) {
        return Ok(Some(0));
    }
    let mut place = HEADER_BYTES as u64;
    while place + ENTRY_HEAD_BYTES <= length {
        let mut size = [0; SIZE_BYTES as usize];
        log.read_exact(&mut size)?;
        let size = u64::from_le_bytes(size);
        match place.checked_add(ENTRY_HEAD_BYTES).and_then(|data| data.checked_add(size)) {
            Some(next) if size > 0 && next <= length => {
                // Both fit: the next entry begins within the file.
                log.seek_relative((next - place - SIZE_BYTES) as i64)?;
                place = next;
            }
            _ => return Ok(has_commit_after(log, place + SIZE_BYTES)?.then_some(place)),
        }
    }
    Ok(None)
}

/// Whether a whole commit entry lies somewhere behind a place.
fn has_commit_after(mut log: BufReader<File>, place: u64) -> io::Result<bool> {
    let mut entry = (COMMIT.len() as u64).to_le_bytes().to_vec();
    let checksum_at = entry.len();
    entry.extend_from_slice(&[0; 8]);
    let data_at = entry.len();
    entry.extend_from_slice(&COMMIT);
    let is_commit = |found: &[u8]| found[..checksum_at] == entry[..checksum_at] && found[data_at..] == entry[data_at..];
    log.seek(SeekFrom::Start(place))?;
    let mut window = Vec::with_capacity(2 * WINDOW_BYTES);
    loop {
        let read = log.by_ref().take(WINDOW_BYTES as u64).read_to_end(&mut window)?;
        if window.windows(entry.len()).any(is_commit) {
            return Ok(true);
        }
        if read == 0 {
            return Ok(false);
        }
        window.drain(..window.len().saturating_sub(entry.len() - 1));
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use std::fs;

    fn entry(data: &[u8]) -> Vec<u8> {
        [(data.len() as u64).to_le_bytes().as_slice(), &[7; 8], data].concat()
    }

    fn log() -> Vec<u8> {
        let header = [HEADER_START.as_slice(), &[2], &HEADER_END].concat();
        let change = entry(&[1; 40]);
        [header, change.clone(), entry(&COMMIT), change, entry(&COMMIT)].concat()
    }

    fn is_damaged(log: &[u8]) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("D.duckdb.wal");
        fs::write(&file, log).unwrap();
        check(&file).is_err()
    }

    #[test]
    fn what_a_crash_leaves_is_not_damaged() {
        let whole = log();
        (0..=whole.len()).for_each(|length| assert!(!is_damaged(&whole[..length]), "cut after {length} bytes"));
        assert!(check(Path::new("/no/such/log")).is_ok());
    }

    #[test]
    fn changed_beginnings_and_sizes_are_damage() {
        let whole = log();
        let version = HEADER_START.len();
        let sizes = HEADER_BYTES..HEADER_BYTES + SIZE_BYTES as usize;
        for place in (0..HEADER_BYTES).filter(|place| *place != version).chain(sizes) {
            let mut changed = whole.clone();
            changed[place] ^= 0x80;
            assert!(is_damaged(&changed), "byte {place}");
        }
        let mut zeros = whole.clone();
        zeros[..60].fill(0);
        assert!(is_damaged(&zeros));
    }
}
