//! `FROM t, TABLE(GETNEXTVAL(s)) n`: a number of a sequence for each row of what stands before it. It becomes
//! `s.NEXTVAL` in the place where the number is shown, which draws once for each row too; where that could draw more
//! often or for other rows, it is refused.

use std::ops::ControlFlow;

use super::parts::same_name;
use super::refuse;
use crate::Failure;
use crate::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident, Select, SelectItem, TableFactor,
    TableWithJoins, VisitorMut,
};
use crate::naming::is_next_value;
use crate::tree::Tree;

/// What its only column is called.
const NUMBER: &str = "NEXTVAL";

pub(super) fn settle(select: &mut Select) -> Result<(), Failure> {
    let Some(first) = select.from.iter().position(|table| drawn_from(table).is_some()) else { return Ok(()) };
    let drawn: Vec<Drawn> = select.from[first..].iter().filter_map(drawn_from).collect();
    refuse(first + drawn.len() < select.from.len(), "TABLE(GETNEXTVAL()) before other relations")?;
    let no_groups = matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty());
    let shows_rows = no_groups && select.distinct.is_none() && select.having.is_none();
    refuse(!shows_rows, "TABLE(GETNEXTVAL()) beside GROUP BY, HAVING or DISTINCT")?;
    select.from.truncate(first);
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
        let place = match expr {
            Expr::Identifier(name) if is_next_value(std::slice::from_ref(name)) => Some(0),
            Expr::CompoundIdentifier(parts) if parts.len() == 2 && is_next_value(parts) => {
                let is_meant = |drawn: &Drawn| match &drawn.alias {
                    Some(alias) => same_name(alias, &parts[0]),
                    None => parts[0].value == NUMBER,
                };
                self.drawn.iter().position(is_meant)
            }
            _ => None,
        };
        if let Some(place) = place {
            self.found[place] += 1;
            *expr = self.drawn[place].number();
        }
        ControlFlow::Continue(())
    }
}
