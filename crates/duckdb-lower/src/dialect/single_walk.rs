//! Runs several visitors in one walk over a tree.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Ident, ObjectName, Query, Select, TableFactor, Visitor};
use firn_sql::tree::{Inspector, Tree};

pub(super) fn read<const COUNT: usize>(tree: &dyn Tree, readers: [&mut Inspector<'_>; COUNT]) {
    // Readers collect; one that cannot go on keeps its error.
    let _ = tree.walk(&mut SingleWalk(readers));
}

struct SingleWalk<'readers, 'reader, const COUNT: usize>([&'readers mut Inspector<'reader>; COUNT]);

/// Passes on what the readers ask for.
macro_rules! pass_on {
    ($($visit:ident($node:ty)),* $(,)?) => {
        $(fn $visit(&mut self, node: &$node) -> ControlFlow<Failure> {
            self.0.iter_mut().try_for_each(|reader| reader.$visit(node))
        })*
    };
}

impl<const COUNT: usize> Visitor for SingleWalk<'_, '_, COUNT> {
    type Break = Failure;

    pass_on! {
        pre_visit_query(Query),
        post_visit_query(Query),
        pre_visit_select(Select),
        post_visit_select(Select),
        pre_visit_table_factor(TableFactor),
        post_visit_table_factor(TableFactor),
        pre_visit_expr(Expr),
        post_visit_expr(Expr),
        pre_visit_ident(Ident),
        pre_visit_relation(ObjectName),
    }
}
