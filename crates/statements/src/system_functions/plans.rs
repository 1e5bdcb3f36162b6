//! SYSTEM$EXPLAIN_PLAN_JSON and SYSTEM$EXPLAIN_JSON_TO_TEXT.

use firn_engine::PlanStep;
use firn_sql::command::Command;
use firn_sql::context::substitute_context;
use firn_sql::function_checks::check_functions;
use firn_sql::resolve::resolve;
use firn_sql::{Failure, SourceStatement, Substitutes, parse_with};
use uuid::Uuid;

use super::CallContext;
use crate::authorise::authorise;
use crate::limits::parse_limits;
use crate::run_error::RunError;
use crate::{explain, policies};

pub(super) fn text(plan: &str) -> Result<Option<String>, RunError> {
    Ok(Some(explain::text(&steps(plan)?)))
}

/// The steps of a plan as JSON.
fn steps(plan: &str) -> Result<Vec<PlanStep>, Failure> {
    explain::steps_of_json(plan).ok_or_else(|| {
        Failure::invalid_value("plan", "…", "give what SYSTEM$EXPLAIN_PLAN_JSON or EXPLAIN USING JSON answers")
    })
}

impl CallContext<'_> {
    /// Of a query, or of the statement with a handle, which has to be the caller's own.
    pub(super) fn plan(&mut self, query: &str) -> Result<Option<String>, RunError> {
        let text = match Uuid::try_parse(query.trim()) {
            Ok(handle) => self.own_statement(handle)?.text,
            Err(_) => query.to_owned(),
        };
        let source = SourceStatement { text, line: 1, position: 0 };
        let substitutes = Substitutes {
            variables: Some(&self.state.variables.values),
            bindings: None,
            rules: self.state.settings.rules,
        };
        let mut statement = parse_with(&source, &parse_limits(&self.services.limits), substitutes)?;
        substitute_context(&mut statement, &self.state.sql_context(&self.services.catalog, &source.text));
        let uses = resolve(&mut statement, &self.state.namespace)?;
        check_functions(&statement)?;
        authorise(self.services, self.session, &self.state.role, &uses)?;
        policies::bind(self.services, self.session, self.state, &mut statement)?;
        if !matches!(statement.command, Command::Query(_)) {
            return Err(Failure::unsupported("the plan of anything but a query").into());
        }
        if statement.needs_lookup {
            return Err(Failure::unsupported("the plan of a query over RESULT_SCAN or PIVOT with ANY").into());
        }
        if let Some(hidden) = policies::hidden_plan(&statement) {
            return Ok(Some(explain::json(&hidden).to_string()));
        }
        let context = self.state.execution_context(&self.services.catalog, &uses);
        let steps = self.session.explain(&statement.command, &context)?;
        Ok(Some(explain::json(&steps).to_string()))
    }
}
