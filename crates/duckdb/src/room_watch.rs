//! Room on the disk. A write that finds none leaves blocks in the database's file that the engine neither uses nor returns
//! before the file is opened again, and then nobody can write. So a statement that fills the disk is stopped while a little
//! room is left, which small statements of others can still use. The blocks of a statement that was stopped or failed are
//! free, but the engine shortens a file at a checkpoint after a change only; one is run for it. What queries spill is limited by
//! the room of the moment (`spill_limit.rs`).

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use firn_engine::EngineError;
use firn_engine::disk_room::DiskRoom;
use firn_engine::error::no_space_left;
use firn_sql::Command;
use firn_sql::command::StageCommand;
use firn_sql::names::quote_literal;

use super::checkpoint_policy::Checkpointed;
use super::connection::Connection;
use super::interrupter::Interrupter;
use super::pool::Pool;
use super::shared::Shared;
use super::spill_limit::SpillLimit;
use super::statement_outcomes;

/// The share of the reserve by which a file grows before its writers are stopped.
const GROWTH_SHARE: u64 = 8;

/// How often the room is checked while statements write.
const TICK: Duration = Duration::from_millis(10);

/// How long it is checked after the last writer, so that a series of short statements wakes the thread once.
const QUIET: Duration = Duration::from_secs(1);

/// Statements that ran for less leave few blocks.
const SHORT: Duration = Duration::from_millis(100);

/// A file with fewer free bytes than this is not shortened.
const FREE_BYTES_MIN: u64 = 8 << 20;

/// A file is looked at again until these tries are used up: other writers may be in the way of a checkpoint, blocks are free
/// only when the last reader of their buffers is gone, and a block in use at the end leaves with the checkpoint after.
const SHRINK_INTERVAL: Duration = Duration::from_millis(500);
const SHRINK_TRIES: u32 = 120;

pub(crate) struct RoomWatch {
    watched: Arc<Watched>,
    thread: Option<JoinHandle<()>>,
}

pub(crate) struct Watched {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    writers: Vec<Writer>,
    next_id: u64,
    /// Databases with blocks of failed statements, and the tries that are left to return them.
    to_shrink: HashMap<String, u32>,
    is_parked: bool,
    is_ending: bool,
}

struct Writer {
    id: u64,
    databases: BTreeSet<String>,
    stop_at: StopAt,
    interrupter: Arc<Interrupter>,
}

/// When a statement is stopped for want of room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopAt {
    /// When no more than the reserve is left: it copies a database or unloads files.
    LowRoom,
    /// When a file that it writes goes on growing then: what changes few rows goes on.
    Growth,
}

impl StopAt {
    pub(crate) fn of(command: &Command) -> Self {
        match command {
            Command::Stages(StageCommand::Unload(_)) => Self::LowRoom,
            _ => Self::Growth,
        }
    }
}

/// A statement that writes.
pub(crate) struct Writing {
    watched: Arc<Watched>,
    id: u64,
    begun: Instant,
    interrupter: Arc<Interrupter>,
}

impl Watched {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), wake: Condvar::new() })
    }

    pub(crate) fn begin(
        self: &Arc<Self>,
        databases: BTreeSet<String>,
        stop_at: StopAt,
        interrupter: Arc<Interrupter>,
    ) -> Writing {
        let mut state = self.state();
        let id = state.next_id;
        state.next_id += 1;
        state.writers.push(Writer { id, databases, stop_at, interrupter: interrupter.clone() });
        if std::mem::take(&mut state.is_parked) {
            self.wake.notify_one();
        }
        Writing { watched: self.clone(), id, begun: Instant::now(), interrupter }
    }

    fn stop_writers_of(&self, database: &str) {
        self.stop(|writer| writer.databases.contains(database));
    }

    fn stop(&self, is_stopped: impl Fn(&Writer) -> bool) {
        for writer in self.state().writers.iter().filter(|writer| is_stopped(writer)) {
            writer.interrupter.stop_for_room();
        }
    }
}

impl Writing {
    /// Ends it with what became of the statement.
    pub(crate) fn end<T>(self, outcome: Result<T, EngineError>) -> Result<T, EngineError> {
        let mut state = self.watched.state();
        let written: Vec<Writer> = state.writers.extract_if(.., |writer| writer.id == self.id).collect();
        // Nobody stops it from here on.
        let was_stopped = self.interrupter.was_stopped_for_room();
        if outcome.is_err() && self.begun.elapsed() >= SHORT {
            let databases = written.into_iter().flat_map(|writer| writer.databases);
            state.to_shrink.extend(databases.map(|database| (database, SHRINK_TRIES)));
        }
        drop(state);
        match outcome {
            Err(EngineError::Interrupted) if was_stopped => Err(EngineError::Failed(no_space_left())),
            outcome => outcome,
        }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.watched.state().writers.retain(|writer| writer.id != self.id);
    }
}

