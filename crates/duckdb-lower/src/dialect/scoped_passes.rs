//! The passes that have to know which columns are in the scope of a query. One walk over the tree finds those that have
//! something to do.

use std::ops::ControlFlow;

use firn_binder::QueryScopes;
use firn_engine::EngineError;
use firn_sql::Failure;
use firn_sql::ast::{Expr, Query, TableFactor, Visitor, VisitorMut};
use firn_sql::tree::{Tree, outcome};

use super::{
    alias_chains, distinct_wildcards, join_aliases, lateral_aliases, outer_names, recursive_columns, set_columns,
    using_join_columns, volatile_projection,
};
use crate::bound_schemas::Schemas;
use crate::lookup::Lookup;

#[derive(Clone, Copy)]
struct Pass {
    /// Whether the pass may rewrite a query; its subqueries do not count.
    applies_to: fn(&Query) -> bool,
    rewrite: fn(&mut Query, &QueryScopes<'_>) -> Result<(), EngineError>,
}

/// In this order.
const PASSES: [Pass; 8] = [
    Pass { applies_to: recursive_columns::applies_to, rewrite: recursive_columns::rewrite },
    Pass { applies_to: set_columns::applies_to, rewrite: set_columns::rewrite },
    Pass { applies_to: distinct_wildcards::applies_to, rewrite: distinct_wildcards::rewrite },
    Pass { applies_to: join_aliases::applies_to, rewrite: join_aliases::rewrite },
    Pass { applies_to: using_join_columns::applies_to, rewrite: using_join_columns::rewrite },
    Pass { applies_to: volatile_projection::applies_to, rewrite: volatile_projection::rewrite },
    Pass { applies_to: alias_chains::applies_to, rewrite: alias_chains::rewrite },
    Pass { applies_to: lateral_aliases::applies_to, rewrite: lateral_aliases::rewrite },
];

/// Finds the passes that apply.
#[derive(Default)]
pub(super) struct Search {
    wanted: [bool; PASSES.len()],
    /// How many enclosing queries may be correlated.
    inside: usize,
    /// Whether one of them has an unqualified column.
    outer_names: bool,
}

impl Search {
    /// Whether the tree is changed.
    pub(super) fn found(&self) -> bool {
        self.outer_names || self.wanted.contains(&true)
    }

    pub(super) fn rewrite(self, node: &mut dyn Tree, lookup: &dyn Lookup) -> Result<(), EngineError> {
        let schemas = Schemas(lookup);
        if self.outer_names {
            outer_names::rewrite(node, &schemas)?;
        }
        for (pass, _) in PASSES.iter().zip(self.wanted).filter(|(_, wanted)| *wanted) {
            let mut walk = Walk { pass: *pass, scopes: QueryScopes::new(&schemas), error: None };
            let walked = outcome(node.walk_mut(&mut walk));
            match walk.error {
                Some(error) => return Err(error),
                None => walked?,
            }
        }
        Ok(())
    }
}

impl Visitor for Search {
    type Break = Failure;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Failure> {
        for (wanted, pass) in self.wanted.iter_mut().zip(PASSES) {
            *wanted = *wanted || (pass.applies_to)(query);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        self.outer_names |= self.inside > 0 && matches!(expr, Expr::Identifier(_));
        self.inside += usize::from(outer_names::holds_query(expr));
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        self.inside -= usize::from(outer_names::holds_query(expr));
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<Failure> {
        self.inside += usize::from(outer_names::is_lateral(table));
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<Failure> {
        self.inside -= usize::from(outer_names::is_lateral(table));
        ControlFlow::Continue(())
    }
}

struct Walk<'schemas> {
    pass: Pass,
    scopes: QueryScopes<'schemas>,
    error: Option<EngineError>,
}

impl VisitorMut for Walk<'_> {
    type Break = Failure;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Failure> {
        let entered = self.scopes.enter(query).map_err(EngineError::from);
        match entered.and_then(|()| (self.pass.rewrite)(query, &self.scopes)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(Failure::unsupported("reading a description"))
            }
        }
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        self.scopes.leave();
        ControlFlow::Continue(())
    }
}
