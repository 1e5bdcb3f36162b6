//! Runs one parsed statement and writes its result.

mod account;
mod cached_plans;
mod definitions;
mod local_results;
mod profiled;
mod repeated_access;
mod session_commands;

use std::sync::Arc;

use firn_catalog::registry::{ResultFormat, StoredResult};
use firn_engine::{ExecutionContext, Integers, Outcome, Session};
use firn_sql::Statement;
use firn_sql::command::{Command, Ddl, Explain, ExplainedPlan, SessionCommand, StageCommand, Transaction};
use firn_sql::name_places::locate_column;
use firn_sql::resolve::{Access, Uses};
use firn_values::formats::Nulls;
use uuid::Uuid;

use local_results::{write_local, write_local_as};
use profiled::ShownPlan;
use session_commands::{change_session, refuse_set_aside};

use crate::account_usage::Accessed;
use crate::authorise::{Authority, Secured};
use crate::change_counts::{Answer, answer};
use crate::clock::now_ms;
use crate::execution::Execution;
use crate::grants::{self, Grants};
use crate::local_rows::LocalRows;
use crate::partitions::{Completeness, PartitionLimits, WrittenResult, write_partitions};
use crate::plan::needs_warehouse;
use crate::plan_cache::{self, CachedPlan};
use crate::prepare_statement::Prepared;
use crate::reads::SeenRecorder;
use crate::request::Purpose;
use crate::request_template::RequestTemplate;
use crate::result_cache::CachedResult;
use crate::run_error::RunError;
use crate::semantic_views::OwnersReads;
use crate::services::Services;
use crate::session_state::{Created, SessionState};
use crate::table_changes::{AsOf, Sources};
use crate::tags::TaggedCreation;
use crate::{
    access_changes, account_views, autocommit, broken_views, describe, description, explain, file_transfers,
    long_texts, policies, prepare_statement, read_only, reads, reuse, routines, scripting, show, tags,
    transaction_scope,
};

pub fn run_once(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    statement: Statement,
    handle: Uuid,
) -> Result<WrittenResult, RunError> {
    if execution.stop_reason().is_some() {
        return Err(RunError::Stopped);
    }
    if !matches!(statement.command, Command::Transaction(Transaction::Rollback)) {
        session.restore_transaction()?;
    }
    transaction_scope::check(state, session, &statement.command)?;
    services.databases.renaming.wait(|| execution.stop_reason().is_some())?;
    match &statement.command {
        // Whose role was revoked can take another one.
        Command::Session(SessionCommand::UseRole(_)) => state.require_user(&services.catalog)?,
        _ => state.renew_role(&services.catalog)?,
    }
    reads::note_variables(state, &statement.text);
    let mut statement = prepare_statement::with_variables(services, state, statement)?;
    read_only::check_command(state.changes, &statement.command, &statement.text)?;
    file_transfers::check_carried(execution, state, handle, &statement.command)?;
    let is_described = state.purpose == Purpose::Describe;
    if is_described && let Some(rows) = description::unexamined(&statement.command) {
        return write_local(services, state, rows, handle);
    }
    if let Command::Session(command) = &statement.command {
        refuse_set_aside(services, state, command)?;
        autocommit::end_before(command, services, execution, session, state)?;
        let message = state.apply(command, &services.catalog, session)?;
        return write_local(services, state, LocalRows::status(message), handle);
    }
    if let Command::Block(block) = &statement.command {
        return scripting::run(services, execution, session, state, block, &statement.text, handle);
    }
    let _memory = long_texts::reserve(services.engine.as_ref(), &statement.text)?;
    if let Some(creation) = tags::tagged_creation(services, session, state, &statement)? {
        return create_tagged(services, execution, session, state, creation, handle);
    }
    let (uses, authorised) = match prepare_statement::prepare(services, execution, session, state, &mut statement)? {
        Prepared::Ready(uses, authorised) => (uses, authorised),
        Prepared::Nothing(answer) => return write_local(services, state, LocalRows::status(&answer), handle),
    };
    if is_described && let Some(rows) = description::of_change(&statement.command) {
        return write_local(services, state, rows, handle);
    }
    if is_described && let Command::Query(query) = &mut statement.command {
        description::without_rows(query);
    }
    if let Some(rows) = change_session(services, session, state, &statement.command, &uses)? {
        return write_local(services, state, rows, handle);
    }
    if let Command::Transfer(transfer) = &statement.command {
        let rows = file_transfers::plan(services, session, state, transfer, &uses)?;
        return write_local(services, state, rows, handle);
    }
    autocommit::begin_before(&statement.command, session, state, services)?;
    let locked = authorised.lock(services, session, state, &mut statement);
    let before = locked.and_then(|()| grants::existing(services, session, &statement.command));
    let before = before.inspect_err(|_| session.release())?;
    let created = Created::by(&statement.command, state, services, session).inspect_err(|_| session.release())?;
    let authorised_at = authorised.authorised_at(&uses);
    let plan = ShownPlan::of(&statement);
    let run = Run { services, execution, state, handle, authorised_at, by_owners: authorised.by_owners(), plan };
    let written = run.command(session, &statement, &uses);
    let written = match statement.has_policies {
        true => written.map_err(|error| policies::without_values(error, &statement.text)),
        false => written,
    };
    session.release();
    let mut finished = Ok(());
    if written.is_ok() {
        if access_changes::may_hide(services, session, &statement.command) {
            services.catalog.note_access_change()?;
        }
        services.account_usage.note_access(Accessed::of(
            (handle, state.caller.user.id, now_ms()),
            execution.parent_of(handle),
            (&statement, &uses, authorised.by_owners()),
            services,
            session,
        ));
        if let Some(before) = before {
            finished = grants::grant_on_creation(services, session, state, &statement.command, &before);
        }
        // Later statements may read what this one has written to temporary objects.
        if execution.handle.0 != handle || state.is_kept() {
            finished = finished.and(reads::note_filled(session, state, &uses));
        }
        transaction_scope::note(services, execution, session, state, &statement);
        created.choose(state);
    }
    session.publish_definitions();
    finished.and(written)
}

