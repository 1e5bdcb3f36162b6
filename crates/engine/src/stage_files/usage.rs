//! What the files of stages take on disk, and what they may.

use std::collections::HashMap;
use std::path::Path;
use std::{fs, io};

use super::{USER_PREFIX, is_missing};

/// What the files of stages may take.
#[derive(Clone, Copy, Debug)]
pub struct StageQuotas {
    /// The files of one user's own stage.
    pub user_bytes_max: u64,
    /// The files of all stages.
    pub bytes_max: u64,
}

impl Default for StageQuotas {
    fn default() -> Self {
        Self { user_bytes_max: u64::MAX, bytes_max: u64::MAX }
    }
}

/// Bytes by folder. The folders are measured when the first file comes, and counted from then on.
pub(super) struct Usage {
    quotas: StageQuotas,
    measured: Option<Counts>,
    /// Files on their way in.
    incoming: Counts,
}

#[derive(Default)]
struct Counts {
    folders: HashMap<String, u64>,
    total: u64,
}

impl Counts {
    fn of(&self, folder: &str) -> u64 {
        self.folders.get(folder).copied().unwrap_or_default()
    }

    fn add(&mut self, folder: &str, bytes: u64) {
        *self.folders.entry(folder.to_owned()).or_default() += bytes;
        self.total += bytes;
    }

    fn subtract(&mut self, folder: &str, bytes: u64) {
        let left = self.of(folder).saturating_sub(bytes);
        self.total = self.total.saturating_sub(bytes);
        match left {
            0 => drop(self.folders.remove(folder)),
            left => drop(self.folders.insert(folder.to_owned(), left)),
        }
    }
}

impl Usage {
    pub(super) fn new(quotas: StageQuotas) -> Self {
        Self { quotas, measured: None, incoming: Counts::default() }
    }

    /// Counts bytes that are on their way into a folder; refuses those beyond a quota.
    pub(super) fn admit(&mut self, root: &Path, folder: &str, bytes: u64) -> io::Result<()> {
        self.check(root, folder, bytes)?;
        self.incoming.add(folder, bytes);
        Ok(())
    }

    /// The bytes are no longer on their way.
    pub(super) fn release(&mut self, folder: &str, bytes: u64) {
        self.incoming.subtract(folder, bytes);
    }

    /// Refuses a file of `bytes` that would pass a quota where it replaces one of `replaced` bytes.
    pub(super) fn check_placed(&mut self, root: &Path, folder: &str, bytes: u64, replaced: u64) -> io::Result<()> {
        self.check(root, folder, bytes.saturating_sub(replaced))
    }

    pub(super) fn placed(&mut self, folder: &str, bytes: u64, replaced: u64) {
        if let Some(measured) = &mut self.measured {
            measured.subtract(folder, replaced);
            measured.add(folder, bytes);
        }
    }

    pub(super) fn removed(&mut self, folder: &str, bytes: u64) {
        if let Some(measured) = &mut self.measured {
            measured.subtract(folder, bytes);
        }
    }

    pub(super) fn removed_folder(&mut self, folder: &str) {
        if let Some(measured) = &mut self.measured {
            measured.subtract(folder, measured.of(folder));
        }
    }

    fn check(&mut self, root: &Path, folder: &str, bytes: u64) -> io::Result<()> {
        let StageQuotas { user_bytes_max, bytes_max } = self.quotas;
        if self.measured.is_none() {
            self.measured = Some(measure(root)?);
        }
        let placed = self.measured.as_ref().map_or((0, 0), |measured| (measured.of(folder), measured.total));
        if folder.starts_with(USER_PREFIX) && placed.0 + self.incoming.of(folder) + bytes > user_bytes_max {
            return Err(exceeded(&format!(
                "the files of a user's own stage may take {user_bytes_max} bytes (stage_user_bytes_max)"
            )));
        }
        if placed.1 + self.incoming.total + bytes > bytes_max {
            return Err(exceeded(&format!("the files of all stages may take {bytes_max} bytes (stages_bytes_max)")));
        }
        Ok(())
    }
}

fn exceeded(limit: &str) -> io::Error {
    io::Error::new(io::ErrorKind::QuotaExceeded, format!("{limit}; remove files that are no longer needed"))
}

fn measure(root: &Path) -> io::Result<Counts> {
    let mut counts = Counts::default();
    for entry in fs::read_dir(root)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if ["stage-", "table-", USER_PREFIX].iter().any(|prefix| name.starts_with(prefix)) {
            counts.add(&name, bytes_below(&root.join(&name))?);
        }
    }
    Ok(counts)
}

fn bytes_below(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        bytes += match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path())?,
            Ok(metadata) => metadata.len(),
            Err(error) if is_missing(&error) => 0,
            Err(error) => return Err(error),
        };
    }
    Ok(bytes)
}
