//! The history as programs list it: found by state, text and time, summed up for warehouses. What a caller sees of it is what
//! QUERY_HISTORY shows to the same role.

use std::collections::BTreeMap;

use firn_catalog::Caller;
use firn_catalog::registry::{HistorySearch, Load, PastStatement, PastStatus, Sender, TextSearch};
use firn_engine::Session;
use firn_values::formats::Nulls;
use uuid::Uuid;

use crate::account_views::{Sight, found};
use crate::error::StatementError;
use crate::handle::session_of;
use crate::past_results::hide_values;
use crate::query_type::query_type;
use crate::reader;
use crate::run_error::RunError;
use crate::service::StatementService;
use crate::services::Services;
use crate::session_state::{SessionState, first_role};
use crate::settings::SessionSettings;

/// Whose statements are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Whose {
    #[default]
    Everybody,
    User(String),
}

#[derive(Clone, Debug, Default)]
pub struct HistoryWish {
    pub whose: Whose,
    /// These alone; nothing else of the wish but its limit counts then.
    pub handles: Option<Vec<Uuid>>,
    pub status: Option<PastStatus>,
    pub text: Option<String>,
    pub began_from_ms: Option<i64>,
    pub began_until_ms: Option<i64>,
    /// `None`: whoever sent them.
    pub sender: Option<Sender>,
    pub limit: usize,
}

#[derive(Clone, Debug)]
pub struct LoadWish {
    pub began_from_ms: i64,
    pub slice_ms: i64,
    pub sender: Option<Sender>,
}

#[derive(Clone, Debug)]
pub struct HistoryView {
    pub statement: PastStatement,
    pub user: Option<String>,
    pub is_queued: bool,
    pub query_type: String,
    pub session: u64,
}

/// What a warehouse did in a slice of the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadSlice {
    pub slice_on_ms: i64,
    pub warehouse: String,
    pub load: Load,
}

impl StatementService {
    /// The latest first. Blocks on the registry.
    pub fn history(
        &self,
        caller: &Caller,
        role: Option<&str>,
        wish: &HistoryWish,
    ) -> Result<Vec<HistoryView>, StatementError> {
        self.admit_request(caller)?;
        let services = &*self.inner.services;
        let state = state_of(services, caller, role)?;
        let session = services.engine.open_session().map_err(RunError::from).map_err(failed)?;
        let listed = match &wish.handles {
            Some(handles) => named(services, &state, handles, wish.limit),
            None => listed(services, session.as_ref(), &state, wish),
        };
        let mut listed = listed.map_err(failed)?;
        hide_values(services, session.as_ref(), &state, &mut listed).map_err(failed)?;
        let principals = services.catalog.principals();
        let queued = services.running.queued();
        let view = |statement: PastStatement| HistoryView {
            user: principals.user_by_id(statement.user_id).map(|user| user.name.clone()),
            is_queued: queued.contains(&statement.handle),
            query_type: query_type(&statement.text),
            session: session_of(&statement),
            statement,
        };
        Ok(listed.into_iter().map(view).collect())
    }

    /// The names of the users of whom the caller sees statements.
    pub fn history_users(&self, caller: &Caller, role: Option<&str>) -> Result<Vec<String>, StatementError> {
        self.admit_request(caller)?;
        let services = &*self.inner.services;
        let state = state_of(services, caller, role)?;
        let senders = services.catalog.registry().senders()?;
        let sight = Sight::of(services, &state);
        let principals = services.catalog.principals();
        let seen = senders.into_iter().filter(|id| sight.narrowed(Some(*id)).is_some());
        let mut names: Vec<String> =
            seen.filter_map(|id| principals.user_by_id(id)).map(|user| user.name.clone()).collect();
        names.sort();
        Ok(names)
    }

    /// By time and warehouse; slices in which a warehouse did nothing are left out.
    pub fn warehouse_load(
        &self,
        caller: &Caller,
        role: Option<&str>,
        wish: &LoadWish,
    ) -> Result<Vec<LoadSlice>, StatementError> {
        self.admit_request(caller)?;
        let services = &*self.inner.services;
        let state = state_of(services, caller, role)?;
        let sight = Sight::of(services, &state);
        let Some(user_id) = sight.narrowed(None) else { return Ok(Vec::new()) };
        let search = HistorySearch {
            user_id,
            sender: wish.sender,
            began_from_ms: Some(wish.began_from_ms),
            ..HistorySearch::default()
        };
        let mut slices: BTreeMap<(i64, String), Load> = BTreeMap::new();
        for group in services.catalog.registry().load(&search, wish.slice_ms)? {
            if sight.sees(&group.role, group.is_inside) {
                slices.entry((group.slice_on_ms, group.warehouse)).or_default().add(group.load);
            }
        }
        let slice = |((slice_on_ms, warehouse), load)| LoadSlice { slice_on_ms, warehouse, load };
        Ok(slices.into_iter().map(slice).collect())
    }
}

fn failed(error: RunError) -> StatementError {
    StatementError::Internal(error.to_string())
}

/// A session of the user's defaults in the wanted role.
fn state_of(services: &Services, caller: &Caller, role: Option<&str>) -> Result<SessionState, StatementError> {
    let role = first_role(&services.catalog, caller, role)?;
    let settings = SessionSettings::of(&services.catalog, &caller.user, Nulls::Null);
    Ok(SessionState::new(caller.clone(), role, settings, &reader::request()))
}

fn listed(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    wish: &HistoryWish,
) -> Result<Vec<PastStatement>, RunError> {
    let wanted = match &wish.whose {
        Whose::Everybody => None,
        Whose::User(name) => match services.catalog.principals().user(name) {
            Some(user) => Some(user.id),
            None => return Ok(Vec::new()),
        },
    };
    let Some(user_id) = Sight::of(services, state).narrowed(wanted) else { return Ok(Vec::new()) };
    let text = wish.text.as_deref().map(TextSearch::new);
    let search = HistorySearch {
        user_id,
        sender: wish.sender,
        began_from_ms: wish.began_from_ms,
        began_until_ms: wish.began_until_ms,
        status: wish.status,
        text: text.clone(),
        ..HistorySearch::default()
    };
    // Who may not see a text learns nothing by searching it.
    let has_shown_text = |statement: &mut PastStatement| {
        let Some(text) = text.as_ref().filter(|_| statement.parent.is_some()) else { return Ok(true) };
        hide_values(services, session, state, std::slice::from_mut(statement))?;
        Ok(text.matches(statement.handle, &statement.text))
    };
    Ok(found(services, state, &search, wish.limit, has_shown_text)?.statements)
}

/// Those of these handles that the session sees, also those that are in no file yet.
fn named(
    services: &Services,
    state: &SessionState,
    handles: &[Uuid],
    limit: usize,
) -> Result<Vec<PastStatement>, RunError> {
    let sight = Sight::of(services, state);
    let running = services.running.all();
    let unrecorded = running.iter().filter(|execution| handles.contains(&execution.handle.0));
    let mut past: Vec<PastStatement> = unrecorded.map(|execution| PastStatement::of(execution.record())).collect();
    let recorded = services.catalog.registry().past(handles)?;
    past.retain(|running| recorded.iter().all(|statement| statement.handle != running.handle));
    past.extend(recorded);
    past.retain(|statement| {
        sight.narrowed(Some(statement.user_id)).is_some() && sight.sees(&statement.role, statement.parent.is_some())
    });
    past.truncate(limit);
    Ok(past)
}
