//! INSERT, UPDATE, DELETE and MERGE: their targets and sources are relations of one scope.

use std::sync::Arc;

use firn_sql::ast::{
    Assignment, AssignmentTarget, FromTable, Ident, Merge, MergeAction, MergeInsertKind, MergeUpdateKind, ObjectName,
    ObjectNamePart, Statement, TableObject, TableWithJoins, UpdateTableFromKind, Values,
};

use firn_sql::names::display_identifier;

use super::Binder;
use crate::bound::OutputColumn;
use crate::coercion::is_refused_by_column;
use crate::error::BindError;
use crate::schema::SchemaError;
use crate::scope::{Columns, Lookup, Scope, ScopeRelation};
use crate::types::ValueType;

impl Binder<'_> {
    pub(super) fn statement(&mut self, statement: &Statement) -> Result<(), SchemaError> {
        match statement {
            Statement::Insert(insert) => {
                if let TableObject::TableName(name) = &insert.table {
                    let target = self.named_relation(name)?;
                    self.target_columns(&target, &insert.columns);
                    if let Some(source) = &insert.source {
                        let given = self.query(source)?;
                        self.check_values(&target, &insert.columns, &given);
                    }
                } else if let Some(source) = &insert.source {
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
                        let given = self.inserted_values(values)?;
                        self.check_values(&target, &insert.columns, &Columns::List(given));
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
    fn inserted_values(&mut self, values: &Values) -> Result<Arc<[OutputColumn]>, SchemaError> {
        let target = self.scopes.last_mut().filter(|scope| !scope.relations.is_empty());
        let target = target.map(|scope| scope.relations.remove(0));
        let bound = self.values(values);
        if let (Some(scope), Some(target)) = (self.scopes.last_mut(), target) {
            scope.relations.insert(0, target);
        }
        bound
    }

    /// The first relation of the scope is the target.
    fn assignments(&mut self, assignments: &[Assignment]) -> Result<(), SchemaError> {
        for assignment in assignments {
            let target = self.scopes.last().and_then(|scope| scope.relations.first());
            let target = target.map_or(Columns::Unknown, |target| target.columns.clone());
            let names = match &assignment.target {
                AssignmentTarget::ColumnName(name) => std::slice::from_ref(name),
                AssignmentTarget::Tuple(names) => names.as_slice(),
            };
            self.target_columns(&target, names);
            let value = self.expression(&assignment.value)?;
            if let [name] = names {
                self.check_value(&target, name, &value);
            }
        }
        Ok(())
    }

    /// The values of rows go into the columns that are listed, or into all of them.
    fn check_values(&mut self, target: &Columns, names: &[ObjectName], given: &Columns) {
        let Some(given) = given.list() else { return };
        if names.is_empty() {
            for (place, value) in given.iter().enumerate() {
                self.check_type(target.column(place), &value.value);
            }
        }
        for (name, value) in names.iter().zip(given.iter()) {
            self.check_value(target, name, &value.value);
        }
    }

    fn check_value(&mut self, target: &Columns, name: &ObjectName, value: &ValueType) {
        let Some(last) = name.0.last().and_then(ObjectNamePart::as_ident) else { return };
        if let Lookup::Column(place) = ScopeRelation::unnumbered(target.clone()).find(&last.value) {
            self.check_type(target.column(place), value);
        }
    }

    fn check_type(&mut self, column: Option<OutputColumn>, value: &ValueType) {
        let Some(column) = column else { return };
        if is_refused_by_column(value.family(), column.value.family()) {
            self.bound.errors.push(BindError::ColumnType {
                column: display_identifier(&column.name),
                wanted: column.value.data_type.to_string(),
                given: value.data_type.to_string(),
            });
        }
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
