//! Building blocks of queries for the rewrites.

use sqlparser::parser::Parser;

use crate::Failure;
use crate::ast::{
    Expr, Ident, LimitClause, ObjectNamePart, OrderBy, OrderByExpr, OrderByKind, OrderByOptions, OrderBySort, Query,
    Select, SetExpr, TableAlias, TableFactor, TableWithJoins, Value,
};
use crate::build::number;
use crate::dialect::DIALECT;

/// Reads a skeleton that holds no text of the user's.
pub(crate) fn skeleton(sql: &str) -> Result<Box<Query>, Failure> {
    let read = Parser::new(&DIALECT).try_with_sql(sql).and_then(|mut parser| parser.parse_query());
    read.map_err(|error| Failure::new("000603", "XX000", error.to_string()))
}

pub(crate) fn select_of(query: &mut Query) -> Option<&mut Select> {
    match query.body.as_mut() {
        SetExpr::Select(select) => Some(select),
        _ => None,
    }
}

/// `SELECT * FROM relation WHERE condition`.
pub(crate) fn select_all(relation: TableFactor, condition: Option<Expr>) -> Result<Box<Query>, Failure> {
    let mut query = skeleton("SELECT *")?;
    if let Some(select) = select_of(&mut query) {
        select.from = vec![TableWithJoins { relation, joins: Vec::new() }];
        select.selection = condition;
    }
    Ok(query)
}

/// The first row by this expression.
pub(crate) fn limited_to_one(query: &mut Query, by: Expr, descending: bool) {
    let sort = if descending { OrderBySort::Desc } else { OrderBySort::Asc };
    let options = OrderByOptions { sort: Some(sort), nulls_first: None };
    let expression = OrderByExpr { expr: by, options, with_fill: None };
    query.order_by = Some(OrderBy { kind: OrderByKind::Expressions(vec![expression]), interpolate: None });
    query.limit_clause =
        Some(LimitClause::LimitOffset { limit: Some(number("1")), offset: None, limit_by: Vec::new() });
}

pub(crate) fn derived(subquery: Box<Query>, name: Ident) -> TableFactor {
    let alias = TableAlias { explicit: true, name, columns: Vec::new(), at: None };
    TableFactor::Derived { lateral: false, subquery, alias: Some(alias), sample: None }
}

/// What a relation's columns are qualified with.
pub(crate) fn name_of(factor: &TableFactor) -> Option<Ident> {
    match factor {
        TableFactor::Table { alias: Some(alias), .. }
        | TableFactor::Derived { alias: Some(alias), .. }
        | TableFactor::Function { alias: Some(alias), .. }
        | TableFactor::Pivot { alias: Some(alias), .. }
        | TableFactor::Unpivot { alias: Some(alias), .. } => Some(alias.name.clone()),
        TableFactor::Table { name, alias: None, .. } => match name.0.last() {
            Some(ObjectNamePart::Identifier(name)) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Whether two identifiers are one after folding.
pub(crate) fn same_name(left: &Ident, right: &Ident) -> bool {
    let bytes = |name: &Ident| {
        let is_folded = name.quote_style.is_none();
        move |byte: u8| if is_folded { byte.to_ascii_uppercase() } else { byte }
    };
    left.value.bytes().map(bytes(left)).eq(right.value.bytes().map(bytes(right)))
}

/// An identifier as it is compared with others.
pub(crate) fn folded_name(name: &Ident) -> String {
    match name.quote_style {
        None => name.value.to_ascii_uppercase(),
        Some(_) => name.value.clone(),
    }
}

/// The name of a placeholder for a bound value: `$1` is a column, `$x` a variable.
pub(crate) fn placeholder(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Placeholder(name) if !name.starts_with('$') => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// `$1`, not `$x`.
pub(crate) fn is_position(placeholder: &str) -> bool {
    placeholder.strip_prefix('$').is_some_and(|place| {
        place.starts_with(|first: char| ('1'..='9').contains(&first))
            && place.bytes().all(|digit| digit.is_ascii_digit())
    })
}

/// The last part of `t.$1`.
pub(crate) fn is_place(name: &Ident) -> bool {
    name.quote_style.is_none() && is_position(&name.value)
}
