//! Prepares a statement for execution: variables, context, names, functions, authorisation, and values that have to be
//! looked up first.

use firn_engine::{EngineError, Session, Waited};
use firn_sql::command::{Command, Ddl};
use firn_sql::context::substitute_context;
use firn_sql::function_checks::check_functions;
use firn_sql::resolve::{Access, ObjectUse, UsedKind, Uses, resolve};
use firn_sql::{Statement, Substitutes, parse_with};

use crate::authorise::{Decision, authorise, decide, reads_of_owners};
use crate::execution::Execution;
use crate::limits::parse_limits;
use crate::run_error::RunError;
use crate::semantic_views::OwnersReads;
use crate::services::Services;
use crate::session_state::{SessionState, TransactionNow};
use crate::transactions::TransactionState;
use crate::{
    account_views, get_ddl, history_calls, linked_databases, look_up, policies, procedure_relations, read_only, reads,
    routines, semantic_views, show, stage_formats, stored_views, system_functions, table_definitions, table_templates,
    tags,
};

/// The statement as it reads with the session's variables and rules of now.
pub fn with_variables(
    services: &Services,
    state: &SessionState,
    mut statement: Statement,
) -> Result<Statement, RunError> {
    let rules = state.settings.rules;
    match statement.unfinished.take() {
        Some(source) if statement.has_variables || statement.rules != rules => {
            let substitutes = Substitutes { variables: Some(&state.variables.values), bindings: None, rules };
            Ok(parse_with(&source, &parse_limits(&services.limits), substitutes)?)
        }
        _ => Ok(statement),
    }
}

/// A statement after its preparation.
pub enum Prepared {
    /// What it uses, and what was decided about it.
    Ready(Uses, Box<Authorised>),
    /// There is nothing for it to do. What it answers.
    Nothing(String),
}

/// The bodies of functions and policies and the tables of semantic views are part of the statement by then.
const CHANGED_MEANWHILE: &str = "definitions or privileges changed while the statement waited for a lock, and it uses \
                                 functions, policies or semantic views; run it again";

/// What a statement was authorised for.
pub struct Authorised {
    /// The last change of definitions and privileges before.
    as_of: u64,
    /// As `DefinitionClock::now` before; `None` in a transaction.
    authorised_at: Option<u64>,
    of_caller: Uses,
    by_owners: OwnersReads,
    expands_routines: bool,
}

impl Authorised {
    pub fn by_owners(&self) -> &OwnersReads {
        &self.by_owners
    }

    /// As `ExecutionContext::authorised_at`. What a statement changes is locked; only what it reads may change before it is bound.
    pub fn authorised_at(&self, uses: &Uses) -> Option<u64> {
        let is_relation = |kind: UsedKind| matches!(kind, UsedKind::Relation | UsedKind::Table | UsedKind::View);
        let is_read = |object: &ObjectUse| is_relation(object.kind) && object.access == Access::Read;
        let reads = self.expands_routines || uses.objects.iter().any(is_read);
        self.authorised_at.filter(|_| reads)
    }

    /// Takes the locks of the statement. If definitions or privileges have changed since it was authorised, that is done again:
    /// its names may be those of other objects now.
    pub fn lock(
        &self,
        services: &Services,
        session: &mut dyn Session,
        state: &mut SessionState,
        statement: &mut Statement,
    ) -> Result<(), RunError> {
        let waited = session.lock(&statement.command)?;
        let is_current = match self.authorised_at {
            Some(then) => services.engine.definitions().is_unchanged_since(then),
            // In a transaction names are looked up as it has them.
            None => waited == Waited::No || services.changes.of_definitions() == self.as_of,
        };
        if is_current {
            return Ok(());
        }
        let is_expanded = statement.has_policies || statement.expands_views;
        if self.expands_routines || is_expanded || !self.by_owners.is_empty() {
            let conflict = || EngineError::Conflict(CHANGED_MEANWHILE.to_owned()).into();
            return Err(if self.authorised_at.is_some() { RunError::Outdated } else { conflict() });
        }
        state.renew_role(&services.catalog)?;
        session.end_orphaned()?;
        authorise(services, session, &state.role, &self.of_caller)?;
        policies::bind(services, session, state, statement)
    }
}

