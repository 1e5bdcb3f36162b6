//! QUERY_HISTORY: what ran, as far as the statement asks for it and its role may see it. What the role may not see takes no
//! place among the rows that were asked for.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::ControlFlow;

use firn_catalog::registry::{EndState, HistorySearch, PastStatement, Sender};
use firn_engine::Session;
use firn_sql::Failure;
use uuid::Uuid;

use super::Row;
use crate::handle::session_of;
use crate::history_calls::HistoryCall;
use crate::past_results;
use crate::query_type::query_type;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// The texts of the statements that are held for a statement, and a share for the rest of each of them.
const HELD_BYTES_MAX: usize = 64 << 20;
const STATEMENT_BYTES: usize = 500;
/// What suggestions are made from.
const LATEST_MAX: usize = 10_000;

/// The latest statements that the session may see.
pub fn latest_visible(services: &Services, state: &SessionState) -> Result<Vec<PastStatement>, RunError> {
    let call = HistoryCall { limit: Some(LATEST_MAX), ..HistoryCall::default() };
    Ok(visible(services, state, &call)?.statements)
}

pub(super) fn rows(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    calls: &[HistoryCall],
) -> Result<Vec<Row>, RunError> {
    let (mut past, mut known) = (Vec::new(), HashSet::new());
    for call in calls {
        let visible = visible(services, state, call)?;
        if visible.is_cut {
            return Err(too_much().into());
        }
        past.extend(visible.statements.into_iter().filter(|statement| known.insert(statement.handle)));
    }
    past_results::hide_values(services, session, state, &mut past)?;
    let principals = services.catalog.principals();
    let user_name = |id: i64| principals.user_by_id(id).map(|user| user.name.clone());
    let queued = services.running.queued();
    let row = |statement: PastStatement| {
        let status = match queued.contains(&statement.handle) {
            true => "QUEUED",
            false => status_word(statement.state),
        };
        row(user_name(statement.user_id), statement, status)
    };
    Ok(past.into_iter().map(row).collect())
}

fn too_much() -> Failure {
    let message = "the history is too large to be read at once; call QUERY_HISTORY with a lower RESULT_LIMIT, or with constants \
                   for END_TIME_RANGE_START and END_TIME_RANGE_END";
    Failure::new("000603", "54000", message)
}

pub struct Visible {
    /// The latest first.
    pub statements: Vec<PastStatement>,
    /// There are more than can be held.
    is_cut: bool,
}

/// What of the history a session sees: everybody's statements for the account's administrator, one's own for everyone else. A
/// procedure with its owner's rights has none: those of its caller are not its owner's.
pub struct Sight<'a> {
    services: &'a Services,
    state: &'a SessionState,
}

impl<'a> Sight<'a> {
    pub fn of(services: &'a Services, state: &'a SessionState) -> Self {
        Self { services, state }
    }

    /// Whether it may see statements of this user that ran under the role. What a procedure ran with its owner's rights is the owner's.
    pub fn sees(&self, role: &str, is_inside: bool) -> bool {
        let principals = self.services.catalog.principals();
        let is_own = || !is_inside || principals.may_take_role(self.state.caller.user.id, role);
        self.state.role.is_account_admin() || (is_own() && principals.token_covers_role(&self.state.caller, role))
    }

    /// The user whose statements it sees among those of the wanted one, or among everybody's; `None` if it sees none of them.
    pub fn narrowed(&self, wanted: Option<i64>) -> Option<Option<i64>> {
        let own = self.state.caller.user.id;
        match self.state.role.is_account_admin() {
            true => Some(wanted),
            false if self.state.has_owners_rights || wanted.is_some_and(|wanted| wanted != own) => None,
            false => Some(Some(own)),
        }
    }
}

fn visible(services: &Services, state: &SessionState, call: &HistoryCall) -> Result<Visible, RunError> {
    let Some(search) = search_for(services, state, call) else {
        return Ok(Visible { statements: Vec::new(), is_cut: false });
    };
    found(services, state, &search, call.limit.unwrap_or(usize::MAX), |_| Ok(true))
}

