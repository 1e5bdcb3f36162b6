//! Qualifies correlated columns. The engine binds an unqualified column of an outer query only after it has chosen among
//! overloaded macros, so it does not know its type then. A column or an alias of the select itself takes precedence.

use std::ops::ControlFlow;

use firn_binder::{QueryScopes, SchemaProvider, SelectRelation};
use firn_engine::EngineError;
use firn_sql::Failure;
use firn_sql::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Query, Select, SelectItem, TableAlias,
    TableFactor, VisitorMut,
};
use firn_sql::date_parts;
use firn_sql::tree::{Tree, outcome};

use super::build::{call_name, quoted};

/// Whether this expression has a subquery.
pub(super) fn holds_query(expr: &Expr) -> bool {
    matches!(expr, Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. })
}

/// Whether this subquery is LATERAL: it sees the relations before it.
pub(super) fn is_lateral(table: &TableFactor) -> bool {
    matches!(table, TableFactor::Derived { lateral: true, .. })
}

fn is_derived(table: &TableFactor) -> bool {
    matches!(table, TableFactor::Derived { lateral: false, .. })
}

pub(super) fn rewrite(node: &mut dyn Tree, schemas: &dyn SchemaProvider) -> Result<(), EngineError> {
    let mut pass =
        Pass { scopes: QueryScopes::new(schemas), frames: Vec::new(), parameters: Vec::new(), named: 0, error: None };
    let walked = outcome(node.walk_mut(&mut pass));
    match pass.error {
        Some(error) => Err(error),
        None => Ok(walked?),
    }
}

struct Pass<'schemas> {
    scopes: QueryScopes<'schemas>,
    /// The scopes around the current node, innermost last.
    frames: Vec<Frame>,
    /// Of the lambdas around.
    parameters: Vec<String>,
    /// How many relations have been given a name.
    named: usize,
    error: Option<EngineError>,
}

enum Frame {
    /// Outside of the selects of a query: what its ORDER BY names is found by other rules.
    Query,
    Select {
        relations: Vec<SelectRelation>,
        aliases: Vec<String>,
    },
    /// A derived table that does not see the relations beside it.
    Derived,
}

impl Pass<'_> {
    fn note(&mut self, result: Result<(), EngineError>) -> ControlFlow<Failure> {
        match result {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(Failure::unsupported("reading a description"))
            }
        }
    }

    fn enter_select(&mut self, select: &mut Select) -> Result<(), EngineError> {
        for table in &mut select.from {
            let relations =
                std::iter::once(&mut table.relation).chain(table.joins.iter_mut().map(|join| &mut join.relation));
            relations.for_each(|relation| self.name_derived(relation));
        }
        let relations = self.scopes.relations(&select.from)?;
        let alias = |item: &SelectItem| match item {
            SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
            _ => None,
        };
        let aliases = select.projection.iter().filter_map(alias).collect();
        self.frames.push(Frame::Select { relations, aliases });
        Ok(())
    }

    /// Gives a derived table without an alias one, so that its columns can be qualified.
    fn name_derived(&mut self, table: &mut TableFactor) {
        if let TableFactor::Derived { alias: alias @ None, .. } = table {
            self.named += 1;
            let name = quoted(&format!("__RELATION {}", self.named));
            *alias = Some(TableAlias { explicit: true, name, columns: Vec::new(), at: None });
        }
    }

    /// The relation of the innermost outer query that has this column.
    fn outer_relation(&self, name: &str) -> Option<&str> {
        let (Frame::Select { relations: own, aliases }, around) = self.frames.split_last()? else { return None };
        if around.is_empty() || aliases.iter().any(|alias| alias == name) {
            return None;
        }
        if self.parameters.iter().any(|parameter| parameter == name) || holders(own, name)? != (0, None) {
            return None;
        }
        let mut passed = vec![own];
        let mut is_beside = false;
        for frame in around.iter().rev() {
            let relations = match frame {
                Frame::Query => continue,
                Frame::Derived => {
                    is_beside = true;
                    continue;
                }
                Frame::Select { .. } if std::mem::take(&mut is_beside) => continue,
                Frame::Select { relations, .. } => relations,
            };
            match holders(relations, name)? {
                (0, _) => passed.push(relations),
                (1, Some(holder)) => {
                    let is_hidden = passed.iter().copied().flatten().any(|relation| hides(relation, holder));
                    return Some(holder).filter(|holder| !is_hidden && !holder.is_empty());
                }
                _ => return None,
            }
        }
        None
    }
}

/// Whether a qualifier would be resolved to this relation, or to a column of it.
fn hides(relation: &SelectRelation, name: &str) -> bool {
    relation.name == name || relation.has(name)
}

/// How many of the relations have the column, and the first of them; `None` where the columns of one are not known.
fn holders<'relations>(
    relations: &'relations [SelectRelation],
    name: &str,
) -> Option<(usize, Option<&'relations str>)> {
    let mut found = (0, None);
    for relation in relations {
        relation.columns.as_ref()?;
        if relation.has(name) {
            found = (found.0 + 1, found.1.or(Some(relation.name.as_str())));
        }
    }
    Some(found)
}

impl VisitorMut for Pass<'_> {
    type Break = Failure;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Failure> {
        self.frames.push(Frame::Query);
        let entered = self.scopes.enter(query).map_err(EngineError::from);
        self.note(entered)
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        self.frames.pop();
        self.scopes.leave();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        let entered = self.enter_select(select);
        self.note(entered)
    }

    fn post_visit_select(&mut self, _: &mut Select) -> ControlFlow<Failure> {
        self.frames.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &mut TableFactor) -> ControlFlow<Failure> {
        if is_derived(table) {
            self.frames.push(Frame::Derived);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, table: &mut TableFactor) -> ControlFlow<Failure> {
        if is_derived(table) {
            self.frames.pop();
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::Lambda(lambda) = expr {
            self.parameters.extend(lambda.params.iter().map(|parameter| parameter.name.value.clone()));
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::Lambda(lambda) => {
                let before = self.parameters.len().saturating_sub(lambda.params.iter().count());
                self.parameters.truncate(before);
            }
            Expr::Function(function) => spare_date_part(function),
            Expr::Identifier(name) => {
                if let Some(relation) = self.outer_relation(&name.value) {
                    *expr = Expr::CompoundIdentifier(vec![quoted(relation), name.clone()]);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// A date part is not a column.
fn spare_date_part(function: &mut Function) {
    let Some(place) = call_name(function).and_then(date_parts::argument_of) else { return };
    let FunctionArguments::List(list) = &mut function.args else { return };
    if let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(part))) = list.args.get_mut(place)
        && let Expr::CompoundIdentifier(parts) = part
        && let Some(name) = parts.pop()
    {
        *part = Expr::Identifier(name);
    }
}
