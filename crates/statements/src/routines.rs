//! Functions and procedures of users: found by their names, used by those who may, and run with the
//! rights of their owners.

mod below_policies;
mod new_functions;
mod overloads;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ptr;

use firn_catalog::{ActiveRole, Catalog, is_account_role};
use firn_engine::{RoutineDescription, Session, WireColumn};
use firn_sql::command::{CalledFunction, Command, CreateMode, DataType, Ddl, IfMissing};
use firn_sql::context::{Invoker, substitute_context};
use firn_sql::function_checks::check_functions;
use firn_sql::invokers::invoke_for;
use firn_sql::names::display_identifier;
use firn_sql::owners_calls::caller_of;
use firn_sql::owners_views::read_for;
use firn_sql::resolve::{Access, namespace_within, resolve};
use firn_sql::routines::{Called, Expansion, Parameter, Returns, Routine, RoutineKind, called, signature, type_word};
use firn_sql::{Failure, Namespace, ObjectName, SourceStatement, Statement, Uses, blocks, scripting};

pub use below_policies::{BelowPolicy, Redefined, below_policy, is_below_a_policy};
use overloads::Overloads;

use crate::authorise::{
    Authority, Decision, EXPANSION_FAILED, LIMIT_EXCEEDED, NO_WAREHOUSE, Secured, authorise, authorise_stored,
    role_of_owner,
};
use crate::limits::parse_limits;
use crate::local_rows::LocalRows;
use crate::permanent_names::{bind_to_permanent, temporary_uses};
use crate::run_error::RunError;
use crate::semantic_views;
use crate::services::Services;
use crate::session_state::SessionState;

const MISSING_OBJECT: &str = "002003";

/// Functions that call functions, and so on.
const DEPTH_MAX: usize = 16;

/// The routines of a name that a role may use.
pub fn named(
    catalog: &Catalog,
    session: &dyn Session,
    role: &ActiveRole,
    kind: RoutineKind,
    name: &ObjectName,
) -> Result<Vec<RoutineDescription>, RunError> {
    if catalog.database(name.database()).is_none() {
        return Ok(Vec::new());
    }
    let authority = Authority::new(catalog, session, role);
    let mut found = Vec::new();
    for described in session.routines(name.database())? {
        let routine = &described.routine;
        if routine.kind == kind && routine.name == *name && authority.sees(Secured::routine(&described))? {
            found.push(described);
        }
    }
    Ok(found)
}

/// As `named`, for a call in what is stored: an overload that somebody else adds must not take the place of the owner's own.
pub fn named_for_owner(
    catalog: &Catalog,
    session: &dyn Session,
    owner: &ActiveRole,
    kind: RoutineKind,
    name: &ObjectName,
) -> Result<Vec<RoutineDescription>, RunError> {
    let mut found = named(catalog, session, owner, kind, name)?;
    let is_own = |described: &RoutineDescription| described.owner == owner.name;
    if found.iter().any(is_own) {
        found.retain(is_own);
    }
    Ok(found)
}

/// A routine that is changed must be the role's own.
pub fn require_own(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    kind: RoutineKind,
    name: &ObjectName,
    types: &[DataType],
) -> Result<(), RunError> {
    let found = require(services, session, state, kind, name, types)?;
    match state.role.may_use_what_is_owned_by(&found.owner) {
        true => Ok(()),
        false => {
            let word = kind.word().to_ascii_lowercase();
            Err(Failure::insufficient_privileges(&word, &display_identifier(&name.name)).into())
        }
    }
}

/// A routine that is described must be one that the role may use.
pub fn require(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    kind: RoutineKind,
    name: &ObjectName,
    types: &[DataType],
) -> Result<RoutineDescription, RunError> {
    let wanted = signature(types.iter());
    let found = named(&services.catalog, session, &state.role, kind, name)?;
    let is_it = |described: &RoutineDescription| !kind.is_overloaded() || described.routine.signature() == wanted;
    let mut found = found.into_iter().find(is_it);
    if let Some(described) = &mut found {
        hide_body(described, &state.role);
    }
    let shown = if kind.is_overloaded() { format!("{name}({wanted})") } else { name.to_string() };
    found.ok_or_else(|| Failure::missing_object(kind.title(), &shown).into())
}

