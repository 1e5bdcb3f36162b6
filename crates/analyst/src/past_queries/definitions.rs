//! Filters, facts and metrics that queries of the past use over and over and the model does not have.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use firn_sql::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Query, Select, SelectItem,
    Visitor, VisitorMut,
};
use firn_sql::functions::is_aggregate;
use firn_sql::tree::Tree;
use firn_sql::{Command, Failure, print};

use super::logical_query::capitalise_function;
use super::names::{free_name, name_of};
use super::scope::{Scope, written};
use super::{KnownTables, PastQuery, Usage};
use crate::semantic_model::expressions::{parse_expression, parse_query};

/// What fewer statements use is not used over and over.
const FREQUENCY_MIN: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DefinitionKind {
    Filter,
    Fact,
    Metric,
}

/// An expression over one logical table that the model could give a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    pub kind: DefinitionKind,
    pub table: String,
    pub name: String,
    pub expr: String,
    pub usage: Usage,
}

/// The most used first.
#[must_use]
pub fn frequent_definitions(known: &KnownTables<'_>, queries: &[(PastQuery, Usage)]) -> Vec<Definition> {
    let mut found: BTreeMap<Key, (Expr, Usage)> = BTreeMap::new();
    for (past, usage) in queries {
        for (key, expr) in used_in(known, past) {
            found.entry(key).or_insert_with(|| (expr, Usage::default())).1.merge(usage);
        }
    }
    let defined = defined_by(known);
    found.retain(|key, (_, usage)| usage.frequency >= FREQUENCY_MIN && !defined.contains(key));
    let mut ranked: Vec<(Key, (Expr, Usage))> = found.into_iter().collect();
    let rank = |usage: &Usage| (usage.frequency, usage.users.len());
    ranked.sort_by(|(left, (_, less)), (right, (_, more))| rank(more).cmp(&rank(less)).then(left.cmp(right)));
    let mut taken: BTreeSet<(usize, String)> = BTreeSet::new();
    let definitions = ranked.into_iter().filter_map(|(key, (expr, usage))| {
        let table = known.model.tables.get(key.table)?;
        let name = free_name(table, &name_of(&expr), |name| taken.contains(&(key.table, name.to_owned())));
        taken.insert((key.table, name.clone()));
        Some(Definition { kind: key.kind, table: table.name.clone(), name, expr: key.text, usage })
    });
    definitions.collect()
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    kind: DefinitionKind,
    table: usize,
    text: String,
}

/// What the model has already. The names of its kinds are one: a metric that is there under any name is not offered.
fn defined_by(known: &KnownTables<'_>) -> BTreeSet<Key> {
    let mut defined = BTreeSet::new();
    for (place, table) in known.model.tables.iter().enumerate() {
        let Some(scope) = Scope::of_table(known, place) else { continue };
        let filters = table.filters.iter().map(|filter| (DefinitionKind::Filter, &filter.expr));
        let facts = table.facts.iter().map(|fact| (DefinitionKind::Fact, &fact.expr));
        let metrics = table.metrics.iter().map(|metric| (DefinitionKind::Metric, &metric.expr));
        for (kind, text) in filters.chain(facts).chain(metrics) {
            if let Some((_, expr)) = parse_expression(text).and_then(|tree| local(&scope, &tree)) {
                defined.insert(Key { kind, table: place, text: print::sql(&expr) });
            }
        }
    }
    defined
}

/// What one query uses, each once.
fn used_in(known: &KnownTables<'_>, past: &PastQuery) -> BTreeMap<Key, Expr> {
    let mut used = BTreeMap::new();
    let Ok((_, Command::Query(query))) = parse_query(&past.text) else { return used };
    let mut selects = Selects { found: Vec::new() };
    // The visitor never breaks.
    let _ = query.walk(&mut selects);
    for select in &selects.found {
        let Some(scope) = Scope::of(known, past, select) else { continue };
        let mut add = |kind, tree: &Expr| {
            if let Some((table, expr)) = local(&scope, tree) {
                used.insert(Key { kind, table, text: print::sql(&expr) }, expr);
            }
        };
        for condition in select.selection.iter().flat_map(conjuncts) {
            if is_filter(known, &scope, condition) {
                add(DefinitionKind::Filter, condition);
            }
        }
        for measure in shown(select).filter(|tree| is_measure(tree)) {
            add(DefinitionKind::Metric, measure);
            let mut calls = Aggregates { arguments: Vec::new() };
            let _ = measure.walk(&mut calls);
            for argument in &calls.arguments {
                add(DefinitionKind::Fact, argument);
            }
        }
    }
    used
}

struct Selects {
    found: Vec<Select>,
}

impl Visitor for Selects {
    type Break = Failure;

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Failure> {
        self.found.push(select.clone());
        ControlFlow::Continue(())
    }
}

fn shown(select: &Select) -> impl Iterator<Item = &Expr> {
    select.projection.iter().filter_map(|item| match item {
        SelectItem::UnnamedExpr(tree) | SelectItem::ExprWithAlias { expr: tree, .. } => Some(tree),
        _ => None,
    })
}