pub fn prepare(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    statement: &mut Statement,
) -> Result<Prepared, RunError> {
    session.end_orphaned()?;
    let as_of = services.changes.of_definitions();
    let authorised_at = (!session.in_transaction()).then(|| services.engine.definitions().now());
    let context = state.sql_context(&services.catalog, &statement.text);
    substitute_context(statement, &context);
    still_wanted(execution)?;
    get_ddl::substitute(statement, services, session, state)?;
    stored_views::prepare(services, session, state, statement)?;
    let by_owners = semantic_views::substitute(statement, services, session, &state.role, &state.namespace)?;
    let mut uses = resolve(statement, &state.namespace)?;
    still_wanted(execution)?;
    services.databases.refuse_set_aside(&services.catalog, &state.role, &uses)?;
    services.databases.refuse_without_file(&services.catalog, &state.role, &uses)?;
    read_only::check_uses(state.changes, &statement.command, &uses)?;
    linked_databases::check(services, session, state, &statement.command, &uses)?;
    let of_caller = by_owners.authorise(services, session, &state.role, &uses)?;
    by_owners.bind_to_permanent(session, statement, &uses)?;
    // Before overloads are chosen: the types of columns are for those who may read them.
    let decided = decide(services, session, &state.role, &of_caller);
    if let Decision::Skipped(answer) = decided.map_err(|error| show::refused_scope(&statement.command, error))? {
        return Ok(Prepared::Nothing(answer));
    }
    stage_formats::refuse_temporary(session, &statement.command)?;
    let expands_routines = check_functions(statement).is_err();
    if expands_routines {
        routines::expand(services, session, state, statement)?;
        // A function may do anything, and reads with the rights of its owner.
        statement.deterministic = false;
        procedure_relations::fill(services, execution, session, state, statement, (&uses, &by_owners))?;
        check_functions(statement)?;
    }
    still_wanted(execution)?;
    policies::bind(services, session, state, statement)?;
    still_wanted(execution)?;
    read_only::check_expanded(state.changes, &statement.command)?;
    reads::note(services, session, state, statement, (&uses, &by_owners))?;
    if expands_routines || statement.has_policies || statement.expands_views {
        uses.objects.extend(reads_of_owners(&statement.command));
    }
    carry_out_system_functions(services, execution, session, state, statement, &uses)?;
    fill_in(services, session, state, statement, &uses)?;
    Ok(Prepared::Ready(uses, Box::new(Authorised { as_of, authorised_at, of_caller, by_owners, expands_routines })))
}

/// A long statement takes its time before the engine has it: a cancel or a time limit ends it between two steps.
fn still_wanted(execution: &Execution) -> Result<(), RunError> {
    execution.stop_if_out_of_time();
    match execution.stop_reason() {
        Some(_) => Err(RunError::Stopped),
        None => Ok(()),
    }
}

fn carry_out_system_functions(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    statement: &mut Statement,
    uses: &Uses,
) -> Result<(), RunError> {
    if !system_functions::may_be_in(&statement.text) {
        return Ok(());
    }
    let mut effects = std::mem::take(&mut state.effects);
    let carried = system_functions::carry_out(services, execution, session, state, statement, (uses, &mut effects));
    state.effects = effects;
    carried?;
    if state.transaction.is_some() && !session.in_transaction() {
        state.note_transaction(TransactionNow::None);
        services.transactions.end(state.transaction_owner(execution.handle), TransactionState::RolledBack);
    }
    Ok(())
}

/// Substitutes values that have to be looked up in the data or the catalog.
fn fill_in(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    statement: &mut Statement,
    uses: &Uses,
) -> Result<(), RunError> {
    history_calls::evaluate_arguments(services, session, state, statement, uses)?;
    if statement.needs_lookup {
        let context = account_views::context(services, session, state, (&statement.command, uses))?;
        look_up::look_up(services, session, state, statement, &context)?;
    }
    if let Command::Ddl(ddl) = &mut statement.command {
        policies::prepare_change(services, session, state, ddl)?;
        tags::retain_masks(services, session, state, ddl)?;
    }
    if let Command::Ddl(Ddl::CreateTable(_)) = &statement.command {
        let context = account_views::context(services, session, state, (&statement.command, uses))?;
        table_templates::fill(session, statement, &context)?;
        table_definitions::alter_existing(session, statement)?;
        if let Command::Ddl(ddl @ Ddl::AlterTable { .. }) = &mut statement.command {
            policies::prepare_change(services, session, state, ddl)?;
        }
    }
    Ok(())
}