/// Whether the role may change the routine that ALTER or DROP names. What the statement answers where it may not know of it
/// and bears that it is missing.
pub fn skipped(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    ddl: &Ddl,
) -> Result<Option<String>, RunError> {
    if let Ddl::CreateRoutine { routine, mode: CreateMode::OrReplace, .. } = ddl {
        return check_replaced(session, state, routine).map(|()| None);
    }
    let (kind, name, types, if_missing, access) = match ddl {
        Ddl::DropRoutine { kind, name, types, if_missing } => (kind, name, types, if_missing, Access::Drop),
        Ddl::AlterRoutine { kind, name, types, if_missing, .. } => (kind, name, types, if_missing, Access::Change),
        _ => return Ok(None),
    };
    match require_own(services, session, state, *kind, name, types) {
        Err(RunError::Failed(failure)) if *if_missing == IfMissing::Skip && failure.code == MISSING_OBJECT => {
            Ok(Some(Decision::skipped(access, &name.name)))
        }
        outcome => outcome.map(|()| None),
    }
}

/// As `Routine::hides_body`.
pub fn hide_body(described: &mut RoutineDescription, role: &ActiveRole) {
    if described.routine.hides_body() && !role.may_use_what_is_owned_by(&described.owner) {
        described.routine.body.clear();
    }
}

/// Only its owner may put another routine in the place of one.
fn check_replaced(session: &dyn Session, state: &SessionState, new: &Routine) -> Result<(), RunError> {
    let is_it = |found: &RoutineDescription| {
        let routine = &found.routine;
        routine.kind == new.kind
            && routine.name == new.name
            && (!new.kind.is_overloaded() || routine.signature() == new.signature())
    };
    let replaced = session.routines(new.name.database())?.into_iter().find(is_it);
    match replaced.is_none_or(|found| state.role.may_use_what_is_owned_by(&found.owner)) {
        true => Ok(()),
        false => {
            let word = new.kind.word().to_ascii_lowercase();
            Err(Failure::insufficient_privileges(&word, &display_identifier(&new.name.name)).into())
        }
    }
}

/// What a body is expanded with.
struct Expander<'a> {
    services: &'a Services,
    session: &'a dyn Session,
    state: &'a SessionState,
    /// Of the statement that the bodies become part of.
    text: &'a str,
    /// The statement creates a view: nothing is read yet.
    is_stored: bool,
    /// The owner of the view that reads the table whose policy this is.
    invoker: Option<&'a str>,
    /// A secure function of somebody else is called: neither its plan nor an error of the statement shows what it reads.
    expands_secure: Cell<bool>,
    called: RefCell<Vec<CalledFunction>>,
}

/// Puts the bodies of users' functions in the place of their calls.
pub fn expand(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    statement: &mut Statement,
) -> Result<(), RunError> {
    let is_stored = matches!(&statement.command, Command::Ddl(Ddl::CreateView(_)));
    let text = statement.text.clone();
    let expander = Expander { is_stored, ..Expander::new(services, session, state, &text) };
    let namespace = namespace_within(&statement.command, &state.namespace)?;
    expander.expand(statement, &namespace, &state.role, (&[], 0))?;
    expander.note_in(statement);
    Ok(())
}

/// As `expand`, for the query of a view, which calls functions with the rights of its owner.
pub fn expand_in_view(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    statement: &mut Statement,
    (namespace, owner): (&Namespace, &ActiveRole),
    read_by: &str,
) -> Result<(), RunError> {
    let expander = Expander::new(services, session, state, read_by);
    expander.expand(statement, namespace, owner, (&[], 0))?;
    expander.note_in(statement);
    Ok(())
}

/// The complete names of the functions of users that a statement calls.
pub fn known_calls(
    services: &Services,
    session: &dyn Session,
    role: &ActiveRole,
    statement: &Statement,
    namespace: &Namespace,
) -> Result<Vec<ObjectName>, RunError> {
    let mut known = Vec::new();
    for name in called(statement, namespace)? {
        if !named(&services.catalog, session, role, RoutineKind::Function, &name)?.is_empty() {
            known.push(name);
        }
    }
    Ok(known)
}

/// The body of a policy for the session, which reads with the rights of the policy's owner, and the databases that it reads. The
/// invoker is the owner of the view that reads the table, if there is one.
pub fn body_of_policy(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    described: RoutineDescription,
    (invoker, read_by): (Option<&str>, &str),
) -> Result<(Called, BTreeSet<String>), RunError> {
    let expander = Expander { invoker, ..Expander::new(services, session, state, read_by) };
    let body = expander.body(described, (&state.role.name, 0))?;
    let called = expander.called.into_inner();
    let names = called.iter().flat_map(|called| called.reads.iter().chain([&called.name]));
    Ok((body, names.map(|name| name.database().to_owned()).collect()))
}

