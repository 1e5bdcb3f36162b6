//! The functions that act on the account: each call is evaluated once, with the caller's rights, and its result replaces
//! the call before the statement runs.

mod changes;
mod file_links;
mod files;
mod log;
mod plans;
mod queries;
mod tags;

use firn_engine::{ExecutionContext, Session};
use firn_sql::ast::Expr;
use firn_sql::command::{Command, DataType, Ddl, ExplainedPlan};
use firn_sql::resolve::Uses;
use firn_sql::system_functions::{self, Call};
use firn_sql::{Constant, Failure, Statement, select_values};

pub use firn_sql::system_functions::may_be_in;

use crate::effects::{Answer, Effects};
use crate::evaluate::table_of;
use crate::execution::Execution;
use crate::linked_databases;
use crate::read_only;
use crate::request::Purpose;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// The number of calls in one statement.
const CALLS_MAX: usize = 100;

/// Who calls, and what the functions reach.
struct CallContext<'a> {
    services: &'a Services,
    execution: &'a Execution,
    session: &'a mut dyn Session,
    state: &'a SessionState,
    context: ExecutionContext,
}

pub fn carry_out(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &SessionState,
    statement: &mut Statement,
    (uses, effects): (&Uses, &mut Effects),
) -> Result<(), RunError> {
    let is_planned_only = state.purpose == Purpose::Describe
        || matches!(&statement.command, Command::Explain(explain) if explain.plan != ExplainedPlan::Measured);
    let context = state.execution_context(&services.catalog, uses);
    let mut call_context = CallContext { services, execution, session, state, context };
    for _ in 0..CALLS_MAX {
        let Some(call) = system_functions::next(statement) else { return Ok(()) };
        // The answer would stay as it is now, for everybody who reads the view.
        if matches!(statement.command, Command::Ddl(Ddl::CreateView(_))) {
            return Err(Failure::unsupported(&format!("{} in a view", call.name)).into());
        }
        let written = call.to_string();
        let result = match effects.next(&written)? {
            // What acts does not do so to show a plan, which is the same whatever the answer.
            _ if is_planned_only => None,
            Some(Answer::Value(known)) => known,
            _ => {
                let result = call_context.answer(&call)?;
                effects.note(&written, Answer::Value(result.clone()));
                result
            }
        };
        let data_type = match call.name.as_str() {
            "SYSTEM$LAST_CHANGE_COMMIT_TIME" => DataType::Number { precision: 38, scale: 0 },
            "TO_FILE" | "TRY_TO_FILE" => DataType::Object,
            _ => DataType::Varchar { length: None },
        };
        system_functions::answer(statement, &Constant { data_type, text: result })?;
    }
    Err(Failure::unsupported(&format!("more than {CALLS_MAX} calls of system functions in one statement")).into())
}

impl CallContext<'_> {
    fn answer(&mut self, call: &Call) -> Result<Option<String>, RunError> {
        read_only::check_system_function(self.state.changes, &call.name)?;
        let arguments = self.arguments(call)?;
        let given: Vec<Option<&str>> = arguments.iter().map(Option::as_deref).collect();
        let name = call.name.strip_prefix("SYSTEM$").unwrap_or(&call.name);
        match (name, &given[..]) {
            ("CANCEL_QUERY", [Some(handle)]) => Ok(Some(self.cancel_query(handle))),
            ("CANCEL_ALL_QUERIES", [Some(session)]) => Ok(Some(self.cancel_all_queries(session))),
            ("ABORT_SESSION", [Some(session)]) => self.abort_session(session),
            ("ABORT_TRANSACTION", [Some(transaction)]) => self.abort_transaction(transaction),
            ("VERIFY_CATALOG_INTEGRATION", [Some(name)]) => {
                linked_databases::verify(self.services, self.session, self.state, name).map(Some)
            }
            ("ESTIMATE_QUERY_ACCELERATION", [Some(handle)]) => self.estimate_acceleration(handle),
            ("LAST_CHANGE_COMMIT_TIME", [Some(table)]) => self.last_change(table),
            ("GET_TAG", [Some(tag), Some(object), Some(domain)]) => self.get_tag(tag, object, domain),
            ("GET_TAG_ALLOWED_VALUES", [Some(tag)]) => self.allowed_values(tag),
            ("GET_TAG_ON_CURRENT_COLUMN" | "GET_TAG_ON_CURRENT_TABLE", _) => {
                Err(Failure::unsupported(&format!("{} outside of a policy", call.name)).into())
            }
            ("EXPLAIN_PLAN_JSON", [Some(query)]) => self.plan(query),
            ("EXPLAIN_JSON_TO_TEXT", [Some(plan)]) => plans::text(plan),
            ("ADD_EVENT", [Some(event)]) => self.event(event, None),
            ("ADD_EVENT", [Some(event), attributes]) => self.event(event, *attributes),
            ("SET_SPAN_ATTRIBUTES", [Some(attributes)]) => self.event("span attributes", Some(attributes)),
            ("BUILD_SCOPED_FILE_URL", [Some(stage), Some(path)]) => self.scoped_url(stage, path).map(Some),
            ("GET_PRESIGNED_URL", [Some(stage), Some(path)]) => self.presigned_url(stage, path, None).map(Some),
            ("GET_PRESIGNED_URL", [Some(stage), Some(path), Some(seconds)]) => {
                self.presigned_url(stage, path, Some(seconds)).map(Some)
            }
            ("TO_FILE", [Some(file)]) => self.file(file, None).map(Some),
            ("TO_FILE", [Some(stage), Some(path)]) => self.file(stage, Some(path)).map(Some),
            ("TRY_TO_FILE", [Some(file)]) => files::or_nothing(self.file(file, None)),
            ("TRY_TO_FILE", [Some(stage), Some(path)]) => files::or_nothing(self.file(stage, Some(path))),
            ("LOG", [Some(level), Some(message)]) => self.log(level, message),
            (name, [Some(message)]) if name.starts_with("LOG_") => self.log(&name["LOG_".len()..], message),
            (_, given) if given.contains(&None) => Ok(None),
            _ => Err(Failure::unsupported(&format!("{} with {} arguments", call.name, given.len())).into()),
        }
    }

    /// The arguments as texts, computed where they are no literals.
    fn arguments(&mut self, call: &Call) -> Result<Vec<Option<String>>, RunError> {
        if call.arguments.is_empty() {
            return Ok(Vec::new());
        }
        if call.arguments.iter().any(|argument| matches!(argument, Expr::Identifier(_) | Expr::CompoundIdentifier(_))) {
            return Err(Failure::unsupported(&format!("{} of a column", call.name)).into());
        }
        let query = Command::Query(select_values(call.arguments.clone())?);
        let table = table_of(self.session, &query, &self.context, 1)?;
        Ok(table.rows.into_iter().next().unwrap_or_default())
    }
}
