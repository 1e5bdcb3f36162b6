//! Whether requests can be served: until the server is asked to stop, and as long as its files can be used.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use firn_statements::FileProblems;
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
    files: FileProblems,
}

pub enum ReadinessNow {
    Ready(FileProblems),
    Stopping,
    /// What is wrong, without names.
    Broken(FileProblems),
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
        let files = match checked.as_ref().filter(|checked| checked.at.elapsed() < VALID_FOR) {
            Some(checked) => checked.files.clone(),
            None => {
                let files = check(app).await;
                *checked = Some(Checked { at: Instant::now(), files: files.clone() });
                files
            }
        };
        if files.problems.is_empty() { ReadinessNow::Ready(files) } else { ReadinessNow::Broken(files) }
    }
}

async fn check(app: &AppState) -> FileProblems {
    let statements = app.statements.clone();
    let checking = tokio::task::spawn_blocking(move || statements.check_files());
    let failed = |problem: &str| FileProblems { problems: vec![problem.to_owned()], ..FileProblems::default() };
    match tokio::time::timeout(CHECK_WAIT, checking).await {
        Ok(Ok(files)) => files,
        Ok(Err(_)) => failed("the check broke off"),
        Err(_) => failed("the disk does not answer"),
    }
}
