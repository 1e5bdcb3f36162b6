//! Whether the result of an earlier statement, or the message of a failed one, may still be shown to its user. As long as nobody
//! was granted less, it may. After that everything it read is looked up by its identity (`recorded.rs`), and so is what it listed
//! (`listed.rs`). Listings of the account, and statements whose reads are not recorded, are authorised again by their texts; where
//! policies apply to these now, nobody knows which applied then, so they have to be run again.

mod listed;
mod recorded;

use firn_catalog::registry::{EndState, StatementRecord};
use firn_catalog::{ActiveRole, Caller};
use firn_engine::{RoutineDescription, Session};
use firn_sql::blocks::{self, Action, Block, CalledName, Returned, Special};
use firn_sql::command::{Command, SecondaryRoles};
use firn_sql::context::substitute_context;
use firn_sql::function_checks::check_functions;
use firn_sql::resolve::{UsedKind, Uses, resolve};
use firn_sql::routines::RoutineKind;
use firn_sql::{Failure, Namespace, ObjectName, Statement, Substitutes, parse_with, split_script};
use firn_values::formats::Nulls;
use uuid::Uuid;

use crate::authorise::authorise;
use crate::error::StatementError;
use crate::handle::StatementHandle;
use crate::limits::parse_limits;
use crate::reader;
use crate::reads::Reads;
use crate::run_error::RunError;
use crate::scripting::{RECORDED_MAX, asks_for_results};
use crate::services::Services;
use crate::session_state::{SessionState, with_secondary};
use crate::settings::SessionSettings;
use crate::{policies, routines, semantic_views};

pub use recorded::hide_values;

/// Results of results of results, and so on.
const SCANS_MAX: usize = 64;

/// For a statement that reads the result; the session's variables are those of the text.
pub fn check(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    record: &StatementRecord,
) -> Result<(), RunError> {
    if is_unchecked(services, record) {
        return Ok(());
    }
    match (PastResult { services, session, state: state.clone(), scans: 0 }).is_readable(record) {
        Ok(true) => Ok(()),
        Ok(false) | Err(RunError::Failed(_)) => Err(refusal(record).into()),
        Err(other) => Err(other),
    }
}

/// For a request for the result. Blocks on the engine.
pub fn check_for(services: &Services, caller: &Caller, record: &StatementRecord) -> Result<(), StatementError> {
    if is_unchecked(services, record) {
        return Ok(());
    }
    let internal = |error: &dyn std::fmt::Display| StatementError::Internal(error.to_string());
    let mut session = services.engine.open_session().map_err(|error| internal(&error))?;
    let role = services.catalog.principals().active_role(caller, None)?;
    let settings = SessionSettings::of(&services.catalog, &caller.user, Nulls::Null);
    let state = SessionState::new(caller.clone(), (role, SecondaryRoles::None), settings, &reader::request());
    match check(services, session.as_mut(), &state, record) {
        Ok(()) => Ok(()),
        Err(RunError::Failed(_)) => Err(StatementError::HiddenResult(StatementHandle(record.handle))),
        Err(other) => Err(internal(&other)),
    }
}

fn is_unchecked(services: &Services, record: &StatementRecord) -> bool {
    let shows_values = record
        .ended
        .as_ref()
        .is_some_and(|ended| ended.result.is_some() || (ended.state == EndState::Failed && ended.reads.is_some()));
    !shows_values || record.created_on_ms > services.catalog.access_changed_on_ms()
}

fn refusal(record: &StatementRecord) -> Failure {
    refusal_of(record.handle)
}

fn refusal_of(handle: Uuid) -> Failure {
    let error = StatementError::HiddenResult(StatementHandle(handle));
    Failure::new("003001", "42501", format!("SQL access control error:\n{error}."))
}

/// Which statements are authorised again by their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Among {
    All,
    /// SHOW and DESCRIBE; what the others read is recorded.
    Listings,
}

struct PastResult<'a> {
    services: &'a Services,
    session: &'a mut dyn Session,
    state: SessionState,
    /// How many results that were scanned are around the one that is checked.
    scans: usize,
}

