//! The state of a request's session: user, role, namespace and parameters. Statements of a multi-statement request change
//! it for later ones.

mod chosen_names;
mod context;
mod kept;
mod warehouses;

use std::cell::RefCell;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use firn_catalog::registry::Sender;
use firn_catalog::{ActiveRole, AskedBy, Caller, Catalog, CatalogError, DatabaseRecord, User, Visibility};
use firn_engine::{ExecutionContext, Integers, Session};
use firn_sql::command::{SecondaryRoles, SessionCommand};
use firn_sql::lookups::Rows;
use firn_sql::names::{INFORMATION_SCHEMA, OWN_DATABASE};
use firn_sql::owners_views::reader_of;
use firn_sql::privileges::SecurableKind;
use firn_sql::resolve::{ObjectUse, Uses};
use firn_sql::stages::StageName;
use firn_sql::{Failure, Namespace, ObjectName};
use uuid::Uuid;

use crate::clock::now_ms;
use crate::effects::Effects;
use crate::kept_sessions::SessionKind;
use crate::own_database;
use crate::reads::{REDACTED, Reads, TemporaryReads};
use crate::request::{Changes, FormatWish, Purpose, SubmitRequest, Transfers};
use crate::request_template::RequestTemplate;
use crate::run_error::RunError;
use crate::session_variables::SessionVariables;
use crate::settings::SessionSettings;

pub use chosen_names::{Created, GivenNames};
pub use warehouses::{may_use_warehouse, missing_warehouse, warehouse_refusal};

/// What programs of the statement API are called.
const STATEMENT_API: &str = "SQL API";
pub const DEFAULT_SCHEMA: &str = "PUBLIC";
/// Limits of the results that statements of a block store for later ones.
const BLOCK_CELLS_MAX: usize = 1_000_000;
const BLOCK_RESULTS_MAX: usize = 100;

/// Whose transaction is open when a statement runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransactionScope {
    /// One that this scope has begun, if any.
    #[default]
    Own,
    /// The one of the caller of the procedure that runs.
    Callers,
}

/// A kept session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptAs {
    pub id: Uuid,
    pub kind: SessionKind,
}

#[derive(Clone, Debug)]
pub struct SessionState {
    pub caller: Caller,
    pub role: ActiveRole,
    pub namespace: Namespace,
    pub warehouse: Option<String>,
    pub settings: SessionSettings,
    /// Given when the request has its handle.
    pub session_id: String,
    /// The session's statements so far, oldest first.
    pub past: Vec<Uuid>,
    pub variables: SessionVariables,
    /// The cache key of the request, if it has a single statement.
    pub request_key: Option<Arc<str>>,
    /// The request's statement without its values.
    pub template: Option<Arc<RequestTemplate>>,
    /// Results of statements inside of a block or a chain, oldest first.
    block_results: Vec<(Uuid, Arc<Rows>)>,
    pub client_address: Option<IpAddr>,
    pub server_address: Option<SocketAddr>,
    /// The program that has the session, with its version.
    pub client: Arc<str>,
    pub sender: Sender,
    pub changes: Changes,
    pub transfers: Transfers,
    pub result_format: FormatWish,
    pub purpose: Purpose,
    /// The kept session, if it is one that outlasts the request.
    pub kept_as: Option<KeptAs>,
    /// The open transaction, and the last one that ended.
    pub transaction: Option<String>,
    pub last_transaction: Option<String>,
    pub secondary_roles: SecondaryRoles,
    /// As in `ExecutionContext`.
    pub outcome_recorded_from: Option<Instant>,
    /// Inside a procedure that runs with its owner's rights: neither the role nor the user can be changed there.
    pub has_owners_rights: bool,
    /// A procedure with the rights of a role that its caller does not have runs: what it reads is not shown in errors.
    pub hides_values: bool,
    /// How many procedures and blocks are around the statement that runs, those that a FROM calls included.
    pub call_depth: usize,
    pub transaction_scope: TransactionScope,
    /// Of the statement that runs.
    pub effects: Effects,
    /// What the statement of the request that runs has read, with all that runs inside of it.
    pub reads: RefCell<Reads>,
    pub temporary_reads: TemporaryReads,
    /// The statement that runs is one of a block: what it reads may be part of the block's result, whatever it does with it.
    pub in_block: bool,
    /// QUERY_TAG was set from values that had been read.
    tag_is_computed: bool,
    /// As in `ExecutionContext`.
    pub new_object_id: Option<i64>,
}

