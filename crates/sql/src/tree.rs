//! Walks over syntax trees, and over every part of a command that is one: queries, DML statements
//! and the expressions of columns' defaults.
//!
//! Visitors come as trait objects: the code that walks the whole tree is large, and is compiled
//! once here instead of once for every visitor.

use std::ops::ControlFlow;

use crate::ast::{
    Expr, GroupByExpr, Ident, ObjectName, ObjectNamePart, OrderBy, OrderByExpr, Query, Select, SelectItem, SetExpr,
    Statement, TableFactor, TableWithJoins, ValueWithSpan, Visit, VisitMut, Visitor, VisitorMut,
};
use crate::{Failure, names};

pub type Inspector<'a> = dyn Visitor<Break = Failure> + 'a;
pub type Rewriter<'a> = dyn VisitorMut<Break = Failure> + 'a;

/// Whether a body reads a relation of this name, which is not qualified: a CTE.
#[must_use]
pub fn reads_relation(body: &SetExpr, name: &str) -> bool {
    let found = each_relation(body, &mut |relation| match relation.0.as_slice() {
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

/// A part of a tree, for visitors that break with nothing or not at all.
pub trait Walk {
    fn inspect(&self, visitor: &mut dyn Visitor<Break = ()>) -> ControlFlow<()>;

    fn rewrite(&mut self, visitor: &mut dyn VisitorMut<Break = ()>) -> ControlFlow<()>;
}

macro_rules! parts {
    ($($node:ty),*) => {
        $(impl Walk for $node {
            fn inspect(&self, visitor: &mut dyn Visitor<Break = ()>) -> ControlFlow<()> {
                Visit::visit(self, &mut Dynamic(visitor))
            }

            fn rewrite(&mut self, visitor: &mut dyn VisitorMut<Break = ()>) -> ControlFlow<()> {
                VisitMut::visit(self, &mut Dynamic(visitor))
            }
        })*
    };
}

parts!(Query, SetExpr, Statement, Expr, Select, SelectItem, GroupByExpr, OrderBy, TableFactor, TableWithJoins);

macro_rules! lists {
    ($($list:ident),*) => {
        $(impl<T: Walk> Walk for $list<T> {
            fn inspect(&self, visitor: &mut dyn Visitor<Break = ()>) -> ControlFlow<()> {
                self.iter().try_for_each(|part| part.inspect(visitor))
            }

            fn rewrite(&mut self, visitor: &mut dyn VisitorMut<Break = ()>) -> ControlFlow<()> {
                self.iter_mut().try_for_each(|part| part.rewrite(visitor))
            }
        })*
    };
}

lists!(Vec, Option);

/// Calls `visit` for every expression, after its parts, until it breaks.
pub fn each_expr(part: &impl Walk, visit: &mut dyn FnMut(&Expr) -> ControlFlow<()>) -> ControlFlow<()> {
    part.inspect(&mut Each(visit))
}

/// Calls `visit` for every expression, after its parts, until it breaks.
pub fn each_expr_mut(part: &mut impl Walk, visit: &mut dyn FnMut(&mut Expr) -> ControlFlow<()>) -> ControlFlow<()> {
    part.rewrite(&mut Each(visit))
}

/// Calls `visit` for the name of every relation, until it breaks.
pub fn each_relation(part: &impl Walk, visit: &mut dyn FnMut(&ObjectName) -> ControlFlow<()>) -> ControlFlow<()> {
    part.inspect(&mut EachRelation(visit))
}

struct Each<'a, F: ?Sized>(&'a mut F);

impl Visitor for Each<'_, dyn FnMut(&Expr) -> ControlFlow<()> + '_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        (self.0)(expr)
    }
}

impl VisitorMut for Each<'_, dyn FnMut(&mut Expr) -> ControlFlow<()> + '_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        (self.0)(expr)
    }
}

struct EachRelation<'a>(&'a mut dyn FnMut(&ObjectName) -> ControlFlow<()>);

impl Visitor for EachRelation<'_> {
    type Break = ();

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        (self.0)(relation)
    }
}

/// Forwards every visit to a trait object.
struct Dynamic<'a, V: ?Sized>(&'a mut V);

macro_rules! forward {
    ($($pre:ident, $post:ident: $node:ty;)*) => {
        impl<Break> Visitor for Dynamic<'_, dyn Visitor<Break = Break> + '_> {
            type Break = Break;
            $(
                fn $pre(&mut self, node: &$node) -> ControlFlow<Break> {
                    self.0.$pre(node)
                }

                fn $post(&mut self, node: &$node) -> ControlFlow<Break> {
                    self.0.$post(node)
                }
            )*
        }

        impl<Break> VisitorMut for Dynamic<'_, dyn VisitorMut<Break = Break> + '_> {
            type Break = Break;
            $(
                fn $pre(&mut self, node: &mut $node) -> ControlFlow<Break> {
                    self.0.$pre(node)
                }

                fn $post(&mut self, node: &mut $node) -> ControlFlow<Break> {
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
