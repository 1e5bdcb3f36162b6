//! Files of databases that the catalog does not have. One that is being made, or removed, has a mark beside it, by which the
//! start after a crash removes it. Without a mark the state file has lost the database: nothing of it is removed.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use firn_catalog::{Catalog, DatabaseRecord};
use firn_engine::Engine;

use crate::databases::DatabaseFiles;
use crate::dropped_databases;
use crate::error::StartError;

const ENDING: &str = ".unsettled";

/// Before a file is made that is not in the catalog yet, or leaves it before it is removed.
pub fn mark(folder: &Path, file_name: &str) -> io::Result<()> {
    File::create(place(folder, file_name)).map(drop)
}

/// Once the catalog has the file, or it is gone.
pub fn unmark(folder: &Path, file_name: &str) {
    match fs::remove_file(place(folder, file_name)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            tracing::warn!(file = file_name, %error, "the mark of an unsettled database file cannot be removed");
        }
        _ => {}
    }
}

fn place(folder: &Path, file_name: &str) -> PathBuf {
    folder.join(format!("{file_name}{ENDING}"))
}

impl DatabaseFiles {
    /// Finishes what a crash has broken off.
    pub(crate) fn settle_files(&self, catalog: &Catalog, engine: &dyn Engine) -> io::Result<()> {
        let living = living(catalog);
        for file_name in self.names_with(ENDING)? {
            if !living.contains(&file_name) {
                self.delete(engine, &file_name);
            }
            unmark(&self.folder, &file_name);
        }
        Ok(())
    }

    /// The file of a database that is not, or no longer, in the catalog.
    pub(crate) fn delete(&self, engine: &dyn Engine, file_name: &str) {
        match engine.remove_database_file(&self.folder.join(file_name)) {
            Ok(()) => unmark(&self.folder, file_name),
            Err(error) => tracing::warn!(file = file_name, %error, "a dropped database's file cannot be removed"),
        }
    }

    /// The files of databases that neither the catalog nor a note of what was dropped has, once those of the catalog are attached
    /// or set aside.
    pub(crate) fn find_unknown(&self, catalog: &Catalog, engine: &dyn Engine) -> Result<Vec<String>, StartError> {
        let mut known = living(catalog);
        known.extend(dropped_databases::list(&self.folder, catalog)?.into_iter().map(|dropped| dropped.file_name));
        let extension = format!(".{}", engine.file_extension());
        let mut unknown = self.names_with(&extension)?;
        for file_name in &mut unknown {
            file_name.push_str(&extension);
        }
        unknown.retain(|file_name| !known.contains(file_name));
        unknown.sort_unstable();
        if !unknown.is_empty() {
            let is_in_place =
                |database: &DatabaseRecord| !database.is_own() && !self.set_aside.contains(&database.name);
            if !catalog.databases().iter().any(is_in_place) {
                return Err(StartError::StateOfAnotherFolder(unknown.join(", ")));
            }
            tracing::error!(
                files = unknown.join(", "),
                "the state file does not know these database files: it, or its log, is older than they are, or was damaged. \
                 They are left alone, and so are the files of all stages. Bring the state file back from a backup, or move \
                 the database files away"
            );
        }
        Ok(unknown)
    }

    /// What stands before this ending in the names of files.
    fn names_with(&self, ending: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            names.extend(name.to_str().and_then(|name| name.strip_suffix(ending)).map(str::to_owned));
        }
        Ok(names)
    }
}

fn living(catalog: &Catalog) -> Vec<String> {
    catalog.databases().into_iter().map(|database| database.file_name).collect()
}
