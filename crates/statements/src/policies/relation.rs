//! What stands in the place of a relation with policies: `SELECT mask(a) AS a, b FROM t WHERE policy(b)`. A secure view is
//! such a relation for everybody but its owner. In the place of a view that the engine's view does not stand for stands its
//! query: it calls functions, the session has formats of its own, or what it reads has other columns by now.

use std::collections::HashSet;

use firn_engine::{
    AttachedPolicy, ObjectDescription, PREDICATE_BARRIER, RoutineDescription, Session, row_types_checksum,
};
use firn_sql::ast::{Expr, Ident, Query};
use firn_sql::command::{CalledFunction, Command, DataType, ObjectKind, Persistence, TargetPolicies};
use firn_sql::names::{OWN_DATABASE, quote_identifier};
use firn_sql::routines::{Call, Called, Returns, RoutineKind, expand_scalar};
use firn_sql::{Failure, ObjectName, print};

use super::attached::find;
use super::bind::bind_query;
use super::exemptions::not_exempt;
use super::view_queries::expand;
use super::{current_tags, named_databases};
use crate::authorise::reads_of_view;
use crate::routines::body_of_policy;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::tags::Tags;
use crate::view_sizes::ViewSizes;

/// Views of views, policies that read tables with policies, and so on.
const DEPTH_MAX: usize = 64;
/// Policies that read tables with policies twice double them.
const EXPANSIONS_MAX: usize = 1_000;
/// The relation behind the derived one. No user's name has a space and lower case in it by chance.
const BASE: &str = "protected relation";

pub(super) fn quoted(name: &str) -> Ident {
    Ident::with_quote('"', name)
}

/// The relations of one statement.
pub(super) struct Relations<'a> {
    services: &'a Services,
    session: &'a dyn Session,
    state: &'a SessionState,
    /// The text of the statement.
    text: &'a str,
    /// The relations that are being expanded, outermost first.
    open: Vec<ObjectName>,
    /// The owners of the views that are being expanded and of the functions that read, outermost first.
    invokers: Vec<String>,
    /// How many relations were expanded.
    entered: usize,
    sizes: ViewSizes<'a>,
    pub(super) expanded: Expanded,
    tags: Tags<'a>,
}

/// What is part of the statement by now.
#[derive(Default)]
pub(super) struct Expanded {
    pub(super) policies: bool,
    pub(super) views: bool,
    /// Functions of users or of the session, or semantic views, in views.
    pub(super) routines: bool,
    pub(super) called: Vec<CalledFunction>,
}

/// A policy of a relation, and the database that it is looked up from.
struct Mask {
    attached: AttachedPolicy,
    home: String,
}

impl Mask {
    fn is_of(&self, column: &str) -> bool {
        self.attached.columns.first().is_some_and(|masked| masked == column)
    }
}

impl<'a> Relations<'a> {
    pub(super) fn new(
        services: &'a Services,
        session: &'a dyn Session,
        state: &'a SessionState,
        text: &'a str,
    ) -> Self {
        Self {
            services,
            session,
            state,
            text,
            open: Vec::new(),
            invokers: Vec::new(),
            entered: 0,
            sizes: ViewSizes::new(services, session),
            expanded: Expanded::default(),
            tags: Tags::new(services, session),
        }
    }

    /// As `of_read`, for a relation that a function reads for its owner.
    pub(super) fn of_read_for(
        &mut self,
        name: &ObjectName,
        invoker: Option<String>,
    ) -> Result<Option<Query>, RunError> {
        let outer = self.invokers.len();
        self.invokers.extend(invoker);
        let read = self.of_read(name)?;
        self.invokers.truncate(outer);
        Ok(read)
    }

    /// What a statement reads in the place of a relation. `None` where no policy is concerned.
    fn of_read(&mut self, name: &ObjectName) -> Result<Option<Query>, RunError> {
        let Some(found) = self.session.describe(name)? else { return Ok(None) };
        if self.open.is_empty() {
            self.sizes.count(&found, 1)?;
        }
        match self.is_protected(&found)? {
            true => self.protected(name, &found).map(Some),
            false if found.view_query.is_some() && self.is_expanded(&found)? => {
                self.expanded_view(name, &found).map(Some)
            }
            false => Ok(None),
        }
    }

