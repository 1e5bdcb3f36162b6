//! Memory for commits, rollbacks and checkpoints. The engine's limit of its blocks holds for them too, but they must not
//! fail: after a rollback that cannot load a block the whole instance takes no more statements, a checkpoint that fails closes its
//! database, and a commit may be reported as failed though it was made. While one runs and the blocks in use come near the
//! limit, the limit is raised by a reserve.

use std::ffi::CString;
use std::ptr;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use firn_engine::EngineError;
use libduckdb_sys as ffi;

use super::engine_memory;

/// The share of the limit from which on it is raised.
const NEAR_SHARE: u64 = 2;
/// The reserve is a share of the limit.
const RESERVE_SHARE: u64 = 4;
const RESERVE_BYTES_MIN: u64 = 64 << 20;
const RESERVE_BYTES_MAX: u64 = 1 << 30;

#[derive(Default)]
pub(crate) struct CommitMemory {
    limit_bytes: OnceLock<u64>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Only changes the limit.
    connection: Option<Handle>,
    commits: u32,
    /// The limit that the engine has now, if it is not its usual one.
    raised_to: Option<u64>,
}

struct Handle(ffi::duckdb_connection);

// SAFETY: a connection may move between threads; the mutex lets one use it at a time.
unsafe impl Send for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the handle came from `duckdb_connect` and is closed once.
        unsafe { ffi::duckdb_disconnect(&mut self.0) };
    }
}

/// While it lives, the engine has the reserve.
pub(crate) struct Reserved<'a>(&'a CommitMemory);

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.commits = state.commits.saturating_sub(1);
        if state.commits == 0 {
            self.0.lower(&mut state);
        }
    }
}

impl CommitMemory {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on the limit of this instance is raised for commits.
    pub(crate) fn open(&self, database: ffi::duckdb_database, limit_bytes: u64) -> Result<(), EngineError> {
        let mut connection = ptr::null_mut();
        // SAFETY: the database is open, and is closed after this connection.
        if unsafe { ffi::duckdb_connect(database, &mut connection) } != ffi::DuckDBSuccess {
            return Err(EngineError::Internal("the engine gave no connection".to_owned()));
        }
        self.state().connection = Some(Handle(connection));
        let _ = self.limit_bytes.set(limit_bytes);
        Ok(())
    }

    /// Before the instance is closed.
    pub(crate) fn close(&self) {
        self.state().connection = None;
    }

    /// For a commit, rollback or checkpoint that begins.
    pub(crate) fn reserve(&self) -> Option<Reserved<'_>> {
        let limit = *self.limit_bytes.get()?;
        let in_use = engine_memory::large_bytes();
        if in_use < limit / NEAR_SHARE {
            return None;
        }
        let reserve = (limit / RESERVE_SHARE).clamp(RESERVE_BYTES_MIN, RESERVE_BYTES_MAX);
        // Others may have taken what was reserved for a commit before.
        let wanted = limit.max(in_use).saturating_add(reserve);
        let mut state = self.state();
        state.commits += 1;
        if state.raised_to.is_none_or(|raised| raised < wanted) && state.set_limit(wanted) {
            state.raised_to = Some(wanted);
        }
        Some(Reserved(self))
    }

    /// Where more than the limit is in use now, the next commit lowers it.
    fn lower(&self, state: &mut State) {
        if let (Some(_), Some(limit)) = (state.raised_to, self.limit_bytes.get())
            && state.set_limit(*limit)
        {
            state.raised_to = None;
        }
    }
}

impl State {
    fn set_limit(&self, bytes: u64) -> bool {
        let Some(connection) = &self.connection else { return false };
        let Ok(sql) = CString::new(format!("SET GLOBAL memory_limit = '{bytes}B'")) else { return false };
        let _watched = engine_memory::watch_commit();
        // SAFETY: the connection is open, the text ends in NUL, and no result is asked for.
        unsafe { ffi::duckdb_query(connection.0, sql.as_ptr(), ptr::null_mut()) == ffi::DuckDBSuccess }
    }
}
