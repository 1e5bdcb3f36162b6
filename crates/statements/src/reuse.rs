//! When a result may be reused, and its cache keys: the request's text, before anything is parsed, and the resolved query,
//! however it was written.

use firn_engine::{ObjectDescription, Session};
use firn_sql::bindings::{BindingValue, Bindings};
use firn_sql::command::{Command, Persistence};
use firn_sql::determinism::is_deterministic;
use firn_sql::function_checks::check_functions;
use firn_sql::names::{INFORMATION_SCHEMA, OWN_DATABASE};
use firn_sql::resolve::{UsedKind, Uses};
use firn_sql::template::template;
use firn_sql::{ObjectName, SourceStatement, Statement, parse_statement, system_functions, view_query_text};

use crate::authorise::reads_of_view;
use crate::limits::parse_limits;
use crate::request::{SubmitRequest, Wait};
use crate::request_template::RequestTemplate;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::settings::{CachedResults, Profiling, SessionSettings, StatementCount};
use crate::table_changes::Sources;

/// Queries over views nested deeper than this are not cached.
const VIEW_DEPTH_MAX: usize = 16;
/// Requests with more bindings are rarely repeated.
const BINDINGS_MAX: usize = 32;

/// What makes two requests the same; `None` when the result must not be reused.
pub fn request_key(request: &SubmitRequest, state: &SessionState) -> Option<String> {
    let settings = &state.settings;
    let one_statement = settings.statement_count == StatementCount::Exactly(1);
    if is_to_run(settings) || !one_statement || request.wait == Wait::ForHandle {
        return None;
    }
    let bindings = bindings_key(&request.bindings)?;
    let asked_with = asked_with(request, state);
    Some(format!("request\u{0}{asked_with}{bindings:?}\u{0}{}", request.statement))
}

/// Whether a query runs again though its result is known.
fn is_to_run(settings: &SessionSettings) -> bool {
    settings.cached_results == CachedResults::Ignore || settings.profiling == Profiling::On
}

/// What makes two requests the same but for the values in their statements.
pub fn template_key(request: &SubmitRequest, state: &SessionState, template: &str) -> String {
    format!("{}\u{0}{template}", asked_with(request, state))
}

/// The template of a request for one statement that has any.
pub fn template_of(request: &SubmitRequest, state: &SessionState) -> Option<RequestTemplate> {
    let one_statement = state.settings.statement_count == StatementCount::Exactly(1);
    let profiles = state.settings.profiling == Profiling::On;
    if profiles || !one_statement || request.wait == Wait::ForHandle {
        return None;
    }
    let found = template(&request.statement, &request.bindings).filter(|found| !found.values.is_empty())?;
    let key = template_key(request, state, &found.text).into();
    let (text, bindings) = (request.statement.clone(), request.bindings.clone());
    Some(RequestTemplate { key, text, bindings, statement: found.statement, values: found.values })
}

/// Everything besides the statement that a result depends on.
fn asked_with(request: &SubmitRequest, state: &SessionState) -> String {
    let names = (&state.namespace.database, &state.namespace.schema, &state.warehouse);
    let given = (request.database.is_some(), request.schema.is_some(), request.warehouse.is_some());
    format!("{}\u{0}{names:?}{given:?}", session_key(state))
}

fn bindings_key(bindings: &Bindings) -> Option<Vec<(&str, &str, Option<&str>)>> {
    let given = bindings.iter();
    if given.len() > BINDINGS_MAX {
        return None;
    }
    let mut keys = Vec::with_capacity(given.len());
    for (name, binding) in given {
        let BindingValue::One(value) = &binding.value else { return None };
        keys.push((name, binding.type_name.as_str(), value.as_deref()));
    }
    keys.sort_unstable();
    Some(keys)
}

/// A query whose result may be reused.
pub struct ReusableQuery {
    /// What makes two resolved queries the same.
    pub key: String,
    /// What its result depends on.
    pub sources: Sources,
}

/// `None` when the result must not be reused.
pub fn reusable_query(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    statement: &Statement,
    uses: &Uses,
) -> Result<Option<ReusableQuery>, RunError> {
    let Command::Query(query) = &statement.command else { return Ok(None) };
    if is_to_run(&state.settings) || session.in_transaction() || !is_deterministic(statement) {
        return Ok(None);
    }
    let mut reads = Reads { services, session, tables: Vec::new() };
    if !reads.are_stable(uses, 0)? {
        return Ok(None);
    }
    // What was looked up for the statement before it ran, or comes from files, is not among its tables.
    let reads_more = statement.needs_lookup
        || system_functions::may_be_in(&statement.text)
        || uses.objects.iter().any(|object| object.kind == UsedKind::Stage);
    let sources = if reads_more { Sources::Anything } else { Sources::Tables(reads.tables) };
    Ok(Some(ReusableQuery { key: format!("query\u{0}{}\u{0}{query}", session_key(state)), sources }))
}

/// Everything of a session that a result depends on, beside the names in it.
fn session_key(state: &SessionState) -> String {
    let settings = &state.settings;
    format!(
        "{}\u{0}{:?}\u{0}{:?}\u{0}{}\u{0}{}\u{0}{:?}\u{0}{:?}\u{0}{:?}\u{0}{:?}\u{0}{}\u{0}{:?}",
        state.caller.user.id,
        state.result_format,
        state.secondary_roles,
        state.role.name,
        settings.timezone,
        settings.weeks,
        settings.rules,
        settings.inputs,
        settings.formats,
        settings.chunk_bytes_max,
        settings.rows_max,
    )
}

/// What a query reads.
struct Reads<'a> {
    services: &'a Services,
    session: &'a dyn Session,
    /// The tables found so far, also those behind views.
    tables: Vec<ObjectName>,
}

impl Reads<'_> {
    /// Whether the result depends on tables only: no temporary table, no information schema, no view whose query changes
    /// with time or chance. Collects the tables.
    fn are_stable(&mut self, uses: &Uses, depth: usize) -> Result<bool, RunError> {
        for object in &uses.objects {
            if object.name.schema() == INFORMATION_SCHEMA || object.name.database() == OWN_DATABASE {
                return Ok(false);
            }
            // Others change tables of clusters.
            if self.services.catalog.link_of_name(object.name.database()).is_some() {
                return Ok(false);
            }
            let Some(found) = self.session.describe(&object.name)? else { continue };
            if found.persistence == Persistence::Temporary {
                return Ok(false);
            }
            match &found.view_text {
                Some(text) if !self.view_is_stable(&found, text, depth)? => return Ok(false),
                Some(_) => {}
                None => self.tables.push(object.name.clone()),
            }
        }
        Ok(true)
    }

    /// Functions stand in the text as they were written. The relations are those of the stored query: the text names them as
    /// they were called when the view was made.
    fn view_is_stable(&mut self, view: &ObjectDescription, text: &str, depth: usize) -> Result<bool, RunError> {
        let source = SourceStatement { text: view_query_text(text).to_owned(), line: 1, position: 0 };
        let Ok(statement) = parse_statement(&source, &parse_limits(&self.services.limits)) else { return Ok(false) };
        if depth >= VIEW_DEPTH_MAX || !is_deterministic(&statement) || check_functions(&statement).is_err() {
            return Ok(false);
        }
        match reads_of_view(self.services, view)? {
            Some(reads) => self.are_stable(&reads.uses, depth + 1),
            None => Ok(false),
        }
    }
}
