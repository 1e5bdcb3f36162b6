//! FROM: tables, views, common table expressions, subqueries, and joins of these.

use firn_sql::ast::{
    ExprWithAlias, Ident, Join, JoinConstraint, JoinOperator, ObjectName as TreeName, ObjectNamePart, TableFactor,
    TableWithJoins,
};
use firn_sql::join_constraints::join_constraint;
use firn_sql::names::INFORMATION_SCHEMA;
use firn_sql::{ObjectName, ast};

use super::Binder;
use super::queries::renamed;
use crate::bound::{Node, Origin, OutputColumn, Reference, RelationId};
use crate::coercion::{common_of, common_type};
use crate::error::BindError;
use crate::node::NodeId;
use crate::schema::SchemaError;
use crate::scope::{Columns, JoinColumn, Lookup, Scope, ScopeRelation, Visible};
use crate::types::{TEXT, Type, ValueType};

impl Binder<'_> {
    pub(crate) fn table_with_joins(&mut self, table: &TableWithJoins) -> Result<(), SchemaError> {
        let first = self.relation_count();
        self.table(&table.relation)?;
        for join in &table.joins {
            let before = self.relation_count();
            self.table(&join.relation)?;
            self.join(join, first, before)?;
        }
        Ok(())
    }

    fn relation_count(&self) -> usize {
        self.scopes.last().map_or(0, |scope| scope.relations.len())
    }

    /// Relations from `first` are joined with those from `before`.
    fn join(&mut self, join: &Join, first: usize, before: usize) -> Result<(), SchemaError> {
        let side = OuterSide::of(&join.join_operator);
        if let JoinOperator::AsOf { match_condition, .. } = &join.join_operator {
            self.expression(match_condition)?;
        }
        match constraint(&join.join_operator) {
            Some(JoinConstraint::On(condition)) => {
                self.expression(condition)?;
            }
            Some(JoinConstraint::Using(names)) => {
                let names: Vec<&Ident> =
                    names.iter().filter_map(|name| name.0.last().and_then(ObjectNamePart::as_ident)).collect();
                for name in names {
                    if !self.merge(&name.value, first, before, side) {
                        self.bound.errors.push(BindError::invalid(std::slice::from_ref(name)));
                    }
                }
            }
            Some(JoinConstraint::Natural) => {
                for name in self.common_names(first, before) {
                    self.merge(&name, first, before, side);
                }
            }
            Some(JoinConstraint::None) | None => {}
        }
        let Some(scope) = self.scopes.last_mut() else { return Ok(()) };
        let (left, right) = scope.relations.split_at_mut(before);
        if side.left {
            left[first..].iter_mut().for_each(|relation| relation.outer = true);
        }
        if side.right {
            right.iter_mut().for_each(|relation| relation.outer = true);
        }
        Ok(())
    }

    fn common_names(&self, first: usize, before: usize) -> Vec<String> {
        let Some(scope) = self.scopes.last() else { return Vec::new() };
        let (left, right) = scope.relations.split_at(before);
        let names = left[first..]
            .iter()
            .flat_map(|relation| (0..relation.columns.len()).map(|column| relation.columns.name(column).to_owned()));
        let mut common: Vec<String> = names
            .filter(|name| right.iter().any(|relation| matches!(relation.find(name), Lookup::Column(_))))
            .collect();
        common.dedup();
        common
    }

    /// Makes one column of both sides' columns of a name; false if a side has none.
    fn merge(&mut self, name: &str, first: usize, before: usize, side: OuterSide) -> bool {
        let Some(scope) = self.scopes.last_mut() else { return false };
        let (left, right) = scope.relations.split_at(before);
        let is_unknown = |relation: &ScopeRelation| relation.find(name) == Lookup::Unknown;
        let column_of = |relation: &ScopeRelation| match relation.find(name) {
            Lookup::Column(column) => relation.column(column).map(|column| (relation.id, column)),
            _ => None,
        };
        let earlier = scope.join_columns.iter().position(|merged| merged.name == name);
        let right_column = right.iter().find_map(column_of);
        let left_column = left[first..].iter().find_map(column_of);
        let (Some((left_id, left_column)), Some((right_id, right_column))) = (left_column, right_column) else {
            return left[first..].iter().chain(right).any(is_unknown);
        };
        match earlier {
            Some(place) => {
                let merged = &mut scope.join_columns[place];
                merged.relations.push(right_id);
                if side.left {
                    merged.value = side.merged(&merged.value, &right_column.value);
                    merged.origin = None;
                }
            }
            None => scope.join_columns.push(JoinColumn {
                name: name.to_owned(),
                value: side.merged(&left_column.value, &right_column.value),
                origin: side.origin(&left_column, &right_column),
                relations: vec![left_id, right_id],
            }),
        }
        true
    }

    pub(super) fn table(&mut self, table: &TableFactor) -> Result<(), SchemaError> {
        let (columns, alias, name) = match table {
            TableFactor::NestedJoin { table_with_joins, .. } => return self.table_with_joins(table_with_joins),
            TableFactor::Table { name, alias, args: None, .. } => {
                let last = name.0.last().and_then(ObjectNamePart::as_ident).map(|last| last.value.clone());
                (self.named_relation(name)?, alias, last)
            }
            TableFactor::Derived { lateral, subquery, alias, .. } => {
                let visible = if *lateral { Visible::All } else { Visible::None };
                (self.subquery_in_from(subquery, visible)?, alias, None)
            }
            TableFactor::Function { name, args, alias, .. } => (self.table_function(name, args)?, alias, None),
            TableFactor::Unpivot { table, value, name, columns, alias, .. } => {
                (self.unpivot(table, value, name, columns)?, alias, None)
            }
            TableFactor::Pivot { table, alias, .. } => {
                self.alone(table)?;
                (Columns::Unknown, alias, None)
            }
            TableFactor::Table { alias, .. } | TableFactor::SemanticView { alias, .. } => {
                (Columns::Unknown, alias, None)
            }
            _ => (Columns::Unknown, &None, None),
        };
        match alias {
            Some(alias) => self.add_relation(alias.name.value.clone(), renamed(columns, alias)),
            None => self.add_relation(name.unwrap_or_default(), columns),
        }
        Ok(())
    }

    /// A CTE's name has one part, that of a table or view three.
    pub(super) fn named_relation(&mut self, name: &TreeName) -> Result<Columns, SchemaError> {
        let parts: Vec<&str> =
            name.0.iter().filter_map(ObjectNamePart::as_ident).map(|part| part.value.as_str()).collect();
        match parts[..] {
            [name] => {
                let found = self.ctes.iter().rev().find(|(known, _)| known == name);
                Ok(found.map_or(Columns::Unknown, |(_, columns)| columns.clone()))
            }
            [database, schema, table] => {
                let name = ObjectName::qualified(database, schema, table);
                match self.schemas.relation(&name)? {
                    Some(relation) => Ok(Columns::Schema(relation)),
                    None => {
                        if schema != INFORMATION_SCHEMA {
                            self.bound.errors.push(BindError::MissingObject { name: name.to_string() });
                        }
                        Ok(Columns::Unknown)
                    }
                }
            }
            _ => Ok(Columns::Unknown),
        }
    }

    /// Only a LATERAL subquery sees the relations before it.
    fn subquery_in_from(&mut self, subquery: &ast::Query, visible: Visible) -> Result<Columns, SchemaError> {
        if let Some(scope) = self.scopes.last_mut() {
            scope.visible = visible;
        }
        let columns = self.query(subquery)?;
        if let Some(scope) = self.scopes.last_mut() {
            scope.visible = Visible::All;
        }
        Ok(columns)
    }

    /// The columns of one table in a scope of its own.
    fn alone(&mut self, table: &TableFactor) -> Result<Columns, SchemaError> {
        self.scopes.push(Scope::default());
        self.table(table)?;
        let scope = self.scopes.pop();
        let mut relations = scope.into_iter().flat_map(|scope| scope.relations);
        Ok(match (relations.next(), relations.next()) {
            (Some(only), None) => only.columns,
            _ => Columns::Unknown,
        })
    }

    /// The columns that stay, the name of the column that a row comes from, and its value.
    fn unpivot(
        &mut self,
        table: &TableFactor,
        value: &ast::Expr,
        name: &Ident,
        turned: &[ExprWithAlias],
    ) -> Result<Columns, SchemaError> {
        let Some(columns) = self.alone(table)?.list() else { return Ok(Columns::Unknown) };
        let ast::Expr::Identifier(value) = value else { return Ok(Columns::Unknown) };
        let names: Vec<&Ident> = turned
            .iter()
            .filter_map(|item| match &item.expr {
                ast::Expr::Identifier(name) => Some(name),
                _ => None,
            })
            .collect();
        let relation = RelationId(u32::try_from(self.bound.relations.len()).unwrap_or(u32::MAX).saturating_sub(1));
        for name in &names {
            match (0..).zip(columns.iter()).find(|(_, column)| *column.name == *name.value) {
                Some((place, column)) => {
                    let reference = Some(Reference::Column { relation, column: place });
                    let node = Node { value: column.value.clone(), origin: column.origin.clone(), reference };
                    self.set_node(NodeId::of_name(name), node);
                }
                None => self.bound.errors.push(BindError::invalid(std::slice::from_ref(*name))),
            }
        }
        let is_turned = |column: &&OutputColumn| names.iter().any(|name| *name.value == *column.name);
        let values: Vec<Type> = columns.iter().filter(is_turned).map(|column| column.value.data_type.clone()).collect();
        let made = |name: &Ident, data_type: Type| OutputColumn {
            name: name.value.as_str().into(),
            value: ValueType::nullable(data_type),
            origin: None,
        };
        let mut shown: Vec<OutputColumn> = columns.iter().filter(|column| !is_turned(column)).cloned().collect();
        shown.push(made(name, TEXT.into()));
        shown.push(made(value, common_of(&values)));
        Ok(Columns::List(shown.into()))
    }
}