fn conjuncts(tree: &Expr) -> Vec<&Expr> {
    match tree {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            conjuncts(left).into_iter().chain(conjuncts(right)).collect()
        }
        Expr::Nested(inner) => conjuncts(inner),
        _ => vec![tree],
    }
}

/// A condition that means a kind of rows: not a comparison of two columns, and not one row that is looked up by its key.
fn is_filter(known: &KnownTables<'_>, scope: &Scope<'_>, condition: &Expr) -> bool {
    let compared = match condition {
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => match (left.as_ref(), right.as_ref()) {
            (column, Expr::Value(_)) | (Expr::Value(_), column) => column_of(scope, column),
            (left, right) if column_of(scope, left).is_some() && column_of(scope, right).is_some() => return false,
            _ => None,
        },
        Expr::InList { expr, .. } => column_of(scope, expr),
        Expr::Value(_) => return false,
        _ => None,
    };
    let Some((table, name)) = compared else { return true };
    let keys = known.model.tables.get(table).map(|table| table.primary_key.as_slice()).unwrap_or_default();
    !(keys.len() == 1 && keys.iter().any(|key| key.eq_ignore_ascii_case(&name)))
}

fn column_of(scope: &Scope<'_>, tree: &Expr) -> Option<(usize, String)> {
    let column = match tree {
        Expr::Identifier(name) => scope.column(std::slice::from_ref(name)),
        Expr::CompoundIdentifier(name) => scope.column(name),
        _ => None,
    }?;
    Some((column.table, column.name))
}

/// Whether every column is inside of an aggregate; how many rows there are is known without a metric.
fn is_measure(tree: &Expr) -> bool {
    let mut shape = MeasureShape::default();
    let _ = tree.walk(&mut shape);
    shape.has_aggregate && !shape.has_other
}

#[derive(Default)]
struct MeasureShape {
    depth: usize,
    has_aggregate: bool,
    has_other: bool,
}

impl Visitor for MeasureShape {
    type Break = Failure;

    fn pre_visit_expr(&mut self, tree: &Expr) -> ControlFlow<Failure> {
        match tree {
            Expr::Function(call) if is_aggregate_call(call) => {
                self.has_aggregate |= !argument(call).is_none_or(|argument| matches!(argument, Expr::Value(_)));
                self.has_other |= call.over.is_some();
                self.depth += 1;
            }
            Expr::Function(call) => self.has_other |= call.over.is_some(),
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.has_other |= self.depth == 0,
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, tree: &Expr) -> ControlFlow<Failure> {
        if matches!(tree, Expr::Function(call) if is_aggregate_call(call)) {
            self.depth -= 1;
        }
        ControlFlow::Continue(())
    }
}

fn is_aggregate_call(call: &Function) -> bool {
    is_aggregate(&call.name.to_string().to_uppercase())
}

/// The first argument, if it is an expression.
fn argument(call: &Function) -> Option<&Expr> {
    let FunctionArguments::List(list) = &call.args else { return None };
    match list.args.first()? {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(tree)) => Some(tree),
        _ => None,
    }
}

/// What aggregates are computed of, where it is more than a column.
struct Aggregates {
    arguments: Vec<Expr>,
}

impl Visitor for Aggregates {
    type Break = Failure;

    fn pre_visit_expr(&mut self, tree: &Expr) -> ControlFlow<Failure> {
        if let Expr::Function(call) = tree
            && is_aggregate_call(call)
            && let Some(computed @ Expr::BinaryOp { .. }) = argument(call)
        {
            self.arguments.push(computed.clone());
        }
        ControlFlow::Continue(())
    }
}

/// The expression over the columns of the one table that it is of; `None` where it is of several, or asks anything else.
fn local(scope: &Scope<'_>, tree: &Expr) -> Option<(usize, Expr)> {
    let mut expr = tree.clone();
    let mut localising = Localising { scope, table: None };
    match expr.walk_mut(&mut localising) {
        ControlFlow::Continue(()) => localising.table.map(|table| (table, expr)),
        ControlFlow::Break(_) => None,
    }
}

struct Localising<'s> {
    scope: &'s Scope<'s>,
    table: Option<usize>,
}

impl VisitorMut for Localising<'_> {
    type Break = Failure;

    fn pre_visit_query(&mut self, _query: &mut Query) -> ControlFlow<Failure> {
        other_tables()
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        capitalise_function(expr);
        let Some((table, name)) = column_of(self.scope, expr) else {
            return match expr {
                Expr::Identifier(_) | Expr::CompoundIdentifier(_) => other_tables(),
                _ => ControlFlow::Continue(()),
            };
        };
        if self.table.is_some_and(|other| other != table) {
            return other_tables();
        }
        self.table = Some(table);
        *expr = Expr::Identifier(written(&name));
        ControlFlow::Continue(())
    }
}

fn other_tables() -> ControlFlow<Failure> {
    ControlFlow::Break(Failure::unsupported("an expression over several tables"))
}
