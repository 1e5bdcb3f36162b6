//! The statements of the prompt, kept from one session to the next: a statement is one entry, however many lines it has.
//! Those that hold secrets are not kept.

use std::fs;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;

use firn_sql::secrets_in_text::hidden;
use reedline::{FileBackedHistory, History, HistoryItem, HistoryItemId, HistorySessionId, Result, SearchQuery};

const ENTRIES_MAX: usize = 10_000;

pub struct SafeHistory(FileBackedHistory);

impl SafeHistory {
    /// In memory alone, if there is no place for a file.
    pub fn open() -> Option<Self> {
        let kept = path().and_then(|path| {
            fs::create_dir_all(path.parent()?).ok()?;
            let file = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(&path).ok()?;
            file.set_permissions(fs::Permissions::from_mode(0o600)).ok()?;
            FileBackedHistory::with_file(ENTRIES_MAX, path).ok()
        });
        kept.or_else(|| FileBackedHistory::new(ENTRIES_MAX).ok()).map(Self)
    }
}

fn path() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = variable("FIRN_HISTORY") {
        return Some(path);
    }
    let state = variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/state")));
    state.map(|state| state.join("firn").join("history"))
}

impl History for SafeHistory {
    fn save(&mut self, item: HistoryItem) -> Result<HistoryItem> {
        if hidden(&item.command_line) != item.command_line {
            return Ok(HistoryItem { id: None, ..item });
        }
        self.0.save(item)
    }

    fn load(&self, id: HistoryItemId) -> Result<HistoryItem> {
        self.0.load(id)
    }

    fn count(&self, query: SearchQuery) -> Result<i64> {
        self.0.count(query)
    }

    fn search(&self, query: SearchQuery) -> Result<Vec<HistoryItem>> {
        self.0.search(query)
    }

    fn update(&mut self, id: HistoryItemId, updater: &dyn Fn(HistoryItem) -> HistoryItem) -> Result<()> {
        self.0.update(id, updater)
    }

    fn clear(&mut self) -> Result<()> {
        self.0.clear()
    }

    fn delete(&mut self, id: HistoryItemId) -> Result<()> {
        self.0.delete(id)
    }

    fn sync(&mut self) -> std::io::Result<()> {
        self.0.sync()
    }

    fn session(&self) -> Option<HistorySessionId> {
        self.0.session()
    }
}
