//! A query with other names for its tables.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName, ObjectNamePart, Query, Select,
    SelectItem, SelectItemQualifiedWildcardKind, TableFactor, VisitMut, VisitorMut,
};

const PREFIX: &str = "OTHER_";

/// `None` where no table has an alias, or where an alias means something else too.
pub fn renamed(mut query: Query) -> Option<Query> {
    let mut found = Found::default();
    let _ = query.visit(&mut found);
    if found.is_special || found.aliases.is_empty() || found.aliases.iter().any(|alias| found.others.contains(alias)) {
        return None;
    }
    let _ = query.visit(&mut Renaming { aliases: found.aliases });
    Some(query)
}

fn folded(ident: &Ident) -> String {
    if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_uppercase() }
}

fn alias_of(factor: &mut TableFactor) -> Option<&mut Ident> {
    let (TableFactor::Table { alias, .. }
    | TableFactor::Derived { alias, .. }
    | TableFactor::TableFunction { alias, .. }
    | TableFactor::Function { alias, .. }
    | TableFactor::UNNEST { alias, .. }
    | TableFactor::NestedJoin { alias, .. }) = factor
    else {
        return None;
    };
    alias.as_mut().map(|alias| &mut alias.name)
}

#[derive(Default)]
struct Found {
    aliases: HashSet<String>,
    /// Names of columns, tables and functions.
    others: HashSet<String>,
    /// Has names of its own: PIVOT, MATCH_RECOGNIZE and the like.
    is_special: bool,
}

impl VisitorMut for Found {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let ctes = query.with.iter().flat_map(|with| &with.cte_tables);
        self.others.extend(ctes.map(|cte| folded(&cte.alias.name)));
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &mut ObjectName) -> ControlFlow<()> {
        self.others.extend(relation.0.iter().filter_map(ObjectNamePart::as_ident).map(folded));
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        self.is_special |= matches!(
            factor,
            TableFactor::Pivot { .. }
                | TableFactor::Unpivot { .. }
                | TableFactor::MatchRecognize { .. }
                | TableFactor::SemanticView { .. }
        );
        self.aliases.extend(alias_of(factor).map(|alias| folded(alias)));
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(name) => drop(self.others.insert(folded(name))),
            Expr::Function(function) => {
                self.others.extend(function.name.0.iter().filter_map(ObjectNamePart::as_ident).map(folded));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

struct Renaming {
    aliases: HashSet<String>,
}

impl Renaming {
    fn rename(&self, ident: &mut Ident) {
        if self.aliases.contains(&folded(ident)) {
            *ident = Ident::with_quote('"', format!("{PREFIX}{}", folded(ident)));
        }
    }

    fn rename_qualifier(&self, name: &mut ObjectName) {
        if let [ObjectNamePart::Identifier(only)] = &mut name.0[..] {
            self.rename(only);
        }
    }
}

impl VisitorMut for Renaming {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let Some(alias) = alias_of(factor) {
            self.rename(alias);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for item in &mut select.projection {
            if let SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) = item {
                self.rename_qualifier(name);
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::CompoundIdentifier(parts) => parts.first_mut().into_iter().for_each(|first| self.rename(first)),
            Expr::QualifiedWildcard(name, _) => self.rename_qualifier(name),
            Expr::Function(function) => {
                let FunctionArguments::List(list) = &mut function.args else { return ControlFlow::Continue(()) };
                for argument in &mut list.args {
                    if let FunctionArg::Unnamed(FunctionArgExpr::QualifiedWildcard(name)) = argument {
                        self.rename_qualifier(name);
                    }
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