impl<'a> Expander<'a> {
    fn new(services: &'a Services, session: &'a dyn Session, state: &'a SessionState, text: &'a str) -> Self {
        let (expands_secure, called) = (Cell::new(false), RefCell::default());
        Self { services, session, state, text, is_stored: false, invoker: None, expands_secure, called }
    }

    fn note_in(self, statement: &mut Statement) {
        statement.has_policies |= self.expands_secure.get();
        statement.called.extend(self.called.into_inner());
    }

    fn expand(
        &self,
        statement: &mut Statement,
        namespace: &Namespace,
        role: &ActiveRole,
        (parameters, depth): (&[Parameter], usize),
    ) -> Result<usize, RunError> {
        let mut overloads = Overloads::new(self.session, namespace);
        for name in called(statement, namespace)? {
            overloads.add(&name, self.candidates(statement, &name, role)?);
        }
        if overloads.is_empty() {
            return Ok(0);
        }
        if matches!(&statement.command, Command::Ddl(Ddl::AlterTable { .. })) {
            return Err(Failure::unsupported("user-defined function in a column's default").into());
        }
        overloads.expand(statement, parameters, &|described| self.body(described, (&role.name, depth)))
    }

    /// The functions that a call of this complete name may mean.
    fn candidates(
        &self,
        statement: &Statement,
        name: &ObjectName,
        role: &ActiveRole,
    ) -> Result<Vec<RoutineDescription>, RunError> {
        let catalog = &self.services.catalog;
        if let Some((name, owner)) = caller_of(name) {
            // The name is one that a semantic view has brought in, or else nobody's.
            return match semantic_views::may_be_in(statement) {
                true => self.of_owner(&name, &role_of_owner(catalog, &owner)?),
                false => Ok(Vec::new()),
            };
        }
        match ptr::eq(role, &self.state.role) && !self.state.has_owners_rights {
            true => named(catalog, self.session, role, RoutineKind::Function, name),
            false => self.of_owner(name, role),
        }
    }

    fn of_owner(&self, name: &ObjectName, owner: &ActiveRole) -> Result<Vec<RoutineDescription>, RunError> {
        named_for_owner(&self.services.catalog, self.session, owner, RoutineKind::Function, name)
    }

    /// A function's body, resolved in its schema and authorised for its owner.
    fn body(&self, described: RoutineDescription, (called_by, depth): (&str, usize)) -> Result<Called, RunError> {
        let is_secure = described.routine.secure && !self.state.role.may_use_what_is_owned_by(&described.owner);
        let name = display_identifier(&described.routine.name.name);
        self.body_for_owner(described, is_secure, (called_by, depth)).map_err(|error| match error {
            RunError::Failed(failure) if is_secure => without_names(&name, failure).into(),
            other => other,
        })
    }

    fn body_for_owner(
        &self,
        described: RoutineDescription,
        is_secure: bool,
        (called_by, depth): (&str, usize),
    ) -> Result<Called, RunError> {
        if depth >= DEPTH_MAX {
            let message = format!("functions call each other deeper than {DEPTH_MAX}");
            return Err(Failure::new("000603", "54001", message).into());
        }
        let catalog = &self.services.catalog;
        let (id, routine) = (described.id, described.routine);
        let mut body = Expansion::of(&routine, &parse_limits(&self.services.limits))?;
        if is_secure {
            self.expands_secure.set(true);
            if matches!(routine.returns, Returns::Table(_)) {
                body.shut_out_predicates();
            }
        }
        let home = routine.name.database();
        let mut context = self.state.sql_context_in(catalog, &body.statement.text, home);
        // What a function does is done for its owner; a policy is evaluated for who reads the table.
        let invoked_by = if routine.kind.is_policy() { self.invoker } else { Some(described.owner.as_str()) };
        context.invoker = invoked_by.map(|owner| invoker(catalog, owner)).transpose()?;
        let own_text = std::mem::replace(&mut body.statement.text, self.text.to_owned());
        substitute_context(&mut body.statement, &context);
        body.statement.text = own_text;
        let namespace = Namespace { database: routine.name.database.clone(), schema: routine.name.schema.clone() };
        let owner = role_of_owner(catalog, &described.owner)?;
        let by_owners =
            semantic_views::substitute(&mut body.statement, self.services, self.session, &owner, &namespace)?;
        let uses = resolve(&mut body.statement, &namespace)?;
        if !uses.objects.is_empty() && !self.is_stored {
            self.state.require_warehouse(catalog)?;
        }
        let reads = uses.objects.iter().map(|used| used.name.clone()).collect();
        self.called.borrow_mut().push(CalledFunction {
            name: routine.name.clone(),
            id,
            owner: described.owner.clone(),
            called_by: called_by.to_owned(),
            reads,
        });
        // Before overloads are chosen: the types of columns are for those who may read them.
        by_owners.bind_to_permanent(self.session, &mut body.statement, &uses)?;
        let uses = by_owners.authorise(self.services, self.session, &self.state.role, &uses)?;
        let (of_session, stored) = match owner.name == self.state.role.name {
            true => temporary_uses(self.session, &uses)?,
            false => (Uses::default(), uses),
        };
        authorise(self.services, self.session, &owner, &of_session)?;
        authorise_stored(self.services, self.session, &owner, &stored)?;
        bind_to_permanent(self.session, &mut body.statement, &stored)?;
        if let Command::Query(query) = &mut body.statement.command {
            read_for(&mut **query, &described.owner);
            // The query of a view that is created is printed as it is.
            if !routine.kind.is_policy() && !self.is_stored {
                invoke_for(&mut **query, &described.owner);
            }
        }
        body.bodies += self.expand(&mut body.statement, &namespace, &owner, (&routine.parameters, depth + 1))?;
        check_functions(&body.statement)?;
        Ok(Called { routine, body })
    }
}

