//! BEGIN, COMMIT and ROLLBACK of a session, and what a failure leaves of an open transaction.

use firn_engine::{DmlCounts, EngineError, ExecutionContext};
use firn_sql::command::{Dml, Transaction};
use firn_sql::{Command, ast};

use super::DuckDbSession;
use crate::dml::{self, Prepared};
use crate::encode::Rows;
use crate::errors;
use crate::locks::LockMode;
use crate::transaction_replay::{Change, TransactionReplay};

/// What is known of the open transaction after a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    Sound,
    /// A statement failed: the engine may have given the transaction up.
    Suspect,
    /// A statement failed half-way, and what it did is still there.
    Half,
    /// What was done cannot be done again; ROLLBACK is all that is left.
    Lost,
}

impl DuckDbSession {
    pub(super) fn dml_in_transaction(
        &mut self,
        command: &Dml,
        prepared: Prepared,
        context: &ExecutionContext,
    ) -> Result<DmlCounts, EngineError> {
        self.lock(vec![(command.target.clone(), LockMode::Exclusive)])?;
        let counts = dml::run(&self.connection, command, &prepared).inspect_err(|_| {
            if prepared.needs_transaction() {
                self.health = Health::Half;
            }
        })?;
        self.note_change(Change::One { command: command.clone(), prepared: Box::new(prepared), counts }, context)?;
        Ok(counts)
    }

    pub(super) fn note_change(&mut self, change: Change, context: &ExecutionContext) -> Result<(), EngineError> {
        let mut replay = std::mem::take(&mut self.replay);
        let noted = replay.note(change, self, context);
        self.replay = replay;
        noted
    }

    /// Every statement of a transaction has its own time.
    pub(super) fn set_clock(&mut self, command: &Command) -> Result<(), EngineError> {
        match (command, self.transaction_is_open) {
            (Command::Transaction(_), _) => Ok(()),
            (_, true) => self.connection.set_moment(Some(chrono::Utc::now().timestamp_micros())),
            (_, false) => self.connection.set_moment(None),
        }
    }

    /// A query shows what the transaction has done.
    pub(super) fn noted_query(
        &mut self,
        query: &ast::Query,
        context: &ExecutionContext,
    ) -> Result<Rows<'_>, EngineError> {
        if self.transaction_is_open {
            self.replay.note_read(query);
        }
        self.query(query, context)
    }

    pub(super) fn transaction(&mut self, command: Transaction) -> Result<String, EngineError> {
        match (command, self.transaction_is_open) {
            (Transaction::Begin, false) => {
                self.replay = TransactionReplay::begin(self.held.clock());
                self.connection.execute("BEGIN TRANSACTION")?;
                self.transaction_is_open = true;
            }
            (Transaction::Commit, true) => self.commit()?,
            (Transaction::Rollback, true) => self.end_transaction("ROLLBACK")?,
            (Transaction::Begin, true) | (Transaction::Commit | Transaction::Rollback, false) => {}
        }
        Ok("Statement executed successfully.".to_owned())
    }

    /// The engine would answer the COMMIT of a failed transaction with success, and keep nothing of it.
    pub(super) fn commit(&mut self) -> Result<(), EngineError> {
        match self.alive() {
            Ok(()) => self.end_transaction("COMMIT"),
            Err(error) => {
                self.end_transaction("ROLLBACK")?;
                Err(error)
            }
        }
    }

    /// Whatever the engine answers, the transaction is over afterwards and its locks are free.
    fn end_transaction(&mut self, how: &str) -> Result<(), EngineError> {
        let ended = self.connection.execute(how);
        self.transaction_is_open = false;
        self.health = Health::Sound;
        self.replay = TransactionReplay::default();
        self.held.release();
        ended.map(drop)
    }

    fn alive(&self) -> Result<(), EngineError> {
        match self.health {
            Health::Lost => Err(errors::aborted_transaction().into()),
            _ => self.connection.execute("SELECT 1").map(drop),
        }
    }

    /// Remembers how a statement left the transaction; what is worse stays.
    pub(super) fn note_health(&mut self, health: Health) {
        if self.transaction_is_open && self.health != Health::Lost && self.health != Health::Half {
            self.health = health;
        }
    }

    pub(super) fn restore(&mut self) -> Result<(), EngineError> {
        let spoiled = match self.health {
            Health::Sound => return Ok(()),
            Health::Lost | Health::Half => true,
            Health::Suspect => self.alive().is_err(),
        };
        if !spoiled || !self.transaction_is_open {
            self.health = Health::Sound;
            return Ok(());
        }
        if self.health == Health::Lost || !self.replay.is_possible(&self.held) {
            self.health = Health::Lost;
            return Err(errors::aborted_transaction().into());
        }
        let clock = self.held.clock();
        self.connection.execute("ROLLBACK")?;
        self.connection.execute("BEGIN TRANSACTION")?;
        let replay = std::mem::take(&mut self.replay);
        let repeated = replay.repeat(self);
        self.replay = replay;
        if let Err(error) = repeated {
            self.health = Health::Lost;
            return Err(error);
        }
        self.replay.began_again(clock);
        self.health = Health::Sound;
        Ok(())
    }
}
