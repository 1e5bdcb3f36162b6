//! The connection pool. A connection is returned only when nothing of its session is left in it: no transaction, no
//! temporary table, no interruption.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use firn_engine::{DEFAULT_CENTURY_START, DefinitionClock, EngineError, InputFormats};
use firn_sql::names::quote_literal;
use firn_values::formats::BinaryFormat;

use super::chunks::ChunkStream;
use super::connection::{Connection, Prepared};
use super::instance::Database;
use super::template_parameters::ParameterValue;
use super::template_plan::TemplatePlan;

/// Idle connections past this number are closed.
const IDLE_CONNECTIONS_MAX: usize = 64;

/// Plans of templates that one connection caches (LRU).
const PLANS_MAX: usize = 8;

pub(crate) struct Pool {
    /// Dropped before the instance, so that no connection outlives it.
    idle: Mutex<Vec<Idle>>,
    /// Incremented to invalidate all plans.
    plan_age: AtomicU64,
    database: Database,
}

struct Idle {
    /// By template id, the most recently used last. Dropped before the connection.
    plans: Vec<(u64, Prepared)>,
    plan_age: u64,
    connection: Connection,
    timezone: Option<String>,
    /// The values of CURRENT_USER and CURRENT_ROLE in views and defaults.
    caller: Option<(String, String)>,
    inputs: InputFormats,
    /// The value of CURRENT_TIMESTAMP for the running statement, in microseconds; `None` is the engine's.
    moment: Option<i64>,
}

impl Pool {
    pub(crate) fn new(database: Database) -> Self {
        Self { idle: Mutex::new(Vec::new()), plan_age: AtomicU64::new(0), database }
    }

    pub(crate) fn acquire(self: &Arc<Self>) -> Result<PooledConnection, EngineError> {
        let warm = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let idle = match warm {
            Some(idle) => idle,
            None => {
                let plan_age = self.plan_age.load(Ordering::SeqCst);
                let (connection, inputs) = (self.database.connect()?, InputFormats::default());
                Idle { plans: Vec::new(), plan_age, connection, timezone: None, caller: None, inputs, moment: None }
            }
        };
        self.database.worker_threads().inspect(|worker_threads| worker_threads.begin());
        Ok(PooledConnection { idle: ManuallyDrop::new(idle), pool: self.clone(), reuse: Reuse::Allowed })
    }

    pub(crate) fn definitions(&self) -> &Arc<DefinitionClock> {
        self.database.definitions()
    }

    /// Drops all cached plans: they hold references to the tables they read.
    pub(crate) fn forget_plans(&self) {
        let age = self.plan_age.fetch_add(1, Ordering::SeqCst) + 1;
        for idle in self.idle.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            idle.renew_plans(age);
        }
    }

    fn put_back(&self, mut idle: Idle) {
        idle.connection.renew_interrupter();
        let mut waiting = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.renew_plans(self.plan_age.load(Ordering::SeqCst));
        if waiting.len() < IDLE_CONNECTIONS_MAX {
            waiting.push(idle);
        }
    }
}

impl Idle {
    fn renew_plans(&mut self, age: u64) {
        if self.plan_age != age {
            self.plans.clear();
            self.plan_age = age;
        }
    }
}

