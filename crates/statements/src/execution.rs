//! One statement while it runs: what stops it, who waits for it, and whether it is on disk yet.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use firn_catalog::registry::{EndState, Ended, StatementRecord};
use firn_catalog::{CatalogError, Registry};
use firn_engine::Interrupt;
use firn_engine::error::{DISK_FULL_STATE, IO_STATE};
use firn_sql::secrets_in_text::known_values;
use tokio::sync::watch;
use uuid::Uuid;

use crate::handle::{StatementHandle, session_number};
use crate::metering::{Metered, Metering};
use crate::mutex::lock;
use crate::progress::{Noted, Progress};
use crate::view::children_of;

/// A block in a loop may have any number.
const SECRETS_MAX: usize = 100;

/// Statements of one set that wait for a disk that takes their ends.
const UNRECORDED_CHILDREN_MAX: usize = 1_000;

/// Why a running statement is being stopped. The first reason wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    Cancelled,
    TimedOut {
        seconds: u64,
    },
    ShuttingDown,
    /// A resource monitor has suspended the warehouse at once.
    Suspended {
        warehouse: Arc<str>,
        monitor: String,
    },
}

/// A statement's end, as the waiters get it without a look at the disk.
#[derive(Debug)]
pub struct Finished {
    pub record: StatementRecord,
    /// The first partition's rows.
    pub first_rows: Bytes,
    pub on_disk: OnDisk,
}

/// Whether a statement's end could be written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDisk {
    Yes,
    No { sql_state: &'static str },
}

impl Finished {
    pub fn has_failed(&self) -> bool {
        self.record.ended.as_ref().is_some_and(|ended| ended.state != EndState::Succeeded)
    }
}

impl OnDisk {
    fn of(written: &Result<(), CatalogError>) -> Self {
        match written {
            Ok(()) => Self::Yes,
            Err(refused) => Self::No { sql_state: state_of_refusal(refused) },
        }
    }
}

/// The SQL state for a record that the state file does not take.
pub fn state_of_refusal(refused: &CatalogError) -> &'static str {
    if refused.is_disk_full() { DISK_FULL_STATE } else { IO_STATE }
}

pub struct Execution {
    pub handle: StatementHandle,
    pub user_id: i64,
    pub created_on_ms: i64,
    /// The handles of a set's statements.
    pub children: Vec<StatementHandle>,
    pub role: String,
    pub warehouse: Option<String>,
    stop_reason: watch::Sender<Option<StopReason>>,
    /// The warehouse that has begun to work for it.
    works_on: Mutex<Option<Metered>>,
    time_limit: Mutex<TimeLimit>,
    /// When a statement has to leave a thread that other requests wait for.
    leaves_thread_by: Mutex<Option<Instant>>,
    interrupt: Mutex<Option<Arc<dyn Interrupt>>>,
    /// The number of the transaction that is open.
    transaction: Mutex<Option<String>>,
    record: Mutex<Recorded>,
    /// The statement of a set that runs, until its end is recorded.
    child: Mutex<Option<StatementRecord>>,
    /// What the statements of a block have shown to be secret.
    secrets: Mutex<Vec<String>>,
    pub progress: Noted,
    finished: watch::Sender<Option<Arc<Finished>>>,
}

/// When a statement has run long enough. A set's statements each get their time.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimit {
    pub seconds: u64,
    pub ends: Instant,
}

impl TimeLimit {
    pub fn from_now(seconds: u64) -> Self {
        Self::since(Instant::now(), seconds)
    }

    pub fn since(begun: Instant, seconds: u64) -> Self {
        Self { seconds, ends: begun + Duration::from_secs(seconds) }
    }
}

struct Recorded {
    record: StatementRecord,
    on_disk: bool,
    /// The text on disk has secrets that the record no longer has.
    has_older_text: bool,
    finished: Option<Arc<Finished>>,
    /// Statements of the set whose ends the disk has refused.
    unrecorded_children: Vec<StatementRecord>,
    /// Those of them that it has taken since.
    late_children: Vec<Uuid>,
}

/// The end of a statement that had none before.
pub struct RecordedEnd {
    pub finished: Arc<Finished>,
    pub written: Result<(), CatalogError>,
}

impl Recorded {
    fn write(&mut self, registry: &Registry) -> Result<(), CatalogError> {
        self.write_text(registry)?;
        while let Some(child) = self.unrecorded_children.last() {
            registry.insert(child)?;
            self.late_children.push(child.handle);
            self.unrecorded_children.pop();
        }
        match &self.record.ended {
            Some(ended) if self.on_disk => registry.end(self.record.handle, ended)?,
            _ => registry.insert(&self.record)?,
        }
        self.on_disk = true;
        Ok(())
    }

