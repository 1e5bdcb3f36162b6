//! SIGINT and SIGTERM, for commands that clean up behind themselves and say what happened.

use std::io;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// From now on neither signal ends the process by itself.
pub struct StopSignals {
    runtime: Runtime,
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    pub fn listen() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (interrupt, terminate) = runtime.block_on(async {
            Ok::<_, io::Error>((signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?))
        })?;
        Ok(Self { runtime, interrupt, terminate })
    }

    /// Whether a signal came within this time.
    pub fn came_within(&mut self, time: Duration) -> bool {
        let (interrupt, terminate) = (&mut self.interrupt, &mut self.terminate);
        self.runtime.block_on(async {
            tokio::select! {
                _ = interrupt.recv() => true,
                _ = terminate.recv() => true,
                () = tokio::time::sleep(time) => false,
            }
        })
    }
}
