//! What a query reads beside the logical tables of a model. Names that the query defines itself count only where they
//! are in sight: a common table expression that reads its own name reads a table.

use std::ops::ControlFlow;

use firn_sql::Command;
use firn_sql::ast::{Expr, Function, ObjectName, ObjectNamePart, Query, TableFactor, Visitor};

use super::SemanticModel;

/// The first thing read that is not the model's, if any.
pub(super) fn first(model: &SemanticModel, command: &Command) -> Option<String> {
    let mut reads = Reads { model, scopes: Vec::new(), found: None };
    let _ = command.visit_tree(&mut reads);
    reads.found
}

/// The names that a query's WITH defines, and how many of them can be seen where the visitor is.
struct Scope {
    names: Vec<String>,
    bodies: Vec<*const Query>,
    is_recursive: bool,
    visible: usize,
}

struct Reads<'a> {
    model: &'a SemanticModel,
    scopes: Vec<Scope>,
    found: Option<String>,
}

impl Reads<'_> {
    fn refuse(&mut self, what: String) -> ControlFlow<firn_sql::Failure> {
        self.found = Some(what);
        ControlFlow::Break(firn_sql::Failure::unsupported("reading it"))
    }

    fn is_in_sight(&self, name: &str) -> bool {
        let defined = self.scopes.iter().any(|scope| scope.names.iter().take(scope.visible).any(|other| other == name));
        defined || self.model.table(name.strip_prefix("__").unwrap_or(name)).is_some()
    }

    /// The place of a query among the definitions of the one around it.
    fn definition(&self, query: &Query) -> Option<usize> {
        self.scopes.last()?.bodies.iter().position(|body| std::ptr::eq(*body, query))
    }
}

impl Visitor for Reads<'_> {
    type Break = firn_sql::Failure;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Self::Break> {
        if let Some(place) = self.definition(query)
            && let Some(around) = self.scopes.last_mut()
        {
            around.visible = if around.is_recursive { place + 1 } else { place };
        }
        let defined = query.with.iter().flat_map(|with| &with.cte_tables);
        self.scopes.push(Scope {
            names: defined.clone().map(|table| table.alias.name.value.to_uppercase()).collect(),
            bodies: defined.map(|table| std::ptr::from_ref(table.query.as_ref())).collect(),
            is_recursive: query.with.as_ref().is_some_and(|with| with.recursive),
            visible: 0,
        });
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<Self::Break> {
        self.scopes.pop();
        if let Some(place) = self.definition(query)
            && let Some(around) = self.scopes.last_mut()
        {
            around.visible = place + 1;
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<Self::Break> {
        match relation.0.as_slice() {
            [ObjectNamePart::Identifier(name)] if self.is_in_sight(&name.value.to_uppercase()) => {
                ControlFlow::Continue(())
            }
            _ => self.refuse(relation.to_string()),
        }
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Self::Break> {
        match factor {
            TableFactor::Table { args: None, .. }
            | TableFactor::Derived { .. }
            | TableFactor::NestedJoin { .. }
            | TableFactor::Pivot { .. }
            | TableFactor::Unpivot { .. }
            | TableFactor::MatchRecognize { .. } => ControlFlow::Continue(()),
            TableFactor::Function { name, .. } if is_flatten(name) => ControlFlow::Continue(()),
            TableFactor::TableFunction { expr: Expr::Function(function), .. } if is_flatten(&function.name) => {
                ControlFlow::Continue(())
            }
            other => self.refuse(other.to_string()),
        }
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Self::Break> {
        match expr {
            Expr::Function(Function { name, .. }) if tells_of_the_account(&name.to_string()) => {
                self.refuse(name.to_string())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

fn is_flatten(name: &ObjectName) -> bool {
    name.to_string().trim_matches('"').eq_ignore_ascii_case("FLATTEN")
}

/// Functions that tell what is no part of any table.
fn tells_of_the_account(name: &str) -> bool {
    let name = name.trim_matches('"').to_ascii_uppercase();
    name.starts_with("SYSTEM$") || name == "GET_DDL"
}
