//! Which staged files were found to have the content that was put. Each is read for that once in the life of a process, and
//! again when something has changed it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::sums::ContentState;

const FILES_MAX: usize = 100_000;

#[derive(Default)]
pub(super) struct Verified {
    files: Mutex<HashMap<PathBuf, ContentState>>,
}

impl Verified {
    pub(super) fn contains(&self, place: &Path, state: &ContentState) -> bool {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).get(place) == Some(state)
    }

    pub(super) fn note(&self, place: &Path, state: ContentState) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if files.len() >= FILES_MAX {
            files.clear();
        }
        files.insert(place.to_owned(), state);
    }
}
