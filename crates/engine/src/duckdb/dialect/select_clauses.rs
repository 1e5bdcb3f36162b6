//! Clauses of a query that the engine spells otherwise: TOP, MINUS, FETCH, and wildcards qualified with
//! more than the table's own name.

use firn_sql::Failure;
use firn_sql::ast::{
    Expr, LimitClause, ObjectName, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, SetOperator,
    TopQuantity, Value,
};

pub(super) fn rewrite_select(select: &mut Select) -> Result<(), Failure> {
    select.optimizer_hints.clear();
    if !select.connect_by.is_empty() {
        return Err(Failure::unsupported("CONNECT BY"));
    }
    for item in &mut select.projection {
        if let SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) = item
            && let Some(last) = name.0.last().cloned()
        {
            *name = ObjectName(vec![last]);
        }
        if let SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) = item
            && options.opt_ilike.is_some()
        {
            return Err(Failure::unsupported("SELECT * ILIKE"));
        }
    }
    Ok(())
}

pub(super) fn rewrite_query(query: &mut Query) -> Result<(), Failure> {
    spell_set_operators(&mut query.body);
    let top = match &mut *query.body {
        SetExpr::Select(select) => select.top.take(),
        _ => None,
    };
    if let Some(top) = top {
        if top.percent || top.with_ties {
            return Err(Failure::unsupported("TOP … PERCENT or WITH TIES"));
        }
        set_limit(query, match top.quantity {
            Some(TopQuantity::Constant(count)) => Expr::value(Value::Number(count.to_string(), false)),
            Some(TopQuantity::Expr(count)) => count,
            None => return Err(Failure::unsupported("TOP without a number")),
        })?;
    }
    if let Some(fetch) = query.fetch.take() {
        if fetch.percent || fetch.with_ties {
            return Err(Failure::unsupported("FETCH … PERCENT or WITH TIES"));
        }
        set_limit(query, fetch.quantity.unwrap_or_else(|| Expr::value(Value::Number("1".to_owned(), false))))?;
    }
    if !query.locks.is_empty() {
        return Err(Failure::unsupported("FOR UPDATE"));
    }
    Ok(())
}

fn set_limit(query: &mut Query, count: Expr) -> Result<(), Failure> {
    match &mut query.limit_clause {
        None => {
            query.limit_clause =
                Some(LimitClause::LimitOffset { limit: Some(count), offset: None, limit_by: Vec::new() });
            Ok(())
        }
        Some(LimitClause::LimitOffset { limit: limit @ None, .. }) => {
            *limit = Some(count);
            Ok(())
        }
        Some(_) => Err(Failure::unsupported("two row limits in one query")),
    }
}

fn spell_set_operators(body: &mut SetExpr) {
    if let SetExpr::SetOperation { op, left, right, .. } = body {
        if *op == SetOperator::Minus {
            *op = SetOperator::Except;
        }
        spell_set_operators(left);
        spell_set_operators(right);
    }
}

#[cfg(test)]
mod tests {
    use crate::duckdb::dialect::testing::check;

    #[test]
    fn clauses_are_spelled_for_the_engine() {
        check("SELECT TOP 3 a FROM t", "SELECT a FROM t LIMIT 3");
        check("SELECT a FROM t FETCH FIRST 2 ROWS ONLY", "SELECT a FROM t LIMIT 2");
        check("SELECT 1 MINUS SELECT 2", "SELECT 1 EXCEPT SELECT 2");
        check(r#"SELECT "S"."T".* FROM "D"."S"."T""#, r#"SELECT "T".* FROM "D"."S"."T""#);
        check("SELECT a FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY a) = 1", "SELECT a FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY a) = 1");
    }
}
