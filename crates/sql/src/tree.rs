//! Walks over syntax trees, and over every part of a command that is one: queries, DML statements
//! and the expressions of columns' defaults.
//!
//! Visitors come as trait objects: the code that walks the whole tree is large, and is compiled
//! once here instead of once for every visitor.

use std::ops::ControlFlow;

use crate::Failure;
use crate::ast::{
    Expr, GroupByExpr, Ident, ObjectName, OrderBy, OrderByExpr, Query, Select, SetExpr, Statement, TableFactor,
    ValueWithSpan, Visit, VisitMut, Visitor, VisitorMut,
};
use crate::command::{Command, Ddl, Explain, InsertCondition, InsertMany, StageCommand, TableChange, TableSource};

pub type Inspector<'a> = dyn Visitor<Break = Failure> + 'a;
pub type Rewriter<'a> = dyn VisitorMut<Break = Failure> + 'a;

/// A query, a statement or an expression.
pub trait Tree {
    fn walk(&self, inspector: &mut Inspector<'_>) -> ControlFlow<Failure>;

    fn walk_mut(&mut self, rewriter: &mut Rewriter<'_>) -> ControlFlow<Failure>;

    fn node_mut(&mut self) -> TreeNode<'_>;
}

/// What a tree is, for those who do not just walk it.
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

impl Command {
    pub fn visit_tree(&self, inspector: &mut Inspector<'_>) -> ControlFlow<Failure> {
        match self {
            Self::Query(query) => query.walk(inspector),
            Self::Explain(Explain { command, .. }) => command.visit_tree(inspector),
            Self::SetVariables(set) => set.query.walk(inspector),
            Self::Dml(dml) => dml.statement.walk(inspector),
            Self::InsertMany(insert) => {
                insert.source.walk(inspector)?;
                insert.expressions().try_for_each(|expr| expr.walk(inspector))
            }
            Self::Ddl(ddl) => ddl.visit_tree(inspector),
            Self::Stages(command) => command.visit_tree(inspector),
            _ => ControlFlow::Continue(()),
        }
    }

    pub fn visit_tree_mut(&mut self, rewriter: &mut Rewriter<'_>) -> ControlFlow<Failure> {
        match self {
            Self::Query(query) => query.walk_mut(rewriter),
            Self::Explain(Explain { command, .. }) => command.visit_tree_mut(rewriter),
            Self::SetVariables(set) => set.query.walk_mut(rewriter),
            Self::Dml(dml) => dml.statement.walk_mut(rewriter),
            Self::InsertMany(insert) => {
                insert.source.walk_mut(rewriter)?;
                insert.expressions_mut().try_for_each(|expr| expr.walk_mut(rewriter))
            }
            Self::Ddl(ddl) => ddl.visit_tree_mut(rewriter),
            Self::Stages(command) => command.visit_tree_mut(rewriter),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Ddl {
    /// The query that a table or view is made of.
    pub fn query(&self) -> Option<&Query> {
        match self {
            Self::CreateView(view) => Some(&view.query),
            Self::CreateTable(table) => match &table.source {
                TableSource::Query(query) => Some(query),
                _ => None,
            },
            _ => None,
        }
    }

    fn visit_tree(&self, inspector: &mut Inspector<'_>) -> ControlFlow<Failure> {
        match self {
            Self::CreateTable(table) => {
                let mut defaults = table.columns.iter().filter_map(|column| column.default.as_ref());
                defaults.try_for_each(|default| default.walk(inspector))?;
                match &table.source {
                    TableSource::Query(query) | TableSource::Template(query) => query.walk(inspector),
                    _ => ControlFlow::Continue(()),
                }
            }
            Self::CreateView(view) => view.query.walk(inspector),
            Self::AlterTable { change, .. } => change.visit_tree(inspector),
            _ => ControlFlow::Continue(()),
        }
    }

    fn visit_tree_mut(&mut self, rewriter: &mut Rewriter<'_>) -> ControlFlow<Failure> {
        match self {
            Self::CreateTable(table) => {
                let mut defaults = table.columns.iter_mut().filter_map(|column| column.default.as_mut());
                defaults.try_for_each(|default| default.walk_mut(rewriter))?;
                match &mut table.source {
                    TableSource::Query(query) | TableSource::Template(query) => query.walk_mut(rewriter),
                    _ => ControlFlow::Continue(()),
                }
            }
            Self::CreateView(view) => view.query.walk_mut(rewriter),
            Self::AlterTable { change, .. } => change.visit_tree_mut(rewriter),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl TableChange {
    fn visit_tree(&self, inspector: &mut Inspector<'_>) -> ControlFlow<Failure> {
        match self {
            Self::AddColumns { columns, .. } => {
                let mut defaults = columns.iter().filter_map(|column| column.default.as_ref());
                defaults.try_for_each(|default| default.walk(inspector))
            }
            Self::SetDefault { default, .. } => default.walk(inspector),
            Self::Several(changes) => changes.iter().try_for_each(|change| change.visit_tree(inspector)),
            _ => ControlFlow::Continue(()),
        }
    }

    fn visit_tree_mut(&mut self, rewriter: &mut Rewriter<'_>) -> ControlFlow<Failure> {
        match self {
            Self::AddColumns { columns, .. } => {
                let mut defaults = columns.iter_mut().filter_map(|column| column.default.as_mut());
                defaults.try_for_each(|default| default.walk_mut(rewriter))
            }
            Self::SetDefault { default, .. } => default.walk_mut(rewriter),
            Self::Several(changes) => changes.iter_mut().try_for_each(|change| change.visit_tree_mut(rewriter)),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl InsertMany {
    /// The conditions and values of all branches.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        self.branches.iter().flat_map(|branch| {
            let condition = match &branch.condition {
                InsertCondition::When(condition) => Some(condition),
                InsertCondition::Always | InsertCondition::Else => None,
            };
            let values = branch.targets.iter().filter_map(|target| target.values.as_ref()).flatten().flatten();
            condition.into_iter().chain(values)
        })
    }

    fn expressions_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.branches.iter_mut().flat_map(|branch| {
            let condition = match &mut branch.condition {
                InsertCondition::When(condition) => Some(condition),
                InsertCondition::Always | InsertCondition::Else => None,
            };
            let values = branch.targets.iter_mut().filter_map(|target| target.values.as_mut()).flatten().flatten();
            condition.into_iter().chain(values)
        })
    }
}

impl StageCommand {
    fn visit_tree(&self, inspector: &mut Inspector<'_>) -> ControlFlow<Failure> {
        match self {
            Self::Load(copy) => copy.query.iter().try_for_each(|query| query.walk(inspector)),
            Self::Unload(copy) => {
                copy.query.walk(inspector)?;
                copy.partition_by.iter().try_for_each(|expr| expr.walk(inspector))
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn visit_tree_mut(&mut self, rewriter: &mut Rewriter<'_>) -> ControlFlow<Failure> {
        match self {
            Self::Load(copy) => copy.query.iter_mut().try_for_each(|query| query.walk_mut(rewriter)),
            Self::Unload(copy) => {
                copy.query.walk_mut(rewriter)?;
                copy.partition_by.iter_mut().try_for_each(|expr| expr.walk_mut(rewriter))
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Forwards every stop of a walk to a trait object.
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
