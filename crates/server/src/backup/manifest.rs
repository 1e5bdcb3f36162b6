//! The manifest of a backup: every file with its size and SHA-256, and beside it the SHA-256 of the manifest itself.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::layout::{FOLDERS, STAGE_KEY};

pub const FORMAT: u32 = 1;
pub const MANIFEST: &str = "manifest.json";
const SUM: &str = "manifest.json.sha256";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    pub firn_version: String,
    /// The version of the tables of the state file.
    pub state_version: u32,
    pub made_on_ms: i64,
    pub files: Vec<Entry>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Below the data folder, and in the same place below the backup.
    pub path: String,
    pub bytes: u64,
    pub sha256: String,
    pub modified_ns: i64,
    /// By what an unchanged file is recognised; absent if a change could go unnoticed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source: Option<SourceId>,
}

/// The file that was copied. It is unchanged if size and modification time are the same, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceId {
    pub device: u64,
    pub inode: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("it has no {MANIFEST}; its making may have been broken off")]
    Missing,
    #[error("its {MANIFEST} cannot be read: {0}")]
    Unreadable(io::Error),
    #[error("its {MANIFEST} is not what was written; its sum in {SUM} differs")]
    Damaged,
    #[error("its {MANIFEST} is not one of firn's: {0}")]
    Foreign(String),
    #[error("firn {0}")]
    Newer(String),
}

impl Manifest {
    pub fn read(backup: &Path) -> Result<Self, ManifestError> {
        let is_regular = |name: &str| std::fs::symlink_metadata(backup.join(name)).is_ok_and(|found| found.is_file());
        if backup.join(MANIFEST).symlink_metadata().is_ok() && !(is_regular(MANIFEST) && is_regular(SUM)) {
            return Err(ManifestError::Damaged);
        }
        let text = match std::fs::read(backup.join(MANIFEST)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(ManifestError::Missing),
            Err(error) => return Err(ManifestError::Unreadable(error)),
        };
        let sum = std::fs::read_to_string(backup.join(SUM)).map_err(|_| ManifestError::Damaged)?;
        if sum.split_whitespace().next() != Some(hexadecimal(&Sha256::digest(&text)).as_str()) {
            return Err(ManifestError::Damaged);
        }
        // The version first: a newer manifest may look different.
        let version: Version = parse(&text)?;
        if version.format > FORMAT {
            return Err(ManifestError::Newer(version.firn_version));
        }
        if version.format == 0 {
            return Err(ManifestError::Foreign("its format 0 is unknown".to_owned()));
        }
        let manifest: Self = parse(&text)?;
        let mut seen = HashSet::new();
        for entry in &manifest.files {
            if !is_within_data_folder(&entry.path) {
                return Err(ManifestError::Foreign(format!("it names the file `{}`", entry.path)));
            }
            if !seen.insert(entry.path.as_str()) {
                return Err(ManifestError::Foreign(format!("it names the file `{}` twice", entry.path)));
            }
        }
        Ok(manifest)
    }

    /// On disk when this returns.
    pub fn write(&self, backup: &Path) -> io::Result<()> {
        let text = serde_json::to_vec(self)?;
        write_synced(&backup.join(SUM), format!("{}  {MANIFEST}\n", hexadecimal(&Sha256::digest(&text))).as_bytes())?;
        write_synced(&backup.join(MANIFEST), &text)
    }

    pub fn by_path(&self) -> HashMap<&str, &Entry> {
        self.files.iter().map(|entry| (entry.path.as_str(), entry)).collect()
    }
}

#[derive(Deserialize)]
struct Version {
    format: u32,
    firn_version: String,
}

fn parse<'text, T: Deserialize<'text>>(text: &'text [u8]) -> Result<T, ManifestError> {
    serde_json::from_slice(text).map_err(|error| ManifestError::Foreign(error.to_string()))
}

fn write_synced(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text)?;
    file.sync_all()
}

/// Whether a restore may write there. Only the way of writing it that backups have is taken: one path, one text.
fn is_within_data_folder(path: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains('\0');
    match path.split_once('/') {
        None => path == firn_catalog::STATE_FILE || path == STAGE_KEY,
        Some((folder, below)) => FOLDERS.contains(&folder) && below.split('/').all(is_plain),
    }
}

pub fn hexadecimal(sum: &[u8]) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn manifest(path: &str) -> Manifest {
        let entry = Entry { path: path.to_owned(), bytes: 1, sha256: "00".to_owned(), modified_ns: 1, source: None };
        Manifest { format: FORMAT, firn_version: "9.9".to_owned(), state_version: 1, made_on_ms: 1, files: vec![entry] }
    }

    fn read_again(manifest: &Manifest) -> Result<Manifest, String> {
        let folder = tempfile::tempdir().unwrap();
        manifest.write(folder.path()).unwrap();
        Manifest::read(folder.path()).map_err(|error| error.to_string())
    }

    #[test]
    fn files_outside_of_the_data_folder_are_refused() {
        for path in ["firn.sqlite", "databases/A.duckdb", "stages/user-1/a%/b", "stage-credentials.key"] {
            assert_eq!(read_again(&manifest(path)).unwrap().files[0].path, path);
        }
        let refused = [
            "",
            "/etc/passwd",
            "../x",
            "databases/../../x",
            "databases",
            "databases/",
            "databases//x",
            "databases/./x",
            "databases/x/",
            "./databases/x",
            "databases/x\0",
            "lock",
            "stages/..",
            "firn.sqlite/x",
        ];
        for path in refused {
            assert!(read_again(&manifest(path)).unwrap_err().contains("it names the file"), "{path}");
        }
        let mut twice = manifest("databases/x");
        twice.files.push(twice.files[0].clone());
        assert!(read_again(&twice).unwrap_err().contains("`databases/x` twice"));
    }

    #[test]
    fn damage_and_newer_formats_are_recognised() {
        let newer = Manifest { format: FORMAT + 1, ..manifest("firn.sqlite") };
        assert_eq!(read_again(&newer).unwrap_err(), "firn 9.9");
        let unknown = Manifest { format: 0, ..manifest("firn.sqlite") };
        assert!(read_again(&unknown).unwrap_err().contains("format 0"));
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(Manifest::read(folder.path()), Err(ManifestError::Missing)));
        manifest("firn.sqlite").write(folder.path()).unwrap();
        let text = std::fs::read_to_string(folder.path().join(MANIFEST)).unwrap();
        std::fs::write(folder.path().join(MANIFEST), text.replace("\"bytes\":1", "\"bytes\":2")).unwrap();
        assert!(matches!(Manifest::read(folder.path()), Err(ManifestError::Damaged)));
    }
}