/// What is wrong in the body of a secure function is not for who only calls it: it would name what the function hides.
fn without_names(function: &str, failure: Failure) -> Failure {
    if [LIMIT_EXCEEDED, NO_WAREHOUSE].contains(&failure.code) {
        return failure;
    }
    let message = format!(
        "SQL compilation error:\nFailure during expansion of function '{function}': its owner can find out why by running its \
         body."
    );
    Failure::new(EXPANSION_FAILED, "42601", message)
}

/// For whom policies and functions are evaluated below a view of this owner.
pub fn invoker(catalog: &Catalog, owner: &str) -> Result<Invoker, RunError> {
    let role = role_of_owner(catalog, owner)?;
    let roles = role.held.iter().filter(|held| is_account_role(held)).cloned().collect();
    Ok(Invoker { role: role.name, roles })
}

/// The body of a procedure is read when it is made, so that its syntax errors are reported then; that of a function is
/// compiled.
pub fn check_body(services: &Services, session: &dyn Session, state: &SessionState, ddl: &Ddl) -> Result<(), RunError> {
    let Ddl::CreateRoutine { routine, .. } = ddl else { return Ok(()) };
    match routine.kind {
        RoutineKind::Procedure => {}
        RoutineKind::Function => return new_functions::check(services, session, state, routine),
        _ => return Ok(()),
    }
    let source = SourceStatement { text: routine.body.trim().to_owned(), line: 1, position: 0 };
    let block = blocks::parse_body(&source)?;
    Ok(scripting::check(&block, &parse_limits(&services.limits))?)
}

/// DESCRIBE FUNCTION, PROCEDURE, MASKING POLICY and ROW ACCESS POLICY.
pub fn describe(described: &RoutineDescription) -> LocalRows {
    let routine = &described.routine;
    let parameters = routine.parameters.iter();
    let parameters: Vec<_> =
        parameters.map(|parameter| format!("{} {}", parameter.name, type_word(&parameter.data_type))).collect();
    if routine.kind.is_policy() {
        let columns = ["name", "signature", "return_type", "body"].map(WireColumn::text).to_vec();
        let row = [
            routine.name.name.clone(),
            format!("({})", parameters.join(", ")),
            returns_text(&routine.returns),
            routine.body.clone(),
        ];
        return LocalRows::new(columns, vec![row.map(Some).to_vec()]);
    }
    let mut rows = vec![
        ("signature", format!("({})", parameters.join(", "))),
        ("returns", returns_text(&routine.returns)),
        ("language", "SQL".to_owned()),
    ];
    if routine.kind == RoutineKind::Procedure {
        let rights = match routine.rights {
            firn_sql::routines::Rights::Owner => "OWNER",
            firn_sql::routines::Rights::Caller => "CALLER",
        };
        rows.push(("execute as", rights.to_owned()));
    }
    rows.push(("body", routine.body.clone()));
    let rows = rows.into_iter().map(|(name, value)| vec![Some(name.to_owned()), Some(value)]).collect();
    LocalRows::new(vec![WireColumn::text("property"), WireColumn::text("value")], rows)
}

pub fn returns_text(returns: &Returns) -> String {
    match returns {
        Returns::Value(data_type) => data_type.full_name(),
        Returns::Table(columns) => {
            let columns: Vec<_> =
                columns.iter().map(|(name, data_type)| format!("{name} {}", data_type.full_name())).collect();
            format!("TABLE ({})", columns.join(", "))
        }
    }
}
