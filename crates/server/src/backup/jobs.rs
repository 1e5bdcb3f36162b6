//! The backups of a running server: one at a time, each on a thread of its own that ends with the server.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use firn_statements::StatementService;

use super::backup_folder::{check_name, is_taken, name_for_now};
use super::error::BackupError;
use super::layout::Summary;
use super::make::back_up_running;
use super::manifest::Manifest;
use super::progress::Progress;

pub struct Backups {
    data_dir: PathBuf,
    /// `None` where no backups may be made.
    folder: Option<PathBuf>,
    last: Mutex<Option<Job>>,
    is_stopping: AtomicBool,
}

struct Job {
    name: String,
    progress: Arc<Progress>,
    outcome: Arc<Mutex<Option<Result<Summary, String>>>>,
    /// `None` once its end has been waited for.
    thread: Option<JoinHandle<()>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupState {
    Running,
    Succeeded,
    Failed,
}

/// A backup as it is now.
pub struct BackupView {
    pub name: String,
    pub state: BackupState,
    pub message: Option<String>,
    pub files: Option<usize>,
    pub bytes: u64,
    pub bytes_done: u64,
    pub bytes_reused: Option<u64>,
    pub paused_ms: Option<u64>,
}

impl Backups {
    pub fn new(data_dir: PathBuf, folder: Option<PathBuf>) -> Self {
        Self { data_dir, folder, last: Mutex::default(), is_stopping: AtomicBool::new(false) }
    }

    /// Begins a backup and returns at once.
    pub fn start(&self, statements: &StatementService, name: Option<String>) -> Result<BackupView, BackupError> {
        let folder = self.folder.clone().ok_or(BackupError::SwitchedOff)?;
        let name = name.unwrap_or_else(name_for_now);
        check_name(&name)?;
        let mut last = self.last();
        if self.is_stopping.load(Ordering::SeqCst) {
            return Err(BackupError::ServerStopping);
        }
        if let Some(job) = last.as_ref().filter(|job| job.outcome().is_none()) {
            return Err(BackupError::Busy(job.name.clone()));
        }
        if is_taken(&folder, &name) {
            return Err(BackupError::Exists(name));
        }
        let (progress, outcome) = (Arc::new(Progress::default()), Arc::new(Mutex::new(None)));
        let work = {
            let (statements, data_dir, name) = (statements.clone(), self.data_dir.clone(), name.clone());
            let (progress, outcome) = (Arc::clone(&progress), Arc::clone(&outcome));
            move || {
                let made = back_up_running(&statements, &data_dir, &folder, &name, &progress);
                let made = made.map_err(|error| match error {
                    // Nothing but the end of the server stops one.
                    BackupError::Stopped => BackupError::ServerStopping,
                    other => other,
                });
                log(&name, &made);
                let made = made.map_err(|error| error.to_string());
                *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
            }
        };
        let thread = std::thread::Builder::new().name("firn-backup".to_owned()).spawn(work);
        let job = Job { name, progress, outcome, thread: Some(thread.map_err(BackupError::Folder)?) };
        let view = job.view();
        *last = Some(job);
        Ok(view)
    }

    /// A backup of this process's, or one that is whole.
    pub fn find(&self, name: &str) -> Option<BackupView> {
        if let Some(job) = self.last().as_ref().filter(|job| job.name == name) {
            return Some(job.view());
        }
        check_name(name).ok()?;
        let manifest = Manifest::read(&self.folder.as_ref()?.join(name)).ok()?;
        let bytes = manifest.files.iter().map(|entry| entry.bytes).sum();
        Some(BackupView {
            name: name.to_owned(),
            state: BackupState::Succeeded,
            message: None,
            files: Some(manifest.files.len()),
            bytes,
            bytes_done: bytes,
            bytes_reused: None,
            paused_ms: None,
        })
    }

    /// Breaks off a backup that is being made, and returns when it has ended. No other one is begun. What became of it is
    /// answered as long as the server answers.
    pub fn stop(&self) {
        let thread = {
            let mut last = self.last();
            self.is_stopping.store(true, Ordering::SeqCst);
            let Some(job) = last.as_mut() else { return };
            job.progress.stop();
            job.thread.take()
        };
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread of a backup panicked");
        }
    }

    fn last(&self) -> MutexGuard<'_, Option<Job>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job {
    /// A thread that has ended without an outcome has panicked.
    fn outcome(&self) -> Option<Result<Summary, String>> {
        let is_over = self.thread.as_ref().is_some_and(JoinHandle::is_finished);
        let outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner).clone();
        outcome.or_else(|| is_over.then(|| Err("the backup broke off; the server's log says why".to_owned())))
    }

    fn view(&self) -> BackupView {
        let outcome = self.outcome();
        let (state, message) = match &outcome {
            None => (BackupState::Running, None),
            Some(Ok(_)) => (BackupState::Succeeded, None),
            Some(Err(message)) => (BackupState::Failed, Some(message.clone())),
        };
        let summary = outcome.and_then(Result::ok);
        BackupView {
            name: self.name.clone(),
            state,
            message,
            files: summary.as_ref().map(|summary| summary.files),
            bytes: summary.as_ref().map_or_else(|| self.progress.bytes(), |summary| summary.bytes),
            bytes_done: summary.as_ref().map_or_else(|| self.progress.bytes_done(), |summary| summary.bytes),
            bytes_reused: summary.as_ref().map(|summary| summary.bytes_reused),
            paused_ms: summary.as_ref().map(|summary| summary.paused_ms),
        }
    }
}

fn log(name: &str, made: &Result<Summary, BackupError>) {
    match made {
        Ok(Summary { files, bytes, bytes_reused, paused_ms, .. }) => {
            tracing::info!(backup = name, files, bytes, bytes_reused, paused_ms, "a backup was made");
        }
        Err(error) => tracing::error!(backup = name, %error, "a backup failed"),
    }
}