    /// The query of a view that protects nothing.
    fn expanded_view(&mut self, name: &ObjectName, found: &ObjectDescription) -> Result<Query, RunError> {
        self.enter(name)?;
        let base = self.view(found)?;
        self.open.pop();
        Ok(print::read_query(&format!("SELECT * FROM {base}"))?)
    }

    fn protected(&mut self, name: &ObjectName, found: &ObjectDescription) -> Result<Query, RunError> {
        self.enter(name)?;
        let base = match found.kind {
            ObjectKind::View => self.view(found)?,
            _ => format!("{} AS {}", quoted_name(name), quote_identifier(BASE)),
        };
        let policies = &found.options.policies;
        let masks = self.masks(found)?;
        let base_name = quoted(BASE);
        let mut items = Vec::new();
        for column in &found.columns {
            let name = quote_identifier(&column.name);
            let value = match masks.iter().find(|mask| mask.is_of(&column.name)) {
                Some(mask) => print::sql(&self.mask(found, mask, &base_name)?),
                None => format!("{}.{name}", quote_identifier(BASE)),
            };
            items.push(format!("{value} AS {name}"));
        }
        let filter = match &policies.row_access {
            Some(attached) => {
                let filter = self.filter(found, attached, &base_name)?;
                format!(" WHERE {} {PREDICATE_BARRIER}", print::sql(&filter))
            }
            None if self.is_secure(found) => format!(" {PREDICATE_BARRIER}"),
            None => String::new(),
        };
        self.open.pop();
        self.expanded.policies = true;
        Ok(print::read_query(&format!("SELECT {} FROM {base}{filter}", items.join(", ")))?)
    }

    /// What a statement that changes rows sees of its target, by the target's alias.
    pub(super) fn of_target(&mut self, name: &ObjectName, alias: &Ident) -> Result<Option<TargetPolicies>, RunError> {
        let Some(found) = self.session.describe(name)? else { return Ok(None) };
        let policies = found.options.policies.clone();
        let masks = self.masks(&found)?;
        if policies.is_empty() && masks.is_empty() {
            return Ok(None);
        }
        self.enter(name)?;
        let mut target = TargetPolicies::default();
        for mask in &masks {
            if let Some(column) = mask.attached.columns.first() {
                target.masks.push((column.clone(), self.mask(&found, mask, alias)?));
            }
        }
        if let Some(attached) = &policies.row_access {
            target.filter = Some(self.filter(&found, attached, alias)?);
        }
        self.open.pop();
        self.expanded.policies = true;
        Ok(Some(target))
    }

    fn enter(&mut self, name: &ObjectName) -> Result<(), RunError> {
        if self.open.contains(name) {
            let message = format!(
                "SQL compilation error:\n'{name}' reads itself, by a policy or a function; let that read something else."
            );
            return Err(Failure::new("001003", "42601", message).into());
        }
        if self.open.len() >= DEPTH_MAX {
            return Err(Failure::limit_exceeded("nesting depth of views and policies", DEPTH_MAX).into());
        }
        self.entered += 1;
        if self.entered > EXPANSIONS_MAX {
            let what = "number of views and policies, also those below others,";
            return Err(Failure::limit_exceeded(what, EXPANSIONS_MAX).into());
        }
        self.open.push(name.clone());
        Ok(())
    }

    /// Whether this is a secure view of somebody else: neither its plan nor an error of the statement shows what it reads.
    fn is_secure(&self, found: &ObjectDescription) -> bool {
        found.options.secure && !self.state.role.may_use_what_is_owned_by(&found.owner)
    }

    /// Whether the relation has policies or is a secure view, or is a view that reads such a one.
    fn is_protected(&self, found: &ObjectDescription) -> Result<bool, RunError> {
        self.is_any(found, &|view| self.has_protection(view))
    }

    fn has_protection(&self, found: &ObjectDescription) -> Result<bool, RunError> {
        Ok(!found.options.policies.is_empty() || self.is_secure(found) || !self.tags.masks(found)?.is_empty())
    }

