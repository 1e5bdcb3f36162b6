//! A query over physical tables as the query over logical tables that says the same.

use std::ops::ControlFlow;

use firn_sql::ast::{
    Expr, GroupByExpr, Join, JoinConstraint, JoinOperator, ObjectNamePart, Query, Select, SelectItem, SetExpr,
    TableAlias, TableFactor, VisitorMut,
};
use firn_sql::tree::Tree;
use firn_sql::{Command, Failure, print};

use super::scope::{Offer, Scope, folded, prefixed, written};
use super::{KnownTables, PastQuery};
use crate::semantic_model::LogicalTable;
use crate::semantic_model::expressions::parse_query;

/// The SQL over the logical tables, in one form whatever the aliases and the letter case of the text; `None` for queries
/// with nested queries, with `*`, or over anything that the model has no name for.
#[must_use]
pub fn over_logical_tables(known: &KnownTables<'_>, past: &PastQuery) -> Option<String> {
    let (_, Command::Query(mut query)) = parse_query(&past.text).ok()? else { return None };
    let select = plain_select(&mut query)?;
    let scope = Scope::of(known, past, select)?;
    let places = scope.places();
    let repeats = places.iter().enumerate().any(|(index, place)| places[..index].contains(place));
    if repeats || select.projection.iter().any(is_wildcard) {
        return None;
    }
    select.projection.iter_mut().for_each(drop_implied_alias);
    let outputs = select.projection.iter().filter_map(|item| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(folded(alias)),
        _ => None,
    });
    let outputs = outputs.collect();
    read_logical(select, &places, known)?;
    let mut renaming = Renaming { scope: &scope, known, outputs, naming: Naming::of(&places), depth: 0 };
    match query.walk_mut(&mut renaming) {
        ControlFlow::Continue(()) => Some(print::sql(query.as_ref())),
        ControlFlow::Break(_) => None,
    }
}

/// How columns are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Bare,
    /// With the table before them.
    Qualified,
}

impl Naming {
    fn of(places: &[usize]) -> Self {
        if places.len() == 1 { Self::Bare } else { Self::Qualified }
    }
}

fn plain_select(query: &mut Query) -> Option<&mut Select> {
    if query.with.is_some() {
        return None;
    }
    match query.body.as_mut() {
        SetExpr::Select(select) if matches!(select.group_by, GroupByExpr::Expressions(..)) => Some(select),
        _ => None,
    }
}

fn is_wildcard(item: &SelectItem) -> bool {
    matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))
}

/// The parser names an unnamed output by its text, which has the physical names.
fn drop_implied_alias(item: &mut SelectItem) {
    let SelectItem::ExprWithAlias { expr, alias } = item else { return };
    let bare =
        |text: &str| text.to_uppercase().replace(|character: char| character.is_whitespace() || character == '\'', "");
    if alias.quote_style.is_some() && bare(&alias.value) == bare(&print::sql(expr)) {
        *item = SelectItem::UnnamedExpr(expr.clone());
    }
}

/// Puts the logical tables in the place of the physical ones.
fn read_logical(select: &mut Select, places: &[usize], known: &KnownTables<'_>) -> Option<()> {
    let naming = Naming::of(places);
    let mut places = places.iter();
    for item in &mut select.from {
        name_logical(&mut item.relation, known.model.tables.get(*places.next()?)?, naming)?;
        for join in &mut item.joins {
            if !is_join_on(join) {
                return None;
            }
            name_logical(&mut join.relation, known.model.tables.get(*places.next()?)?, naming)?;
        }
    }
    Some(())
}

fn is_join_on(join: &Join) -> bool {
    match &join.join_operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint) => matches!(constraint, JoinConstraint::On(_)),
        _ => false,
    }
}

fn name_logical(factor: &mut TableFactor, table: &LogicalTable, naming: Naming) -> Option<()> {
    let TableFactor::Table { name, alias, .. } = factor else { return None };
    *name = prefixed(table);
    let renamed = TableAlias { explicit: true, name: written(&table.name), columns: Vec::new(), at: None };
    *alias = (naming == Naming::Qualified).then_some(renamed);
    Some(())
}

/// Gives columns their logical names and functions capital letters.
struct Renaming<'s> {
    scope: &'s Scope<'s>,
    known: &'s KnownTables<'s>,
    /// Names that the query gives to what it shows.
    outputs: Vec<String>,
    naming: Naming,
    depth: usize,
}

impl VisitorMut for Renaming<'_> {
    type Break = Failure;

    fn pre_visit_query(&mut self, _query: &mut Query) -> ControlFlow<Failure> {
        self.depth += 1;
        if self.depth > 1 { unreadable() } else { ControlFlow::Continue(()) }
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        capitalise_function(expr);
        let name = match &*expr {
            Expr::Identifier(name) => std::slice::from_ref(name),
            Expr::CompoundIdentifier(name) => name.as_slice(),
            _ => return ControlFlow::Continue(()),
        };
        if let Some(column) = self.scope.column(name).filter(|column| column.offer == Offer::Logical)
            && let Some(table) = self.known.model.tables.get(column.table)
        {
            *expr = match self.naming {
                Naming::Bare => Expr::Identifier(written(&column.name)),
                Naming::Qualified => Expr::CompoundIdentifier(vec![written(&table.name), written(&column.name)]),
            };
            return ControlFlow::Continue(());
        }
        match name {
            [name] if self.outputs.contains(&folded(name)) => ControlFlow::Continue(()),
            _ => unreadable(),
        }
    }
}

fn unreadable() -> ControlFlow<Failure> {
    ControlFlow::Break(Failure::unsupported("reading the query over logical tables"))
}

pub(super) fn capitalise_function(expr: &mut Expr) {
    if let Expr::Function(call) = expr
        && let [ObjectNamePart::Identifier(name)] = call.name.0.as_mut_slice()
        && name.quote_style.is_none()
    {
        name.value = name.value.to_uppercase();
    }
}
