//! `FROM t, TABLE(GETNEXTVAL(s)) n`: a number of a sequence for each row of what stands before it. At the end of FROM
//! it becomes `s.NEXTVAL` in the place where the number is shown, which draws once for each row too. Before other
//! relations, what it numbers becomes a subquery that draws. Where that could draw more often or for other rows, it is
//! refused.

use std::ops::ControlFlow;

use super::refuse;
use crate::Failure;
use crate::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident, Query, Select, SelectItem, TableFactor,
    TableWithJoins, VisitorMut,
};
use crate::naming::is_next_value;
use crate::query_parts::{derived, name_of, same_name, select_of, skeleton};
use crate::tree::Tree;

/// What its only column is called.
const NUMBER: &str = "NEXTVAL";

pub(super) fn settle(select: &mut Select) -> Result<(), Failure> {
    let mut numbered = 0;
    while let Some(first) = select.from.iter().position(|table| drawn_from(table).is_some()) {
        let count = select.from[first..].iter().map_while(drawn_from).count();
        if first + count == select.from.len() {
            return show_numbers(select, first);
        }
        numbered += 1;
        number_rows(select, first + count, &format!("NUMBERED{numbered}"))?;
    }
    Ok(())
}

/// A sequence, and the name its numbers go by.
struct Drawn {
    alias: Option<Ident>,
    sequence: Vec<Ident>,
}

impl Drawn {
    fn number(&self) -> Expr {
        let mut parts = self.sequence.clone();
        parts.push(Ident::new(NUMBER));
        Expr::CompoundIdentifier(parts)
    }

    /// Whether `parts` name the number.
    fn is_named(&self, parts: &[Ident]) -> bool {
        match parts {
            [number] => is_next_value(std::slice::from_ref(number)),
            [relation, _] if is_next_value(parts) => match &self.alias {
                Some(alias) => same_name(alias, relation),
                None => relation.value == NUMBER,
            },
            _ => false,
        }
    }
}

fn drawn_from(table: &TableWithJoins) -> Option<Drawn> {
    let TableFactor::TableFunction { expr: Expr::Function(function), alias } = &table.relation else { return None };
    if !table.joins.is_empty() || !function.name.to_string().eq_ignore_ascii_case("GETNEXTVAL") {
        return None;
    }
    let FunctionArguments::List(list) = &function.args else { return None };
    let sequence = match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(name)))] => vec![name.clone()],
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::CompoundIdentifier(parts)))] => parts.clone(),
        _ => return None,
    };
    Some(Drawn { alias: alias.as_ref().map(|alias| alias.name.clone()), sequence })
}

/// The relations from `first` on draw: their numbers are drawn where they are shown.
fn show_numbers(select: &mut Select, first: usize) -> Result<(), Failure> {
    let no_groups = matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty());
    let shows_rows = no_groups && select.distinct.is_none() && select.having.is_none();
    refuse(!shows_rows, "TABLE(GETNEXTVAL()) beside GROUP BY, HAVING or DISTINCT")?;
    let drawn: Vec<Drawn> = select.from.drain(first..).filter_map(|table| drawn_from(&table)).collect();
    show_all(&mut select.projection, &drawn);
    let mut places = Places { drawn: &drawn, found: vec![0; drawn.len()] };
    for item in &mut select.projection {
        name_number(item);
        if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
            // The visitor never breaks.
            let _ = expr.walk_mut(&mut places);
        }
    }
    refuse(places.found.iter().any(|found| *found > 1), "a number of TABLE(GETNEXTVAL()) that is shown twice")?;
    let mut elsewhere = Places { drawn: &drawn, found: vec![0; drawn.len()] };
    for expr in [&mut select.selection, &mut select.qualify].into_iter().flatten() {
        let _ = expr.walk_mut(&mut elsewhere);
    }
    refuse(elsewhere.found.iter().any(|found| *found > 0), "a number of TABLE(GETNEXTVAL()) in a condition")
}

/// `*` shows the numbers last.
fn show_all(projection: &mut Vec<SelectItem>, drawn: &[Drawn]) {
    let Some(place) = projection.iter().position(|item| matches!(item, SelectItem::Wildcard(_))) else { return };
    let shown = |drawn: &Drawn| SelectItem::ExprWithAlias {
        expr: Expr::CompoundIdentifier(vec![
            drawn.alias.clone().unwrap_or_else(|| Ident::new(NUMBER)),
            Ident::new(NUMBER),
        ]),
        alias: Ident::with_quote('"', NUMBER),
    };
    let shown: Vec<_> = drawn.iter().map(shown).collect();
    projection.splice(place + 1..place + 1, shown);
}

