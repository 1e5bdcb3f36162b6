//! Visits all syntax trees inside a command.

use std::ops::ControlFlow;

use super::{Command, Ddl, Explain, InsertCondition, InsertMany, StageCommand, TableChange, TableSource};
use crate::Failure;
use crate::ast::{Expr, Query};
use crate::tree::{Inspector, Rewriter, Tree};

pub type TreeChange<'a> = dyn FnMut(&mut dyn Tree) -> ControlFlow<Failure> + 'a;

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
        self.each_tree_mut(&mut |tree| tree.walk_mut(rewriter))
    }

    /// Each tree by itself. Expressions behind a query name its columns.
    pub fn each_tree_mut(&mut self, change: &mut TreeChange<'_>) -> ControlFlow<Failure> {
        match self {
            Self::Query(query) => change(&mut **query),
            Self::Explain(Explain { command, .. }) => command.each_tree_mut(change),
            Self::SetVariables(set) => change(&mut *set.query),
            Self::Dml(dml) => change(&mut *dml.statement),
            Self::InsertMany(insert) => {
                change(&mut *insert.source)?;
                insert.expressions_mut().try_for_each(|expr| change(expr))
            }
            Self::Ddl(ddl) => ddl.each_tree_mut(change),
            Self::Stages(command) => command.each_tree_mut(change),
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

    fn each_tree_mut(&mut self, change: &mut TreeChange<'_>) -> ControlFlow<Failure> {
        match self {
            Self::CreateTable(table) => {
                let mut defaults = table.columns.iter_mut().filter_map(|column| column.default.as_mut());
                defaults.try_for_each(|default| change(default))?;
                match &mut table.source {
                    TableSource::Query(query) | TableSource::Template(query) => change(&mut **query),
                    _ => ControlFlow::Continue(()),
                }
            }
            Self::CreateView(view) => change(&mut *view.query),
            Self::AlterTable { change: changed, .. } => changed.each_tree_mut(change),
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

    fn each_tree_mut(&mut self, change: &mut TreeChange<'_>) -> ControlFlow<Failure> {
        match self {
            Self::AddColumns { columns, .. } => {
                let mut defaults = columns.iter_mut().filter_map(|column| column.default.as_mut());
                defaults.try_for_each(|default| change(default))
            }
            Self::SetDefault { default, .. } => change(default),
            Self::Several(changes) => changes.iter_mut().try_for_each(|one| one.each_tree_mut(change)),
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

    fn each_tree_mut(&mut self, change: &mut TreeChange<'_>) -> ControlFlow<Failure> {
        match self {
            Self::Load(copy) => copy.query.iter_mut().try_for_each(|query| change(&mut **query)),
            Self::Unload(copy) => {
                change(&mut *copy.query)?;
                copy.partition_by.iter_mut().try_for_each(|expr| change(expr))
            }
            _ => ControlFlow::Continue(()),
        }
    }
}
