//! Queries: common table expressions, set operations, ORDER BY and LIMIT.

use std::sync::Arc;

use firn_sql::ast::{
    Cte, Expr, LimitClause, OrderBy, OrderByKind, Query, SetExpr, SetQuantifier, TableAlias, Values, With,
};
use firn_sql::command::DataType;
use firn_sql::tree::reads_relation;

use super::Binder;
use crate::arithmetic::Digits;
use crate::bound::OutputColumn;
use crate::coercion::{common_of, common_type};
use crate::error::BindError;
use crate::schema::SchemaError;
use crate::scope::{Alias, Columns, LookupOrder, Scope, ScopeRelation};
use crate::types::{Family, INTEGER, PRECISION_MAX, TEXT, Type, ValueType, number};

/// How often a recursive query is bound until its types do not change: scales grow to 37 at most.
const ROUNDS_MAX: usize = 40;

impl Binder<'_> {
    pub(super) fn query(&mut self, query: &Query) -> Result<Columns, SchemaError> {
        let outer_ctes = self.ctes.len();
        let place = std::mem::take(&mut self.place);
        if let Some(with) = &query.with {
            self.common_table_expressions(with)?;
        }
        let branches_before = std::mem::take(&mut self.branches_before);
        let columns = self.body(&query.body, query.order_by.as_ref())?;
        self.branches_before = branches_before;
        if let Some(LimitClause::LimitOffset { limit, offset, .. }) = &query.limit_clause {
            for expr in limit.iter().chain(offset.as_ref().map(|offset| &offset.value)) {
                self.expression(expr)?;
            }
        }
        self.ctes.truncate(outer_ctes);
        self.place = place;
        Ok(columns)
    }

    pub(crate) fn common_table_expressions(&mut self, with: &With) -> Result<(), SchemaError> {
        for table in &with.cte_tables {
            let columns = match &*table.query.body {
                SetExpr::SetOperation { left, .. } if with.recursive => self.recursive(table, left)?,
                _ => self.query(&table.query)?,
            };
            self.ctes.push((table.alias.name.value.clone(), renamed(columns, &table.alias)));
        }
        Ok(())
    }

    /// The first branch gives a recursive query its columns; the others see them. Where they make more digits or longer
    /// texts of them, no bound is known.
    fn recursive(&mut self, table: &Cte, anchor: &SetExpr) -> Result<Columns, SchemaError> {
        let anchor = branches_before_recursion(anchor, &table.alias.name.value);
        let bound = self.body(anchor, None)?;
        self.recursion.anchors.push((std::ptr::from_ref(anchor), bound.clone()));
        self.recursion.depth += 1;
        let columns = self.fixed_point(table, &bound);
        self.recursion.depth -= 1;
        self.recursion.anchors.pop();
        columns
    }

    /// The columns whose types the other branches do not change any more. A recursive query inside of them is bound as
    /// often as they are, so that it gets its widest types at once.
    fn fixed_point(&mut self, table: &Cte, anchor: &Columns) -> Result<Columns, SchemaError> {
        let Some(anchor) = anchor.list() else {
            self.recursive_body(table, Columns::Unknown)?;
            return Ok(Columns::Unknown);
        };
        let is_nested = self.recursion.depth > 1;
        let mut columns: Vec<OutputColumn> =
            anchor.iter().map(|column| if is_nested { widened(column) } else { nullable(column) }).collect();
        let mut is_widened = vec![is_nested; columns.len()];
        let errors = self.bound.errors.len();
        for _ in 0..ROUNDS_MAX {
            self.bound.errors.truncate(errors);
            let whole = self.recursive_body(table, Columns::List(columns.as_slice().into()))?.list();
            let after = |place: usize| whole.as_ref().and_then(|whole| whole.get(place));
            let grows = |place: &usize| match (after(*place), is_widened[*place]) {
                (Some(after), true) => holds_more(&after.value.data_type, &columns[*place].value.data_type),
                (Some(after), false) => after.value.data_type != columns[*place].value.data_type,
                (None, is_widened) => !is_widened,
            };
            let growing: Vec<usize> = (0..columns.len()).filter(grows).collect();
            if growing.is_empty() {
                break;
            }
            // One that grows only because another one did is widened with all the rest.
            let is_second = is_widened.contains(&true);
            for place in (0..columns.len()).filter(|place| is_second || growing.contains(place)) {
                is_widened[place] = true;
                columns[place] = match after(place).filter(|after| after.value.data_type != Type::Unknown) {
                    Some(after) => widened(&OutputColumn { name: columns[place].name.clone(), ..after.clone() }),
                    None => widened(&columns[place]),
                };
            }
        }
        Ok(Columns::List(columns.into()))
    }

    /// The columns of the body of a recursive query that names these its own.
    fn recursive_body(&mut self, table: &Cte, columns: Columns) -> Result<Columns, SchemaError> {
        self.ctes.push((table.alias.name.value.clone(), renamed(columns, &table.alias)));
        let whole = self.query(&table.query)?;
        self.ctes.pop();
        Ok(whole)
    }

    pub(super) fn body(&mut self, body: &SetExpr, order_by: Option<&OrderBy>) -> Result<Columns, SchemaError> {
        if let Some((_, columns)) = self.recursion.anchors.iter().find(|(anchor, _)| std::ptr::eq(*anchor, body)) {
            return Ok(columns.clone());
        }
        let columns = match body {
            SetExpr::Select(select) => return self.select(select, order_by),
            SetExpr::Query(query) => self.query(query)?,
            SetExpr::Values(values) => Columns::List(self.values(values)?),
            SetExpr::SetOperation { left, right, set_quantifier, .. } => {
                let count = branch_count(left);
                let left = self.body(left, None)?;
                self.branches_before += count;
                let right = self.body(right, None)?;
                if is_by_name(*set_quantifier) {
                    self.branches_before -= count;
                    united_by_name(&left, &right)
                } else {
                    self.check_branches(&left, &right);
                    self.branches_before -= count;
                    united(&left, &right)
                }
            }
            _ => Columns::Unknown,
        };
        if let Some(order_by) = order_by {
            self.scopes.push(scope_of_outputs(&columns));
            self.order_by(order_by, &columns)?;
            self.scopes.pop();
        }
        Ok(columns)
    }

    /// The first branch says how many columns there are.
    fn check_branches(&mut self, left: &Columns, right: &Columns) {
        if let (Some(left), Some(right)) = (left.list(), right.list())
            && left.len() != right.len()
        {
            let branch = self.branches_before + 1;
            self.bound.errors.push(BindError::BranchColumns { expected: left.len(), got: right.len(), branch });
        }
    }

    /// Aliases come first; a number is a position.
    pub(super) fn order_by(&mut self, order_by: &OrderBy, outputs: &Columns) -> Result<(), SchemaError> {
        let OrderByKind::Expressions(keys) = &order_by.kind else { return Ok(()) };
        if let Some(scope) = self.scopes.last_mut() {
            scope.order = LookupOrder::AliasesFirst;
        }
        for key in keys {
            self.expression(&key.expr)?;
            self.check_order_position(&key.expr, outputs);
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.order = LookupOrder::ColumnsFirst;
        }
        Ok(())
    }

    /// COLUMN1 and so on, each of the common type of its values.
    pub(super) fn values(&mut self, values: &Values) -> Result<Arc<[OutputColumn]>, SchemaError> {
        let mut types: Vec<Vec<Type>> = Vec::new();
        for row in &values.rows {
            for (place, value) in row.content.iter().enumerate() {
                let data_type = self.expression(value)?.data_type;
                match types.get_mut(place) {
                    Some(column) => column.push(data_type),
                    None => types.push(vec![data_type]),
                }
            }
        }
        let column = |(place, types): (usize, Vec<Type>)| OutputColumn {
            name: Arc::from(format!("COLUMN{}", place + 1)),
            value: ValueType::nullable(common_of(&types)),
            origin: None,
        };
        Ok(types.into_iter().enumerate().map(column).collect())
    }

    pub(super) fn expressions<'expr>(
        &mut self,
        exprs: impl IntoIterator<Item = &'expr Expr>,
    ) -> Result<(), SchemaError> {
        for expr in exprs {
            self.expression(expr)?;
        }
        Ok(())
    }
}