    fn write_text(&mut self, registry: &Registry) -> Result<(), CatalogError> {
        if self.on_disk && self.has_older_text {
            registry.set_text(self.record.handle, &self.record.text)?;
        }
        self.has_older_text = false;
        Ok(())
    }
}

impl Execution {
    pub fn new(record: StatementRecord, timeout_s: u64) -> Self {
        Self::with_record(record, timeout_s, false)
    }

    /// For a record that has been written already.
    pub fn recorded(record: StatementRecord, timeout_s: u64) -> Self {
        Self::with_record(record, timeout_s, true)
    }

    fn with_record(record: StatementRecord, timeout_s: u64, on_disk: bool) -> Self {
        Self {
            handle: StatementHandle(record.handle),
            user_id: record.user_id,
            created_on_ms: record.created_on_ms,
            children: children_of(&record),
            role: record.role.clone(),
            warehouse: record.warehouse.clone(),
            stop_reason: watch::Sender::new(None),
            works_on: Mutex::default(),
            time_limit: Mutex::new(TimeLimit::from_now(timeout_s)),
            leaves_thread_by: Mutex::default(),
            interrupt: Mutex::default(),
            transaction: Mutex::default(),
            record: Mutex::new(Recorded {
                record,
                on_disk,
                has_older_text: false,
                finished: None,
                unrecorded_children: Vec::new(),
                late_children: Vec::new(),
            }),
            child: Mutex::default(),
            secrets: Mutex::default(),
            progress: Noted::default(),
            finished: watch::Sender::new(None),
        }
    }

    /// The request's handle, for a statement that is part of the request.
    pub fn parent_of(&self, handle: Uuid) -> Option<Uuid> {
        (handle != self.handle.0).then_some(self.handle.0)
    }

    pub fn stop(&self, reason: StopReason) {
        self.stop_reason.send_if_modified(|current| {
            let is_first = current.is_none();
            current.get_or_insert(reason);
            is_first
        });
        self.interrupt_again();
    }

    /// From here on the warehouse works for the statement, until that is over or another does.
    pub fn begin_work_on(&self, metering: &Arc<Metering>, warehouse: &str) {
        if !self.works_on(warehouse) {
            let before = lock(&self.works_on).replace(metering.begin(warehouse));
            drop(before);
        }
    }

    pub fn works_on(&self, warehouse: &str) -> bool {
        lock(&self.works_on).as_ref().is_some_and(|metered| metered.is_on(warehouse))
    }

    /// Counts what the statement used of its warehouse.
    pub fn end_work(&self) {
        let metered = lock(&self.works_on).take();
        drop(metered);
    }

    pub fn note_transaction(&self, number: Option<String>) {
        *lock(&self.transaction) = number;
    }

    pub fn transaction(&self) -> Option<String> {
        lock(&self.transaction).clone()
    }

    pub fn stop_reason(&self) -> Option<StopReason> {
        self.stop_reason.borrow().clone()
    }

    /// Resolves once `stop` has been called.
    pub async fn stop_wanted(&self) {
        // The sender lives in `self`, so that waiting can only end with a reason.
        let _ = self.stop_reason.subscribe().wait_for(Option::is_some).await;
    }

    pub fn limit_time(&self, limit: TimeLimit) {
        *lock(&self.time_limit) = limit;
    }

    pub fn stop_if_out_of_time(&self) {
        let TimeLimit { seconds, ends } = *lock(&self.time_limit);
        if ends <= Instant::now() {
            self.stop(StopReason::TimedOut { seconds });
        }
    }

    pub fn leave_thread_by(&self, time: Option<Instant>) {
        *lock(&self.leaves_thread_by) = time;
    }

    /// Interrupts a statement that has had its time on a thread that others wait for. It is not being
    /// stopped: it begins again elsewhere. The lock is held meanwhile, so that it is not met there.
    pub fn interrupt_past_thread_limit(&self) {
        let leaves_by = lock(&self.leaves_thread_by);
        if leaves_by.is_some_and(|time| time <= Instant::now()) {
            self.interrupt_again();
        }
    }

    /// From here on `stop` reaches the engine; with `None` no longer, because the session goes back
    /// to serve others.
    pub fn interrupt_through(&self, interrupt: Option<Arc<dyn Interrupt>>) {
        *lock(&self.interrupt) = interrupt;
    }

    /// Interrupts once more: an interrupt between two engine calls is lost on the engine. The lock is
    /// held meanwhile, so that no session is interrupted after it was given back.
    pub fn interrupt_again(&self) {
        if let Some(interrupt) = lock(&self.interrupt).as_ref() {
            interrupt.interrupt();
        }
    }