fn name_number(item: &mut SelectItem) {
    if let SelectItem::UnnamedExpr(Expr::Identifier(name)) = item
        && is_next_value(std::slice::from_ref(name))
    {
        let expr = Expr::Identifier(name.clone());
        *item = SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', NUMBER) };
    }
}

struct Places<'a> {
    drawn: &'a [Drawn],
    found: Vec<usize>,
}

impl VisitorMut for Places<'_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let parts = match expr {
            Expr::Identifier(name) => std::slice::from_ref(name),
            Expr::CompoundIdentifier(parts) => parts.as_slice(),
            _ => return ControlFlow::Continue(()),
        };
        if let Some(place) = self.drawn.iter().position(|drawn| drawn.is_named(parts)) {
            self.found[place] += 1;
            *expr = self.drawn[place].number();
        }
        ControlFlow::Continue(())
    }
}

/// The first `count` relations, the last of which draw, become a subquery of those columns that the select names.
fn number_rows(select: &mut Select, count: usize, name: &str) -> Result<(), Failure> {
    let stars = select.projection.iter().any(|item| !is_expression(item));
    refuse(stars, "* beside TABLE(GETNEXTVAL()) before other relations")?;
    let mut before: Vec<TableWithJoins> = select.from.drain(..count).collect();
    let relations = before
        .iter()
        .filter(|table| drawn_from(table).is_none())
        .flat_map(|table| std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation)));
    let mut columns = Columns {
        relations: relations.filter_map(relation_name).collect(),
        drawn: before.iter().filter_map(drawn_from).collect(),
        subquery: Ident::with_quote('"', name),
        named: Vec::new(),
    };
    before.retain(|table| drawn_from(table).is_none());
    let mut around = skeleton("SELECT 1")?;
    if let Some(around) = select_of(&mut around) {
        std::mem::swap(around, select);
    }
    // The visitor never breaks.
    let _ = around.walk_mut(&mut columns);
    if let Some(around) = select_of(&mut around) {
        std::mem::swap(around, select);
    }
    let mut numbered: Box<Query> = skeleton("SELECT 1")?;
    let Columns { drawn, subquery, named, .. } = columns;
    if let Some(numbered) = select_of(&mut numbered) {
        let column = |parts: Vec<Ident>| {
            let alias = Ident::with_quote('"', joined(&parts));
            let number = drawn.iter().find(|drawn| drawn.is_named(&parts)).map(Drawn::number);
            SelectItem::ExprWithAlias { expr: number.unwrap_or(Expr::CompoundIdentifier(parts)), alias }
        };
        numbered.projection = named.into_iter().map(column).collect();
        numbered.from = before;
    }
    let relation = TableWithJoins { relation: derived(numbered, subquery), joins: Vec::new() };
    select.from.insert(0, relation);
    Ok(())
}

fn is_expression(item: &SelectItem) -> bool {
    matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. })
}

fn relation_name(factor: &TableFactor) -> Option<Ident> {
    match factor {
        TableFactor::TableFunction { alias: Some(alias), .. } => Some(alias.name.clone()),
        other => name_of(other),
    }
}

/// Turns what is read of the numbered relations into columns of the subquery.
struct Columns {
    relations: Vec<Ident>,
    drawn: Vec<Drawn>,
    subquery: Ident,
    named: Vec<Vec<Ident>>,
}

fn joined(parts: &[Ident]) -> String {
    let folded = |part: &Ident| match part.quote_style {
        None => part.value.to_ascii_uppercase(),
        Some(_) => part.value.clone(),
    };
    parts.iter().map(folded).collect::<Vec<_>>().join(".")
}

impl VisitorMut for Columns {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let Expr::CompoundIdentifier(parts) = expr else { return ControlFlow::Continue(()) };
        let is_read = parts.len() == 2 && self.relations.iter().any(|relation| same_name(relation, &parts[0]));
        if !is_read && !self.drawn.iter().any(|drawn| drawn.is_named(parts)) {
            return ControlFlow::Continue(());
        }
        let column = Ident::with_quote('"', joined(parts));
        if !self.named.iter().any(|known| joined(known) == column.value) {
            self.named.push(parts.clone());
        }
        *expr = Expr::CompoundIdentifier(vec![self.subquery.clone(), column]);
        ControlFlow::Continue(())
    }
}
