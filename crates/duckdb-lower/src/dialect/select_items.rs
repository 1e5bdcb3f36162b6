//! What a select list shows, and under which names.

use firn_sql::ast::{Expr, RenameSelectItem, SelectItem, WildcardAdditionalOptions};

/// The names that RENAME and REPLACE give to other values.
pub(super) fn renamed_columns(options: &WildcardAdditionalOptions) -> Vec<String> {
    let renamed = match &options.opt_rename {
        Some(RenameSelectItem::Single(one)) => vec![one.alias.value.clone()],
        Some(RenameSelectItem::Multiple(several)) => several.iter().map(|one| one.alias.value.clone()).collect(),
        None => Vec::new(),
    };
    let replaced = options.opt_replace.iter().flat_map(|replace| &replace.items);
    renamed.into_iter().chain(replaced.map(|item| item.column_name.value.clone())).collect()
}

pub(super) fn shown_value(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    }
}

pub(super) fn output_name(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        SelectItem::UnnamedExpr(Expr::Identifier(ident)) => Some(ident.value.clone()),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last().map(|part| part.value.clone()),
        _ => None,
    }
}