impl SessionState {
    /// QUERY_TAG as it is recorded with statements.
    pub fn recorded_tag(&self) -> Option<String> {
        match self.tag_is_computed {
            true => Some(REDACTED.to_owned()),
            false => self.settings.query_tag.clone(),
        }
    }

    /// The account's administrator sees everyone's questions to the analyst, everyone else their own.
    pub fn sees_questions_of(&self) -> AskedBy {
        match self.role.is_account_admin() {
            true => AskedBy::Everyone,
            false => AskedBy::User(self.caller.user.id),
        }
    }

    /// The state before anything has run. Names given by the request are checked in `enter`.
    pub fn new(
        caller: Caller,
        (role, secondary_roles): (ActiveRole, SecondaryRoles),
        settings: SessionSettings,
        request: &SubmitRequest,
    ) -> Self {
        let user = caller.user.clone();
        let database = request.database.clone().or_else(|| user.default_database.clone());
        let schema = request.schema.clone().or_else(|| user.default_schema.clone());
        let schema = schema.or_else(|| database.is_some().then(|| DEFAULT_SCHEMA.to_owned()));
        Self {
            warehouse: request.warehouse.clone().or_else(|| user.default_warehouse.clone()),
            namespace: Namespace { database, schema },
            session_id: String::new(),
            past: Vec::new(),
            variables: SessionVariables::default(),
            request_key: None,
            template: None,
            block_results: Vec::new(),
            client_address: request.client_address,
            server_address: request.server_address,
            client: STATEMENT_API.into(),
            sender: request.sender,
            changes: request.changes,
            transfers: Transfers::of(request),
            result_format: request.result_format,
            purpose: Purpose::Run,
            kept_as: None,
            transaction: None,
            last_transaction: None,
            secondary_roles,
            outcome_recorded_from: None,
            has_owners_rights: false,
            hides_values: false,
            call_depth: 0,
            transaction_scope: TransactionScope::Own,
            effects: Effects::default(),
            reads: RefCell::default(),
            temporary_reads: TemporaryReads::default(),
            in_block: false,
            tag_is_computed: false,
            new_object_id: None,
            caller,
            role,
            settings,
        }
    }

