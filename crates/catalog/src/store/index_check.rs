//! Compares the indexes of the state file with its tables after a start, beside its users: that reads every row, which takes seconds
//! where there are many statements. The pages themselves are checked before the start.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, InterruptHandle};

use crate::error::CatalogError;

/// An interrupt between two steps of SQLite is lost.
const INTERRUPT_AGAIN: Duration = Duration::from_millis(1);

pub(super) struct IndexCheck {
    damage: Arc<OnceLock<String>>,
    stops: Arc<AtomicBool>,
    interrupt: InterruptHandle,
    thread: Option<JoinHandle<()>>,
}

impl IndexCheck {
    pub(super) fn start(connection: Connection) -> Result<Self, CatalogError> {
        let (damage, stops) = (Arc::new(OnceLock::new()), Arc::new(AtomicBool::new(false)));
        let interrupt = connection.get_interrupt_handle();
        let (found, is_stopped) = (Arc::clone(&damage), Arc::clone(&stops));
        let thread = std::thread::Builder::new().name("firn-index-check".to_owned()).spawn(move || {
            if !is_stopped.load(Ordering::SeqCst) {
                run(&connection, &found);
            }
        })?;
        Ok(Self { damage, stops, interrupt, thread: Some(thread) })
    }

    /// Fails if an index was found to be damaged.
    pub(super) fn outcome(&self) -> Result<(), CatalogError> {
        self.damage.get().map_or(Ok(()), |damage| Err(CatalogError::Corrupt(damage.clone())))
    }
}

impl Drop for IndexCheck {
    fn drop(&mut self) {
        self.stops.store(true, Ordering::SeqCst);
        let Some(thread) = self.thread.take() else { return };
        while !thread.is_finished() {
            self.interrupt.interrupt();
            std::thread::sleep(INTERRUPT_AGAIN);
        }
        let _ = thread.join();
    }
}

impl std::fmt::Debug for IndexCheck {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("IndexCheck").field("damage", &self.damage).finish_non_exhaustive()
    }
}

fn run(connection: &Connection, damage: &OnceLock<String>) {
    let problem = match connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0)) {
        Ok(found) if found == "ok" => return,
        Ok(found) => found,
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => return,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => error.to_string(),
            _ => {
                tracing::warn!(%error, "the indexes of the state file cannot be checked");
                return;
            }
        },
    };
    tracing::error!(
        problem,
        "the state file is damaged; bring firn.sqlite back from a backup, with the databases of the same time"
    );
    let _ = damage.set(problem);
}