impl RoomWatch {
    pub(crate) fn start(
        folder: &Path,
        mut spill_limit: SpillLimit,
        pool: &Arc<Pool>,
        shared: &Arc<Shared>,
    ) -> Result<Self, EngineError> {
        let watched = shared.room.clone();
        spill_limit.adjust(&*pool.acquire()?);
        let work = Work {
            watched: watched.clone(),
            folder: folder.to_owned(),
            pool: pool.clone(),
            shared: shared.clone(),
            spill_limit,
            first_sizes: HashMap::new(),
        };
        let thread = thread::Builder::new().name("room-watch".to_owned()).spawn(move || work.run());
        let thread = thread.map_err(|error| EngineError::Internal(format!("a thread cannot be started: {error}")))?;
        Ok(Self { watched, thread: Some(thread) })
    }
}

impl Drop for RoomWatch {
    fn drop(&mut self) {
        self.watched.state().is_ending = true;
        self.watched.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Work {
    watched: Arc<Watched>,
    folder: PathBuf,
    pool: Arc<Pool>,
    shared: Arc<Shared>,
    spill_limit: SpillLimit,
    /// The sizes of the databases' files when the room became low.
    first_sizes: HashMap<String, u64>,
}

impl Work {
    fn run(mut self) {
        let (mut last_writer, mut last_shrink) = (Instant::now(), Instant::now());
        loop {
            let (writes, shrinks) = {
                let mut state = self.watched.state();
                let is_idle = state.writers.is_empty() && state.to_shrink.is_empty();
                state.is_parked = is_idle && last_writer.elapsed() >= QUIET;
                let pause = if state.is_parked { self.spill_limit.interval() } else { TICK };
                let mut state = self.watched.wake.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0;
                state.is_parked = false;
                if state.is_ending {
                    return;
                }
                (!state.writers.is_empty(), !state.to_shrink.is_empty())
            };
            if self.spill_limit.is_due()
                && let Ok(connection) = self.pool.acquire()
            {
                self.spill_limit.adjust(&connection);
            }
            if writes {
                last_writer = Instant::now();
                self.check_room();
            }
            if shrinks && last_shrink.elapsed() >= SHRINK_INTERVAL {
                last_shrink = Instant::now();
                self.shrink_files();
            }
        }
    }

    fn check_room(&mut self) {
        let Ok(room) = DiskRoom::of(&self.folder) else { return };
        if !room.is_low() {
            self.first_sizes.clear();
            return;
        }
        self.watched.stop(|writer| writer.stop_at == StopAt::LowRoom);
        let Ok(sizes) = self.pool.acquire().and_then(|connection| file_sizes(&connection)) else { return };
        for (database, bytes) in sizes {
            let first = self.first_sizes.entry(database.clone()).or_insert(bytes);
            if bytes >= *first + room.reserve_bytes / GROWTH_SHARE {
                *first = bytes;
                self.watched.stop_writers_of(&database);
            }
        }
    }

    fn shrink_files(&self) {
        let waiting: Vec<String> = self.watched.state().to_shrink.keys().cloned().collect();
        for database in waiting {
            let used = match self.shared.has_database(&database) {
                true => self.shrink(&database).unwrap_or(Shrink::InUse).tries(),
                false => SHRINK_TRIES,
            };
            self.watched.state().to_shrink.retain(|name, tries| {
                if *name == database {
                    *tries = tries.saturating_sub(used);
                }
                *tries > 0
            });
        }
    }

    fn shrink(&self, database: &str) -> Result<Shrink, EngineError> {
        let connection = self.pool.acquire()?;
        if free_bytes(&connection, database)? < FREE_BYTES_MIN {
            return Ok(Shrink::NothingFree);
        }
        statement_outcomes::write_and_remove(&connection, database)?;
        Ok(match self.shared.checkpoint_policy.checkpoint_now(&connection, database)? {
            Checkpointed::All => Shrink::Checkpointed,
            Checkpointed::Some | Checkpointed::Failed => Shrink::InUse,
        })
    }
}

enum Shrink {
    NothingFree,
    InUse,
    Checkpointed,
}

impl Shrink {
    /// The tries it counts for. Free blocks between those in use stay, so few checkpoints are run.
    fn tries(&self) -> u32 {
        match self {
            Self::InUse => 1,
            Self::NothingFree => SHRINK_TRIES / 20,
            Self::Checkpointed => SHRINK_TRIES / 3,
        }
    }
}

fn file_sizes(connection: &Connection) -> Result<Vec<(String, u64)>, EngineError> {
    let rows = connection.rows("SELECT database_name, path FROM duckdb_databases() WHERE path IS NOT NULL")?;
    let sizes = rows.into_iter().filter_map(|row| match <[Option<String>; 2]>::try_from(row) {
        Ok([Some(name), Some(path)]) => Some((name, std::fs::metadata(path).ok()?.len())),
        _ => None,
    });
    Ok(sizes.collect())
}

fn free_bytes(connection: &Connection, database: &str) -> Result<u64, EngineError> {
    let sizes = format!(
        "SELECT free_blocks * block_size FROM pragma_database_size() WHERE database_name = {}",
        quote_literal(database)
    );
    let rows = connection.rows(&sizes)?;
    Ok(rows.into_iter().flatten().flatten().find_map(|bytes| bytes.parse().ok()).unwrap_or(0))
}
