//! Queries and selects.

use super::refusals::refuse;
use super::{
    asof_joins, getnextval, group_by_all, hierarchies, outer_conditions, outer_marks, positions, row_counts,
    table_functions, table_sources, volatile_aliases, wildcards,
};
use crate::ast::{
    Cte, Distinct, Expr, GroupByExpr, Ident, LimitClause, Offset, OffsetRows, OrderBy, OrderByExpr, OrderByKind, Query,
    Select, SelectFlavor, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, SetOperator, SetQuantifier, Top,
    TopQuantity, UnaryOperator, Value, ValueWithSpan, WildcardAdditionalOptions,
};
use crate::query_parts::{derived, same_name, select_all, skeleton};
use crate::{Failure, dual};

/// Engines take no longer chain of them.
const COMMON_TABLES_MAX: usize = 1_000;

pub(super) fn admit_query(query: &mut Query) -> Result<(), Failure> {
    refuse(!query.locks.is_empty(), "FOR UPDATE")?;
    refuse(query.for_clause.is_some(), "FOR XML | JSON")?;
    refuse(query.settings.is_some(), "SETTINGS")?;
    refuse(query.format_clause.is_some(), "FORMAT")?;
    refuse(!query.pipe_operators.is_empty(), "|>")?;
    admit_body(&mut query.body)?;
    if let Some(with) = &mut query.with {
        if with.cte_tables.len() > COMMON_TABLES_MAX {
            return Err(Failure::limit_exceeded("number of common table expressions of a query", COMMON_TABLES_MAX));
        }
        with.cte_tables.iter_mut().try_for_each(admit_common_table)?;
        refuse_same_names(&with.cte_tables)?;
    }
    top_is_limit(query)?;
    fetch_is_limit(query)?;
    query.limit_clause.as_mut().map_or(Ok(()), row_counts::admit)?;
    query.order_by.as_mut().map_or(Ok(()), admit_order_by)?;
    sort_around(query)
}

/// A name for each column, and no brackets around the whole, for a recursive one has to begin with its UNION.
fn admit_common_table(table: &mut Cte) -> Result<(), Failure> {
    while let SetExpr::Query(inner) = table.query.body.as_ref()
        && is_bare(inner)
    {
        let body = inner.body.clone();
        table.query.body = body;
    }
    table_sources::name_columns_of_values(&table.query, &mut table.alias);
    let named = table.alias.columns.len();
    match columns_given(&table.query.body) {
        Some(given) if named > 0 && given != named => Err(Failure::new(
            "002057",
            "42601",
            format!(
                "SQL compilation error:\nInvalid column definition list: {} names {named} columns, its query gives {given}.",
                table.alias.name
            ),
        )),
        _ => Ok(()),
    }
}

fn refuse_same_names(tables: &[Cte]) -> Result<(), Failure> {
    let is_repeated = |(place, table): &(usize, &Cte)| {
        tables[..*place].iter().any(|before| same_name(&before.alias.name, &table.alias.name))
    };
    match tables.iter().enumerate().find(is_repeated) {
        Some((_, table)) => {
            let message =
                format!("SQL compilation error:\nduplicate alias '{}'", table.alias.name.value.to_uppercase());
            Err(Failure::new("002012", "42601", message))
        }
        None => Ok(()),
    }
}

/// A query that is nothing but its body.
fn is_bare(query: &Query) -> bool {
    let Query { with, order_by, limit_clause, fetch, .. } = query;
    with.is_none() && order_by.is_none() && limit_clause.is_none() && fetch.is_none()
}

/// The number of columns of a query; `None` if it depends on the tables.
fn columns_given(body: &SetExpr) -> Option<usize> {
    match body {
        SetExpr::Select(select) => {
            let is_one =
                |item: &SelectItem| matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. });
            select.projection.iter().all(is_one).then_some(select.projection.len())
        }
        SetExpr::Query(query) => columns_given(&query.body),
        SetExpr::SetOperation { left, .. } => columns_given(left),
        SetExpr::Values(values) => values.rows.first().map(|row| row.content.len()),
        _ => None,
    }
}

fn admit_body(body: &mut SetExpr) -> Result<(), Failure> {
    let mut body = body;
    loop {
        match body {
            SetExpr::SetOperation { left, op, set_quantifier, right } => {
                admit_set_operation(op, *set_quantifier)?;
                top_in_brackets(left)?;
                top_in_brackets(right)?;
                admit_body(right)?;
                body = left;
            }
            SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::Values(_) => return Ok(()),
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                return Err(Failure::unsupported("a change inside a query"));
            }
            SetExpr::Table(_) => return Err(Failure::unsupported("TABLE as a query")),
        }
    }
}

