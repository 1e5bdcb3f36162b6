//! Binds policies to the relations of a statement. A table or view with policies, and a view that reads such ones, becomes a
//! derived table of what the session may see; so whatever the statement does with it sees nothing else.

use std::ops::ControlFlow;

use firn_engine::{ObjectDescription, PlanStep, Session};
use firn_sql::ast::{Expr, FromTable, Ident, Query, Statement as TreeStatement, TableAlias, TableFactor, VisitorMut};
use firn_sql::command::{Command, Ddl, Dml, DmlKind, TargetPolicies};
use firn_sql::invokers::take_invoker;
use firn_sql::owners_views::{reader_of, views_of_server};
use firn_sql::tree::{Tree, complete_name};
use firn_sql::{Failure, ObjectName, Statement};

use super::relation::{Expanded, Relations, quoted};
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// To be called after the statement was resolved and authorised, and before anything of it runs.
pub fn bind(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    statement: &mut Statement,
) -> Result<(), RunError> {
    let mut relations = Relations::new(services, session, state, &statement.text);
    bind_command(&mut relations, &mut statement.command)?;
    let Expanded { policies, views, routines, called } = relations.expanded;
    statement.called_in_views.extend(called);
    statement.has_policies |= policies;
    statement.expands_views |= views;
    // A function may do anything, and a policy looks at the session.
    statement.deterministic &= !(policies || routines);
    Ok(())
}

/// Whether statements of the session read a view in another way than it was created: its record may not have its columns any more.
pub fn is_read_otherwise(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    view: &ObjectDescription,
) -> Result<bool, RunError> {
    Relations::new(services, session, state, "").is_expanded(view)
}

/// What plans and profiles show of a bound statement instead of its operators; `None` if they may show these. A plan of the engine
/// would show what it knows of hidden rows and values: predicates that the statistics of a column decide are not in it. Below a
/// view of INFORMATION_SCHEMA are the objects that the session does not see, and by which condition it does not; below one of
/// the server's own database, its records.
pub fn hidden_plan(statement: &Statement) -> Option<Vec<PlanStep>> {
    let step = |id, parent, operation: &str, object| PlanStep {
        id,
        parent,
        operation: operation.to_owned(),
        object,
        expressions: None,
    };
    let views = views_of_server(&statement.command);
    let views: Vec<Option<String>> = match (statement.has_policies, views.is_empty()) {
        (true, _) => vec![None],
        (false, true) => return None,
        (false, false) => {
            views.iter().map(|name| reader_of(&name.name).1.is_none().then(|| name.to_string())).collect()
        }
    };
    let views = (1..).zip(views).map(|(id, view)| step(id, Some(0), "DynamicSecureView", view));
    Some(std::iter::once(step(0, None, "Result", None)).chain(views).collect())
}

fn bind_command(relations: &mut Relations<'_>, command: &mut Command) -> Result<(), RunError> {
    match command {
        // A view is bound when it is read.
        Command::Ddl(Ddl::CreateView(_)) => Ok(()),
        Command::Explain(explain) => bind_command(relations, &mut explain.command),
        Command::Dml(dml) => bind_change(relations, dml),
        command => {
            let mut walk = Walk::new(relations);
            let flow = command.visit_tree_mut(&mut walk);
            walk.end(flow, |rewriter| drop(command.visit_tree_mut(rewriter)))
        }
    }
}

/// Rows that are changed are those that the session sees, by the values that it sees.
fn bind_change(relations: &mut Relations<'_>, dml: &mut Dml) -> Result<(), RunError> {
    let reads_target = matches!(dml.kind, DmlKind::Update | DmlKind::Delete | DmlKind::Merge);
    if reads_target {
        let alias = target_alias(&dml.statement, &dml.target);
        let policies = relations.of_target(&dml.target, &alias)?;
        dml.policies = policies.map(Box::<TargetPolicies>::new);
    }
    let mut walk = Walk::new(relations);
    walk.at_target = reads_target;
    let flow = dml.statement.walk_mut(&mut walk);
    walk.end(flow, |rewriter| drop(dml.statement.walk_mut(rewriter)))
}