    /// Whether the statement has to expand the query of a view, or of one that this reads.
    pub(super) fn is_expanded(&self, found: &ObjectDescription) -> Result<bool, RunError> {
        self.is_any(found, &|view| self.is_unlike_engine_view(view))
    }

    /// Whether the engine's view does not mean what the view means.
    fn is_unlike_engine_view(&self, found: &ObjectDescription) -> Result<bool, RunError> {
        if found.name.database() == OWN_DATABASE {
            return Ok(false);
        }
        let Some(reads) = reads_of_view(self.services, found)? else { return Ok(false) };
        if self.state.settings.changes_views() || reads.is_expanded {
            return Ok(true);
        }
        let Some(read_types) = found.options.read_types.filter(|_| found.persistence != Persistence::Temporary) else {
            return Ok(false);
        };
        let mut below = Vec::new();
        for used in &reads.uses.objects {
            below.extend(self.session.describe_permanent(&used.name)?);
        }
        Ok(read_types != row_types_checksum(below.iter().map(|read| read.columns.as_slice())))
    }

    /// Whether this holds of a relation or of one that it reads.
    fn is_any(
        &self,
        found: &ObjectDescription,
        holds: &dyn Fn(&ObjectDescription) -> Result<bool, RunError>,
    ) -> Result<bool, RunError> {
        if holds(found)? {
            return Ok(true);
        }
        let mut seen = HashSet::new();
        let mut waiting = vec![(reads_of_view(self.services, found)?, found.persistence)];
        while let Some((reads, persistence)) = waiting.pop() {
            let Some(reads) = reads else { continue };
            for used in &reads.uses.objects {
                let below = match persistence {
                    Persistence::Temporary => self.session.describe(&used.name)?,
                    _ => self.session.describe_permanent(&used.name)?,
                };
                let Some(below) = below.filter(|below| seen.insert((below.id, below.name.clone()))) else { continue };
                if holds(&below)? {
                    return Ok(true);
                }
                waiting.push((reads_of_view(self.services, &below)?, below.persistence));
            }
        }
        Ok(false)
    }

    /// The rows of a view, with the policies of what it reads.
    fn view(&mut self, view: &ObjectDescription) -> Result<String, RunError> {
        let stored = print::read_query(view.view_query.as_deref().unwrap_or_default())?;
        let expanded = expand(self.services, self.session, self.state, view, stored, self.text)?;
        self.expanded.views = true;
        self.expanded.policies |= expanded.is_secure;
        self.expanded.routines |= expanded.has_routines;
        self.expanded.called.extend(expanded.called);
        let mut query = expanded.query;
        self.invokers.push(view.owner.clone());
        bind_query(self, &mut query)?;
        self.invokers.pop();
        let names: Vec<String> = view.columns.iter().map(|column| quote_identifier(&column.name)).collect();
        Ok(format!("({}) AS {}({})", print::into_sql(*query), quote_identifier(BASE), names.join(", ")))
    }

    /// The masks of a relation's columns, their own and those by their tags.
    fn masks(&self, found: &ObjectDescription) -> Result<Vec<Mask>, RunError> {
        let own = found.options.policies.masks.iter();
        let own = own.map(|mask| Mask { attached: mask.clone(), home: found.name.database().to_owned() });
        let by_tags = self.tags.masks(found)?.into_iter();
        Ok(own.chain(by_tags.map(|mask| Mask { attached: mask.attached, home: mask.home })).collect())
    }

    /// The value of a masked column. It has the scale of the column's numbers and times, and room for any mask.
    fn mask(&mut self, found: &ObjectDescription, mask: &Mask, base: &Ident) -> Result<Expr, RunError> {
        let mut called = self.policy(found, mask, RoutineKind::MaskingPolicy)?;
        let masked =
            mask.attached.columns.first().and_then(|name| found.columns.iter().find(|column| column.name == *name));
        if let (Some(column), Some(parameter)) = (masked, called.routine.parameters.first_mut()) {
            let data_type = match &column.data_type {
                DataType::Varchar { .. } => DataType::Varchar { length: None },
                DataType::Binary { .. } => DataType::Binary { length: None },
                DataType::Number { scale, .. } => DataType::Number { precision: 38, scale: *scale },
                other => other.clone(),
            };
            parameter.data_type = data_type.clone();
            called.routine.returns = Returns::Value(data_type);
        }
        self.call(&mask.attached, called, base)
    }