/// The recursive queries around the node that is being bound.
#[derive(Default)]
pub(crate) struct Recursion {
    /// Their first branches, which are bound once, though the rest may be bound again.
    anchors: Vec<(*const SetExpr, Columns)>,
    depth: usize,
}

/// The first branches of a recursive query, up to the one that reads its rows.
fn branches_before_recursion<'tree>(mut body: &'tree SetExpr, name: &str) -> &'tree SetExpr {
    while let SetExpr::SetOperation { left, .. } = body
        && reads_relation(body, name)
    {
        body = left;
    }
    body
}

fn branch_count(body: &SetExpr) -> usize {
    match body {
        SetExpr::SetOperation { left, right, .. } => branch_count(left) + branch_count(right),
        _ => 1,
    }
}

fn is_by_name(quantifier: SetQuantifier) -> bool {
    matches!(quantifier, SetQuantifier::ByName | SetQuantifier::AllByName | SetQuantifier::DistinctByName)
}

/// The columns of a set operation have the names of its left side and hold the values of both.
fn united(left: &Columns, right: &Columns) -> Columns {
    let Some(left) = left.list() else { return Columns::Unknown };
    let right = right.list();
    let right = right.as_deref().unwrap_or_default();
    let column = |(place, left): (usize, &OutputColumn)| {
        let value = right.get(place).map_or_else(ValueType::unknown, |right| united_value(&left.value, &right.value));
        OutputColumn { name: left.name.clone(), value, origin: None }
    };
    Columns::List(left.iter().enumerate().map(column).collect())
}

