//! A session that outlasts its requests.

use uuid::Uuid;

use super::SessionState;
use crate::effects::Effects;
use crate::handle::StatementHandle;
use crate::kept_sessions::SessionKind;
use crate::plan::Reach;

impl SessionState {
    /// It outlasts the request.
    pub fn is_kept(&self) -> bool {
        self.kept_as.is_some()
    }

    /// Whose its transaction is, for a statement of this handle: the session's, or the request's.
    pub fn transaction_owner(&self, handle: StatementHandle) -> Uuid {
        self.kept_as.map_or(handle.0, |kept| kept.id)
    }

    /// What the statements of a request can leave for later ones.
    pub fn reach(&self) -> Reach<'_> {
        match self.kept_as.map(|kept| kept.kind) {
            None => Reach::Request,
            Some(SessionKind::Api) => Reach::Session(&self.variables.values),
            Some(SessionKind::Driver) => Reach::SessionAndTransaction(&self.variables.values),
        }
    }

    /// The number of the kept session.
    pub fn kept_session(&self) -> Option<u64> {
        self.session_id.parse().ok().filter(|_| self.is_kept())
    }

    /// After a request, in a session that is kept.
    pub fn end_request(&mut self, handle: Uuid) {
        self.effects = Effects::default();
        self.reads.take();
        if self.past.last() != Some(&handle) {
            self.past.push(handle);
        }
    }
}
