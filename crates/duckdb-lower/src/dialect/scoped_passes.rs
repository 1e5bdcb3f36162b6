//! The passes that have to know which columns are in the scope of a query. One walk over the tree finds those that have
//! something to do.

use std::ops::ControlFlow;

use firn_binder::QueryScopes;
use firn_engine::EngineError;
use firn_sql::Failure;
use firn_sql::ast::{Expr, Query, TableFactor, Visitor, VisitorMut};
use firn_sql::tree::{Tree, outcome};

use super::{
    alias_chains, join_aliases, lateral_aliases, outer_names, set_columns, using_join_columns, volatile_projection,
};
use crate::bound_schemas::Schemas;
use crate::lookup::Lookup;

#[derive(Clone, Copy)]
struct Pass {
    /// Whether a query alone, without those inside it, has anything for the pass.
    wants: fn(&Query) -> bool,
    settle: fn(&mut Query, &QueryScopes<'_>) -> Result<(), EngineError>,
}

/// In this order.
const PASSES: [Pass; 6] = [
    Pass { wants: set_columns::wants, settle: set_columns::settle },
    Pass { wants: join_aliases::wants, settle: join_aliases::settle },
    Pass { wants: using_join_columns::wants, settle: using_join_columns::settle },
    Pass { wants: volatile_projection::wants, settle: volatile_projection::settle },
    Pass { wants: alias_chains::wants, settle: alias_chains::settle },
    Pass { wants: lateral_aliases::wants, settle: lateral_aliases::settle },
];

/// Finds what there is to do.
#[derive(Default)]
pub(super) struct Search {
    wanted: [bool; PASSES.len()],
    /// How many queries that may name columns of those around them the walk is in.
    inside: usize,
    /// Whether one of them names a column without its relation.
    outer_names: bool,
}

impl Search {
    /// Whether the tree is changed.
    pub(super) fn found(&self) -> bool {
        self.outer_names || self.wanted.contains(&true)
    }

    pub(super) fn settle(self, node: &mut dyn Tree, lookup: &dyn Lookup) -> Result<(), EngineError> {
        let schemas = Schemas(lookup);
        if self.outer_names {
            outer_names::settle(node, &schemas)?;
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
            *wanted = *wanted || (pass.wants)(query);
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
        match entered.and_then(|()| (self.pass.settle)(query, &self.scopes)) {
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