    pub fn apply(
        &mut self,
        command: &SessionCommand,
        catalog: &Catalog,
        session: &dyn Session,
    ) -> Result<&'static str, RunError> {
        if let (true, Some(refused)) = (self.has_owners_rights, not_for_owners(command)) {
            return Err(Failure::unsupported(&format!("{refused} in a procedure with its owner's rights")).into());
        }
        match command {
            SessionCommand::UseDatabase(name) => self.use_database(name, catalog, session)?,
            SessionCommand::UseSchema(name) => self.use_schema(name.clone(), catalog, session)?,
            SessionCommand::UseWarehouse(name) => {
                if !may_use_warehouse(catalog, &self.role, name) {
                    return Err(missing_warehouse().into());
                }
                self.warehouse = Some(name.clone());
            }
            SessionCommand::UseRole(name) => {
                let role = catalog.principals().active_role(&self.caller, Some(name));
                self.take_role(role.map_err(|_| role_not_granted(name))?, self.secondary_roles, catalog);
            }
            SessionCommand::UseSecondaryRoles(secondary) => {
                self.role.held = self.role.primary.clone();
                self.take_role(self.role.clone(), *secondary, catalog);
            }
            SessionCommand::SetParameters(parameters) => {
                for (name, value) in parameters {
                    self.settings.set(name, value)?;
                    if name == "QUERY_TAG" {
                        self.tag_is_computed = !self.reads.borrow().is_empty();
                    }
                }
            }
            SessionCommand::UnsetParameters(names) => {
                let fresh = SessionSettings::of(catalog, &self.caller.user, self.settings.formats.nulls);
                for name in names {
                    self.settings.reset(name, &fresh)?;
                    self.tag_is_computed &= name != "QUERY_TAG";
                }
            }
            SessionCommand::UnsetVariables(names) => names.iter().for_each(|name| self.variables.unset(name)),
        }
        Ok("Statement executed successfully.")
    }

    pub fn execution_context(&self, catalog: &Catalog, uses: &Uses) -> ExecutionContext {
        let described = read_for_caller(uses).filter_map(|object| catalog.database(object.name.database()));
        let granted = described.flat_map(|database| catalog.granted_within(&self.role, database.id));
        let (schemas, objects): (Vec<_>, Vec<_>) = granted.partition(|(kind, _)| *kind == SecurableKind::Schema);
        let ids = |found: Vec<(SecurableKind, i64)>| found.into_iter().map(|(_, id)| id).collect();
        ExecutionContext {
            role: self.role.name.clone(),
            user: self.caller.user.name.clone(),
            user_id: self.user_of_stage(),
            query_id: String::new(),
            authorised_at: None,
            new_object_id: self.new_object_id,
            outcome_recorded_from: self.outcome_recorded_from,
            visible_owners: self.visible_owners(catalog, uses),
            granted_schemas: ids(schemas),
            granted_objects: ids(objects),
            account_rows: Vec::new(),
            views_of_owners: Vec::new(),
            timezone: self.settings.timezone.clone(),
            weeks: self.settings.weeks,
            inputs: self.settings.inputs.clone(),
            repeated_matches: self.settings.repeated_matches,
            integers: Integers::Narrow,
            formats: self.settings.formats.clone(),
        }
    }

    /// Owners whose objects INFORMATION_SCHEMA shows; `None` stands for all. Of the server's own database it shows the views
    /// that the role may read, whoever the role is.
    fn visible_owners(&self, catalog: &Catalog, uses: &Uses) -> Option<Vec<String>> {
        let is_own = |name: &str| name == OWN_DATABASE;
        let of_own = read_for_caller(uses).map(|used| used.name.database()).any(is_own);
        let own = of_own.then(|| catalog.database(OWN_DATABASE)).flatten();
        match own.filter(DatabaseRecord::is_own) {
            Some(own) => Some(own_database::visible_owners(catalog, &self.role, &own)),
            None => (!self.role.is_account_admin()).then(|| self.role.held.iter().cloned().collect()),
        }
    }

    /// Stores a result under its handle for the rest of the session; the oldest are evicted past the limits.
    pub fn store_block_result(&mut self, handle: Uuid, rows: Rows) {
        let cells = |rows: &Rows| rows.rows.len().saturating_mul(rows.columns.len());
        self.past.push(handle);
        self.block_results.push((handle, Arc::new(rows)));
        let mut held: usize = self.block_results.iter().map(|(_, rows)| cells(rows)).sum();
        while self.block_results.len() > 1 && (held > BLOCK_CELLS_MAX || self.block_results.len() > BLOCK_RESULTS_MAX) {
            held -= cells(&self.block_results.remove(0).1);
        }
    }

    pub fn block_result(&self, handle: Uuid) -> Option<Rows> {
        self.block_results.iter().find(|(stored, _)| *stored == handle).map(|(_, rows)| (**rows).clone())
    }

    /// What the session may know of the account.
    pub fn visibility(&self, catalog: &Catalog) -> Visibility<'_> {
        match self.has_owners_rights {
            true => catalog.visibility_of_role(&self.role),
            false => catalog.visibility(&self.caller, &self.role),
        }
    }

    /// The user whose own things are shown: roles, tokens, defaults. A procedure with its owner's rights has none.
    pub fn own_user(&self) -> Option<&Arc<User>> {
        (!self.has_owners_rights).then_some(&self.caller.user)
    }

    /// The user whose stage `@~` is.
    pub fn user_of_stage(&self) -> Option<i64> {
        (!self.has_owners_rights).then_some(self.caller.user.id)
    }

    /// The folder of a stage, as far as the session has it.
    pub fn stage_folder(&self, session: &dyn Session, stage: &StageName) -> Result<Option<String>, RunError> {
        match (stage, self.user_of_stage()) {
            (StageName::User, None) => Ok(None),
            _ => Ok(session.stage_folder(stage, self.caller.user.id)?),
        }
    }

    /// After a statement that may have begun or ended a transaction, which may have been one of its own.
    pub fn note_transaction(&mut self, now: TransactionNow) {
        let fresh = || Some(format!("{}", now_ms() as u64 * 1_000_000 + Uuid::new_v4().as_u128() as u64 % 1_000_000));
        match now {
            TransactionNow::Open if self.transaction.is_none() => self.transaction = fresh(),
            TransactionNow::Open => {}
            TransactionNow::None => self.last_transaction = self.transaction.take().or_else(fresh),
        }
    }

    /// The role as of now: what was revoked while the request runs does not count any longer.
    pub fn renew_role(&mut self, catalog: &Catalog) -> Result<(), RunError> {
        let principals = catalog.principals();
        let name = self.role.name.clone();
        if self.has_owners_rights {
            let role = principals.role_with_inherited(&name);
            self.role = role.ok_or_else(|| Failure::missing_object("Role", &name))?;
            return Ok(());
        }
        self.require_user(catalog)?;
        let role = principals.active_role(&self.caller, Some(&name)).map_err(|_| role_not_granted(&name))?;
        self.take_role(role, self.secondary_roles, catalog);
        Ok(())
    }

    /// The user may have been dropped or disabled while the request runs.
    pub fn require_user(&self, catalog: &Catalog) -> Result<(), RunError> {
        let principals = catalog.principals();
        let user = principals.user(&self.caller.user.name);
        match user.is_some_and(|user| user.id == self.caller.user.id && !user.disabled) {
            true => Ok(()),
            false => Err(role_not_granted(&self.role.name).into()),
        }
    }

    fn take_role(&mut self, role: ActiveRole, secondary: SecondaryRoles, catalog: &Catalog) {
        (self.role, self.secondary_roles) = with_secondary(catalog, &self.caller, role, secondary);
    }
}

