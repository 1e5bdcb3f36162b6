//! A session that outlasts its requests.

use firn_sql::Variables;
use uuid::Uuid;

use super::SessionState;
use crate::effects::Effects;

impl SessionState {
    /// The variables that a request finds set.
    pub fn kept_variables(&self) -> Option<&Variables> {
        self.is_kept.then_some(&self.variables.values)
    }

    /// The number of the kept session.
    pub fn kept_session(&self) -> Option<u64> {
        self.session_id.parse().ok().filter(|_| self.is_kept)
    }

    /// After a request, in a session that is kept.
    pub fn end_request(&mut self, handle: Uuid) {
        self.last_transaction = self.transaction.take().or(self.last_transaction.take());
        self.effects = Effects::default();
        self.reads.take();
        if self.past.last() != Some(&handle) {
            self.past.push(handle);
        }
    }
}
