//! The threads that write the trail: one the records, in batches, each in one transaction; the other what exists, which takes
//! longer, so that no reader of records waits for it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use firn_engine::Session;
use uuid::Uuid;

use super::accesses::Described;
use super::queue::{Batch, Entry, OVERLAP_MS};
use super::record_sql::Row;
use super::record_sql::instant;
use super::snapshots::Snapshots;
use super::statement_records::{self, Names};
use super::unwritten::{Unwritten, retried};
use super::{accesses, expiry, login_records, record_sql};
use crate::metering::HourOfWork;
use crate::mutex::lock;
use crate::run_error::RunError;
use crate::services::Services;

/// Between two snapshots of objects, unless somebody reads them.
const SNAPSHOT_WAIT: Duration = Duration::from_secs(5);
/// A snapshot is taken again after this many times as long as the last one took.
const SNAPSHOT_SHARE: u32 = 20;
/// Between two records of what warehouses used, unless somebody reads them.
const METERING_WAIT: Duration = Duration::from_secs(60);
/// How long a statement that was read from the registry may still be in the queue.
const CAUGHT_UP_WAIT: Duration = Duration::from_secs(60);
/// A failure is logged once in this time.
const COMPLAINT_WAIT: Duration = Duration::from_secs(60);

/// Stops with `stop`, after everything is written.
pub struct Writer {
    services: Arc<Services>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Writer {
    pub fn start(services: Arc<Services>) -> std::io::Result<Self> {
        let start = |name: &str, work: fn(&Services)| {
            let services = Arc::clone(&services);
            thread::Builder::new().name(name.to_owned()).spawn(move || work(&services))
        };
        let records = start("account-usage", |services| Work::new(services).run())?;
        let objects = start("account-objects", |services| ObjectsWork::new(services).run())?;
        Ok(Self { services, threads: Mutex::new(vec![records, objects]) })
    }

    pub fn stop(&self) {
        self.services.account_usage.stop();
        for thread in std::mem::take(&mut *lock(&self.threads)) {
            if thread.join().is_err() {
                tracing::error!("the writer of the audit trail panicked");
            }
        }
    }
}

/// Logs failures, but not each of them.
#[derive(Default)]
struct Complaints(Option<Instant>);

impl Complaints {
    fn complain(&mut self, error: &RunError) {
        if self.0.is_none_or(|at| at.elapsed() > COMPLAINT_WAIT) {
            self.0 = Some(Instant::now());
            tracing::error!(%error, "the audit trail cannot be written");
        }
    }
}

struct ObjectsWork<'a> {
    services: &'a Services,
    snapshots: Snapshots,
    complaints: Complaints,
    next_snapshot: Instant,
}

impl<'a> ObjectsWork<'a> {
    fn new(services: &'a Services) -> Self {
        let next_snapshot = Instant::now() + SNAPSHOT_WAIT;
        Self { services, snapshots: Snapshots::default(), complaints: Complaints::default(), next_snapshot }
    }

    fn run(mut self) {
        let queue = &self.services.account_usage;
        queue.note_changed_objects();
        while let Some(request) = queue.next_snapshot(self.next_snapshot) {
            let begun = Instant::now();
            match retried(|| self.take(), thread::sleep) {
                Ok(()) | Err(RunError::Stopped) => {}
                Err(error) => {
                    queue.note_changed_objects();
                    self.complaints.complain(&error);
                }
            }
            self.next_snapshot = Instant::now() + SNAPSHOT_WAIT.max(begun.elapsed() * SNAPSHOT_SHARE);
            queue.snapshot_done(&request);
        }
    }

    fn take(&mut self) -> Result<(), RunError> {
        let mut session = self.services.engine.open_session()?;
        self.snapshots.take(self.services, session.as_mut())
    }
}

struct Work<'a> {
    services: &'a Services,
    /// What no row was made of yet.
    entries: Vec<Entry>,
    unwritten: Unwritten,
    next_expiry: Instant,
    next_metering: Instant,
    complaints: Complaints,
    /// Statements that were read from the registry while their records may still have been in the queue.
    caught_up: HashSet<Uuid>,
    caught_up_until: Instant,
    events: u64,
}

impl<'a> Work<'a> {
    fn new(services: &'a Services) -> Self {
        Self {
            services,
            entries: Vec::new(),
            unwritten: Unwritten::default(),
            next_expiry: Instant::now(),
            next_metering: Instant::now() + METERING_WAIT,
            complaints: Complaints::default(),
            caught_up: HashSet::new(),
            caught_up_until: Instant::now(),
            events: 0,
        }
    }

    fn run(mut self) {
        let queue = &self.services.account_usage;
        // What the last process could not write any more.
        queue.fell_behind(0);
        loop {
            let mut batch = queue.next();
            self.entries.append(&mut batch.entries);
            if let Err(error) = retried(|| self.work(&batch), thread::sleep) {
                batch.behind_since_ms.into_iter().for_each(|since_ms| queue.fell_behind(since_ms));
                self.complaints.complain(&error);
                self.give_up_excess();
            }
            queue.done(&batch);
            if batch.stopping {
                return;
            }
        }
    }

