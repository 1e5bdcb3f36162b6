//! Which table column a result column shows unchanged: through plain tables, wildcards, subqueries and
//! common table expressions. Where it is not plain to see, a column simply has no origin.

use std::sync::Arc;

use firn_engine::{EngineError, ObjectDescription};
use firn_sql::ast::{
    BinaryOperator, CastKind, Expr, GroupByExpr, Ident, JoinConstraint, JoinOperator, ObjectNamePart, Query, Select,
    SelectItem, SelectItemQualifiedWildcardKind, SetExpr, TableAlias, TableFactor, TableWithJoins, UnaryOperator,
    Value, Values, WildcardAdditionalOptions,
};

use firn_sql::command::DataType;
use firn_sql::{ObjectName, declared_type};

use super::STAGED_DATABASE;
use super::column_origin::{ColumnOrigin, Source};
use super::computed_types::{self, is_null};
use super::dialect::{is_flatten, is_generator, says_by_name};
use super::lookup::Lookup;
use super::repeated_names;

/// A query's result columns; none when they can't be told.
pub fn of_query(query: &Query, lookup: &dyn Lookup) -> Result<Vec<Column>, EngineError> {
    Ok(Tracer { lookup }.query(query, &[])?.unwrap_or_default())
}

#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub origin: Option<ColumnOrigin>,
}

impl Column {
    pub fn data_type(&self) -> Option<&DataType> {
        self.origin.as_ref()?.declared_type()
    }

    /// The column's name where the engine calls it `given`: names that a subquery gives twice it numbers.
    pub fn name_for<'name>(&'name self, given: &'name str) -> &'name str {
        let number = given.strip_prefix(self.name.as_str()).and_then(|rest| rest.strip_prefix('_'));
        match number {
            Some(number) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => &self.name,
            _ => given,
        }
    }
}

#[derive(Clone)]
pub struct Relation {
    pub name: String,
    /// `None` when its columns are not known.
    pub columns: Option<Vec<Column>>,
}

pub(super) struct Tracer<'session> {
    pub(super) lookup: &'session dyn Lookup,
}

impl Tracer<'_> {
    fn query(&self, query: &Query, outer: &[Relation]) -> Result<Option<Vec<Column>>, EngineError> {
        let mut named = outer.to_vec();
        self.name(query, &mut named)?;
        self.body(&query.body, &named)
    }

    /// Adds the common table expressions of a query.
    pub(super) fn name(&self, query: &Query, named: &mut Vec<Relation>) -> Result<(), EngineError> {
        let Some(with) = &query.with else { return Ok(()) };
        for table in &with.cte_tables {
            let mut columns = renamed(self.query(&table.query, named)?, &table.alias);
            if with.recursive {
                // What a recursive one holds may be wider than what it begins with.
                columns.iter_mut().flatten().for_each(|column| column.origin = None);
            }
            named.push(Relation { name: table.alias.name.value.clone(), columns });
        }
        Ok(())
    }

    fn body(&self, body: &SetExpr, named: &[Relation]) -> Result<Option<Vec<Column>>, EngineError> {
        match body {
            SetExpr::Select(select) => self.select(select, named),
            SetExpr::Query(query) => self.query(query, named),
            SetExpr::SetOperation { set_quantifier, .. } if says_by_name(*set_quantifier) => Ok(None),
            SetExpr::SetOperation { left, right, .. } => {
                let (left, right) = (self.body(left, named)?, self.body(right, named)?);
                Ok(left.map(|columns| together(columns, &right.unwrap_or_default())))
            }
            SetExpr::Values(values) => Ok(Some(columns_of_values(values))),
            _ => Ok(None),
        }
    }

    fn select(&self, select: &Select, named: &[Relation]) -> Result<Option<Vec<Column>>, EngineError> {
        let mut relations = self.relations(&select.from, named)?;
        repeated_names::check(select, &relations)?;
        if leaves_groups_out(&select.group_by) {
            make_nullable(&mut relations);
        }
        let merges_columns = merges_columns(&select.from);
        let mut columns = Vec::new();
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(expr) => {
                    let name = expr_name(expr).unwrap_or_default();
                    columns.push(Column { name, origin: origin_of(expr, &relations) });
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    columns.push(Column { name: alias.value.clone(), origin: origin_of(expr, &relations) });
                }
                SelectItem::Wildcard(options) if is_plain(options) && !merges_columns => {
                    for relation in &relations {
                        let Some(all) = &relation.columns else { return Ok(None) };
                        columns.extend(all.iter().cloned());
                    }
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options)
                    if is_plain(options) =>
                {
                    let wanted = name.0.last().and_then(ObjectNamePart::as_ident).map(|ident| ident.value.as_str());
                    let relation = relations.iter().find(|relation| Some(relation.name.as_str()) == wanted);
                    let Some(all) = relation.and_then(|relation| relation.columns.as_ref()) else { return Ok(None) };
                    columns.extend(all.iter().cloned());
                }
                _ => return Ok(None),
            }
        }
        Ok(Some(columns))
    }

    pub(super) fn relations(&self, from: &[TableWithJoins], named: &[Relation]) -> Result<Vec<Relation>, EngineError> {
        let mut relations = Vec::new();
        for table in from {
            self.joined(table, named, &mut relations)?;
        }
        Ok(relations)
    }

    fn joined(
        &self,
        table: &TableWithJoins,
        named: &[Relation],
        relations: &mut Vec<Relation>,
    ) -> Result<(), EngineError> {
        let first = relations.len();
        self.table(&table.relation, named, relations)?;
        for join in &table.joins {
            let before = relations.len();
            self.table(&join.relation, named, relations)?;
            match join.join_operator {
                JoinOperator::Left(_) | JoinOperator::LeftOuter(_) => make_nullable(&mut relations[before..]),
                JoinOperator::Right(_) | JoinOperator::RightOuter(_) => make_nullable(&mut relations[first..before]),
                JoinOperator::FullOuter(_) => make_nullable(&mut relations[first..]),
                _ => {}
            }
        }
        Ok(())
    }

    fn table(&self, table: &TableFactor, named: &[Relation], relations: &mut Vec<Relation>) -> Result<(), EngineError> {
        let (columns, alias, own_name) = match table {
            TableFactor::Table { name, alias, args: None, .. } => {
                let parts: Vec<&Ident> = name.0.iter().filter_map(ObjectNamePart::as_ident).collect();
                let columns = match parts[..] {
                    [name] => {
                        let found = named.iter().rev().find(|relation| relation.name == name.value);
                        found.and_then(|relation| relation.columns.clone())
                    }
                    [database, schema, name] => self
                        .lookup
                        .find(&ObjectName::qualified(&database.value, &schema.value, &name.value))?
                        .map(|object| columns_of(&object)),
                    _ => None,
                };
                (columns, alias, parts.last().map(|part| part.value.clone()))
            }
            TableFactor::Derived { subquery, alias, .. } => (self.query(subquery, named)?, alias, None),
            TableFactor::NestedJoin { table_with_joins, alias: None } => {
                return self.joined(table_with_joins, named, relations);
            }
            TableFactor::Function { alias, .. } if is_flatten(table) => (Some(columns_of_flatten()), alias, None),
            TableFactor::Function { alias, .. } if is_generator(table) => (Some(Vec::new()), alias, None),
            _ => {
                relations.push(Relation { name: String::new(), columns: None });
                return Ok(());
            }
        };
        let relation = match alias {
            Some(alias) => Relation { name: alias.name.value.clone(), columns: renamed(columns, alias) },
            None => Relation { name: own_name.unwrap_or_default(), columns },
        };
        relations.push(relation);
        Ok(())
    }
}

