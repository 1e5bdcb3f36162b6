//! The files and folders of a data folder, before anything opens them: a FIFO in the place of one would be waited for without a
//! word, and what is written through a link goes into a file of somebody else.

use std::path::Path;

use firn_catalog::STATE_FILE;
use firn_engine::regular_files::{InTheWay, Links, require_file, require_folder};
use firn_statements::Ballast;

use crate::backup::layout::{FOLDERS, STAGE_KEY};

/// Where queries spill; a backup leaves it out.
pub const SPILL_FOLDER: &str = "temp";
/// What SQLite has beside the state file.
const BESIDE_STATE_FILE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Fails where something else is in the place of one. Whoever runs the server may have put the state file, the key or a folder on
/// another disk and linked it.
pub fn require(data_dir: &Path) -> Result<(), InTheWay> {
    for file in [STATE_FILE, STAGE_KEY] {
        require_file(&data_dir.join(file), Links::Followed)?;
    }
    for ending in BESIDE_STATE_FILE {
        require_file(&data_dir.join(format!("{STATE_FILE}{ending}")), Links::Refused)?;
    }
    Ballast::new(data_dir).require_file()?;
    let folders = FOLDERS.iter().chain(&[SPILL_FOLDER]);
    folders.into_iter().try_for_each(|folder| require_folder(&data_dir.join(folder)))
}
