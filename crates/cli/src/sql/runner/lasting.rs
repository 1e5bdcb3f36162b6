//! The session on the server that lasts from request to request, where the server has such sessions.

use std::error::Error;
use std::time::Duration;

use super::{Mode, Runner};
use crate::connection::Names;
use crate::failure::Failure;
use crate::server::Table;
use crate::server::sessions::Context;

/// As long as a server allows: a prompt may wait for its user.
const PROMPT_IDLE_MAX: Duration = Duration::from_secs(4 * 3_600);
const BATCH_IDLE_MAX: Duration = Duration::from_secs(3_600);

const ENDED: &str = "the session has ended on the server, and a new one has begun: variables, parameters and temporary tables are gone; \
                     nothing was run";

impl<'a> Runner<'a> {
    /// What requests run in.
    pub fn context(&self) -> Context<'_> {
        match &self.kept {
            Some(kept) => Context::Kept(kept.id()),
            None => Context::Names(&self.session.names),
        }
    }

    /// The rows of a statement of the prompt's own.
    pub fn rows(&self, sql: &str) -> Result<Table, Box<dyn Error>> {
        self.server.rows_of(sql, self.context())
    }

    /// Opens a session with all that this one has. A server without such sessions is no failure.
    pub fn open_session(&mut self) -> Result<(), Box<dyn Error>> {
        let idle_max = if self.mode == Mode::Prompt { PROMPT_IDLE_MAX } else { BATCH_IDLE_MAX };
        self.kept = self.server.open_session(&self.session.names, idle_max);
        if self.kept.is_none() && self.mode == Mode::Prompt {
            // What was in use may be gone; the prompt shows what is.
            let role_alone = Names { role: self.session.names.role.clone(), ..Names::default() };
            self.kept = self.server.open_session(&role_alone, idle_max);
            self.names_changed = true;
            self.read_names();
        }
        let prelude = self.session.prelude("$");
        if self.kept.is_none() || prelude.is_empty() {
            return Ok(());
        }
        let submitted = self.server.submit(&prelude.join(";\n"), prelude.len(), self.context())?;
        let submitted = submitted.map_err(|failure| Failure::Statement(failure.message))?;
        Ok(self.wait_for_prelude(&submitted, &prelude, 0)?)
    }

    /// After the server has ended the session, as at its own restart. Whatever counted on the old one is not run: the name of a
    /// temporary table may be that of a lasting one, too.
    pub(super) fn begin_anew(&mut self) -> Result<(), Box<dyn Error>> {
        self.kept = None;
        self.session.forget();
        self.open_session()?;
        if std::mem::take(&mut self.has_state) { Err(ENDED.into()) } else { Ok(()) }
    }

    /// The prompt shows the names in use. Those that cannot be read stay as they were.
    pub(super) fn read_names(&mut self) {
        let is_due = std::mem::take(&mut self.names_changed) && self.mode == Mode::Prompt;
        if let Some(names) = self.kept.as_ref().filter(|_| is_due).and_then(|kept| kept.names().ok()) {
            self.session.names = names;
        }
    }
}
