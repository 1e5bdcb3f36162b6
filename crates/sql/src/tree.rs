//! Walks over syntax trees, and over every part of a command that is one: queries, DML statements
//! and the expressions of columns' defaults.
//!
//! Visitors come as trait objects: the code that walks the whole tree is large, and is compiled
//! once here instead of once for every visitor.

use std::ops::ControlFlow;

use crate::ast::{
    Expr, GroupByExpr, Ident, ObjectName, ObjectNamePart, OrderBy, OrderByExpr, Query, Select, SetExpr, Statement,
    TableFactor, ValueWithSpan, Visit, VisitMut, Visitor, VisitorMut, visit_relations,
};
use crate::{Failure, names};

pub type Inspector<'a> = dyn Visitor<Break = Failure> + 'a;
pub type Rewriter<'a> = dyn VisitorMut<Break = Failure> + 'a;

/// Whether a body reads a relation of this name, which is not qualified: a CTE.
#[must_use]
pub fn reads_relation(body: &SetExpr, name: &str) -> bool {
    let found = visit_relations(body, |relation| match relation.0.as_slice() {
        [ObjectNamePart::Identifier(part)] if part.value == name => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    found.is_break()
}

/// A complete name as the tree has it.
pub fn tree_name(name: &names::ObjectName) -> ObjectName {
    let parts = [name.database(), name.schema(), &name.name];
    ObjectName(parts.map(|part| ObjectNamePart::Identifier(Ident::with_quote('"', part))).into())
}

/// The name of a relation that was resolved; `None` for the name of a CTE.
pub fn complete_name(relation: &ObjectName) -> Option<names::ObjectName> {
    let part = |part: &ObjectNamePart| match part {
        ObjectNamePart::Identifier(identifier) => Some(identifier.value.clone()),
        ObjectNamePart::Function(_) => None,
    };
    let parts: Vec<String> = relation.0.iter().filter_map(part).collect();
    let [database, schema, name] = <[String; 3]>::try_from(parts).ok()?;
    Some(names::ObjectName::qualified(&database, &schema, &name))
}

/// A query, a statement or an expression.
pub trait Tree {
    fn walk(&self, inspector: &mut Inspector<'_>) -> ControlFlow<Failure>;

    fn walk_mut(&mut self, rewriter: &mut Rewriter<'_>) -> ControlFlow<Failure>;

    fn node_mut(&mut self) -> TreeNode<'_>;
}

/// The kind of a tree.
pub enum TreeNode<'tree> {
    Query(&'tree mut Query),
    Body(&'tree mut SetExpr),
    Statement(&'tree mut Statement),
    Expr(&'tree mut Expr),
}

macro_rules! trees {
    ($($node:ty: $variant:ident),*) => {
        $(impl Tree for $node {
            fn walk(&self, inspector: &mut Inspector<'_>) -> ControlFlow<Failure> {
                Visit::visit(self, &mut Dynamic(inspector))
            }

            fn walk_mut(&mut self, rewriter: &mut Rewriter<'_>) -> ControlFlow<Failure> {
                VisitMut::visit(self, &mut Dynamic(rewriter))
            }

            fn node_mut(&mut self) -> TreeNode<'_> {
                TreeNode::$variant(self)
            }
        })*
    };
}

trees!(Query: Query, SetExpr: Body, Statement: Statement, Expr: Expr);

/// How a walk ended.
pub fn outcome(flow: ControlFlow<Failure>) -> Result<(), Failure> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(failure) => Err(failure),
    }
}

/// Forwards every visit to a trait object.
struct Dynamic<'a, V: ?Sized>(&'a mut V);

macro_rules! forward {
    ($($pre:ident, $post:ident: $node:ty;)*) => {
        impl Visitor for Dynamic<'_, Inspector<'_>> {
            type Break = Failure;
            $(
                fn $pre(&mut self, node: &$node) -> ControlFlow<Failure> {
                    self.0.$pre(node)
                }

                fn $post(&mut self, node: &$node) -> ControlFlow<Failure> {
                    self.0.$post(node)
                }
            )*
        }

        impl VisitorMut for Dynamic<'_, Rewriter<'_>> {
            type Break = Failure;
            $(
                fn $pre(&mut self, node: &mut $node) -> ControlFlow<Failure> {
                    self.0.$pre(node)
                }

                fn $post(&mut self, node: &mut $node) -> ControlFlow<Failure> {
                    self.0.$post(node)
                }
            )*
        }
    };
}

forward! {
    pre_visit_query, post_visit_query: Query;
    pre_visit_select, post_visit_select: Select;
    pre_visit_relation, post_visit_relation: ObjectName;
    pre_visit_table_factor, post_visit_table_factor: TableFactor;
    pre_visit_expr, post_visit_expr: Expr;
    pre_visit_statement, post_visit_statement: Statement;
    pre_visit_value, post_visit_value: ValueWithSpan;
    pre_visit_ident, post_visit_ident: Ident;
    pre_visit_order_by, post_visit_order_by: OrderBy;
    pre_visit_order_by_expr, post_visit_order_by_expr: OrderByExpr;
    pre_visit_group_by, post_visit_group_by: GroupByExpr;
}