fn admit_set_operation(operator: &mut SetOperator, quantifier: SetQuantifier) -> Result<(), Failure> {
    if *operator == SetOperator::Minus {
        *operator = SetOperator::Except;
    }
    let plain = matches!(quantifier, SetQuantifier::None | SetQuantifier::Distinct);
    refuse(*operator != SetOperator::Union && !plain, "INTERSECT ALL | EXCEPT ALL")
}

/// TOP of a branch is about that branch alone.
fn top_in_brackets(branch: &mut SetExpr) -> Result<(), Failure> {
    if matches!(branch, SetExpr::Select(select) if select.top.is_some()) {
        let mut query = skeleton("SELECT 1")?;
        std::mem::swap(query.body.as_mut(), branch);
        *branch = SetExpr::Query(query);
    }
    Ok(())
}

fn top_is_limit(query: &mut Query) -> Result<(), Failure> {
    let SetExpr::Select(select) = query.body.as_mut() else { return Ok(()) };
    let Some(Top { with_ties, percent, quantity }) = select.top.take() else { return Ok(()) };
    refuse(with_ties || percent, "TOP WITH TIES | PERCENT")?;
    let limit = match quantity {
        Some(TopQuantity::Constant(count)) => Expr::value(Value::Number(count.to_string(), false)),
        Some(TopQuantity::Expr(expr)) => expr,
        None => return Err(Failure::unsupported("TOP without a number")),
    };
    set_limit(query, limit, "TOP together with LIMIT")
}

fn fetch_is_limit(query: &mut Query) -> Result<(), Failure> {
    let Some(fetch) = query.fetch.take() else { return Ok(()) };
    refuse(fetch.with_ties || fetch.percent, "FETCH WITH TIES | PERCENT")?;
    let limit = fetch.quantity.ok_or_else(|| Failure::unsupported("FETCH without a number"))?;
    set_limit(query, limit, "FETCH together with LIMIT")
}

fn set_limit(query: &mut Query, count: Expr, conflict: &str) -> Result<(), Failure> {
    let offset = match query.limit_clause.take() {
        None => None,
        Some(LimitClause::LimitOffset { limit: None, offset, .. }) => offset,
        Some(_) => return Err(Failure::unsupported(conflict)),
    };
    let offset = offset.map(|offset| Offset { value: offset.value, rows: OffsetRows::None });
    query.limit_clause = Some(LimitClause::LimitOffset { limit: Some(count), offset, limit_by: Vec::new() });
    Ok(())
}

fn admit_order_by(order_by: &mut OrderBy) -> Result<(), Failure> {
    refuse(order_by.interpolate.is_some(), "INTERPOLATE")?;
    let all = match &order_by.kind {
        OrderByKind::Expressions(expressions) => match expressions.as_slice() {
            [OrderByExpr { expr: Expr::Identifier(name), options, with_fill: None }]
                if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("ALL") =>
            {
                Some(options.clone())
            }
            expressions => {
                refuse(expressions.iter().any(|expression| expression.with_fill.is_some()), "WITH FILL")?;
                None
            }
        },
        OrderByKind::All(_) => None,
    };
    if let Some(options) = all {
        order_by.kind = OrderByKind::All(options);
    }
    if let OrderByKind::Expressions(keys) = &mut order_by.kind {
        keys.iter_mut().for_each(|key| admit_signed_number(&mut key.expr));
    }
    Ok(())
}

/// A number with a sign is a constant, which orders nothing, and no position.
fn admit_signed_number(key: &mut Expr) {
    let is_number = |expr: &Expr| matches!(expr, Expr::Value(ValueWithSpan { value: Value::Number(..), .. }));
    if matches!(key, Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr } if is_number(expr)) {
        *key = Expr::value(Value::Null);
    }
}

/// A query that is VALUES alone has columns with names too.
pub(super) fn name_values(query: &mut Query) -> Result<(), Failure> {
    if !matches!(query.body.as_ref(), SetExpr::Values(_)) {
        return Ok(());
    }
    select_from_body(query, "VALUES")
}

