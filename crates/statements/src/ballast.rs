//! Room that is set aside for statements that make room. Each of them writes a little first, to the state file and to a log,
//! and on a full disk nobody could drop anything. So a file takes that room while it is not needed. Only such statements, once
//! they are authorised (`making_room.rs`), and the start of the server remove it, and it is made again as soon as there is room.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use firn_engine::disk_room::DiskRoom;
use firn_engine::regular_files::{self, InTheWay, Links, require_file};
use rustix::fs::{FallocateFlags, fallocate};

use crate::mutex::lock;

const FILE: &str = "reserved-room";

/// The length of the file: the smaller of this and a share of the disk's reserve.
pub const BALLAST_BYTES_MAX: u64 = 16 << 20;
const RESERVE_SHARE: u64 = 8;

/// A file that could be made longer by less is left as it is.
const STEP_BYTES: u64 = 64 << 10;

pub struct Ballast {
    folder: PathBuf,
    /// Whether the file is shorter than it should be.
    is_short: AtomicBool,
    changing: Mutex<()>,
}

impl Ballast {
    pub fn new(data_dir: &Path) -> Self {
        Self { folder: data_dir.to_owned(), is_short: AtomicBool::new(true), changing: Mutex::default() }
    }

    /// Fails where something else is in the place of the file.
    pub fn require_file(&self) -> Result<(), InTheWay> {
        require_file(&self.file(), Links::Refused)
    }

    /// Removes the file if the disk has little room beside it.
    pub fn release_if_full(&self) {
        let _changing = lock(&self.changing);
        if self.is_wanted() && fs::remove_file(self.file()).is_ok() {
            self.is_short.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the disk has little room beside the file.
    pub fn is_wanted(&self) -> bool {
        DiskRoom::of(&self.folder).is_ok_and(|room| room.free_bytes < wanted_bytes(&room) / 2)
    }

    /// Makes the file as long as it should be. On a disk with less room half of that is left to statements.
    pub fn restore(&self) {
        if !self.is_short.load(Ordering::Relaxed) {
            return;
        }
        let _changing = lock(&self.changing);
        let Ok(room) = DiskRoom::of(&self.folder) else { return };
        let (wanted, length) = (wanted_bytes(&room), self.file().symlink_metadata().map_or(0, |found| found.len()));
        let possible = wanted.min((length + room.free_bytes) / 2);
        let lengthened = if possible < length + STEP_BYTES { Ok(()) } else { self.lengthen(length, possible) };
        let is_short = match lengthened {
            Ok(()) => possible.max(length) + STEP_BYTES <= wanted,
            Err(error) if error.kind() == io::ErrorKind::StorageFull => true,
            Err(error) => {
                tracing::warn!(%error, "no room can be set aside for statements that make room on a full disk");
                false
            }
        };
        self.is_short.store(is_short, Ordering::Relaxed);
    }

    fn lengthen(&self, from: u64, to: u64) -> io::Result<()> {
        let mut file =
            regular_files::open_with(OpenOptions::new().append(true).create(true).mode(0o600), &self.file())?;
        match fallocate(&file, FallocateFlags::empty(), from, to - from) {
            Err(rustix::io::Errno::OPNOTSUPP) => write_bytes(&mut file, to - from),
            allocated => Ok(allocated?),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.join(FILE)
    }
}

fn wanted_bytes(room: &DiskRoom) -> u64 {
    (room.reserve_bytes / RESERVE_SHARE).min(BALLAST_BYTES_MAX)
}

fn write_bytes(file: &mut File, bytes: u64) -> io::Result<()> {
    let piece = vec![b'x'; STEP_BYTES as usize];
    (0..bytes / STEP_BYTES).try_for_each(|_| file.write_all(&piece))
}