/// The sides of a join that may have no row.
#[derive(Clone, Copy)]
struct OuterSide {
    left: bool,
    right: bool,
}

impl OuterSide {
    fn of(operator: &JoinOperator) -> Self {
        let (left, right) = match operator {
            JoinOperator::Left(_) | JoinOperator::LeftOuter(_) | JoinOperator::AsOf { .. } => (false, true),
            JoinOperator::Right(_) | JoinOperator::RightOuter(_) => (true, false),
            JoinOperator::FullOuter(_) => (true, true),
            _ => (false, false),
        };
        Self { left, right }
    }

    /// The column of the side that always has a row, or of either.
    fn merged(self, left: &ValueType, right: &ValueType) -> ValueType {
        match (self.left, self.right) {
            (true, true) => ValueType::nullable(common_type(&left.data_type, &right.data_type)),
            (true, false) => right.clone(),
            _ => left.clone(),
        }
    }

    fn origin(self, left: &OutputColumn, right: &OutputColumn) -> Option<Origin> {
        match (self.left, self.right) {
            (true, true) => None,
            (true, false) => right.origin.clone(),
            _ => left.origin.clone(),
        }
    }
}

/// Also of the kinds whose constraint binds without merging columns.
fn constraint(operator: &JoinOperator) -> Option<&JoinConstraint> {
    match operator {
        JoinOperator::CrossJoin(constraint) | JoinOperator::AsOf { constraint, .. } => Some(constraint),
        other => join_constraint(other),
    }
}
