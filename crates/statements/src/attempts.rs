//! Repeats what definitions changed under.

use std::sync::Arc;

use firn_engine::{DefinitionClock, DefinitionPause};

use crate::run_error::{RunError, outdated};

/// How often a statement is authorised because definitions changed before its names were bound.
const AUTHORISATIONS_MAX: usize = 50;
/// From then on changes of others wait until it is bound: one that takes long to plan may find no time between them.
const UNDISTURBED_FROM: usize = 5;

/// Counts how often a statement was authorised.
pub struct Attempts<'a> {
    definitions: &'a Arc<DefinitionClock>,
    made: usize,
    pause: Option<DefinitionPause>,
}

impl<'a> Attempts<'a> {
    pub fn new(definitions: &'a Arc<DefinitionClock>) -> Self {
        Self { definitions, made: 1, pause: None }
    }

    /// To be called before each but the first one.
    pub fn again(&mut self, is_stopped: impl Fn() -> bool) -> Result<(), RunError> {
        if self.made == AUTHORISATIONS_MAX {
            return Err(outdated().into());
        }
        self.made += 1;
        self.pause = None;
        if self.made >= UNDISTURBED_FROM {
            self.pause = self.definitions.pause_in_turn(&is_stopped);
        }
        self.definitions.settle(is_stopped);
        Ok(())
    }
}
