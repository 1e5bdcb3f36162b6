//! Damaged frames in the write-ahead log of the state file. SQLite reads a log up to the first frame whose checksum is wrong,
//! and writes over the rest. That is right for a log whose last frame was not completely written; but frames of the same log
//! behind a wrong one were written after it, and what they hold was acknowledged. Such a log is copied before SQLite opens it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
const MAGIC: u32 = 0x377f_0682;

/// What SQLite will not read of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LostFrames {
    /// The frames before the first wrong one.
    pub(super) read: usize,
    /// The wrong one and all behind it.
    pub(super) lost: usize,
}

/// Says in the server's log that frames are damaged, and copies them.
pub(super) fn report_damage(state: &Path) -> io::Result<()> {
    let log = beside(state, "-wal");
    let bytes = match fs::read(&log) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        bytes => bytes?,
    };
    let Some(LostFrames { read, lost }) = lost_frames(&bytes) else { return Ok(()) };
    let copy = unused_name(state);
    fs::copy(&log, &copy)?;
    tracing::error!(
        file = %log.display(),
        copy = %copy.display(),
        frames_read = read,
        frames_lost = lost,
        "the log of the state file is damaged: what was recorded last is missing (statements, users, grants); compare it with \
         what you expect, or restore a backup. The damaged log was copied"
    );
    Ok(())
}

fn beside(state: &Path, extension: &str) -> PathBuf {
    let mut name = state.as_os_str().to_owned();
    name.push(extension);
    name.into()
}

fn unused_name(state: &Path) -> PathBuf {
    let mut names = (1_u32..).map(|number| beside(state, &format!("-wal.damaged-{number}")));
    names.find(|name| !name.exists()).unwrap_or_else(|| beside(state, "-wal.damaged"))
}

fn lost_frames(log: &[u8]) -> Option<LostFrames> {
    let (header, frames) = log.split_at_checked(HEADER_BYTES)?;
    let frame_bytes = FRAME_HEADER_BYTES + page_bytes(header)?;
    let frames: Vec<&[u8]> = frames.chunks_exact(frame_bytes).collect();
    let order = if word(header, 0) == MAGIC { u32::from_le_bytes } else { u32::from_be_bytes };
    let mut sum = checksum((0, 0), &header[..24], order);
    let salts = &header[16..24];
    let is_of_log = |frame: &&[u8]| frame[8..16] == *salts;
    let mut read = 0;
    if sum == (word(header, 24), word(header, 28)) {
        for frame in &frames {
            let (head, page) = frame.split_at(FRAME_HEADER_BYTES);
            sum = checksum(checksum(sum, &head[..8], order), page, order);
            if !is_of_log(frame) || sum != (word(head, 16), word(head, 20)) {
                break;
            }
            read += 1;
        }
        // Frames of a transaction that was not committed are lost rightly.
        let is_commit = |frame: &&[u8]| is_of_log(frame) && word(frame, 4) != 0;
        let last = frames.get(read + 1..)?.iter().rposition(is_commit)?;
        Some(LostFrames { read, lost: last + 2 })
    } else {
        (!frames.is_empty()).then_some(LostFrames { read, lost: frames.len() })
    }
}

/// `None` of a header that is none: it has not been written yet.
fn page_bytes(header: &[u8]) -> Option<usize> {
    let is_log = word(header, 0) & !1 == MAGIC;
    let bytes = usize::try_from(word(header, 8)).ok()?;
    (is_log && bytes.is_power_of_two() && (512..=65_536).contains(&bytes)).then_some(bytes)
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map_or(0, u32::from_be_bytes)
}

/// Of an even number of words; that of a frame goes on from that of the frame before.
fn checksum((mut first, mut second): (u32, u32), bytes: &[u8], order: fn([u8; 4]) -> u32) -> (u32, u32) {
    for pair in bytes.as_chunks::<8>().0 {
        let [a, b, c, d, e, f, g, h] = *pair;
        first = first.wrapping_add(order([a, b, c, d])).wrapping_add(second);
        second = second.wrapping_add(order([e, f, g, h])).wrapping_add(first);
    }
    (first, second)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// The log of ten commits.
    fn log() -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        connection.execute_batch("CREATE TABLE t (a TEXT)").unwrap();
        for number in 0..10 {
            connection.execute("INSERT INTO t VALUES (?1)", [format!("{number}").repeat(3_000)]).unwrap();
        }
        fs::read(beside(&path, "-wal")).unwrap()
    }

    fn frame_at(number: usize) -> usize {
        HEADER_BYTES + number * (FRAME_HEADER_BYTES + 4_096)
    }

    #[test]
    fn a_sound_log_has_lost_nothing() {
        let log = log();
        assert_eq!(lost_frames(&log), None);
        for cut in [0, 10, HEADER_BYTES, frame_at(3), frame_at(3) + 100, log.len() - 1] {
            assert_eq!(lost_frames(&log[..cut]), None, "{cut}");
        }
    }

    #[test]
    fn the_last_frame_may_be_half_written() {
        let mut log = log();
        let end = log.len();
        log[end - 2_000..].fill(0);
        assert_eq!(lost_frames(&log), None);
    }

    #[test]
    fn frames_behind_a_wrong_one_are_lost() {
        let sound = log();
        let count = (sound.len() - HEADER_BYTES) / (FRAME_HEADER_BYTES + 4_096);
        for wrong in [0, 3, count - 2] {
            for place in [0, 10, 500] {
                let mut log = sound.clone();
                log[frame_at(wrong) + place] ^= 0xff;
                assert_eq!(lost_frames(&log), Some(LostFrames { read: wrong, lost: count - wrong }), "{wrong} {place}");
            }
        }
    }

    #[test]
    fn frames_of_an_earlier_log_are_none_of_this_one() {
        let mut log = log();
        log[frame_at(4)..].chunks_mut(FRAME_HEADER_BYTES + 4_096).for_each(|frame| frame[8] ^= 0xff);
        assert_eq!(lost_frames(&log), None);
    }

    #[test]
    fn a_damaged_header_loses_all_frames() {
        let mut log = log();
        log[20] ^= 0xff;
        let count = (log.len() - HEADER_BYTES) / (FRAME_HEADER_BYTES + 4_096);
        assert_eq!(lost_frames(&log), Some(LostFrames { read: 0, lost: count }));
    }
}