/// So many that the search finds, that the session sees, and that `take` lets through.
pub fn found(
    services: &Services,
    state: &SessionState,
    search: &HistorySearch,
    limit: usize,
    take: impl Fn(&mut PastStatement) -> Result<bool, RunError>,
) -> Result<Visible, RunError> {
    let mut visible = Visible { statements: Vec::new(), is_cut: false };
    let sight = Sight::of(services, state);
    let sees = |statement: &PastStatement| sight.sees(&statement.role, statement.parent.is_some());
    // Before the registry: what ends meanwhile is found there.
    let unrecorded = unrecorded(services, state);
    let (mut held_bytes, mut refused) = (0, None);
    services.catalog.registry().search(search, |mut statement| {
        if !sees(&statement) {
            return ControlFlow::Continue(());
        }
        match take(&mut statement) {
            Ok(true) => {}
            Ok(false) => return ControlFlow::Continue(()),
            Err(error) => {
                refused = Some(error);
                return ControlFlow::Break(());
            }
        }
        let texts = [Some(&statement.text), statement.message.as_ref(), statement.reads.as_ref()];
        held_bytes += STATEMENT_BYTES + texts.into_iter().flatten().map(String::len).sum::<usize>();
        visible.is_cut = held_bytes > HELD_BYTES_MAX;
        visible.statements.push(statement);
        match visible.is_cut || visible.statements.len() >= limit {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    if let Some(error) = refused {
        return Err(error);
    }
    let known: HashSet<Uuid> = visible.statements.iter().map(|statement| statement.handle).collect();
    visible.statements.extend(unrecorded.into_iter().filter(|statement| {
        !known.contains(&statement.handle) && search.has(statement, session_of(statement)) && sees(statement)
    }));
    visible.statements.sort_by_key(|statement| Reverse(statement.created_on_ms));
    visible.statements.truncate(limit);
    Ok(visible)
}

/// `None` where the role sees nothing of it.
fn search_for(services: &Services, state: &SessionState, call: &HistoryCall) -> Option<HistorySearch> {
    let named = match &call.user {
        Some(name) => Some(services.catalog.principals().users().find(|user| user.name == *name)?.id),
        None => None,
    };
    Some(HistorySearch {
        user_id: Sight::of(services, state).narrowed(named)?,
        warehouse: call.warehouse.clone(),
        sender: call.sender,
        session: call.session,
        ended_from_ms: call.ended_from_ms,
        ended_until_ms: call.ended_until_ms,
        ..HistorySearch::default()
    })
}

/// What other requests run; some of it may be in no file yet.
fn unrecorded(services: &Services, state: &SessionState) -> Vec<PastStatement> {
    let running = services.running.all();
    let of_others = running.iter().filter(|execution| execution.session().to_string() != state.session_id);
    of_others.map(|execution| PastStatement::of(execution.record())).collect()
}

fn status_word(state: Option<EndState>) -> &'static str {
    match state {
        None => "RUNNING",
        Some(EndState::Succeeded) => "SUCCESS",
        Some(_) => "FAILED_WITH_ERROR",
    }
}

fn row(user: Option<String>, statement: PastStatement, status: &str) -> Row {
    let failed = statement.state.is_some_and(|state| state != EndState::Succeeded);
    let session = session_of(&statement);
    let query_type = query_type(&statement.text);
    vec![
        Some(statement.handle.to_string()),
        Some(statement.text),
        statement.database,
        statement.schema,
        Some(query_type),
        user,
        Some(statement.role),
        statement.warehouse,
        Some(statement.query_tag.unwrap_or_default()),
        Some(status.to_owned()),
        statement.code.filter(|_| failed),
        statement.message.filter(|_| failed),
        Some(statement.created_on_ms.to_string()),
        statement.finished_on_ms.map(|time| time.to_string()),
        statement.rows.map(|rows| rows.to_string()),
        Some(session.to_string()),
        Some((statement.sender == Sender::Client).to_string()),
        statement.queued_ms.map(|queued_ms| queued_ms.to_string()),
    ]
}