/// The columns of a set operation hold what both of its sides have.
fn together(left: Vec<Column>, right: &[Column]) -> Vec<Column> {
    let common = |left: &Option<ColumnOrigin>, right: Option<&Column>| {
        let (left, right) = (left.as_ref()?, right?.origin.as_ref()?);
        let data_type = match (&left.source, &right.source) {
            (Source::Null, Source::Null) => return Some(left.clone()),
            (Source::Null, _) => right.declared_type()?.clone(),
            (_, Source::Null) => left.declared_type()?.clone(),
            _ => computed_types::together(left.declared_type()?, right.declared_type()?)?,
        };
        Some(ColumnOrigin { source: Source::Computed(data_type), nullable: true })
    };
    let columns = left.into_iter().enumerate();
    columns
        .map(|(place, column)| Column { origin: common(&column.origin, right.get(place)), name: column.name })
        .collect()
}

/// COLUMN1 and so on, as wide as the widest of their values.
fn columns_of_values(values: &Values) -> Vec<Column> {
    let mut rows = values.rows.iter();
    let row = |row: &[Expr]| -> Vec<Column> {
        let places = row.iter().zip(1..);
        let origin = |value| origin_of(value, &[]).map(|origin| ColumnOrigin { nullable: true, ..origin });
        places.map(|(value, place)| Column { name: format!("COLUMN{place}"), origin: origin(value) }).collect()
    };
    let Some(first) = rows.next().map(|first| row(&first.content)) else { return Vec::new() };
    rows.fold(first, |columns, next| together(columns, &row(&next.content)))
}

fn columns_of_flatten() -> Vec<Column> {
    let names = ["SEQ", "KEY", "PATH", "INDEX", "VALUE", "THIS"];
    names.map(|name| Column { name: name.to_owned(), origin: None }).into()
}

fn columns_of(object: &Arc<ObjectDescription>) -> Vec<Column> {
    let is_staged = object.name.database() == STAGED_DATABASE;
    object
        .columns
        .iter()
        .enumerate()
        .map(|(index, column)| Column {
            name: column.name.clone(),
            origin: (!is_staged).then(|| ColumnOrigin {
                source: Source::Column { object: object.clone(), column: index },
                nullable: !column.not_null,
            }),
        })
        .collect()
}

fn renamed(columns: Option<Vec<Column>>, alias: &TableAlias) -> Option<Vec<Column>> {
    let mut columns = columns?;
    for (column, alias) in columns.iter_mut().zip(&alias.columns) {
        column.name.clone_from(&alias.name.value);
    }
    Some(columns)
}

