//! `FROM t, TABLE(GETNEXTVAL(s)) n`: a sequence value for each row of the relations before it. At the end of FROM it
//! becomes `s.NEXTVAL` in the select item that reads it, which also advances the sequence once per row. Before other
//! relations, the relations before it become a subquery with `s.NEXTVAL` as a column. Where the rewrite could advance the
//! sequence more often or for other rows, the statement is refused.

use std::ops::ControlFlow;

use super::refusals::refuse;
use crate::Failure;
use crate::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident, Query, Select, SelectItem, TableFactor,
    TableWithJoins, VisitorMut,
};
use crate::naming::is_next_value;
use crate::query_parts::{derived, name_of, same_name, select_of, skeleton};
use crate::tree::Tree;

/// The name of the function's only column.
const NUMBER: &str = "NEXTVAL";

pub(super) fn rewrite(select: &mut Select) -> Result<(), Failure> {
    let mut numbered = 0;
    while let Some(first) = select.from.iter().position(|table| sequence_reference(table).is_some()) {
        let count = select.from[first..].iter().map_while(sequence_reference).count();
        if first + count == select.from.len() {
            return show_numbers(select, first);
        }
        numbered += 1;
        number_rows(select, first + count, &format!("NUMBERED{numbered}"))?;
    }
    Ok(())
}

/// `TABLE(GETNEXTVAL(sequence)) AS alias`.
struct SequenceReference {
    alias: Option<Ident>,
    sequence: Vec<Ident>,
}

impl SequenceReference {
    fn number(&self) -> Expr {
        let mut parts = self.sequence.clone();
        parts.push(Ident::new(NUMBER));
        Expr::CompoundIdentifier(parts)
    }

    /// Whether `parts` refer to the function's column.
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

fn sequence_reference(table: &TableWithJoins) -> Option<SequenceReference> {
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
    Some(SequenceReference { alias: alias.as_ref().map(|alias| alias.name.clone()), sequence })
}

/// The relations from `first` on are sequences: their values are evaluated in the select items that read them.
fn show_numbers(select: &mut Select, first: usize) -> Result<(), Failure> {
    let no_groups = matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty());
    let shows_rows = no_groups && select.distinct.is_none() && select.having.is_none();
    refuse(!shows_rows, "TABLE(GETNEXTVAL()) beside GROUP BY, HAVING or DISTINCT")?;
    let sequences: Vec<SequenceReference> =
        select.from.drain(first..).filter_map(|table| sequence_reference(&table)).collect();
    show_all(&mut select.projection, &sequences);
    let mut places = Places { sequences: &sequences, found: vec![0; sequences.len()] };
    for item in &mut select.projection {
        name_number(item);
        if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
            // The visitor never breaks.
            let _ = expr.walk_mut(&mut places);
        }
    }
    refuse(places.found.iter().any(|found| *found > 1), "a number of TABLE(GETNEXTVAL()) that is shown twice")?;
    let mut elsewhere = Places { sequences: &sequences, found: vec![0; sequences.len()] };
    for expr in [&mut select.selection, &mut select.qualify].into_iter().flatten() {
        let _ = expr.walk_mut(&mut elsewhere);
    }
    refuse(elsewhere.found.iter().any(|found| *found > 0), "a number of TABLE(GETNEXTVAL()) in a condition")
}

/// `*` shows the numbers last.
fn show_all(projection: &mut Vec<SelectItem>, sequences: &[SequenceReference]) {
    let Some(place) = projection.iter().position(|item| matches!(item, SelectItem::Wildcard(_))) else { return };
    let shown = |sequence: &SequenceReference| SelectItem::ExprWithAlias {
        expr: Expr::CompoundIdentifier(vec![
            sequence.alias.clone().unwrap_or_else(|| Ident::new(NUMBER)),
            Ident::new(NUMBER),
        ]),
        alias: Ident::with_quote('"', NUMBER),
    };
    let shown: Vec<_> = sequences.iter().map(shown).collect();
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
    sequences: &'a [SequenceReference],
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
        if let Some(place) = self.sequences.iter().position(|sequence| sequence.is_named(parts)) {
            self.found[place] += 1;
            *expr = self.sequences[place].number();
        }
        ControlFlow::Continue(())
    }
}

/// The first `count` relations, the last of which are sequences, become a subquery of the columns that the select reads.
fn number_rows(select: &mut Select, count: usize, name: &str) -> Result<(), Failure> {
    let stars = select.projection.iter().any(|item| !is_expression(item));
    refuse(stars, "* beside TABLE(GETNEXTVAL()) before other relations")?;
    let mut before: Vec<TableWithJoins> = select.from.drain(..count).collect();
    let relations = before
        .iter()
        .filter(|table| sequence_reference(table).is_none())
        .flat_map(|table| std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation)));
    let mut columns = Columns {
        relations: relations.filter_map(relation_name).collect(),
        sequences: before.iter().filter_map(sequence_reference).collect(),
        subquery: Ident::with_quote('"', name),
        named: Vec::new(),
    };
    before.retain(|table| sequence_reference(table).is_none());
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
    let Columns { sequences, subquery, named, .. } = columns;
    if let Some(numbered) = select_of(&mut numbered) {
        let column = |parts: Vec<Ident>| {
            let alias = Ident::with_quote('"', joined(&parts));
            let number = sequences.iter().find(|sequence| sequence.is_named(&parts)).map(SequenceReference::number);
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
    sequences: Vec<SequenceReference>,
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
        if !is_read && !self.sequences.iter().any(|sequence| sequence.is_named(parts)) {
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
