//! CONNECT BY over a join: the join becomes one subquery of those columns that the select names, so that the hierarchy
//! has one relation.

use std::ops::ControlFlow;

use super::refusals::refuse;
use crate::Failure;
use crate::ast::{Expr, Ident, Query, Select, SelectItem, TableWithJoins, VisitorMut};
use crate::query_parts::{derived, name_of, same_name, select_of, skeleton};
use crate::tree::Walk;

const LEVEL: &str = "LEVEL";

pub(super) fn rewrite(select: &mut Select) -> Result<(), Failure> {
    let [TableWithJoins { relation, joins }] = select.from.as_slice() else {
        return Err(Failure::unsupported("CONNECT BY over several relations"));
    };
    if joins.is_empty() {
        return Ok(());
    }
    let is_star = |item: &SelectItem| !matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. });
    refuse(select.projection.iter().any(is_star), "* in CONNECT BY over a join; name the columns")?;
    let relations = std::iter::once(relation).chain(joins.iter().map(|join| &join.relation));
    let aliases = select.projection.iter().filter_map(|item| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.clone()),
        _ => None,
    });
    let mut columns = Columns {
        relations: relations.filter_map(name_of).collect(),
        aliases: aliases.collect(),
        named: Vec::new(),
        has_query: false,
    };
    keep_names(&mut select.projection);
    let from = std::mem::take(&mut select.from);
    // The visitor never breaks.
    let _ = select.rewrite(&mut columns);
    refuse(columns.has_query, "subquery in CONNECT BY over a join")?;
    // Rows of which no column is read are rows all the same.
    let mut joined = skeleton("SELECT 1 AS \"__ROW\"")?;
    if let Some(joined) = select_of(&mut joined) {
        let item = |(expr, alias)| SelectItem::ExprWithAlias { expr, alias };
        if !columns.named.is_empty() {
            joined.projection = columns.named.into_iter().map(item).collect();
        }
        joined.from = from;
    }
    let relation = derived(joined, Ident::with_quote('"', "__JOINED"));
    select.from = vec![TableWithJoins { relation, joins: Vec::new() }];
    Ok(())
}

/// A column keeps its name when it becomes one of the subquery.
fn keep_names(projection: &mut [SelectItem]) {
    for item in projection {
        if let SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) = item
            && let Some(alias) = parts.last().cloned()
        {
            *item = SelectItem::ExprWithAlias { expr: Expr::CompoundIdentifier(parts.clone()), alias };
        }
    }
}

/// Turns what is read of the joined relations into columns of the subquery.
struct Columns {
    relations: Vec<Ident>,
    aliases: Vec<Ident>,
    named: Vec<(Expr, Ident)>,
    has_query: bool,
}

impl Columns {
    fn column(&mut self, expr: Expr, name: Ident) -> Expr {
        if !self.named.iter().any(|(_, known)| same_name(known, &name)) {
            self.named.push((expr, name.clone()));
        }
        Expr::Identifier(name)
    }
}

fn folded(name: &Ident) -> String {
    match name.quote_style {
        None => name.value.to_ascii_uppercase(),
        Some(_) => name.value.clone(),
    }
}

impl VisitorMut for Columns {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.has_query = true;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::CompoundIdentifier(parts) => {
                if let [relation, column] = parts.as_slice()
                    && self.relations.iter().any(|known| same_name(known, relation))
                {
                    let name = Ident::with_quote('"', format!("{}.{}", folded(relation), folded(column)));
                    *expr = self.column(expr.clone(), name);
                }
            }
            Expr::Identifier(name) => {
                let is_level = name.quote_style.is_none() && name.value.eq_ignore_ascii_case(LEVEL);
                if !is_level && !self.aliases.iter().any(|alias| same_name(alias, name)) {
                    let name = Ident { value: folded(name), quote_style: Some('"'), span: name.span };
                    *expr = self.column(expr.clone(), name);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