/// The engine orders a set operation by its columns only, so an ORDER BY with expressions is moved to a select around it;
/// not where columns have duplicate names.
fn sort_around(query: &mut Query) -> Result<(), Failure> {
    let Some(OrderBy { kind: OrderByKind::Expressions(keys), .. }) = &query.order_by else { return Ok(()) };
    let is_column = |key: &OrderByExpr| matches!(key.expr, Expr::Identifier(_) | Expr::Value(_));
    let is_set = matches!(query.body.as_ref(), SetExpr::SetOperation { .. });
    match is_set && !keys.iter().all(is_column) && !repeats_names(&query.body) {
        true => select_from_body(query, "SET"),
        false => Ok(()),
    }
}

fn repeats_names(body: &SetExpr) -> bool {
    let select = match body {
        SetExpr::SetOperation { left, .. } => return repeats_names(left),
        SetExpr::Query(query) => return repeats_names(&query.body),
        SetExpr::Select(select) => select,
        _ => return false,
    };
    let names = select.projection.iter().filter_map(|item| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last(),
        _ => None,
    });
    let names: Vec<&Ident> = names.collect();
    names.iter().enumerate().any(|(place, name)| names[..place].iter().any(|other| same_name(other, name)))
}

/// `SELECT * FROM (body) AS name`, with what stands around the body.
fn select_from_body(query: &mut Query, name: &str) -> Result<(), Failure> {
    let mut inner = skeleton("SELECT 1")?;
    std::mem::swap(&mut inner.body, &mut query.body);
    let mut outer = select_all(derived(inner, Ident::with_quote('"', name)), None)?;
    std::mem::swap(&mut query.body, &mut outer.body);
    Ok(())
}

/// Rewrites that need all parts of a select to be normalized.
pub(super) fn finish_select(select: &mut Select) -> Result<(), Failure> {
    for table in &mut select.from {
        asof_joins::rewrite(table)?;
    }
    hierarchies::rewrite(select)?;
    outer_marks::rewrite(select)?;
    select.from.iter_mut().try_for_each(outer_conditions::rewrite)?;
    table_functions::number_rows(select)?;
    volatile_aliases::rewrite(select)?;
    positions::check(select)?;
    group_by_all::rewrite(select)?;
    wildcards::rewrite(select)
}

pub(super) fn admit_select(select: &mut Select) -> Result<(), Failure> {
    select.optimizer_hints.clear();
    getnextval::rewrite(select)?;
    dual::drop_unread(select);
    refuse(matches!(select.distinct, Some(Distinct::On(_))), "DISTINCT ON")?;
    if matches!(select.distinct, Some(Distinct::All)) {
        select.distinct = None;
    }
    refuse(select.select_modifiers.is_some() || select.value_table_mode.is_some(), "SELECT modifiers")?;
    refuse(select.exclude.is_some(), "EXCLUDE after the select list")?;
    refuse(select.into.is_some(), "SELECT INTO")?;
    refuse(!select.lateral_views.is_empty(), "LATERAL VIEW")?;
    refuse(select.prewhere.is_some(), "PREWHERE")?;
    refuse(!select.cluster_by.is_empty(), "CLUSTER BY in a query")?;
    refuse(!select.distribute_by.is_empty(), "DISTRIBUTE BY")?;
    refuse(!select.sort_by.is_empty(), "SORT BY")?;
    refuse(select.flavor != SelectFlavor::Standard, "FROM before SELECT")?;
    let (GroupByExpr::All(modifiers) | GroupByExpr::Expressions(_, modifiers)) = &select.group_by;
    refuse(!modifiers.is_empty(), "GROUP BY … WITH")?;
    select.from.iter_mut().for_each(table_sources::normalize_joins);
    select.from.iter().try_for_each(table_sources::admit_joins)?;
    select.projection.iter().try_for_each(admit_item)
}

fn admit_item(item: &SelectItem) -> Result<(), Failure> {
    match item {
        SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. } => Ok(()),
        SelectItem::ExprWithAliases { .. } => Err(Failure::unsupported("several aliases for one column")),
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
            refuse(name.0.iter().any(|part| part.as_ident().is_none()), "IDENTIFIER().*")?;
            admit_wildcard(options)
        }
        SelectItem::Wildcard(options) => admit_wildcard(options),
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(_), _) => {
            Err(Failure::unsupported("* of an expression"))
        }
    }
}

pub(super) fn admit_wildcard(options: &WildcardAdditionalOptions) -> Result<(), Failure> {
    refuse(options.opt_except.is_some(), "* EXCEPT; use EXCLUDE")?;
    let quoted = |pattern: &str| pattern.contains(['\'', '\\']);
    refuse(options.opt_ilike.as_ref().is_some_and(|ilike| quoted(&ilike.pattern)), "* ILIKE with quotes")?;
    refuse(options.opt_alias.is_some(), "alias for *")
}
