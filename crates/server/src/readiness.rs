//! Whether requests can be served: until the server is asked to stop, and as long as its files can be used.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use crate::state::AppState;

/// Anybody may ask, so the files are looked at once in this time at most.
const VALID_FOR: Duration = Duration::from_secs(1);

/// A disk that does not answer is a problem too.
const CHECK_WAIT: Duration = Duration::from_secs(5);

#[derive(Default)]
pub struct Readiness {
    stopping: AtomicBool,
    checked: Mutex<Option<Checked>>,
}

struct Checked {
    at: Instant,
    problems: Vec<String>,
}

pub enum ReadinessNow {
    Ready,
    Stopping,
    /// What is wrong, without names.
    Broken(Vec<String>),
}

impl Readiness {
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub async fn now(&self, app: &AppState) -> ReadinessNow {
        if self.stopping.load(Ordering::Relaxed) {
            return ReadinessNow::Stopping;
        }
        let mut checked = self.checked.lock().await;
        let problems = match checked.as_ref().filter(|checked| checked.at.elapsed() < VALID_FOR) {
            Some(checked) => checked.problems.clone(),
            None => {
                let problems = check(app).await;
                *checked = Some(Checked { at: Instant::now(), problems: problems.clone() });
                problems
            }
        };
        if problems.is_empty() { ReadinessNow::Ready } else { ReadinessNow::Broken(problems) }
    }
}

async fn check(app: &AppState) -> Vec<String> {
    let statements = app.statements.clone();
    let checking = tokio::task::spawn_blocking(move || statements.problems());
    match tokio::time::timeout(CHECK_WAIT, checking).await {
        Ok(Ok(problems)) => problems,
        Ok(Err(_)) => vec!["the check broke off".to_owned()],
        Err(_) => vec!["the disk does not answer".to_owned()],
    }
}
