//! How many relations a statement reads once all its views are expanded. Each level of views that read others twice doubles
//! them, and the engine's planner does not end before it has seen all.

use std::collections::HashMap;

use firn_engine::{ObjectDescription, Session};
use firn_sql::{Failure, ObjectName};

use crate::authorise::reads_of_view;
use crate::run_error::RunError;
use crate::services::Services;

const RELATIONS_MAX: usize = 1_000;
/// Views of views, and so on.
const DEPTH_MAX: usize = 64;

/// Counts the relations of one statement.
pub struct ViewSizes<'a> {
    services: &'a Services,
    session: &'a dyn Session,
    /// How many relations each view reads.
    known: HashMap<ObjectName, usize>,
    total: usize,
}

impl<'a> ViewSizes<'a> {
    pub fn new(services: &'a Services, session: &'a dyn Session) -> Self {
        Self { services, session, known: HashMap::new(), total: 0 }
    }

    /// Counts a relation that the statement reads itself. Fails past the limit.
    pub fn count(&mut self, found: &ObjectDescription, times: usize) -> Result<(), RunError> {
        self.count_at(found, times, 0)
    }

    /// As `count`, of a relation that a view is to read.
    pub fn count_below_view(&mut self, found: &ObjectDescription, times: usize) -> Result<(), RunError> {
        self.count_at(found, times, 1)
    }

    fn count_at(&mut self, found: &ObjectDescription, times: usize, depth: usize) -> Result<(), RunError> {
        let size = self.size(found, depth)?;
        self.total = self.total.saturating_add(size.saturating_mul(times));
        match self.total > RELATIONS_MAX {
            true => Err(Failure::limit_exceeded("number of relations, also those below views,", RELATIONS_MAX).into()),
            false => Ok(()),
        }
    }

    fn size(&mut self, found: &ObjectDescription, depth: usize) -> Result<usize, RunError> {
        let Some(reads) = reads_of_view(self.services, found)? else { return Ok(1) };
        if let Some(known) = self.known.get(&found.name) {
            return Ok(*known);
        }
        if depth >= DEPTH_MAX {
            return Err(Failure::limit_exceeded("nesting depth of views", DEPTH_MAX).into());
        }
        let mut size = 1_usize;
        for (used, count) in reads.uses.objects.iter().zip(&reads.counts) {
            let below = match self.session.describe(&used.name)? {
                Some(below) => self.size(&below, depth + 1)?,
                None => 1,
            };
            size = size.saturating_add(below.saturating_mul(*count));
        }
        self.known.insert(found.name.clone(), size);
        Ok(size)
    }
}
