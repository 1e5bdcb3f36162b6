//! Names that differ in letter case only. The engine is case-insensitive: it resolves `"a"` to `A`. A name that is
//! defined with other letter case only is refused as unknown, and so are columns of one subquery that differ in letter
//! case only.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, OneOrManyWithParens, Query, Select, SelectItem, SetExpr, TableAlias, TableFactor, Visitor};
use firn_sql::names::{display_identifier, quote_identifier};
use firn_sql::tree::{Tree, outcome};
use foldhash::HashSet;

use super::columns::Columns;
use super::select_items::{output_name, renamed_columns};
use crate::identifiers::invalid_identifier;

/// Names in upper case alone need no check, and most statements have no others.
pub(super) fn check(node: &dyn Tree, columns: &Columns) -> Result<(), Failure> {
    let names = columns.names().clone();
    let mut definitions = Definitions { names, complete: true };
    outcome(node.walk(&mut definitions))?;
    if !definitions.complete {
        return Ok(());
    }
    let in_capitals = definitions.names.iter().map(|name| name.to_uppercase()).collect();
    outcome(node.walk(&mut Uses { known: definitions.names, in_capitals }))
}

/// Every name that a column can have in the statement.
struct Definitions {
    names: HashSet<String>,
    /// False if columns come from table functions, whose names are not known here.
    complete: bool,
}

impl Definitions {
    fn add_alias(&mut self, alias: &TableAlias) {
        self.names.extend(alias.columns.iter().map(|column| column.name.value.clone()));
    }
}

impl Visitor for Definitions {
    type Break = Failure;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Failure> {
        for table in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.add_alias(&table.alias);
            if table.alias.columns.is_empty() {
                check_output_names(&table.query)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Failure> {
        for item in &select.projection {
            match item {
                SelectItem::ExprWithAlias { alias, .. } => {
                    self.names.insert(alias.value.clone());
                }
                SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => {
                    self.names.extend(renamed_columns(options));
                }
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        match factor {
            TableFactor::Derived { subquery, alias, .. } => {
                if alias.as_ref().is_none_or(|alias| alias.columns.is_empty()) {
                    check_output_names(subquery)?;
                }
                alias.iter().for_each(|alias| self.add_alias(alias));
            }
            TableFactor::Table { alias, args: None, .. } => alias.iter().for_each(|alias| self.add_alias(alias)),
            TableFactor::NestedJoin { .. } => {}
            _ => self.complete = false,
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        if let Expr::Lambda(lambda) = expr {
            match &lambda.params {
                OneOrManyWithParens::One(one) => drop(self.names.insert(one.name.value.clone())),
                OneOrManyWithParens::Many(several) => {
                    self.names.extend(several.iter().map(|one| one.name.value.clone()));
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Refuses a subquery with columns whose names differ in letter case only.
fn check_output_names(query: &Query) -> ControlFlow<Failure> {
    let SetExpr::Select(select) = &*query.body else { return ControlFlow::Continue(()) };
    let names: Vec<String> = select.projection.iter().filter_map(output_name).collect();
    for (index, name) in names.iter().enumerate() {
        let twin = names[..index].iter().find(|other| *other != name && other.to_uppercase() == name.to_uppercase());
        if let Some(twin) = twin {
            let (one, other) = (quote_identifier(twin), quote_identifier(name));
            return ControlFlow::Break(Failure::unsupported(&format!(
                "columns {one} and {other} of one subquery, which differ in letter case only; rename one of them"
            )));
        }
    }
    ControlFlow::Continue(())
}

struct Uses {
    known: HashSet<String>,
    in_capitals: HashSet<String>,
}

impl Visitor for Uses {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        let name = match expr {
            Expr::Identifier(ident) => &ident.value,
            Expr::CompoundIdentifier(parts) => match parts.last() {
                Some(last) => &last.value,
                None => return ControlFlow::Continue(()),
            },
            _ => return ControlFlow::Continue(()),
        };
        if !self.known.contains(name) && self.in_capitals.contains(&name.to_uppercase()) {
            return ControlFlow::Break(invalid_identifier(&display_identifier(name)));
        }
        ControlFlow::Continue(())
    }
}