fn create_tagged(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    TaggedCreation { create, tags }: TaggedCreation,
    handle: Uuid,
) -> Result<WrittenResult, RunError> {
    let Some(new) = tags else {
        return run_once(services, execution, session, state, create, handle);
    };
    services.catalog.set_tags(&new.tagged, &new.assigned)?;
    state.new_object_id = Some(new.id);
    let written = run_once(services, execution, session, state, create, handle);
    state.new_object_id = None;
    // What fails once the object exists, such as the grants on it, leaves it with its tags.
    if written.is_err() && !new.is_created(services, session)? {
        services.catalog.set_tags(&new.tagged, &[])?;
    }
    written
}

/// Runs the request's statement, which was not parsed, with a cached plan and its values.
pub fn run_known(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &SessionState,
    (known, asked): (&CachedPlan, &RequestTemplate),
    handle: Uuid,
) -> Result<WrittenResult, RunError> {
    if execution.stop_reason().is_some() {
        return Err(RunError::Stopped);
    }
    if state.warehouse.is_some() {
        execution.begin_work_on(&services.metering, &state.require_warehouse(&services.catalog)?.name);
    }
    let by_owners = &OwnersReads::default();
    let authorised_at = known.authorised_at;
    let plan = ShownPlan::Operators;
    Run { services, execution, state, handle, authorised_at, by_owners, plan }.known(session, known, asked)
}

struct Run<'a> {
    services: &'a Services,
    execution: &'a Execution,
    state: &'a SessionState,
    handle: Uuid,
    /// As `ExecutionContext::authorised_at`.
    authorised_at: Option<u64>,
    by_owners: &'a OwnersReads,
    plan: ShownPlan,
}

