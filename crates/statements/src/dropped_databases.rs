//! Dropped databases that may be restored: a record beside the file of each describes it. A record whose file belongs to a
//! database of the catalog is left over from a crash, and is ignored.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use firn_catalog::{Catalog, DatabaseRecord};
use firn_engine::regular_files;
use serde::{Deserialize, Serialize};

use crate::clock::now_ms;
use crate::databases::DatabaseFiles;
use crate::run_error::RunError;

const ENDING: &str = ".dropped.json";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DroppedDatabase {
    /// 0 in notes of servers that had none.
    #[serde(default)]
    pub id: i64,
    pub name: String,
    pub file_name: String,
    pub owner: String,
    pub comment: Option<String>,
    pub created_on_ms: i64,
    pub dropped_on_ms: i64,
    pub expires_on_ms: i64,
    pub retention_days: u8,
    /// The folders of its stages.
    pub folders: Vec<String>,
}

impl DroppedDatabase {
    pub fn record(&self) -> DatabaseRecord {
        DatabaseRecord {
            id: if self.id == 0 { firn_engine::fresh_object_id() } else { self.id },
            name: self.name.clone(),
            file_name: self.file_name.clone(),
            owner: self.owner.clone(),
            comment: self.comment.clone(),
            created_on_ms: self.created_on_ms,
        }
    }
}

/// On disk before the database leaves the catalog.
pub fn note(folder: &Path, dropped: &DroppedDatabase) -> io::Result<()> {
    let place = place(folder, &dropped.file_name);
    let unfinished = place.with_extension("unfinished");
    let mut file = fs::File::create(&unfinished)?;
    file.write_all(&serde_json::to_vec(dropped)?)?;
    file.sync_all()?;
    fs::rename(unfinished, place)?;
    fs::File::open(folder)?.sync_all()
}

pub fn forget(folder: &Path, file_name: &str) {
    if let Err(error) = fs::remove_file(place(folder, file_name)) {
        tracing::warn!(file = file_name, %error, "the note of a dropped database cannot be removed");
    }
}

/// All that may come back or wait to be removed, the latest first.
pub fn list(folder: &Path, catalog: &Catalog) -> io::Result<Vec<DroppedDatabase>> {
    let living: Vec<String> = catalog.databases().into_iter().map(|database| database.file_name).collect();
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if !path.to_string_lossy().ends_with(ENDING) {
            continue;
        }
        let content = match regular_files::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                tracing::warn!(file = %path.display(), %error, "the note of a dropped database is unreadable");
                continue;
            }
            content => content?,
        };
        match serde_json::from_slice::<DroppedDatabase>(&content) {
            Ok(dropped) if living.contains(&dropped.file_name) => fs::remove_file(&path)?,
            Ok(dropped) => found.push(dropped),
            Err(error) => {
                tracing::warn!(file = %path.display(), %error, "the note of a dropped database is unreadable")
            }
        }
    }
    found.sort_by_key(|dropped| std::cmp::Reverse(dropped.dropped_on_ms));
    Ok(found)
}

impl DatabaseFiles {
    /// What was dropped and may come back, the latest first.
    pub fn dropped(&self, catalog: &Catalog) -> Result<Vec<DroppedDatabase>, RunError> {
        let mut found = self.all_dropped(catalog)?;
        found.retain(|dropped| dropped.expires_on_ms > now_ms());
        Ok(found)
    }

    /// The one that a role brings back with UNDROP.
    pub fn find_dropped(&self, catalog: &Catalog, role: &str, name: &str) -> Result<Option<DroppedDatabase>, RunError> {
        let role = catalog.principals().role_with_inherited(role);
        let is_of_role = |owner: &str| role.as_ref().is_some_and(|role| role.may_use_what_is_owned_by(owner));
        Ok(self.dropped(catalog)?.into_iter().find(|dropped| dropped.name == name && is_of_role(&dropped.owner)))
    }

    /// The ids of the databases that have been dropped and whose files are there.
    pub fn dropped_ids(&self, catalog: &Catalog) -> Result<Vec<i64>, RunError> {
        Ok(self.all_dropped(catalog)?.into_iter().map(|dropped| dropped.id).collect())
    }

    pub(super) fn all_dropped(&self, catalog: &Catalog) -> Result<Vec<DroppedDatabase>, RunError> {
        Ok(list(&self.folder, catalog)?)
    }
}

fn place(folder: &Path, file_name: &str) -> PathBuf {
    folder.join(format!("{file_name}{ENDING}"))
}
