//! Names that a subquery or a common table expression gives to several of its columns. A star shows them all; a column
//! of that name is none of them.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Query, Select, SelectItem, Visit, Visitor};
use firn_sql::names::display_identifier;
use foldhash::HashSet;

use super::origins::{Column, Relation};

pub(super) fn check(select: &Select, relations: &[Relation]) -> Result<(), Failure> {
    let repeated: Vec<(&str, &str)> = relations.iter().flat_map(repeated_names).collect();
    if repeated.is_empty() {
        return Ok(());
    }
    let aliases = select.projection.iter().filter_map(|item| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.as_str()),
        _ => None,
    });
    let mut search = Search { repeated, aliases: aliases.collect(), queries: 0 };
    match select.visit(&mut search) {
        ControlFlow::Break(name) => Err(Failure::new(
            "002028",
            "42601",
            format!("SQL compilation error:\nambiguous column name '{}'", display_identifier(&name)),
        )),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// With the name of the relation.
fn repeated_names(relation: &Relation) -> Vec<(&str, &str)> {
    let columns: &[Column] = relation.columns.as_deref().unwrap_or_default();
    let mut seen = HashSet::default();
    let names = columns.iter().map(|column| column.name.as_str()).filter(|name| !name.is_empty());
    names.filter(|name| !seen.insert(*name)).map(|name| (relation.name.as_str(), name)).collect()
}

struct Search<'names> {
    repeated: Vec<(&'names str, &'names str)>,
    /// An alias may be what is meant.
    aliases: Vec<&'names str>,
    queries: usize,
}

impl Visitor for Search<'_> {
    type Break = String;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<String> {
        self.queries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<String> {
        self.queries -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<String> {
        let named = match expr {
            _ if self.queries > 0 => None,
            Expr::Identifier(name) if self.aliases.contains(&name.value.as_str()) => None,
            Expr::Identifier(name) => self.repeated.iter().find(|(_, repeated)| *repeated == name.value),
            Expr::CompoundIdentifier(parts) => match &parts[..] {
                [.., table, name] => self.repeated.iter().find(|known| **known == (&*table.value, &*name.value)),
                _ => None,
            },
            _ => None,
        };
        named.map_or(ControlFlow::Continue(()), |(_, name)| ControlFlow::Break((*name).to_owned()))
    }
}