/// A connection leased to one session. Derefs to the connection; returned to the pool on drop.
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
    /// Another connection, which is in no transaction.
    pub(crate) fn another(&self) -> Result<PooledConnection, EngineError> {
        self.pool.acquire()
    }

    pub(crate) fn renew_interrupter(&mut self) {
        self.idle.connection.renew_interrupter();
    }

    /// Sets the time zone the engine reads and shows instants in, if it is not that already.
    pub(crate) fn set_timezone(&mut self, timezone: &str) -> Result<(), EngineError> {
        if self.idle.timezone.as_deref() == Some(timezone) {
            return Ok(());
        }
        self.idle.connection.execute(&format!("SET TimeZone = {}", quote_literal(timezone)))?;
        self.idle.timezone = Some(timezone.to_owned());
        Ok(())
    }

    /// Sets the user and the role, if they differ from the current ones.
    pub(crate) fn set_caller(&mut self, user: &str, role: &str) -> Result<(), EngineError> {
        if self.idle.caller.as_ref().is_some_and(|known| known.0 == user && known.1 == role) {
            return Ok(());
        }
        for (variable, value) in [("firn_user", user), ("firn_role", role)] {
            self.idle.connection.execute(&format!("SET VARIABLE {variable} = {}", quote_literal(value)))?;
        }
        self.idle.caller = Some((user.to_owned(), role.to_owned()));
        Ok(())
    }

    /// Sets the value of CURRENT_TIMESTAMP. The engine's is the start of the transaction, the dialect's the start of the
    /// statement.
    pub(crate) fn set_moment(&mut self, moment: Option<i64>) -> Result<(), EngineError> {
        if self.idle.moment == moment {
            return Ok(());
        }
        match moment {
            Some(microseconds) => {
                self.idle.connection.execute(&format!("SET VARIABLE firn_moment = {microseconds}::BIGINT"))?
            }
            None => self.idle.connection.execute("RESET VARIABLE firn_moment")?,
        };
        self.idle.moment = moment;
        Ok(())
    }

    pub(crate) fn moment(&self) -> Option<i64> {
        self.idle.moment
    }

    /// Sets how texts are read, if they are not read so already.
    pub(crate) fn set_inputs(&mut self, inputs: &InputFormats) -> Result<(), EngineError> {
        if self.idle.inputs == *inputs {
            return Ok(());
        }
        for (name, value) in input_variables(inputs) {
            match value {
                Some(value) => {
                    self.idle.connection.execute(&format!("SET VARIABLE {name} = {}", quote_literal(&value)))?
                }
                None => self.idle.connection.execute(&format!("RESET VARIABLE {name}"))?,
            };
        }
        self.idle.inputs = inputs.clone();
        Ok(())
    }

    /// Runs a template with this connection's plan of it, which is prepared if missing.
    pub(super) fn stream_template(
        &mut self,
        query: &TemplatePlan,
        values: Vec<ParameterValue>,
        authorised_at: Option<u64>,
    ) -> Result<ChunkStream<'_>, EngineError> {
        let plans = &mut self.idle.plans;
        let plan = match plans.iter().position(|(id, _)| *id == query.id) {
            Some(position) => plans.remove(position),
            None => (query.id, self.idle.connection.prepare(&query.sql)?),
        };
        let plans = &mut self.idle.plans;
        if plans.len() >= PLANS_MAX {
            plans.remove(0);
        }
        plans.push(plan);
        self.idle.connection.expect_unchanged_since(authorised_at);
        match self.idle.plans.last() {
            Some((_, plan)) => self.idle.connection.stream_prepared(plan, values),
            None => Err(EngineError::Internal("a plan was lost".to_owned())),
        }
    }

    /// Drops all cached plans, of this connection and of idle ones.
    pub(crate) fn forget_plans(&mut self) {
        self.pool.forget_plans();
        let age = self.pool.plan_age.load(Ordering::SeqCst);
        self.idle.renew_plans(age);
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
        self.pool.database.worker_threads().inspect(|worker_threads| worker_threads.end());
        // A transaction stays open after a panic, or if the engine fails to end it; closing the connection rolls it back.
        let is_clean = !idle.connection.was_interrupted()
            && !idle.connection.may_be_in_transaction()
            && !idle.connection.is_profiling();
        if self.reuse == Reuse::Allowed && is_clean {
            self.pool.put_back(idle);
        }
    }
}

/// The engine's variables that the macros read; `None` where the usual holds.
fn input_variables(inputs: &InputFormats) -> [(&'static str, Option<String>); 5] {
    let binary = match inputs.binary {
        BinaryFormat::Hex => None,
        BinaryFormat::Base64 => Some("BASE64".to_owned()),
        BinaryFormat::Utf8 => Some("UTF-8".to_owned()),
    };
    let century = (inputs.century_start != DEFAULT_CENTURY_START).then(|| inputs.century_start.to_string());
    [
        ("firn_date_input", inputs.date.clone()),
        ("firn_time_input", inputs.time.clone()),
        ("firn_timestamp_input", inputs.timestamp.clone()),
        ("firn_binary_input", binary),
        ("firn_century_start", century),
    ]
}
