//! How much queries may spill to the disk: what is free beside the reserve. The engine takes nine tenths of what is free when the
//! first of them spills, and does not look again.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use firn_engine::disk_room::DiskRoom;

use super::connection::Connection;

/// How often the limit is adjusted while there is spilled data, and while there is none.
const INTERVAL: Duration = Duration::from_millis(100);
pub(crate) const IDLE_INTERVAL: Duration = Duration::from_secs(1);

/// The limit is set in steps of this, and never to less.
const STEP_BYTES: u64 = 1 << 20;

pub(crate) struct SpillLimit {
    folder: PathBuf,
    /// In bytes, as it was set last.
    limit: Option<u64>,
    adjusted: Instant,
    spilled_bytes: u64,
}

impl SpillLimit {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), limit: None, adjusted: Instant::now(), spilled_bytes: 0 }
    }

    /// How long the limit may stay as it is.
    pub(crate) fn interval(&self) -> Duration {
        if self.spilled_bytes > 0 { INTERVAL } else { IDLE_INTERVAL }
    }

    pub(crate) fn is_due(&self) -> bool {
        self.adjusted.elapsed() >= self.interval()
    }

    /// The engine refuses a limit below what has been spilled meanwhile; the next one is right again.
    pub(crate) fn adjust(&mut self, connection: &Connection) {
        self.adjusted = Instant::now();
        let _ = fs::create_dir_all(&self.folder);
        let Ok(room) = DiskRoom::of(&self.folder) else { return };
        self.spilled_bytes = spilled_bytes(&self.folder);
        let limit = limit_of(&room, self.spilled_bytes);
        let set = format!("SET GLOBAL max_temp_directory_size = '{limit}B'");
        if self.limit != Some(limit) {
            self.limit = connection.execute(&set).ok().map(|_| limit);
        }
    }
}

fn limit_of(room: &DiskRoom, spilled_bytes: u64) -> u64 {
    let usable = spilled_bytes + room.free_bytes.saturating_sub(room.reserve_bytes);
    usable.next_multiple_of(STEP_BYTES).max(STEP_BYTES)
}

fn spilled_bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|found| found.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_what_is_free_beside_the_reserve() {
        const MIB: u64 = 1 << 20;
        let room = |free: u64| DiskRoom { free_bytes: free * MIB, reserve_bytes: 64 * MIB };
        let limits =
            [(100, 0), (100, 10), (64, 0), (10, 20)].map(|(free, spilled)| limit_of(&room(free), spilled * MIB));
        assert_eq!(limits, [36 * MIB, 46 * MIB, MIB, 20 * MIB]);
    }
}
