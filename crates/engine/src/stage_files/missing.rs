//! Files that were put and are gone though nobody removed them: a sum was stored beside each.

use std::fs;
use std::io;

use super::{StageFiles, collect, is_missing};

/// Files of one stage that are no longer there.
#[derive(Debug, PartialEq, Eq)]
pub struct MissingFiles {
    pub folder: String,
    /// Their paths in the stage, in order.
    pub paths: Vec<String>,
}

impl StageFiles {
    /// Each missing file is returned once: its sum goes. Stages whose whole folder is gone count too.
    pub fn take_missing(&self) -> io::Result<Vec<MissingFiles>> {
        let mut found = Vec::new();
        for folder in self.folders_with_sums()? {
            let mut recorded = Vec::new();
            collect(&self.sums_folder(&folder), "", "", &mut recorded)?;
            let mut paths = Vec::new();
            for sum in recorded {
                if self.forget_missing(&folder, &sum.path)? {
                    paths.push(sum.path.to_string());
                }
            }
            if !paths.is_empty() {
                paths.sort();
                found.push(MissingFiles { folder, paths });
            }
        }
        Ok(found)
    }

    /// Whether there was a sum of a file that is not there. No file comes or goes meanwhile.
    fn forget_missing(&self, folder: &str, path: &firn_sql::stages::StagePath) -> io::Result<bool> {
        let _no_changes = self.usage();
        match fs::symlink_metadata(self.place(folder, path)?) {
            Err(error) if is_missing(&error) => self.sums(folder).forget(path),
            Err(error) => Err(error),
            Ok(_) => Ok(false),
        }
    }

    fn folders_with_sums(&self) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(self.root.join("sums")) {
            Err(error) if is_missing(&error) => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut folders = Vec::new();
        for entry in entries {
            folders.push(entry?.file_name().to_string_lossy().into_owned());
        }
        folders.sort();
        Ok(folders)
    }
}