/// A star without EXCLUDE, RENAME and the like.
pub(super) fn is_plain(options: &WildcardAdditionalOptions) -> bool {
    options.opt_ilike.is_none()
        && options.opt_exclude.is_none()
        && options.opt_except.is_none()
        && options.opt_replace.is_none()
        && options.opt_rename.is_none()
}

/// ROLLUP and its like show rows in which a grouped column is NULL.
fn leaves_groups_out(group_by: &GroupByExpr) -> bool {
    match group_by {
        GroupByExpr::All(_) => false,
        GroupByExpr::Expressions(exprs, modifiers) => {
            let is_set = |expr: &Expr| matches!(expr, Expr::GroupingSets(_) | Expr::Cube(_) | Expr::Rollup(_));
            !modifiers.is_empty() || exprs.iter().any(is_set)
        }
    }
}

/// Whether any join shows columns of both sides as one.
pub(super) fn merges_columns(from: &[TableWithJoins]) -> bool {
    from.iter().any(|table| table.joins.iter().any(|join| merges(&join.join_operator)))
}

fn merges(operator: &JoinOperator) -> bool {
    constraint_of(operator).is_some_and(|told| matches!(told, JoinConstraint::Using(_) | JoinConstraint::Natural))
}

/// What a join says about its columns, if it is of the kinds that may.
pub(super) fn constraint_of(operator: &JoinOperator) -> Option<&JoinConstraint> {
    match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint) => Some(constraint),
        _ => None,
    }
}

pub(super) fn constraint_mut(operator: &mut JoinOperator) -> Option<&mut JoinConstraint> {
    match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint) => Some(constraint),
        _ => None,
    }
}

/// The other side of an outer join may be absent, whatever its columns declare.
fn make_nullable(relations: &mut [Relation]) {
    for column in relations.iter_mut().filter_map(|relation| relation.columns.as_mut()).flatten() {
        if let Some(origin) = &mut column.origin {
            origin.nullable = true;
        }
    }
}

fn expr_name(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(ident) => Some(ident.value.clone()),
        Expr::CompoundIdentifier(parts) => parts.last().map(|part| part.value.clone()),
        _ => None,
    }
}

fn origin_of(expr: &Expr, relations: &[Relation]) -> Option<ColumnOrigin> {
    let (qualifier, name) = match expr {
        Expr::Identifier(ident) => (None, &ident.value),
        Expr::CompoundIdentifier(parts) => match &parts[..] {
            [.., qualifier, name] => (Some(&qualifier.value), &name.value),
            _ => return None,
        },
        Expr::Nested(inside) => return origin_of(inside, relations),
        Expr::Cast { kind, data_type, expr: inside, .. } => {
            let data_type = declared_type(data_type).ok()?;
            let is_certain = *kind != CastKind::TryCast && matches!(&**inside, Expr::Value(_));
            return Some(ColumnOrigin {
                source: Source::Cast(data_type),
                nullable: !is_certain || !is_never_null(inside, relations),
            });
        }
        _ if is_null(expr) => return Some(ColumnOrigin { source: Source::Null, nullable: true }),
        _ => {
            let never_null = is_never_null(expr, relations);
            let source = match computed_types::of_expr(expr, &|name| type_of(name, relations)) {
                Some(data_type) => Source::Computed(data_type),
                None if never_null => Source::Expression,
                None => return None,
            };
            return Some(ColumnOrigin { source, nullable: !never_null });
        }
    };
    let mut candidates = relations
        .iter()
        .filter(|relation| qualifier.is_none_or(|qualifier| relation.name == *qualifier))
        .flat_map(|relation| relation.columns.iter().flatten())
        .filter(|column| column.name == *name);
    let first = candidates.next()?;
    if candidates.next().is_some() { None } else { first.origin.clone() }
}

pub(super) fn type_of(name: &Expr, relations: &[Relation]) -> Option<DataType> {
    origin_of(name, relations)?.declared_type().cloned()
}

/// Whether an expression can be seen to have a value in every row.
fn is_never_null(expr: &Expr, relations: &[Relation]) -> bool {
    match expr {
        Expr::Value(value) => matches!(
            value.value,
            Value::Number(..) | Value::SingleQuotedString(_) | Value::Boolean(_) | Value::DollarQuotedString(_)
        ),
        Expr::Nested(inside)
        | Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus | UnaryOperator::Not, expr: inside } => {
            is_never_null(inside, relations)
        }
        Expr::BinaryOp { left, op: BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply, right } => {
            is_never_null(left, relations) && is_never_null(right, relations)
        }
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
            origin_of(expr, relations).is_some_and(|origin| !origin.nullable)
        }
        Expr::IsNull(_) | Expr::IsNotNull(_) => true,
        Expr::Function(function) => matches!(
            function.name.to_string().as_str(),
            "COUNT" | "COUNT_IF" | "APPROX_COUNT_DISTINCT" | "ROW_NUMBER" | "RANK" | "DENSE_RANK" | "NTILE"
        ),
        _ => false,
    }
}
