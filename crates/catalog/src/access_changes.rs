//! When privileges, roles or policies were last changed so that somebody may see less than before. Results of statements that
//! began earlier are checked before they are shown again.

use std::sync::atomic::Ordering;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension};

use crate::catalog::Catalog;
use crate::clock::now_ms;
use crate::error::CatalogError;

const SETTING: &str = "ACCESS_CHANGED_ON_MS";
const CLOCK_STEP: Duration = Duration::from_micros(200);
const CLOCK_STEPS_MAX: usize = 10;

pub(crate) fn load(connection: &Connection) -> Result<i64, CatalogError> {
    let mut statement = connection.prepare("SELECT CAST(value AS INTEGER) FROM settings WHERE name = ?1")?;
    Ok(statement.query_row([SETTING], |row| row.get(0)).optional()?.unwrap_or_default())
}

impl Catalog {
    /// Statements that begin up to this time may have read what is hidden since.
    pub fn access_changed_on_ms(&self) -> i64 {
        self.access_change().load(Ordering::SeqCst)
    }

    /// To be called once a change has been made. Statements that begin after it returns have a later time.
    pub fn note_access_change(&self) -> Result<(), CatalogError> {
        let changed_on_ms = now_ms();
        self.store().write_one(|connection| {
            let mut statement = connection.prepare_cached(
                "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
            )?;
            statement.execute([SETTING, &changed_on_ms.to_string()])?;
            Ok(())
        })?;
        self.access_change().fetch_max(changed_on_ms, Ordering::SeqCst);
        // A clock that was set back is not waited for.
        for _ in 0..CLOCK_STEPS_MAX {
            if now_ms() > changed_on_ms {
                break;
            }
            std::thread::sleep(CLOCK_STEP);
        }
        Ok(())
    }
}
