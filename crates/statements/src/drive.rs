//! Runs a statement from its place in a queue to its recorded end.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::admission::{QueuePlace, Slot};
use crate::execution::{Ending, Execution, Finished, OnDisk};
use crate::limits::Limits;
use crate::run::{Job, run, run_quick, run_short};
use crate::run_error::RunError;
use crate::service::Inner;
use crate::{ending, record_end};

/// How long a statement may occupy a thread that other requests wait for; enforced by the watchdog.
const AT_ONCE_MAX: Duration = Duration::from_millis(20);

/// The pause before an outcome that could not be written is written again.
const RECORD_AGAIN_AFTER: Duration = Duration::from_secs(1);

pub struct Drive {
    inner: Arc<Inner>,
    execution: Arc<Execution>,
    /// A plan that could not be made is a failed statement like any other.
    job: Result<Job, RunError>,
    turn: Turn,
}

enum Turn {
    Over,
    Waiting(QueuePlace),
    Come(Slot),
}

impl Drive {
    pub fn new(inner: Arc<Inner>, execution: Arc<Execution>, job: Result<Job, RunError>, place: QueuePlace) -> Self {
        Self { inner, execution, job, turn: Turn::Waiting(place) }
    }

    /// Runs a statement that is expected to be short on the current thread, which must not be one of the runtime: waking
    /// another takes longer than the statement. `None` if it is not short or took too long after all; it has had no visible
    /// effect then.
    pub fn at_once(&mut self) -> Option<Arc<Finished>> {
        let services = &self.inner.services;
        let is_short = |job: &Job| match &job.tables {
            Some(tables) => services.running.count() <= self.inner.cores && services.short_statements.is_short(tables),
            None => false,
        };
        let job = self.job.as_mut().ok().filter(|job| job.plan.is_quick() || is_short(job))?;
        if let Turn::Waiting(place) = &mut self.turn {
            self.turn = Turn::Come(place.turn_at_once()?);
        }
        self.execution.progress.begin();
        self.execution.leave_thread_by(Some(Instant::now() + AT_ONCE_MAX));
        let ending = std::panic::catch_unwind(AssertUnwindSafe(|| match job.plan.is_quick() {
            true => run_quick(&self.inner.services, job),
            false => run_short(&self.inner.services, job),
        }));
        self.execution.leave_thread_by(None);
        let ending = ending.ok().flatten()?;
        self.turn = Turn::Over;
        Some(record(&self.inner, &self.execution, ending))
    }

    /// A task of its own: a client that goes away does not stop it.
    pub async fn finish(self) {
        let ending = queue_and_run(&self.inner, &self.execution, self.job, self.turn).await;
        tokio::task::block_in_place(|| record(&self.inner, &self.execution, ending));
    }
}

fn record(inner: &Arc<Inner>, execution: &Arc<Execution>, ending: Ending) -> Arc<Finished> {
    let finished = record_end::record(&inner.services, execution, ending);
    let still_known = || inner.services.running.find(execution.user_id, execution.handle).is_some();
    if finished.on_disk != OnDisk::Yes && still_known() {
        tokio::spawn(record_late(inner.clone(), execution.clone()));
    }
    finished
}

/// Tries until the disk takes the end, or the server stops.
async fn record_late(inner: Arc<Inner>, execution: Arc<Execution>) {
    let registry = inner.services.catalog.registry();
    loop {
        tokio::time::sleep(RECORD_AGAIN_AFTER).await;
        if tokio::task::block_in_place(|| execution.record_end_again(registry)).is_ok() {
            break;
        }
    }
    tokio::task::block_in_place(|| record_end::settle_late(&inner.services, &execution));
}

async fn queue_and_run(
    inner: &Arc<Inner>,
    execution: &Arc<Execution>,
    job: Result<Job, RunError>,
    turn: Turn,
) -> Ending {
    let limits = &inner.services.limits;
    let job = match job {
        Ok(job) => job,
        Err(error) => return ending::failed(error, execution, limits),
    };
    let slot = match wait_for_turn(execution, turn, limits).await {
        Ok(slot) => slot,
        Err(ending) => return ending,
    };
    execution.progress.begin();
    let services = inner.services.clone();
    let work = move || {
        let ending = std::panic::catch_unwind(AssertUnwindSafe(|| run(&services, job)));
        drop(slot);
        ending.ok()
    };
    // While cores are free, on the current thread: handing a statement to another costs more than most statements
    // take. With more statements, on the pool of blocking threads.
    let ending = if inner.services.running.count() <= inner.cores {
        tokio::task::block_in_place(work)
    } else {
        tokio::task::spawn_blocking(work).await.ok().flatten()
    };
    ending.unwrap_or_else(|| {
        ending::failed(RunError::Internal("the statement's work panicked".to_owned()), execution, limits)
    })
}

async fn wait_for_turn(execution: &Execution, turn: Turn, limits: &Limits) -> Result<Option<Slot>, Ending> {
    let mut place = match turn {
        Turn::Over => return Ok(None),
        Turn::Come(slot) => return Ok(Some(slot)),
        Turn::Waiting(place) => place,
    };
    let began = Instant::now();
    let came = tokio::select! {
        turn = place.turn() => match turn {
            Some(slot) => Ok(Some(slot)),
            None => {
                let ended = ending::queue_timed_out(limits, place.wait_max);
                Err(Ending { ended, first_rows: Bytes::new() })
            }
        },
        () = execution.stop_wanted() => {
            Err(Ending { ended: ending::stopped(execution.stop_reason(), limits), first_rows: Bytes::new() })
        }
    };
    execution.progress.set_queued(began.elapsed());
    came
}
