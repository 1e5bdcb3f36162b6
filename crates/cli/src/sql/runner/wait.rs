//! Waits for a statement's end. Ctrl-C stops it on the server.

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use super::{Runner, is_interrupted};
use crate::failure::Failure;
use crate::output::sayln;
use crate::server::statements::{Cancelled, Outcome, ResultHead, StatementFailure, Submitted};

/// The code of a statement that is not there.
const NOT_FOUND_CODE: &str = "000709";

const FIRST_INTERVAL: Duration = Duration::from_millis(2);
const INTERVAL_MAX: Duration = Duration::from_millis(100);
/// Shorter waits need no words.
const SHOWN_AFTER: Duration = Duration::from_millis(700);

impl Runner<'_> {
    pub(super) fn wait(
        &self,
        submitted: &Submitted,
        handle: &str,
    ) -> Result<Result<ResultHead, StatementFailure>, Box<dyn Error>> {
        let mut line = WaitingLine::new();
        let mut interval = FIRST_INTERVAL;
        loop {
            if is_interrupted() {
                drop(line);
                return Err(self.cancel(submitted));
            }
            match self.server.outcome(handle)? {
                Outcome::Succeeded(head) => return Ok(Ok(head)),
                Outcome::Failed(failure) => return Ok(Err(self.reason(submitted, handle, failure)?)),
                Outcome::Running(progress) => line.show(progress.as_deref()),
            }
            std::thread::sleep(interval);
            interval = (interval * 2).min(INTERVAL_MAX);
        }
    }

    /// A statement that is not there never ran: the reason is that of the whole request.
    fn reason(
        &self,
        submitted: &Submitted,
        handle: &str,
        failure: StatementFailure,
    ) -> Result<StatementFailure, Box<dyn Error>> {
        if failure.code != NOT_FOUND_CODE || handle == submitted.handle {
            return Ok(failure);
        }
        match self.server.outcome(&submitted.handle)? {
            Outcome::Failed(of_request) => Ok(of_request),
            _ => Ok(failure),
        }
    }

    fn cancel(&self, submitted: &Submitted) -> Box<dyn Error> {
        sayln!("cancelling on the server …");
        match self.server.cancel(&submitted.handle) {
            Ok(Cancelled::Stopped) => sayln!("cancelled"),
            Ok(Cancelled::EndedBefore) => sayln!("it had ended before it could be cancelled"),
            Err(error) => return format!("the statement {} may still run: {error}", submitted.handle).into(),
        }
        Failure::Interrupted.into()
    }
}

/// A line on the terminal that tells how long it takes; it vanishes with the wait.
struct WaitingLine {
    begun: Instant,
    is_terminal: bool,
    is_shown: bool,
}

impl WaitingLine {
    fn new() -> Self {
        Self { begun: Instant::now(), is_terminal: io::stderr().is_terminal(), is_shown: false }
    }

    fn show(&mut self, progress: Option<&str>) {
        let time = self.begun.elapsed();
        if !self.is_terminal || time < SHOWN_AFTER {
            return;
        }
        self.is_shown = true;
        let progress = progress.unwrap_or("running");
        let _ = write!(io::stderr(), "\r\u{1b}[K{progress}, {:.1} s; Ctrl-C cancels", time.as_secs_f64());
    }
}

impl Drop for WaitingLine {
    fn drop(&mut self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}
