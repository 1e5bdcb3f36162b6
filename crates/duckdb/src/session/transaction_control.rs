//! BEGIN, COMMIT and ROLLBACK of a session, and the recovery of an open transaction after a failed statement.

use firn_engine::{DmlCounts, EngineError, ExecutionContext};
use firn_sql::ObjectName;
use firn_sql::ast::Query;
use firn_sql::command::{Dml, InsertMany, Transaction};

use crate::connection::COMMIT;
use crate::dml::{self, Prepared};
use crate::errors;
use crate::session_state::SessionState;
use crate::statement_outcomes::{self, StoredOutcome};
use crate::status_text::DONE;
use crate::transaction_replay::{Change, TransactionReplay};

/// What is known of the open transaction after a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Health {
    #[default]
    Sound,
    /// A statement failed: the engine may have aborted the transaction.
    Suspect,
    /// A statement failed half-way, and some of its changes were applied.
    Half,
    /// The changes cannot be replayed; only ROLLBACK is possible.
    Lost,
}

/// The state of a session's open transaction.
#[derive(Default)]
pub(super) struct TransactionControl {
    replay: TransactionReplay,
    health: Health,
    /// The database that the transaction has changed; the engine lets it change no other.
    changed_database: Option<String>,
}

impl TransactionControl {
    /// Runs DML in the transaction that is open.
    pub(super) fn dml(
        &mut self,
        state: &mut SessionState,
        command: &Dml,
        prepared: Prepared,
        context: &ExecutionContext,
    ) -> Result<DmlCounts, EngineError> {
        let counts = dml::run(&state.connection, command, &prepared, context.authorised_at).inspect_err(|_| {
            if prepared.needs_transaction() {
                self.health = Health::Half;
            }
        })?;
        self.note_changed(state, &command.target);
        let change = Change::One { command: command.clone(), prepared: Box::new(prepared), counts };
        self.replay.note(change, state, context)?;
        Ok(counts)
    }

    /// Remembers how INSERT ALL or INSERT FIRST went in the transaction that is open.
    pub(super) fn note_insert_many(
        &mut self,
        state: &SessionState,
        command: &InsertMany,
        counts: Result<Vec<(ObjectName, u64)>, EngineError>,
        context: &ExecutionContext,
    ) -> Result<Vec<(ObjectName, u64)>, EngineError> {
        self.note_health(state, if counts.is_ok() { Health::Sound } else { Health::Half });
        let counts = counts?;
        if let Some((first, _)) = counts.first() {
            self.note_changed(state, first);
        }
        self.replay.note(Change::Many { command: command.clone(), counts: counts.clone() }, state, context)?;
        Ok(counts)
    }

    pub(super) fn note_changed(&mut self, state: &SessionState, table: &ObjectName) {
        if state.transaction_is_open() && !state.temporary.contains(table) {
            self.changed_database = Some(table.database().to_owned());
        }
    }

    /// A query shows what the transaction has done.
    pub(super) fn note_query(&mut self, state: &SessionState, query: &Query) {
        if state.transaction_is_open() {
            self.replay.note_read(query);
        }
    }

    /// A statement failed: the engine may have aborted the transaction.
    pub(super) fn note_failure(&mut self, state: &SessionState) {
        self.note_health(state, Health::Suspect);
    }

    /// The transaction cannot be replayed from here on.
    pub(super) fn forbid_replay(&mut self) {
        self.replay.forbid();
    }

    pub(super) fn run(
        &mut self,
        state: &mut SessionState,
        command: Transaction,
        context: &ExecutionContext,
    ) -> Result<String, EngineError> {
        match (command, state.transaction_is_open()) {
            (Transaction::Begin, false) => {
                self.replay = TransactionReplay::begin(state.held().clock());
                state.begin_transaction()?;
            }
            (Transaction::Commit, true) => self.commit_recorded(state, context)?,
            (Transaction::Rollback, true) => self.end(state, "ROLLBACK")?,
            (Transaction::Begin, true) | (Transaction::Commit | Transaction::Rollback, false) => {}
        }
        Ok(DONE.to_owned())
    }

    /// COMMIT with its outcome, which is that of the whole transaction.
    fn commit_recorded(&mut self, state: &mut SessionState, context: &ExecutionContext) -> Result<(), EngineError> {
        if let (Health::Sound, Some(database)) = (self.health, &self.changed_database) {
            let done = || StoredOutcome::Done(DONE.to_owned());
            statement_outcomes::record(&state.connection, &state.shared, database, context, done)?;
        }
        self.commit(state)
    }

    /// DDL commits the open transaction.
    pub(super) fn commit_before_ddl(&mut self, state: &mut SessionState) -> Result<(), EngineError> {
        if state.transaction_is_open() { self.commit(state) } else { Ok(()) }
    }

    /// The engine would report success for the COMMIT of an aborted transaction, and discard it.
    fn commit(&mut self, state: &mut SessionState) -> Result<(), EngineError> {
        match self.alive(state) {
            Ok(()) => self.end(state, COMMIT),
            Err(error) => {
                self.end(state, "ROLLBACK")?;
                Err(error)
            }
        }
    }

    fn end(&mut self, state: &mut SessionState, how: &str) -> Result<(), EngineError> {
        *self = Self::default();
        state.end_transaction(how)
    }

    fn alive(&self, state: &SessionState) -> Result<(), EngineError> {
        match self.health {
            Health::Lost => Err(errors::aborted_transaction().into()),
            _ => state.connection.execute("SELECT 1").map(drop),
        }
    }

    /// Records the health of the transaction after a statement; it never improves.
    fn note_health(&mut self, state: &SessionState, health: Health) {
        if state.transaction_is_open() && self.health != Health::Lost && self.health != Health::Half {
            self.health = health;
        }
    }

    /// Replays the changes that a failed statement has undone.
    pub(super) fn restore(&mut self, state: &mut SessionState) -> Result<(), EngineError> {
        let spoiled = match self.health {
            Health::Sound => return Ok(()),
            Health::Lost | Health::Half => true,
            Health::Suspect => self.alive(state).is_err(),
        };
        if !spoiled || !state.transaction_is_open() {
            self.health = Health::Sound;
            return Ok(());
        }
        if self.health == Health::Lost || !self.replay.is_possible(state.held()) {
            self.health = Health::Lost;
            return Err(errors::aborted_transaction().into());
        }
        let clock = state.held().clock();
        state.connection.end_transaction("ROLLBACK")?;
        state.connection.begin_transaction()?;
        if let Err(error) = self.replay.repeat(state) {
            self.health = Health::Lost;
            return Err(error);
        }
        self.replay.began_again(clock);
        self.health = Health::Sound;
        Ok(())
    }
}
