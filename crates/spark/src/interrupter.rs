//! Stops what a session runs on a cluster, from any thread.

use std::sync::Arc;

use firn_engine::Interrupt;
use tokio::sync::watch;

use crate::connect::Control;

pub(crate) struct Interrupter {
    stop: watch::Sender<bool>,
    progress: Arc<watch::Sender<f64>>,
}

impl Interrupter {
    pub(crate) fn new() -> Self {
        Self { stop: watch::Sender::new(false), progress: Arc::new(watch::Sender::new(0.0)) }
    }

    pub(crate) fn control(&self) -> Control {
        Control { stop: self.stop.subscribe(), progress: self.progress.clone() }
    }
}

impl Interrupt for Interrupter {
    fn interrupt(&self) {
        self.stop.send_replace(true);
    }

    fn is_interrupted(&self) -> bool {
        *self.stop.borrow()
    }

    fn is_planning(&self) -> bool {
        false
    }

    fn is_deaf(&self) -> bool {
        false
    }

    fn percent_done(&self) -> Option<f64> {
        let percent = *self.progress.borrow();
        (percent > 0.0).then_some(percent)
    }
}
