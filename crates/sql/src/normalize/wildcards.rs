//! `SELECT * ILIKE … REPLACE … RENAME …`: the engine takes one of them at a time, and no column twice. Where a list has
//! more, each becomes a query of its own around the one before.

use crate::Failure;
use crate::ast::{
    BinaryOperator, Expr, Ident, RenameSelectItem, Select, SelectItem, TableWithJoins, Value, WildcardAdditionalOptions,
};
use crate::build::operation;
use crate::query_parts::{derived, same_name, select_of, skeleton};

pub(super) fn rewrite(select: &mut Select) -> Result<(), Failure> {
    read_renamed(select);
    let [SelectItem::Wildcard(options)] = select.projection.as_mut_slice() else {
        let is_mixed = |item: &SelectItem| match item {
            SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => needs_steps(options),
            _ => false,
        };
        return super::refusals::refuse(
            select.projection.iter().any(is_mixed),
            "* ILIKE with REPLACE or RENAME beside others",
        );
    };
    if !needs_steps(options) {
        return Ok(());
    }
    let (ilike, rename) = (options.opt_ilike.take(), options.opt_rename.take());
    if let Some(ilike) = ilike {
        wrap(select, WildcardAdditionalOptions { opt_ilike: Some(ilike), ..Default::default() })?;
    }
    if let Some(rename) = rename {
        wrap(select, WildcardAdditionalOptions { opt_rename: Some(rename), ..Default::default() })?;
    }
    Ok(())
}

fn needs_steps(options: &WildcardAdditionalOptions) -> bool {
    let (replaces, renames) = (options.opt_replace.is_some(), options.opt_rename.is_some());
    options.opt_ilike.is_some() && (replaces || renames) || replaces && renames && names_one_twice(options)
}

fn renamed(options: &WildcardAdditionalOptions) -> Vec<&Ident> {
    match &options.opt_rename {
        Some(RenameSelectItem::Single(item)) => vec![&item.ident],
        Some(RenameSelectItem::Multiple(items)) => items.iter().map(|item| &item.ident).collect(),
        None => Vec::new(),
    }
}

/// The engine overlooks a renamed column that does not exist, but not one that a condition names. In a join the
/// name may be that of several columns.
fn read_renamed(select: &mut Select) {
    if !matches!(select.from.as_slice(), [only] if only.joins.is_empty()) {
        return;
    }
    let names = select.projection.iter().filter_map(|item| match item {
        SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => Some(renamed(options)),
        _ => None,
    });
    let conditions = names.flatten().map(|name| Expr::Identifier(name.clone())).map(|column| {
        let anything = operation(Expr::IsNull(Box::new(column)), BinaryOperator::Or, Expr::value(Value::Boolean(true)));
        Expr::Nested(Box::new(anything))
    });
    let conditions: Vec<Expr> = conditions.collect();
    if conditions.is_empty() {
        return;
    }
    let all = conditions.into_iter().chain(select.selection.take().map(|condition| Expr::Nested(Box::new(condition))));
    select.selection = all.reduce(|left, right| operation(left, BinaryOperator::And, right));
}

fn names_one_twice(options: &WildcardAdditionalOptions) -> bool {
    let renamed = renamed(options);
    let replaced = options.opt_replace.iter().flat_map(|replace| &replace.items);
    replaced.into_iter().any(|item| renamed.iter().any(|name| same_name(name, &item.column_name)))
}

/// Makes the select `SELECT * options FROM (select)`.
fn wrap(select: &mut Select, options: WildcardAdditionalOptions) -> Result<(), Failure> {
    let mut query = skeleton("SELECT 1")?;
    if let Some(inner) = select_of(&mut query) {
        std::mem::swap(select, inner);
    }
    select.projection = vec![SelectItem::Wildcard(options)];
    select.from = vec![TableWithJoins { relation: derived(query, Ident::with_quote('"', "STEP")), joins: Vec::new() }];
    Ok(())
}