    fn work(&mut self, batch: &Batch) -> Result<(), RunError> {
        let expires = Instant::now() >= self.next_expiry;
        if Instant::now() >= self.caught_up_until {
            self.caught_up.clear();
        }
        let meters = batch.is_asked || batch.stopping || Instant::now() >= self.next_metering;
        let idle = self.entries.is_empty() && self.unwritten.is_empty() && batch.behind_since_ms.is_none();
        if idle && !expires && !meters {
            return Ok(());
        }
        let mut session = self.services.engine.open_session()?;
        self.make_rows(session.as_ref());
        if meters {
            self.next_metering = Instant::now() + METERING_WAIT;
            self.services.metering.count_running();
            let rows = self.services.metering.take_unwritten().into_iter().map(metering_row).collect();
            self.unwritten.add("METERING", rows);
        }
        // Before the statements of the registry are compared with those of the trail.
        self.unwritten.write(session.as_mut())?;
        if let Some(since_ms) = batch.behind_since_ms {
            self.catch_up(session.as_mut(), since_ms)?;
        }
        if expires {
            self.next_expiry = Instant::now() + self.services.limits.sweep_interval;
            expiry::expire(session.as_mut(), &self.services.limits.audit)?;
        }
        Ok(())
    }

    fn make_rows(&mut self, session: &dyn Session) {
        let names = Names::of(&self.services.catalog);
        let mut described = Described::default();
        let mut objects_changed = false;
        let (mut statements, mut reads, mut logins): (Vec<Row>, Vec<Row>, Vec<Row>) = Default::default();
        for entry in self.entries.drain(..) {
            match entry {
                // It was read from the registry before it came here.
                Entry::Statement(record) if self.caught_up.remove(&record.handle) => {}
                Entry::Statement(record) => {
                    objects_changed |= statement_records::changes_objects(&record);
                    statements.extend(statement_records::row(&record, &names));
                }
                Entry::Accessed(accessed) => reads.push(accesses::row(&accessed, &names, session, &mut described)),
                Entry::Login(login) => {
                    self.events += 1;
                    logins.push(login_records::row(&login, event_id(login.at_ms, self.events)));
                }
            }
        }
        if objects_changed {
            self.services.account_usage.note_changed_objects();
        }
        for (table, rows) in [("STATEMENTS", statements), ("ACCESSES", reads), ("LOGINS", logins)] {
            self.unwritten.add(table, rows);
        }
    }

    /// What the engine has refused for long; statements are read from the registry later.
    fn give_up_excess(&mut self) {
        if let Some(since_ms) = self.unwritten.give_up_excess() {
            tracing::error!("the audit trail lacks logins and accesses that could not be written");
            self.services.account_usage.fell_behind(since_ms - OVERLAP_MS);
        }
    }

    /// Statements whose ends are in the registry and not in the trail: after a crash, or when there were too many at once.
    fn catch_up(&mut self, session: &mut dyn Session, since_ms: i64) -> Result<(), RunError> {
        let since_ms = match since_ms {
            0 => last_end_ms(session)? - OVERLAP_MS,
            since_ms => since_ms,
        };
        let past = self.services.catalog.registry().ended_since(since_ms)?;
        let known = record_sql::rows(
            session,
            &format!(
                "SELECT QUERY_ID FROM SNOWFLAKE.RECORDS.STATEMENTS WHERE END_TIME >= '{}'::TIMESTAMP_LTZ",
                instant(since_ms.max(0))
            ),
        )?;
        let known: HashSet<String> = known.into_iter().flatten().flatten().collect();
        let names = Names::of(&self.services.catalog);
        let missing: Vec<_> = past.into_iter().filter(|past| !known.contains(&past.handle.to_string())).collect();
        self.caught_up.extend(missing.iter().map(|past| past.handle));
        self.caught_up_until = Instant::now() + CAUGHT_UP_WAIT;
        let rows = missing.into_iter().map(|past| statement_records::row_of_past(past, &names)).collect();
        self.unwritten.add("STATEMENTS", rows);
        self.unwritten.write(session)
    }
}

fn metering_row(work: HourOfWork) -> Row {
    vec![Some(instant(work.hour_ms)), Some(work.warehouse.to_string()), Some(work.credits.to_string())]
}

/// When the last statement of the trail ended; 0 where there is none.
fn last_end_ms(session: &mut dyn Session) -> Result<i64, RunError> {
    let sql = "SELECT DATE_PART('epoch_millisecond', MAX(END_TIME)) FROM SNOWFLAKE.RECORDS.STATEMENTS";
    let cell = record_sql::rows(session, sql)?.into_iter().flatten().flatten().next();
    Ok(cell.and_then(|cell| cell.parse().ok()).unwrap_or(0))
}

/// Grows with time, and is no other's.
fn event_id(at_ms: i64, number: u64) -> u64 {
    (at_ms.max(0).cast_unsigned() << 16) | (number & 0xffff)
}