impl PastResult<'_> {
    fn is_readable(&mut self, record: &StatementRecord) -> Result<bool, RunError> {
        let ended = record.ended.as_ref();
        let Some(recorded) = ended.and_then(|ended| ended.reads.as_deref()) else {
            return self.is_text_readable(record, Among::All);
        };
        let Some(reads) = Reads::parse(recorded) else { return Ok(false) };
        let role = self.role_of(&record.role)?;
        if !recorded::are_readable(self.services, &*self.session, &role, &reads)? {
            return Ok(false);
        }
        if ended.is_some_and(|ended| ended.state == EndState::Failed) {
            return Ok(true);
        }
        if reads.has_listings && !role.is_account_admin() && !self.is_text_readable(record, Among::Listings)? {
            return Ok(false);
        }
        self.are_scanned_readable(record.user_id, &reads)
    }

    /// A listing that has expired cannot be checked.
    fn are_scanned_readable(&mut self, user_id: i64, reads: &Reads) -> Result<bool, RunError> {
        for handle in &reads.scanned {
            let Ok(handle) = Uuid::try_parse(handle) else { return Ok(false) };
            let Some(scanned) = self.services.catalog.registry().find(user_id, handle)? else { return Ok(false) };
            self.scans += 1;
            if self.scans > SCANS_MAX || !self.is_readable(&scanned)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the user may run the statement, or the listings among its statements, by its text.
    fn is_text_readable(&mut self, record: &StatementRecord, among: Among) -> Result<bool, RunError> {
        let Some(statement) = self.enter(&record.text, (record.database.clone(), record.schema.clone()))? else {
            return Ok(true);
        };
        match statement.command {
            Command::Query(_) if among == Among::Listings => Ok(true),
            // What it scans, nobody knows.
            Command::Query(_) if statement.needs_lookup => Ok(false),
            Command::Query(_) => {
                self.state.role = self.role_of(&record.role)?;
                self.is_query_readable(statement)
            }
            Command::Show(_) | Command::Describe { .. } | Command::DescribeRoutine { .. } => {
                self.state.role = self.role_of(&record.role)?;
                self.is_listing_readable(statement)
            }
            Command::Block(block) => {
                self.state.role = self.role_of(&record.role)?;
                if among == Among::All && (asks_for_results(&record.text) || !self.may_call(&block)?) {
                    return Ok(false);
                }
                self.is_block_readable(record, block.carries_statement, among)
            }
            _ => Ok(true),
        }
    }

    /// What SHOW and DESCRIBE name has to be visible. What all of the account a role saw then, nobody knows.
    fn is_listing_readable(&mut self, mut statement: Statement) -> Result<bool, RunError> {
        let Self { services, session, state, .. } = self;
        if state.role.is_account_admin() {
            return Ok(true);
        }
        let mut uses = resolve(&mut statement, &state.namespace)?;
        let names_something = !(uses.objects.is_empty() && uses.schemas.is_empty() && uses.databases.is_empty());
        without_missing(services, &**session, &mut uses)?;
        authorise(services, &**session, &state.role, &uses)?;
        if let Command::DescribeRoutine { kind, name, .. } = &statement.command {
            return self.may_use(*kind, name, 0);
        }
        Ok(names_something)
    }

    /// Whether the procedure of a CALL may still be called.
    fn may_call(&mut self, block: &Block) -> Result<bool, RunError> {
        for step in block.steps.iter().filter(|_| block.carries_statement) {
            if let Action::Return(Returned::Query(fragment)) = &step.action
                && let Some(Special::Call { name: CalledName::Written(mut name), arguments, .. }) =
                    blocks::special(fragment)?
            {
                name.qualify(&self.state.namespace)?;
                if !self.may_use(RoutineKind::Procedure, &name, arguments.len())? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether the role may use a routine of the name that takes so many arguments, or nobody has one any more.
    fn may_use(&self, kind: RoutineKind, name: &ObjectName, arguments: usize) -> Result<bool, RunError> {
        let Self { services, session, state, .. } = self;
        let takes = |described: &RoutineDescription| described.routine.parameters.len() >= arguments;
        if routines::named(&services.catalog, &**session, &state.role, kind, name)?.iter().any(takes) {
            return Ok(true);
        }
        if services.catalog.database(name.database()).is_none() {
            return Ok(true);
        }
        let is_it = |described: &RoutineDescription| {
            described.routine.kind == kind && described.routine.name == *name && takes(described)
        };
        Ok(!session.routines(name.database())?.iter().any(is_it))
    }

    /// The statement of a text in the namespace in which it ran; `None` for a set, whose statements have their own results.
    fn enter(
        &mut self,
        text: &str,
        (database, schema): (Option<String>, Option<String>),
    ) -> Result<Option<Statement>, RunError> {
        let limits = parse_limits(&self.services.limits);
        let sources = split_script(text, &limits)?;
        let [source] = sources.as_slice() else { return Ok(None) };
        self.state.namespace = Namespace { database, schema };
        let rules = self.state.settings.rules;
        let substitutes = Substitutes { variables: Some(&self.state.variables.values), bindings: None, rules };
        Ok(Some(parse_with(source, &limits, substitutes)?))
    }

    /// The role that a statement ran under, with all others of the user: any of them may be used to run it again.
    fn role_of(&self, name: &str) -> Result<ActiveRole, RunError> {
        let (catalog, caller) = (&self.services.catalog, &self.state.caller);
        let principals = catalog.principals();
        let role = principals.active_role(caller, Some(name)).or_else(|_| principals.active_role(caller, None))?;
        Ok(with_secondary(catalog, caller, role, SecondaryRoles::All).0)
    }

    /// A block returns what its statements have read. Those of procedures with their owner's rights ran under the owner's role.
    fn is_block_readable(&mut self, record: &StatementRecord, is_call: bool, among: Among) -> Result<bool, RunError> {
        let inside = self.services.catalog.registry().inside(record.user_id, record.handle)?;
        if inside.len() >= RECORDED_MAX {
            return Ok(false);
        }
        let mut listings = 0;
        for past in inside {
            let Some(statement) = self.enter(&past.text, (past.database, past.schema))? else { continue };
            let is_listing = matches!(
                statement.command,
                Command::Show(_) | Command::Describe { .. } | Command::DescribeRoutine { .. }
            );
            listings += usize::from(is_listing);
            if !is_listing && (among == Among::Listings || !matches!(statement.command, Command::Query(_))) {
                continue;
            }
            let principals = self.services.catalog.principals();
            let of_owner = || principals.role_with_inherited(&past.role).filter(|_| is_call);
            self.state.role = match principals.may_take_role(record.user_id, &past.role) {
                true => self.role_of(&past.role)?,
                false => of_owner().ok_or_else(|| refusal(record))?,
            };
            let is_readable = match is_listing {
                true => self.is_listing_readable(statement)?,
                false => self.is_query_readable(statement)?,
            };
            if !is_readable {
                return Ok(false);
            }
        }
        // Those of a chain have no record.
        Ok(among == Among::All || listings > 0)
    }

    fn is_query_readable(&mut self, mut statement: Statement) -> Result<bool, RunError> {
        let Self { services, session, state, .. } = self;
        let context = state.sql_context(&services.catalog, &statement.text);
        substitute_context(&mut statement, &context);
        let by_owners =
            semantic_views::substitute(&mut statement, services, &**session, &state.role, &state.namespace)?;
        let mut uses = resolve(&mut statement, &state.namespace)?;
        without_missing(services, &**session, &mut uses)?;
        let of_caller = by_owners.authorise(services, &**session, &state.role, &uses)?;
        authorise(services, &**session, &state.role, &of_caller)?;
        if check_functions(&statement).is_err() {
            routines::expand(services, &**session, state, &mut statement)?;
        }
        policies::bind(services, &**session, state, &mut statement)?;
        Ok(!statement.has_policies)
    }
}

/// Leaves out what was dropped since: nobody has privileges on it.
fn without_missing(services: &Services, session: &dyn Session, uses: &mut Uses) -> Result<(), RunError> {
    let mut existing = Vec::with_capacity(uses.objects.len());
    for object in std::mem::take(&mut uses.objects) {
        let is_relation = !matches!(object.kind, UsedKind::Stage | UsedKind::FileFormat);
        let has_database = services.catalog.database(object.name.database()).is_some();
        if has_database && (!is_relation || session.describe(&object.name)?.is_some()) {
            existing.push(object);
        }
    }
    uses.objects = existing;
    Ok(())
}
