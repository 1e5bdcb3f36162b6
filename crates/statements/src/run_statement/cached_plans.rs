//! Plans of statements that differ in values only: prepared, and run with other values.

use std::time::Instant;

use firn_engine::Session;
use firn_sql::Statement;
use firn_sql::resolve::Uses;

use super::Run;
use crate::account_usage::Accessed;
use crate::clock::now_ms;
use crate::partitions::{Completeness, WrittenResult};
use crate::plan_cache::{self, CachedPlan};
use crate::request_template::RequestTemplate;
use crate::run_error::RunError;
use crate::table_changes::AsOf;

impl Run<'_> {
    /// Prepares the template of the statement once enough statements of it have run.
    pub(super) fn consider_preparing(
        &self,
        session: &dyn Session,
        statement: &Statement,
        uses: &Uses,
        planned_for: &AsOf,
    ) -> Result<(), RunError> {
        let asked = self.state.template.as_ref().filter(|asked| asked.is_of(statement) && !statement.has_policies);
        let Some(asked) = asked else { return Ok(()) };
        // In a transaction names may stand for other objects than they do outside of it.
        if session.in_transaction() && !uses.objects.is_empty() {
            return Ok(());
        }
        if !self.services.plan_cache.count(asked, planned_for.as_of_change) {
            return Ok(());
        }
        let prepared = match plan_cache::tables_read(session, uses) {
            Some(tables) => {
                let context = self.context(session, &statement.command, uses)?;
                session.prepare_template(&statement.command, &asked.values, &tables, &context)?
            }
            None => None,
        };
        self.services.plan_cache.insert(asked, planned_for, self.authorised_at, prepared);
        Ok(())
    }

    pub(super) fn known(
        &self,
        session: &mut dyn Session,
        known: &CachedPlan,
        asked: &RequestTemplate,
    ) -> Result<WrittenResult, RunError> {
        let mut context = self.state.execution_context(&self.services.catalog, &Uses::default());
        context.query_id = self.handle.to_string();
        context.authorised_at = self.authorised_at;
        let begun = Instant::now();
        let written = session.execute_template(&known.query, &asked.values, &context).map_err(RunError::from);
        let written = written.and_then(|rows| self.write(rows));
        known.note_time(begun.elapsed());
        let written = written?;
        let accessed = Accessed::of_sources((self.handle, self.state.caller.user.id, now_ms()), &known.read);
        self.services.account_usage.note_access(accessed);
        self.services.plan_cache.count_answer();
        if let Some(request) = &self.state.request_key
            && written.completeness == Completeness::Whole
        {
            // The plan was current before it ran, so that its rows are at least as new as it.
            self.services.cache.insert(request.clone(), self.cached_result(&written, known.read.clone()));
        }
        Ok(written)
    }
}
