//! Walks over every part of a command that is a syntax tree: queries, DML statements and the
//! expressions of columns' defaults.

use std::ops::ControlFlow;

use crate::ast::{Visit, VisitMut, Visitor, VisitorMut};
use crate::command::{Command, Ddl, TableChange, TableSource};

impl Command {
    pub fn visit_tree<V: Visitor>(&self, visitor: &mut V) -> ControlFlow<V::Break> {
        match self {
            Self::Query(query) => query.visit(visitor),
            Self::Dml(dml) => dml.statement.visit(visitor),
            Self::Ddl(ddl) => ddl.visit_tree(visitor),
            _ => ControlFlow::Continue(()),
        }
    }

    pub fn visit_tree_mut<V: VisitorMut>(&mut self, visitor: &mut V) -> ControlFlow<V::Break> {
        match self {
            Self::Query(query) => VisitMut::visit(query, visitor),
            Self::Dml(dml) => VisitMut::visit(&mut dml.statement, visitor),
            Self::Ddl(ddl) => ddl.visit_tree_mut(visitor),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Ddl {
    fn visit_tree<V: Visitor>(&self, visitor: &mut V) -> ControlFlow<V::Break> {
        match self {
            Self::CreateTable(table) => {
                table.columns.iter().try_for_each(|column| column.default.visit(visitor))?;
                match &table.source {
                    TableSource::Query(query) => query.visit(visitor),
                    _ => ControlFlow::Continue(()),
                }
            }
            Self::CreateView(view) => view.query.visit(visitor),
            Self::AlterTable { change: TableChange::AddColumns { columns, .. }, .. } => {
                columns.iter().try_for_each(|column| column.default.visit(visitor))
            }
            Self::AlterTable { change: TableChange::SetDefault { default, .. }, .. } => default.visit(visitor),
            _ => ControlFlow::Continue(()),
        }
    }

    fn visit_tree_mut<V: VisitorMut>(&mut self, visitor: &mut V) -> ControlFlow<V::Break> {
        match self {
            Self::CreateTable(table) => {
                table.columns.iter_mut().try_for_each(|column| VisitMut::visit(&mut column.default, visitor))?;
                match &mut table.source {
                    TableSource::Query(query) => VisitMut::visit(query, visitor),
                    _ => ControlFlow::Continue(()),
                }
            }
            Self::CreateView(view) => VisitMut::visit(&mut view.query, visitor),
            Self::AlterTable { change: TableChange::AddColumns { columns, .. }, .. } => {
                columns.iter_mut().try_for_each(|column| VisitMut::visit(&mut column.default, visitor))
            }
            Self::AlterTable { change: TableChange::SetDefault { default, .. }, .. } => {
                VisitMut::visit(default, visitor)
            }
            _ => ControlFlow::Continue(()),
        }
    }
}
