//! Connections kept warm between sessions. A connection goes back only when nothing of its session is
//! left in it: no transaction, no temporary table, no interruption.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use firn_sql::names::quote_literal;

use super::connection::Connection;
use super::instance::Database;
use crate::EngineError;

/// Enough for a busy server; a session past this number pays for its own connection.
const IDLE_CONNECTIONS_MAX: usize = 64;

pub(crate) struct Pool {
    /// Dropped before the instance, so that no connection outlives it.
    idle: Mutex<Vec<Idle>>,
    database: Database,
}

struct Idle {
    connection: Connection,
    timezone: Option<String>,
}

impl Pool {
    pub(crate) fn new(database: Database) -> Self {
        Self { idle: Mutex::new(Vec::new()), database }
    }

    pub(crate) fn acquire(self: &Arc<Self>) -> Result<PooledConnection, EngineError> {
        let warm = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let idle = match warm {
            Some(idle) => idle,
            None => Idle { connection: self.database.connect()?, timezone: None },
        };
        Ok(PooledConnection { idle: ManuallyDrop::new(idle), pool: self.clone(), reuse: Reuse::Allowed })
    }

    fn put_back(&self, mut idle: Idle) {
        idle.connection.renew_interrupter();
        let mut waiting = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < IDLE_CONNECTIONS_MAX {
            waiting.push(idle);
        }
    }
}

/// A connection on loan to one session. Derefs to the connection; goes back on drop.
pub(crate) struct PooledConnection {
    idle: ManuallyDrop<Idle>,
    pool: Arc<Pool>,
    reuse: Reuse,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reuse {
    Allowed,
    Refused,
}

impl PooledConnection {
    /// Sets the time zone the engine reads and shows instants in, if it is not that already.
    pub(crate) fn set_timezone(&mut self, timezone: &str) -> Result<(), EngineError> {
        if self.idle.timezone.as_deref() == Some(timezone) {
            return Ok(());
        }
        self.idle.connection.execute(&format!("SET TimeZone = {}", quote_literal(timezone)))?;
        self.idle.timezone = Some(timezone.to_owned());
        Ok(())
    }

    /// Has the connection closed instead of reused: it holds temporary tables, or its state is unknown.
    pub(crate) fn retire(&mut self) {
        self.reuse = Reuse::Refused;
    }
}

impl Deref for PooledConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.idle.connection
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        // SAFETY: taken once, here; nothing uses the field afterwards.
        let idle = unsafe { ManuallyDrop::take(&mut self.idle) };
        if self.reuse == Reuse::Allowed && !idle.connection.was_interrupted() {
            self.pool.put_back(idle);
        }
    }
}
