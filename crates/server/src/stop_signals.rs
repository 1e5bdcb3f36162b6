//! What asks the server to stop.

use std::io;
use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;

use crate::config::DataLifetime;
use crate::ephemeral;

/// SIGINT and SIGTERM; of a server whose data end with it also the end of its terminal, or of the program that started it.
pub struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Option<Signal>,
    input_closed: Arc<Notify>,
}

impl StopSignals {
    pub fn listen(lifetime: DataLifetime) -> io::Result<Self> {
        let input_closed = Arc::new(Notify::new());
        let hangup = match lifetime {
            DataLifetime::Lasting => None,
            DataLifetime::Ephemeral => {
                ephemeral::follow_input(Arc::clone(&input_closed));
                Some(signal(SignalKind::hangup())?)
            }
        };
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup,
            input_closed,
        })
    }

    pub async fn next(&mut self) {
        let signal = &mut self.hangup;
        let hangup = async {
            match signal {
                Some(hangup) => drop(hangup.recv().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            () = hangup => {}
            () = self.input_closed.notified() => {}
        }
    }
}