    fn filter(&mut self, found: &ObjectDescription, attached: &AttachedPolicy, base: &Ident) -> Result<Expr, RunError> {
        let filter = Mask { attached: attached.clone(), home: found.name.database().to_owned() };
        let called = self.policy(found, &filter, RoutineKind::RowAccessPolicy)?;
        self.call(attached, called, base)
    }

    fn policy(
        &mut self,
        found: &ObjectDescription,
        Mask { attached, home }: &Mask,
        kind: RoutineKind,
    ) -> Result<Called, RunError> {
        let described = find(self.services, self.session, home, &attached.policy)?;
        let is_usable = described.routine.kind == kind
            && described.routine.parameters.len() == attached.columns.len()
            && attached.columns.iter().all(|name| found.columns.iter().any(|column| column.name == *name));
        if !is_usable {
            let message = format!(
                "SQL compilation error:\na {} of '{}' does not fit its columns any more; unset it.",
                kind.word().to_ascii_lowercase(),
                found.name
            );
            return Err(Failure::new("001003", "42601", message).into());
        }
        let others = usize::from(kind == RoutineKind::MaskingPolicy);
        self.refuse_tagged_arguments(found, attached.columns.get(others..).unwrap_or_default())?;
        let is_own = self.state.role.may_use_what_is_owned_by(&described.owner);
        let mut called = self.body(described).map_err(|error| match error {
            RunError::Failed(failure) if is_own && failure.code == named_databases::REPLACED => failure.into(),
            error => unusable(error, &found.name),
        })?;
        let column = attached.columns.first().filter(|_| kind == RoutineKind::MaskingPolicy);
        current_tags::substitute(&self.tags, Some((found, column.map(String::as_str))), &mut called)
            .map_err(|error| unusable(error, &found.name))?;
        if let Command::Query(query) = &mut called.body.statement.command {
            bind_query(self, query)?;
        }
        Ok(called)
    }

    fn body(&self, policy: RoutineDescription) -> Result<Called, RunError> {
        let invoker = self.invokers.last().map(String::as_str);
        let (called, databases) =
            body_of_policy(self.services, self.session, self.state, policy, (invoker, self.text))?;
        named_databases::check(&self.services.catalog, &called.routine, &databases)?;
        Ok(called)
    }

    /// What a tag masks is no argument of another policy, whichever of the two was set first.
    fn refuse_tagged_arguments(&self, found: &ObjectDescription, arguments: &[String]) -> Result<(), RunError> {
        if arguments.is_empty() {
            return Ok(());
        }
        for mask in self.tags.masks(found)? {
            let Some(column) = mask.attached.columns.first().filter(|column| arguments.contains(column)) else {
                continue;
            };
            let policy = find(self.services, self.session, &mask.home, &mask.attached.policy)?;
            if !policy.routine.exempt_other_policies {
                return Err(not_exempt(column));
            }
        }
        Ok(())
    }

    fn call(&self, attached: &AttachedPolicy, called: Called, base: &Ident) -> Result<Expr, RunError> {
        let argument = |name: &String| (None, Expr::CompoundIdentifier(vec![base.clone(), quoted(name)]));
        let call = Call { arguments: attached.columns.iter().map(argument).collect() };
        Ok(expand_scalar(&called.routine, &call, called.body)?)
    }
}

/// What is wrong inside of a policy is not for who reads the table: it may name what is hidden.
fn unusable(error: RunError, table: &ObjectName) -> RunError {
    match error {
        RunError::Failed(Failure { code, sql_state, .. }) => {
            let message = format!(
                "SQL compilation error:\na policy of '{table}' cannot be evaluated; its owner can find out why by running its body."
            );
            Failure::new(code, sql_state, message).into()
        }
        other => other,
    }
}

fn quoted_name(name: &ObjectName) -> String {
    [name.database(), name.schema(), &name.name].map(quote_identifier).join(".")
}
