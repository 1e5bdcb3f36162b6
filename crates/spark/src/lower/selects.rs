//! Selects. Aliases of the select list that other clauses use are replaced by what they stand for, which Spark does in some places
//! and Sail in fewer.

use firn_sql::ast::{
    Distinct, ExcludeSelectItem, Expr, GroupByExpr, NamedWindowDefinition, NamedWindowExpr, ObjectName, Select,
    SelectItem, SelectItemQualifiedWildcardKind, WildcardAdditionalOptions,
};

use super::queries::place;
use super::{Lowering, Text, quoted, refused};

impl Lowering<'_> {
    pub(super) fn select(&self, select: &Select) -> Text {
        refuse_uncommon(select)?;
        let aliases = Aliases::of(select);
        let here = self.within(&aliases);
        let mut sql = "SELECT ".to_owned();
        match &select.distinct {
            None | Some(Distinct::All) => {}
            Some(Distinct::Distinct) => {
                here.refuse_variant_items(select, "DISTINCT")?;
                sql.push_str("DISTINCT ");
            }
            Some(Distinct::On(_)) => return Err(refused("DISTINCT ON")),
        }
        let items = select.projection.iter().map(|item| here.item(item)).collect::<Result<Vec<_>, _>>()?;
        sql.push_str(&items.join(", "));
        if !select.from.is_empty() {
            sql.push_str(" FROM ");
            sql.push_str(&here.from(&select.from)?);
        }
        here.clause(&mut sql, " WHERE ", select.selection.as_ref())?;
        sql.push_str(&here.group_by(&select.group_by)?);
        here.clause(&mut sql, " HAVING ", select.having.as_ref())?;
        if !select.named_window.is_empty() {
            let windows =
                select.named_window.iter().map(|window| here.named_window(window)).collect::<Result<Vec<_>, _>>()?;
            sql.push_str(&format!(" WINDOW {}", windows.join(", ")));
        }
        here.clause(&mut sql, " QUALIFY ", select.qualify.as_ref())?;
        Ok(sql)
    }

    fn clause(&self, sql: &mut String, word: &str, condition: Option<&Expr>) -> Result<(), firn_sql::Failure> {
        if let Some(condition) = condition {
            sql.push_str(word);
            sql.push_str(&self.condition(condition)?);
        }
        Ok(())
    }

    fn named_window(&self, window: &NamedWindowDefinition) -> Text {
        let NamedWindowDefinition(name, definition) = window;
        match definition {
            NamedWindowExpr::WindowSpec(spec) => Ok(format!("{} AS ({})", quoted(&name.value), self.window(spec)?)),
            NamedWindowExpr::NamedWindow(other) => Ok(format!("{} AS {}", quoted(&name.value), quoted(&other.value))),
        }
    }

    fn item(&self, item: &SelectItem) -> Text {
        match item {
            SelectItem::UnnamedExpr(expr) => self.expression(expr),
            SelectItem::ExprWithAlias { expr, alias } => {
                Ok(format!("{} AS {}", self.expression(expr)?, quoted(&alias.value)))
            }
            SelectItem::Wildcard(options) => wildcard("*", options),
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
                let table = last_part(name).ok_or_else(|| refused("wildcard of an expression"))?;
                wildcard(&format!("{}.*", quoted(table)), options)
            }
            _ => Err(refused("select item of this form")),
        }
    }

    fn group_by(&self, group_by: &GroupByExpr) -> Text {
        let GroupByExpr::Expressions(keys, modifiers) = group_by else { return Err(refused("GROUP BY ALL")) };
        if !modifiers.is_empty() {
            return Err(refused("modifier of GROUP BY"));
        }
        if keys.is_empty() {
            return Ok(String::new());
        }
        let keys = keys.iter().map(|key| self.group_key(key)).collect::<Result<Vec<_>, _>>()?;
        Ok(format!(" GROUP BY {}", keys.join(", ")))
    }

    fn group_key(&self, key: &Expr) -> Text {
        let sets = |word: &str, sets: &[Vec<Expr>]| {
            let sets =
                sets.iter().map(|set| self.list(set).map(|keys| format!("({keys})"))).collect::<Result<Vec<_>, _>>()?;
            Ok(format!("{word} ({})", sets.join(", ")))
        };
        match key {
            Expr::GroupingSets(of) => sets("GROUPING SETS", of),
            Expr::Cube(of) => sets("CUBE", of),
            Expr::Rollup(of) => sets("ROLLUP", of),
            _ => match place(key) {
                Some(place) => Ok(place.to_owned()),
                None => {
                    self.refuse_variant(key, "GROUP BY")?;
                    self.expression(key)
                }
            },
        }
    }

    fn refuse_variant_items(&self, select: &Select, what: &str) -> Result<(), firn_sql::Failure> {
        select.projection.iter().try_for_each(|item| match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => self.refuse_variant(expr, what),
            _ => Ok(()),
        })
    }
}

/// The aliases of a select list.
#[derive(Default)]
pub(super) struct Aliases<'a>(Vec<(&'a str, &'a Expr)>);

impl<'a> Aliases<'a> {
    fn of(select: &'a Select) -> Self {
        let alias = |item: &'a SelectItem| match item {
            SelectItem::ExprWithAlias { expr, alias } => Some((alias.value.as_str(), expr)),
            _ => None,
        };
        Self(select.projection.iter().filter_map(alias).collect())
    }

    pub(super) fn find(&self, name: &str) -> Option<&'a Expr> {
        self.0.iter().find(|(alias, _)| *alias == name).map(|(_, expr)| *expr)
    }
}

fn wildcard(star: &str, options: &WildcardAdditionalOptions) -> Text {
    let WildcardAdditionalOptions { opt_ilike, opt_exclude, opt_except, opt_replace, opt_rename, opt_alias, .. } =
        options;
    if opt_ilike.is_some()
        || opt_except.is_some()
        || opt_replace.is_some()
        || opt_rename.is_some()
        || opt_alias.is_some()
    {
        return Err(refused("ILIKE, REPLACE and RENAME of a wildcard"));
    }
    let excluded: Vec<&ObjectName> = match opt_exclude {
        None => return Ok(star.to_owned()),
        Some(ExcludeSelectItem::Single(name)) => vec![name],
        Some(ExcludeSelectItem::Multiple(names)) => names.iter().collect(),
    };
    let names: Vec<String> = excluded.iter().filter_map(|name| last_part(name)).map(quoted).collect();
    Ok(format!("{star} EXCEPT ({})", names.join(", ")))
}

pub(super) fn last_part(name: &ObjectName) -> Option<&str> {
    name.0.last()?.as_ident().map(|part| part.value.as_str())
}

fn refuse_uncommon(select: &Select) -> Result<(), firn_sql::Failure> {
    let uncommon = [
        (select.top.is_some(), "TOP"),
        (select.exclude.is_some(), "EXCLUDE"),
        (select.into.is_some(), "INTO"),
        (!select.lateral_views.is_empty(), "LATERAL VIEW"),
        (select.prewhere.is_some(), "PREWHERE"),
        (!select.connect_by.is_empty(), "CONNECT BY"),
        (!select.cluster_by.is_empty() || !select.distribute_by.is_empty() || !select.sort_by.is_empty(), "SORT BY"),
        (select.value_table_mode.is_some(), "AS STRUCT"),
        (select.select_modifiers.is_some(), "modifier of SELECT"),
    ];
    match uncommon.iter().find(|(is_there, _)| *is_there) {
        Some((_, what)) => Err(refused(what)),
        None => Ok(()),
    }
}