/// By which name a statement calls the table that it changes.
fn target_alias(statement: &TreeStatement, target: &ObjectName) -> Ident {
    let factor = match statement {
        TreeStatement::Update(update) => Some(&update.table.relation),
        TreeStatement::Merge(merge) => Some(&merge.table),
        TreeStatement::Delete(delete) => {
            let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
            from.first().map(|table| &table.relation)
        }
        _ => None,
    };
    match factor {
        Some(TableFactor::Table { alias: Some(alias), .. }) => alias.name.clone(),
        _ => quoted(&target.name),
    }
}

/// As `bind`, for a query inside of what stands for a relation.
pub(super) fn bind_query(relations: &mut Relations<'_>, query: &mut Query) -> Result<(), RunError> {
    let mut walk = Walk::new(relations);
    let flow = query.walk_mut(&mut walk);
    walk.end(flow, |rewriter| drop(query.walk_mut(rewriter)))
}

struct Walk<'w, 'a> {
    relations: &'w mut Relations<'a>,
    /// The next table is the one that a statement changes.
    at_target: bool,
    /// Relations without an alias that were replaced: their columns may be qualified with their schema.
    replaced: Vec<ObjectName>,
    error: Option<RunError>,
}

impl<'w, 'a> Walk<'w, 'a> {
    fn new(relations: &'w mut Relations<'a>) -> Self {
        Self { relations, at_target: false, replaced: Vec::new(), error: None }
    }

    fn end(
        self,
        flow: ControlFlow<Failure>,
        walk: impl FnOnce(&mut dyn VisitorMut<Break = Failure>),
    ) -> Result<(), RunError> {
        match (self.error, flow) {
            (Some(error), _) => return Err(error),
            (None, ControlFlow::Break(failure)) => return Err(failure.into()),
            (None, ControlFlow::Continue(())) => {}
        }
        if !self.replaced.is_empty() {
            walk(&mut Unqualify { replaced: &self.replaced });
        }
        Ok(())
    }

    fn table_factor(&mut self, factor: &mut TableFactor) -> Result<(), RunError> {
        let invoker = take_invoker(factor);
        let TableFactor::Table { name, args: None, .. } = &*factor else { return Ok(()) };
        if std::mem::take(&mut self.at_target) {
            return Ok(());
        }
        let Some(name) = complete_name(name) else { return Ok(()) };
        let Some(subquery) = self.relations.of_read_for(&name, invoker)? else { return Ok(()) };
        let TableFactor::Table { alias, sample, version, .. } = factor else { return Ok(()) };
        if version.is_some() {
            return Err(Failure::unsupported("AT | BEFORE").into());
        }
        let alias = alias.take().unwrap_or_else(|| {
            self.replaced.push(name.clone());
            TableAlias { explicit: true, name: quoted(&name.name), columns: Vec::new(), at: None }
        });
        let sample = sample.take();
        *factor = TableFactor::Derived { lateral: false, subquery: Box::new(subquery), alias: Some(alias), sample };
        Ok(())
    }
}

impl VisitorMut for Walk<'_, '_> {
    type Break = Failure;

    /// After its parts, so that what takes the place of a table is not visited itself.
    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        match self.table_factor(factor) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(Failure::unsupported("a policy"))
            }
        }
    }
}

/// `SCHEMA.T.COLUMN` of a table that became a derived one is `T.COLUMN`.
struct Unqualify<'a> {
    replaced: &'a [ObjectName],
}

impl Unqualify<'_> {
    /// How many parts of a name are before the name of a relation that was replaced.
    fn qualifiers(&self, parts: &[Ident]) -> usize {
        let qualifies = |name: &ObjectName| match parts {
            [database, schema, table, _, ..]
                if database.value == name.database() && schema.value == name.schema() && table.value == name.name =>
            {
                2
            }
            [schema, table, _, ..] if schema.value == name.schema() && table.value == name.name => 1,
            _ => 0,
        };
        self.replaced.iter().map(qualifies).max().unwrap_or_default()
    }
}

impl VisitorMut for Unqualify<'_> {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::CompoundIdentifier(parts) = expr {
            parts.drain(..self.qualifiers(parts));
        }
        ControlFlow::Continue(())
    }
}
