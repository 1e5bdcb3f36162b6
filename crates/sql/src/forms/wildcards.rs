//! `SELECT * ILIKE … REPLACE … RENAME …`: the engine takes one of them at a time, and no column twice. Where a list has
//! more, each becomes a query of its own around the one before.

use super::parts::{derived, same_name, select_of, skeleton};
use crate::Failure;
use crate::ast::{Ident, RenameSelectItem, Select, SelectItem, TableWithJoins, WildcardAdditionalOptions};

pub(super) fn settle(select: &mut Select) -> Result<(), Failure> {
    let [SelectItem::Wildcard(options)] = select.projection.as_mut_slice() else {
        let is_mixed = |item: &SelectItem| match item {
            SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => needs_steps(options),
            _ => false,
        };
        return super::refuse(select.projection.iter().any(is_mixed), "* ILIKE with REPLACE or RENAME beside others");
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

fn names_one_twice(options: &WildcardAdditionalOptions) -> bool {
    let renamed: Vec<&Ident> = match &options.opt_rename {
        Some(RenameSelectItem::Single(item)) => vec![&item.ident],
        Some(RenameSelectItem::Multiple(items)) => items.iter().map(|item| &item.ident).collect(),
        None => Vec::new(),
    };
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