/// The role that a request begins with, together with the user's secondary roles where these are on by default.
pub fn first_role(
    catalog: &Catalog,
    caller: &Caller,
    requested: Option<&str>,
) -> Result<(ActiveRole, SecondaryRoles), CatalogError> {
    let role = catalog.principals().active_role(caller, requested)?;
    let wanted = if caller.user.has_secondary_roles { SecondaryRoles::All } else { SecondaryRoles::None };
    Ok(with_secondary(catalog, caller, role, wanted))
}

/// The role with the others of the user, where these are wanted and the caller may have them.
pub fn with_secondary(
    catalog: &Catalog,
    caller: &Caller,
    role: ActiveRole,
    wanted: SecondaryRoles,
) -> (ActiveRole, SecondaryRoles) {
    let all = || catalog.principals().with_secondary_roles(&role, caller);
    match (wanted == SecondaryRoles::All).then(all).flatten() {
        Some(all) => (all, SecondaryRoles::All),
        None => (role, SecondaryRoles::None),
    }
}

/// What would change the session of the caller.
fn not_for_owners(command: &SessionCommand) -> Option<&'static str> {
    match command {
        SessionCommand::UseRole(_) | SessionCommand::UseSecondaryRoles(_) => Some("USE ROLE"),
        SessionCommand::SetParameters(_) | SessionCommand::UnsetParameters(_) => Some("ALTER SESSION"),
        _ => None,
    }
}

/// Whether a transaction is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionNow {
    Open,
    None,
}

fn role_not_granted(name: &str) -> Failure {
    Failure::new(
        "003013",
        "42501",
        format!("Requested role '{name}' is not assigned to the executing user; GRANT ROLE makes it so."),
    )
}

/// The views of INFORMATION_SCHEMA that the statement itself names.
fn read_for_caller(uses: &Uses) -> impl Iterator<Item = &ObjectUse> {
    let is_for_caller = |name: &ObjectName| name.schema() == INFORMATION_SCHEMA && reader_of(&name.name).1.is_none();
    uses.objects.iter().filter(move |used| is_for_caller(&used.name))
}
