//! Work on a thread that may block, watched by a task: when nobody waits for it any longer, it is interrupted until it
//! has ended. An interrupt between two calls of the engine is lost on it, so one is not enough.

use std::sync::Arc;
use std::time::Duration;

use firn_statements::ReadStop;
use tokio::sync::oneshot;

/// How often the work is looked after.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Stops the work when whoever waits for it is gone.
struct StopWhenDropped(Arc<ReadStop>);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The outcome of the work, which is stopped after `wait_max`, or when the caller goes.
pub async fn watched<T: Send + 'static>(
    stop: Arc<ReadStop>,
    wait_max: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Unfinished> {
    let _guard = StopWhenDropped(Arc::clone(&stop));
    let (sender, outcome) = oneshot::channel();
    tokio::spawn(async move {
        let mut work = tokio::task::spawn_blocking(work);
        let ended = loop {
            match tokio::time::timeout(LOOK_INTERVAL, &mut work).await {
                Ok(ended) => break ended,
                Err(_) if stop.is_stopped() => stop.stop(),
                Err(_) => {}
            }
        };
        // Whoever waited may be gone.
        let _ = sender.send(ended);
    });
    match tokio::time::timeout(wait_max, outcome).await {
        Ok(Ok(Ok(outcome))) => Ok(outcome),
        Ok(_) => Err(Unfinished::Panicked),
        Err(_) => Err(Unfinished::TooSlow),
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum Unfinished {
    TooSlow,
    Panicked,
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[tokio::test]
    async fn work_that_nobody_waits_for_is_stopped() {
        let stop = Arc::<ReadStop>::default();
        let ended = Arc::new(AtomicBool::new(false));
        let (seen, end) = (Arc::clone(&stop), Arc::clone(&ended));
        let work = move || {
            while !seen.is_stopped() {
                std::thread::sleep(Duration::from_millis(1));
            }
            end.store(true, Ordering::SeqCst);
        };
        assert_eq!(watched(stop, Duration::from_millis(10), work).await, Err(Unfinished::TooSlow));
        for _ in 0..200 {
            if ended.load(Ordering::SeqCst) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the work goes on");
    }

    #[tokio::test]
    async fn an_outcome_or_a_panic_is_reported() {
        let wait = Duration::from_secs(5);
        assert_eq!(watched(Arc::default(), wait, || 1).await, Ok(1));
        let panicking = || -> i32 { panic!("on purpose") };
        assert_eq!(watched(Arc::default(), wait, panicking).await, Err(Unfinished::Panicked));
    }
}
