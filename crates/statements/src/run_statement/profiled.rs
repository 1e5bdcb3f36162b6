//! Statements whose operators are measured: EXPLAIN ANALYZE, and any under the parameter PROFILE.

use std::time::Instant;

use firn_engine::{Outcome, PlanStep, RowBudget, RowStream, Session};
use firn_sql::Statement;
use firn_sql::command::{Command, Ddl, Explain, TableSource};
use firn_sql::resolve::Uses;

use super::Run;
use crate::evaluate::in_plain_formats;
use crate::partitions::WrittenResult;
use crate::profile::Profile;
use crate::run_error::RunError;
use crate::settings::Profiling;
use crate::{explain, policies};

/// Bytes of a result that is not shown.
const DISCARDED_BYTES: usize = 1 << 20;

/// What a plan or a profile of a statement may show.
pub(super) enum ShownPlan {
    Operators,
    /// These in the place of operators, which would show what the session does not see.
    Hidden(Vec<PlanStep>),
}

impl ShownPlan {
    /// Of a bound statement.
    pub(super) fn of(statement: &Statement) -> Self {
        policies::hidden_plan(statement).map_or(Self::Operators, Self::Hidden)
    }
}

impl Run<'_> {
    /// Whether the parameter PROFILE asks for it. Statements inside of a block have no record of their operators.
    pub(super) fn is_profiled(&self, command: &Command) -> bool {
        let has_operators = match command {
            Command::Query(_) | Command::Dml(_) => true,
            Command::Ddl(Ddl::CreateTable(table)) => matches!(table.source, TableSource::Query(_)),
            _ => false,
        };
        has_operators && self.state.settings.profiling == Profiling::On && !self.state.in_block
    }

    pub(super) fn profiled(
        &self,
        session: &mut dyn Session,
        run: impl FnOnce(&mut dyn Session) -> Result<WrittenResult, RunError>,
    ) -> Result<WrittenResult, RunError> {
        session.begin_profile()?;
        let begun = Instant::now();
        let written = run(session);
        let milliseconds = begun.elapsed().as_secs_f64() * 1_000.0;
        let steps = session.end_profile();
        let written = written?;
        let profile = match &self.plan {
            ShownPlan::Operators => Profile::new(steps, milliseconds),
            ShownPlan::Hidden(shown) => Profile::without_operators(shown.clone(), written.stored.rows, milliseconds),
        };
        Ok(WrittenResult { profile: profile.text(), ..written })
    }

    /// Runs the query, whose rows are discarded.
    pub(super) fn explain_analyze(
        &self,
        session: &mut dyn Session,
        statement: &Statement,
        explain: &Explain,
        uses: &Uses,
    ) -> Result<WrittenResult, RunError> {
        self.check_warehouse(&statement.command, uses)?;
        let mut context = in_plain_formats(&self.context(session, &explain.command, uses)?);
        context.authorised_at = self.authorised_at;
        session.begin_profile()?;
        let begun = Instant::now();
        let rows = match session.execute(&explain.command, &context) {
            Ok(Outcome::Rows(mut rows)) => discard(rows.as_mut()),
            Ok(_) => Err(RunError::Internal("a query gave no rows".to_owned())),
            Err(error) => Err(error.into()),
        };
        let milliseconds = begun.elapsed().as_secs_f64() * 1_000.0;
        let steps = session.end_profile();
        let rows = rows?;
        let profile = match &self.plan {
            ShownPlan::Operators => Profile::new(steps, milliseconds),
            ShownPlan::Hidden(shown) => Profile::without_operators(shown.clone(), rows, milliseconds),
        };
        let written = self.local(explain::measured_rows(explain.form, &profile))?;
        Ok(WrittenResult { profile: profile.text(), ..written })
    }
}

/// Takes all rows and returns how many there were.
fn discard(rows: &mut dyn RowStream) -> Result<u64, RunError> {
    let (mut count, mut bytes) = (0, Vec::new());
    loop {
        bytes.clear();
        let encoded = rows.encode(&mut bytes, RowBudget { bytes: DISCARDED_BYTES, rows: u64::MAX })?;
        count += encoded.rows;
        if encoded.ended {
            return Ok(count);
        }
    }
}