fn united_value(left: &ValueType, right: &ValueType) -> ValueType {
    let collation = left.collation.clone().filter(|_| left.collation == right.collation);
    ValueType { collation, ..ValueType::nullable(common_type(&left.data_type, &right.data_type)) }
}

fn united_by_name(left: &Columns, right: &Columns) -> Columns {
    let (Some(left), Some(right)) = (left.list(), right.list()) else { return Columns::Unknown };
    let mut columns: Vec<OutputColumn> =
        left.iter().map(|column| OutputColumn { origin: None, ..column.clone() }).collect();
    for column in right.iter() {
        match columns.iter_mut().find(|known| known.name == column.name) {
            Some(known) => known.value = united_value(&known.value, &column.value),
            None => columns.push(OutputColumn { origin: None, ..column.clone() }),
        }
    }
    columns.iter_mut().for_each(|column| column.value.nullable = true);
    Columns::List(columns.into())
}

/// The later rows of a recursive query may have more digits and longer texts than the first ones.
fn widened(column: &OutputColumn) -> OutputColumn {
    let data_type = match &column.value.data_type {
        Type::Of(DataType::Number { scale: 0, .. } | DataType::Integer) => Type::Of(INTEGER),
        Type::Of(DataType::Number { scale, .. }) => Type::Of(number(PRECISION_MAX, *scale)),
        Type::Of(DataType::Varchar { .. }) => Type::Of(TEXT),
        other => other.clone(),
    };
    OutputColumn { name: column.name.clone(), value: ValueType::nullable(data_type), origin: None }
}

/// Whether a column of the widest digits and lengths still has to become another one: of a larger scale, or of another
/// family.
fn holds_more(after: &Type, before: &Type) -> bool {
    match (after, before) {
        (Type::Of(after), Type::Of(before)) => match (Digits::of(after), Digits::of(before)) {
            (Some(after), Some(before)) => after.scale > before.scale,
            _ => Family::of(after) != Family::of(before),
        },
        _ => false,
    }
}

fn nullable(column: &OutputColumn) -> OutputColumn {
    let value = ValueType::nullable(column.value.data_type.clone());
    OutputColumn { name: column.name.clone(), value, origin: None }
}

fn scope_of_outputs(columns: &Columns) -> Scope {
    let mut scope = Scope::default();
    match columns.list() {
        Some(columns) => {
            scope.aliases = columns.iter().map(Alias::of).collect();
        }
        None => scope.relations.push(ScopeRelation::unnumbered(Columns::Unknown)),
    }
    scope
}

/// The names that an alias with a list of columns gives.
pub(super) fn renamed(columns: Columns, alias: &TableAlias) -> Columns {
    if alias.columns.is_empty() {
        return columns;
    }
    match columns.list() {
        Some(columns) => {
            let mut names = alias.columns.iter().map(|column| column.name.value.as_str());
            let named = columns.iter().map(|column| match names.next() {
                Some(name) => OutputColumn { name: Arc::from(name), ..column.clone() },
                None => column.clone(),
            });
            Columns::List(named.collect())
        }
        None => {
            let unknown =
                |name: &str| OutputColumn { name: Arc::from(name), value: ValueType::unknown(), origin: None };
            Columns::List(alias.columns.iter().map(|column| unknown(&column.name.value)).collect())
        }
    }
}
