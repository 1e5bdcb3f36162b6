//! Room on the disk. Whatever takes much of it stops while a reserve is left, which small statements can still use. This is
//! the one place that says how large the reserve is.

use std::io;
use std::path::Path;

/// The reserve is the smaller of this and a share of the disk.
const RESERVE_BYTES_MAX: u64 = 512 << 20;
const RESERVE_SHARE: u64 = 4;

/// A disk with less free room than the smaller of this and a share of the reserve takes no statement.
const FULL_BYTES_MAX: u64 = 1 << 20;
const FULL_SHARE: u64 = 64;

/// What a file system has at one moment.
#[derive(Clone, Copy, Debug)]
pub struct DiskRoom {
    pub free_bytes: u64,
    pub reserve_bytes: u64,
}

impl DiskRoom {
    pub fn of(folder: &Path) -> io::Result<Self> {
        let disk = rustix::fs::statvfs(folder)?;
        Ok(Self {
            free_bytes: disk.f_bavail * disk.f_frsize,
            reserve_bytes: (disk.f_blocks * disk.f_frsize / RESERVE_SHARE).min(RESERVE_BYTES_MAX),
        })
    }

    /// Whether no more is left than the reserve.
    pub fn is_low(&self) -> bool {
        self.free_bytes < self.reserve_bytes
    }

    pub fn is_full(&self) -> bool {
        self.free_bytes < (self.reserve_bytes / FULL_SHARE).min(FULL_BYTES_MAX)
    }
}

/// Refuses with `StorageFull` to write so many bytes if they would take from the reserve.
pub fn require_room(folder: &Path, bytes: u64) -> io::Result<()> {
    require(folder, bytes, |room| room.reserve_bytes)
}

/// As `require_room` for the small file of a statement, which may take half of the reserve.
pub fn require_room_for_small(folder: &Path, bytes: u64) -> io::Result<()> {
    require(folder, bytes, |room| room.reserve_bytes / 2)
}

/// Where the room cannot be measured, the write itself says what is wrong.
fn require(folder: &Path, bytes: u64, left: impl FnOnce(&DiskRoom) -> u64) -> io::Result<()> {
    match DiskRoom::of(folder) {
        Ok(room) if room.free_bytes < left(&room).saturating_add(bytes) => Err(io::ErrorKind::StorageFull.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_low_before_it_is_full() {
        let room = |free_bytes| DiskRoom { free_bytes, reserve_bytes: 64 << 20 };
        let states =
            [64 << 20, (64 << 20) - 1, 1 << 20, (1 << 20) - 1].map(|free| (room(free).is_low(), room(free).is_full()));
        assert_eq!(states, [(false, false), (true, false), (true, false), (true, true)]);
    }

    #[test]
    fn what_does_not_fit_beside_the_reserve_is_refused() {
        let folder = std::env::temp_dir();
        let refused = require_room(&folder, u64::MAX).map_err(|error| error.kind());
        assert_eq!(refused, Err(io::ErrorKind::StorageFull));
        assert!(require_room(Path::new("/no such folder"), u64::MAX).is_ok());
    }
}