    /// Redacts what a statement of a block has as a secret in the text of the request, in memory and on disk.
    pub fn note_secrets(&self, registry: &Registry, secrets: Vec<String>) {
        {
            let mut known = lock(&self.secrets);
            for secret in secrets {
                if known.len() < SECRETS_MAX && !known.contains(&secret) {
                    known.push(secret);
                }
            }
        }
        let mut recorded = lock(&self.record);
        let text = self.without_secrets(&recorded.record.text);
        if text != recorded.record.text {
            recorded.record.text = text;
            recorded.has_older_text = true;
            if let Err(error) = recorded.write_text(registry) {
                tracing::warn!(statement.handle = %self.handle, %error, "a redacted text cannot be recorded yet");
            }
        }
    }

    /// A text or message without the secrets that are known by now.
    pub fn without_secrets(&self, text: &str) -> String {
        known_values::without(text, &lock(&self.secrets)).into_owned()
    }

    /// From here on a statement of the set runs.
    pub fn begin_child(&self, record: StatementRecord) {
        *lock(&self.child) = Some(record);
        self.progress.begin_statement();
    }

    /// The statement of the set that runs, for whoever records its end; `None` once somebody does.
    pub fn take_child(&self) -> Option<StatementRecord> {
        let record = lock(&self.child).take()?;
        let text = self.without_secrets(&record.text);
        Some(StatementRecord { text, ..record })
    }

    /// The end of a statement of the set that the disk has refused is recorded before that of the set. Whether there is room for it.
    pub fn record_child_later(&self, child: StatementRecord) -> bool {
        let waiting = &mut lock(&self.record).unrecorded_children;
        let has_room = waiting.len() < UNRECORDED_CHILDREN_MAX;
        if has_room {
            waiting.push(child);
        }
        has_room
    }

    /// The statements of the set that were recorded late.
    pub fn take_late_children(&self) -> Vec<Uuid> {
        std::mem::take(&mut lock(&self.record).late_children)
    }

    /// Makes sure that the statement is on disk, running or ended, before its handle is returned.
    pub fn ensure_recorded(&self, registry: &Registry) -> Result<(), CatalogError> {
        let mut recorded = lock(&self.record);
        if recorded.on_disk { Ok(()) } else { recorded.write(registry) }
    }

    /// Whether others may know of the statement: it is on disk, running or ended.
    pub fn is_recorded(&self) -> bool {
        lock(&self.record).on_disk
    }

    /// The number of its session.
    pub fn session(&self) -> u64 {
        lock(&self.record).record.session.unwrap_or_else(|| session_number(self.handle.0))
    }

    /// What is known of it by now.
    pub fn record(&self) -> StatementRecord {
        lock(&self.record).record.clone()
    }

    /// Whether it has been interrupted while the engine plans it, or does not notice it. It has no effect then.
    pub fn is_stopped_unnoticed(&self) -> bool {
        let goes_on = |interrupt: &Arc<dyn Interrupt>| {
            interrupt.interrupt();
            interrupt.is_planning() || interrupt.is_deaf()
        };
        self.stop_reason().is_some() && lock(&self.interrupt).as_ref().is_some_and(goes_on)
    }

    /// How far it is by now.
    pub fn progress(&self) -> Progress {
        let interrupt = lock(&self.interrupt).clone();
        let percent = interrupt.as_ref().and_then(|interrupt| interrupt.percent_done());
        self.progress.progress(interrupt.is_some_and(|interrupt| interrupt.is_planning()), percent)
    }

    /// Writes the end to disk. What is returned is for the waiters; an end that was recorded before stays.
    pub fn record_end(&self, registry: &Registry, ending: Ending) -> Result<RecordedEnd, Arc<Finished>> {
        let mut recorded = lock(&self.record);
        if let Some(earlier) = &recorded.finished {
            return Err(earlier.clone());
        }
        recorded.record.ended = Some(Ended { queued_ms: self.progress.queued_ms(), ..ending.ended });
        let written = recorded.write(registry);
        let on_disk = OnDisk::of(&written);
        let record = recorded.record.clone();
        let finished = Arc::new(Finished { record, first_rows: ending.first_rows, on_disk });
        recorded.finished = Some(finished.clone());
        Ok(RecordedEnd { finished, written })
    }

    /// Tries once more to write an end that the disk refused.
    pub fn record_end_again(&self, registry: &Registry) -> Result<(), CatalogError> {
        lock(&self.record).write(registry)
    }

    /// Wakes every waiter.
    pub fn announce(&self, finished: Arc<Finished>) {
        self.finished.send_replace(Some(finished));
    }

    /// The end that waiters have been woken with.
    pub fn announced_end(&self) -> Option<Arc<Finished>> {
        self.finished.borrow().clone()
    }

    pub async fn wait(&self) -> Option<Arc<Finished>> {
        let mut receiver = self.finished.subscribe();
        let finished = receiver.wait_for(Option::is_some).await.ok()?;
        finished.clone()
    }
}

/// How a request ended, ready to be recorded.
pub struct Ending {
    pub ended: Ended,
    pub first_rows: Bytes,
}