impl Run<'_> {
    fn command(
        &self,
        session: &mut dyn Session,
        statement: &Statement,
        uses: &Uses,
    ) -> Result<WrittenResult, RunError> {
        let Self { services, state, .. } = self;
        match &statement.command {
            Command::Query(_) => self.query(session, statement, uses),
            Command::Dml(_) | Command::InsertMany(_) | Command::Transaction(_) | Command::Stages(_) => {
                self.change(session, &statement.command, uses)
            }
            Command::Ddl(ddl) => {
                self.ddl(session, &statement.command, ddl, uses).map_err(|error| located(error, &statement.text))
            }
            Command::Explain(explain) if explain.plan == ExplainedPlan::Measured => {
                self.explain_analyze(session, statement, explain, uses)
            }
            Command::Explain(explain) => self.explain(session, explain, uses),
            Command::Show(command) => self.local(show::show(services, session, state, command)?),
            Command::DescribeRoutine { kind, name, types } => {
                let found = routines::require(services, session, state, *kind, name, types)?;
                let authority = Authority::new(&services.catalog, session, &state.role);
                authority.recording(SeenRecorder::of_session(state)).sees(Secured::routine(&found))?;
                self.local(routines::describe(&found))
            }
            Command::Describe { kind, name } => self.local(describe::describe(services, session, state, *kind, name)?),
            Command::Account(command) => self.account(command),
            Command::Access(command) => {
                let _change = services.engine.definitions().begin_change();
                Grants::new(services, session, state).apply(command)?;
                services.changes.note_definitions_in(definitions::databases_of_grant(command).into_iter());
                self.local(LocalRows::status("Statement executed successfully."))
            }
            Command::Tags(command) => {
                let _change = services.engine.definitions().begin_change();
                self.local(LocalRows::status(&tags::run(services, session, state, command)?))
            }
            Command::Session(_)
            | Command::SetVariables(_)
            | Command::Block(_)
            | Command::SemanticViews(_)
            | Command::Transfer(_)
            | Command::LoginPolicies(_) => Err(RunError::Internal("a session command came past its place".to_owned())),
        }
    }

    fn query(&self, session: &mut dyn Session, statement: &Statement, uses: &Uses) -> Result<WrittenResult, RunError> {
        self.check_warehouse(&statement.command, uses)?;
        let reusable = reuse::reusable_query(self.services, session, self.state, statement, uses)?;
        if let Some(reused) = reusable.as_ref().and_then(|query| self.reuse(&query.key)) {
            return Ok(reused);
        }
        let changes = &self.services.changes;
        let reads = Some(Arc::new(self.state.reads.borrow().clone()));
        let read = |sources: Sources| {
            let read = self.with_access(&*session, (statement, uses), changes.as_of(sources));
            AsOf { reads: reads.clone(), ..read }
        };
        let reusable = reusable.map(|query| (query.key, read(query.sources)));
        let planned_for = read(plan_cache::sources(uses));
        let written = self.execute(session, &statement.command, uses).map_err(|error| match error {
            RunError::Failed(failure) => {
                broken_views::with_view_of_column(session, &self.state.role, uses, &statement.text, failure).into()
            }
            other => other,
        })?;
        self.consider_preparing(session, statement, uses, &planned_for)?;
        if let Some((key, read)) = reusable
            && written.completeness == Completeness::Whole
        {
            self.cache_result(key, self.cached_result(&written, read));
        }
        Ok(written)
    }

    fn change(&self, session: &mut dyn Session, command: &Command, uses: &Uses) -> Result<WrittenResult, RunError> {
        self.check_warehouse(command, uses)?;
        let written = self.execute(session, command, uses);
        self.note_change(command, uses);
        written
    }

    /// Also after a failure, which may have changed something before.
    fn note_change(&self, command: &Command, uses: &Uses) {
        let changes = &self.services.changes;
        let changed = || uses.objects.iter().filter(|object| object.access != Access::Read).map(|object| &object.name);
        match command {
            Command::Transaction(Transaction::Begin) => {}
            // Of a transaction only its statements knew what they wrote.
            Command::Transaction(_) => changes.note_all(),
            Command::Dml(_) | Command::InsertMany(_) | Command::Stages(StageCommand::Load(_)) => {
                changes.note(changed())
            }
            _ => {
                let of_schemas = uses.schemas.iter().map(|used| used.access);
                let of_databases = uses.databases.iter().map(|used| used.access);
                let changes_containers = of_schemas.chain(of_databases).any(|access| access != Access::Read);
                let databases = definitions::databases_of(uses);
                // DDL commits the open transaction.
                if databases.is_empty() || definitions::names_databases(command) || self.state.transaction.is_some() {
                    changes.note_definitions();
                    changes.note_all();
                } else if changes_containers {
                    changes.note_containers_in(databases.into_iter());
                } else {
                    changes.note_definitions_in(databases.into_iter());
                }
                changes.note(changed());
            }
        }
    }

    fn execute(&self, session: &mut dyn Session, command: &Command, uses: &Uses) -> Result<WrittenResult, RunError> {
        match self.is_profiled(command) {
            true => self.profiled(session, |session| self.execute_once(session, command, uses)),
            false => self.execute_once(session, command, uses),
        }
    }

    fn execute_once(
        &self,
        session: &mut dyn Session,
        command: &Command,
        uses: &Uses,
    ) -> Result<WrittenResult, RunError> {
        let mut context = self.context(session, command, uses)?;
        context.query_id = self.handle.to_string();
        context.authorised_at = self.authorised_at;
        match self.attempt(session, command, &context) {
            Err(RunError::Failed(failure))
                if session.wants_wide_integers(&failure) && may_need_wide_integers(command) =>
            {
                let context = ExecutionContext { integers: Integers::Wide, ..context };
                self.attempt_again(session, command, &context).map_err(|error| error.of_repeated(failure))
            }
            Err(RunError::Failed(failure)) => {
                let (services, state) = (self.services, self.state);
                let failure = broken_views::with_views_to_missing(services, session, &state.role, uses, failure);
                Err(broken_views::with_view_of_types(services, session, state, uses, failure).into())
            }
            outcome => outcome,
        }
    }

    fn attempt(
        &self,
        session: &mut dyn Session,
        command: &Command,
        context: &ExecutionContext,
    ) -> Result<WrittenResult, RunError> {
        self.write(session.execute(command, context)?)
    }

    /// After a failure, which has left nothing but rows of its result.
    fn attempt_again(
        &self,
        session: &mut dyn Session,
        command: &Command,
        context: &ExecutionContext,
    ) -> Result<WrittenResult, RunError> {
        session.note_failure();
        session.restore_transaction()?;
        self.services.store.remove(self.handle)?;
        self.attempt(session, command, context)
    }

    fn write(&self, outcome: Outcome<'_>) -> Result<WrittenResult, RunError> {
        match answer(outcome) {
            Answer::Rows(mut rows) => {
                let (format, limits) = (self.state.result_format.of_queries(), self.partition_limits());
                let mut written = write_partitions(rows.as_mut(), format, &limits, &self.services.store, self.handle)?;
                if format == ResultFormat::Json {
                    let formats = self.state.settings.formats.of_cells();
                    written.stored.cells.formatted = formats.turns_cells_into_text();
                    written.stored.cells.texts = formats.text_kinds().bits();
                    written.stored.cells.null_words = formats.nulls == Nulls::Word;
                }
                Ok(written)
            }
            Answer::Local(rows, stats) => {
                // Drivers read counts of rows from JSON alone.
                let of_rows = self.state.result_format.of_local_rows();
                let format = if stats.is_some() { ResultFormat::Json } else { of_rows };
                let mut written = write_local_as(self.services, self.state, rows, format, self.handle)?;
                written.stored.stats = stats;
                Ok(written)
            }
        }
    }

    fn explain(&self, session: &mut dyn Session, explain: &Explain, uses: &Uses) -> Result<WrittenResult, RunError> {
        let steps = match &self.plan {
            ShownPlan::Hidden(steps) => steps.clone(),
            ShownPlan::Operators => {
                session.explain(&explain.command, &self.context(session, &explain.command, uses)?)?
            }
        };
        self.local(explain::rows(explain.form, &steps))
    }

    fn context(&self, session: &dyn Session, command: &Command, uses: &Uses) -> Result<ExecutionContext, RunError> {
        account_views::context(self.services, session, self.state, (command, uses))
    }

    fn local(&self, rows: LocalRows) -> Result<WrittenResult, RunError> {
        write_local(self.services, self.state, rows, self.handle)
    }

    fn check_warehouse(&self, command: &Command, uses: &Uses) -> Result<(), RunError> {
        if !uses.objects.is_empty() && needs_warehouse(command) && self.state.purpose == Purpose::Run {
            let warehouse = self.state.require_warehouse(&self.services.catalog)?;
            self.execution.begin_work_on(&self.services.metering, &warehouse.name);
        }
        Ok(())
    }

    fn partition_limits(&self) -> PartitionLimits {
        let settings = &self.state.settings;
        PartitionLimits {
            chunk_bytes_max: settings.chunk_bytes_max,
            result_bytes_max: self.services.limits.result_bytes_max,
            rows_max: settings.rows_max,
            rows_written: Some(self.execution.progress.rows()),
        }
    }

    fn reuse(&self, key: &str) -> Option<WrittenResult> {
        let cached = self.services.cache.find(key, &self.services.changes)?;
        let stored = StoredResult::clone(&cached.result);
        let first_rows = match &stored.inline_rows {
            Some(rows) => rows.clone().into(),
            None => self.services.store.read(&stored, 0).ok()?,
        };
        if let Some(request) = &self.state.request_key {
            self.services.cache.insert(request.clone(), cached);
        }
        Some(WrittenResult { stored, first_rows, completeness: Completeness::Whole, profile: None })
    }

    fn cached_result(&self, written: &WrittenResult, read: AsOf) -> CachedResult {
        let expires_on_ms = now_ms() + self.services.limits.result_retention.as_millis() as i64;
        CachedResult { result: written.stored.clone().into(), read, expires_on_ms }
    }

    fn cache_result(&self, key: String, result: CachedResult) {
        if let Some(request) = &self.state.request_key {
            self.services.cache.insert(request.clone(), result.clone());
        }
        self.services.cache.insert(key.into(), result);
    }
}

fn located(error: RunError, text: &str) -> RunError {
    match error {
        RunError::Failed(failure) => locate_column(failure, text).into(),
        other => other,
    }
}

/// Not for COPY, which has to report each value that does not fit.
fn may_need_wide_integers(command: &Command) -> bool {
    matches!(
        command,
        Command::Query(_)
            | Command::Dml(_)
            | Command::InsertMany(_)
            | Command::Ddl(Ddl::CreateTable(_))
            | Command::Stages(StageCommand::Unload(_))
    )
}
