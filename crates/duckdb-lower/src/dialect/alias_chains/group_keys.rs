//! Items that are computed from the keys of GROUP BY alone. As keys they make the same groups, and may be columns of a derived
//! table below the grouping.

use std::ops::ControlFlow;

use firn_sql::ast::{Expr, GroupByExpr, Ident, Select, SelectItem, Visitor};
use firn_sql::tree::Walk;

use super::found::{Items, value_of};

/// Makes keys of those of these items.
pub(super) fn extend(select: &mut Select, projection: &[SelectItem], items: &Items, is_needed: &[bool]) {
    let GroupByExpr::Expressions(keys, modifiers) = &mut select.group_by else { return };
    let are_columns = keys.iter().all(|key| column_of(key).is_some() && items.place_of_key(key).is_none());
    if keys.is_empty() || !modifiers.is_empty() || !are_columns {
        return;
    }
    let mut is_of_keys = vec![false; items.list.len()];
    let mut new_keys = Vec::new();
    for (place, item) in projection.iter().enumerate() {
        let Some((Some(alias), expr)) = value_of(item) else { continue };
        let mut search = Others { keys, items, is_of_keys: &is_of_keys };
        let is_new =
            items.list.get(place).is_some_and(|item| item.alias.is_some()) && expr.inspect(&mut search).is_continue();
        is_of_keys[place] = is_new;
        if is_new && is_needed.get(place) == Some(&true) {
            new_keys.push(Expr::Identifier(alias.clone()));
        }
    }
    keys.extend(new_keys);
}

fn column_of(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Identifier(name) => Some(name),
        Expr::CompoundIdentifier(parts) => parts.last(),
        _ => None,
    }
}

/// Breaks at what is neither an operator, nor a literal, nor made of the keys.
struct Others<'a> {
    keys: &'a [Expr],
    items: &'a Items,
    is_of_keys: &'a [bool],
}

impl Visitor for Others<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let is_known = match expr {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                let place = self.items.place_of_key(expr);
                self.keys.contains(expr) || place.is_some_and(|place| self.is_of_keys[place])
            }
            Expr::Value(_) | Expr::Nested(_) | Expr::BinaryOp { .. } | Expr::UnaryOp { .. } | Expr::Cast { .. } => true,
            _ => false,
        };
        if is_known { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
