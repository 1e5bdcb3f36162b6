//! INSERT, UPDATE, DELETE and MERGE: their targets and sources are relations of one scope.

use firn_sql::ast::{
    Assignment, AssignmentTarget, FromTable, Ident, Merge, MergeAction, MergeInsertKind, MergeUpdateKind, ObjectName,
    ObjectNamePart, Statement, TableObject, TableWithJoins, UpdateTableFromKind, Values,
};

use super::Binder;
use crate::error::BindError;
use crate::schema::SchemaError;
use crate::scope::{Columns, Lookup, Scope, ScopeRelation};

impl Binder<'_> {
    pub(super) fn statement(&mut self, statement: &Statement) -> Result<(), SchemaError> {
        match statement {
            Statement::Insert(insert) => {
                if let TableObject::TableName(name) = &insert.table {
                    let target = self.named_relation(name)?;
                    self.target_columns(&target, &insert.columns);
                }
                if let Some(source) = &insert.source {
                    self.query(source)?;
                }
                Ok(())
            }
            Statement::Update(update) => {
                let from = match &update.from {
                    Some(UpdateTableFromKind::BeforeSet(tables) | UpdateTableFromKind::AfterSet(tables)) => tables,
                    None => &Vec::new(),
                };
                self.scopes.push(Scope::default());
                self.tables(std::iter::once(&update.table).chain(from))?;
                self.assignments(&update.assignments)?;
                self.expressions(&update.selection)?;
                self.scopes.pop();
                Ok(())
            }
            Statement::Delete(delete) => {
                let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
                self.scopes.push(Scope::default());
                self.tables(from.iter().chain(delete.using.iter().flatten()))?;
                self.expressions(&delete.selection)?;
                self.scopes.pop();
                Ok(())
            }
            Statement::Merge(merge) => self.merge_statement(merge),
            Statement::Query(query) => self.query(query).map(drop),
            _ => Ok(()),
        }
    }

    fn tables<'tables>(&mut self, tables: impl Iterator<Item = &'tables TableWithJoins>) -> Result<(), SchemaError> {
        for table in tables {
            self.table_with_joins(table)?;
        }
        Ok(())
    }

    fn merge_statement(&mut self, merge: &Merge) -> Result<(), SchemaError> {
        self.scopes.push(Scope::default());
        self.table(&merge.table)?;
        self.table(&merge.source)?;
        self.expression(&merge.on)?;
        for clause in &merge.clauses {
            self.expressions(&clause.predicate)?;
            match &clause.action {
                MergeAction::Insert(insert) => {
                    let target = self.scopes.last().and_then(|scope| scope.relations.first());
                    let target = target.map_or(Columns::Unknown, |target| target.columns.clone());
                    self.target_columns(&target, &insert.columns);
                    if let MergeInsertKind::Values(values) = &insert.kind {
                        self.inserted_values(values)?;
                    }
                }
                MergeAction::Update(update) => {
                    if let MergeUpdateKind::Set(assignments) = &update.kind {
                        self.assignments(assignments)?;
                    }
                }
                _ => {}
            }
        }
        self.scopes.pop();
        Ok(())
    }

    /// The values of a row that is not matched are those of the source alone.
    fn inserted_values(&mut self, values: &Values) -> Result<(), SchemaError> {
        let target = self.scopes.last_mut().filter(|scope| !scope.relations.is_empty());
        let target = target.map(|scope| scope.relations.remove(0));
        let bound = self.values(values);
        if let (Some(scope), Some(target)) = (self.scopes.last_mut(), target) {
            scope.relations.insert(0, target);
        }
        bound.map(drop)
    }

    /// The first relation of the scope is the target.
    fn assignments(&mut self, assignments: &[Assignment]) -> Result<(), SchemaError> {
        for assignment in assignments {
            let target = self.scopes.last().and_then(|scope| scope.relations.first());
            let target = target.map_or(Columns::Unknown, |target| target.columns.clone());
            match &assignment.target {
                AssignmentTarget::ColumnName(name) => self.target_columns(&target, std::slice::from_ref(name)),
                AssignmentTarget::Tuple(names) => self.target_columns(&target, names),
            }
            self.expression(&assignment.value)?;
        }
        Ok(())
    }

    fn target_columns(&mut self, target: &Columns, names: &[ObjectName]) {
        let relation = ScopeRelation::unnumbered(target.clone());
        for name in names {
            let parts: Vec<Ident> = name.0.iter().filter_map(ObjectNamePart::as_ident).cloned().collect();
            if let Some(last) = parts.last()
                && relation.find(&last.value) == Lookup::Missing
            {
                self.bound.errors.push(BindError::invalid(std::slice::from_ref(last)));
            }
        }
    }
}
