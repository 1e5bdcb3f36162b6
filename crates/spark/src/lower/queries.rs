//! Queries: common tables, set operations, order and limits. NULLs are the greatest values in the dialect, which is said with every
//! order.

use firn_sql::ast::{
    Cte, Expr, LimitClause, OrderBy, OrderByExpr, OrderByKind, Query, SetExpr, SetOperator, SetQuantifier, Value,
    Values, With,
};

use super::{Lowering, Text, quoted, refused};

impl Lowering<'_> {
    /// The statement's own query. Semi-structured values leave the cluster as JSON.
    pub(super) fn outermost(&self, query: &Query) -> Text {
        let inner = self.query(query)?;
        let Some(columns) = &self.bound.columns else { return Err(refused("statement whose columns are not known")) };
        let is_variant = |column: &firn_binder::OutputColumn| column.value.family().is_semi_structured();
        if !columns.iter().any(is_variant) {
            return Ok(inner);
        }
        // Columns may have one name: they get their places as names first.
        let names: Vec<String> = (0..columns.len()).map(|place| format!("`_{place}`")).collect();
        let items = columns.iter().zip(&names).map(|(column, name)| match is_variant(column) {
            true => format!("to_json({name}) AS {name}"),
            false => name.clone(),
        });
        let items: Vec<String> = items.collect();
        Ok(format!("SELECT {} FROM ({inner}) AS `_` ({})", items.join(", "), names.join(", ")))
    }

    pub(super) fn query(&self, query: &Query) -> Text {
        let Query {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        let has_more = fetch.is_some()
            || !locks.is_empty()
            || for_clause.is_some()
            || settings.is_some()
            || format_clause.is_some()
            || !pipe_operators.is_empty();
        if has_more {
            return Err(refused("clause of a query"));
        }
        let mut sql = with.as_ref().map(|with| self.with(with)).transpose()?.unwrap_or_default();
        sql.push_str(&self.body(body)?);
        if let Some(order) = order_by {
            sql.push_str(" ORDER BY ");
            sql.push_str(&self.order(order)?);
        }
        if let Some(limit) = limit_clause {
            sql.push_str(&self.limit(limit)?);
        }
        Ok(sql)
    }

    fn with(&self, with: &With) -> Text {
        let tables = with.cte_tables.iter().map(|cte| self.common_table(cte)).collect::<Result<Vec<_>, _>>()?;
        // The dialect lets a common table refer to itself without the word.
        let names = |cte: &Cte| firn_sql::tree::reads_relation(&cte.query.body, &cte.alias.name.value);
        let recursive = if with.recursive || with.cte_tables.iter().any(names) { "RECURSIVE " } else { "" };
        Ok(format!("WITH {recursive}{} ", tables.join(", ")))
    }

    fn common_table(&self, cte: &Cte) -> Text {
        let columns: Vec<String> = cte.alias.columns.iter().map(|column| quoted(&column.name.value)).collect();
        let columns = if columns.is_empty() { String::new() } else { format!(" ({})", columns.join(", ")) };
        Ok(format!("{}{columns} AS ({})", quoted(&cte.alias.name.value), self.query(&cte.query)?))
    }

    fn body(&self, body: &SetExpr) -> Text {
        match body {
            SetExpr::Select(select) => self.select(select),
            SetExpr::Query(query) => Ok(format!("({})", self.query(query)?)),
            SetExpr::SetOperation { left, op, set_quantifier, right } => {
                let operator = match op {
                    SetOperator::Union => "UNION",
                    SetOperator::Except | SetOperator::Minus => "EXCEPT",
                    SetOperator::Intersect => "INTERSECT",
                };
                let quantifier = match set_quantifier {
                    SetQuantifier::All => " ALL",
                    SetQuantifier::Distinct | SetQuantifier::None => "",
                    SetQuantifier::ByName | SetQuantifier::AllByName | SetQuantifier::DistinctByName => {
                        return Err(refused("UNION BY NAME"));
                    }
                };
                Ok(format!("{} {operator}{quantifier} {}", self.branch(left)?, self.branch(right)?))
            }
            SetExpr::Values(values) => self.values(values),
            _ => Err(refused("statement inside of a query")),
        }
    }

    /// INTERSECT binds closer than the others: brackets keep the tree.
    fn branch(&self, body: &SetExpr) -> Text {
        match body {
            SetExpr::SetOperation { .. } => Ok(format!("({})", self.body(body)?)),
            other => self.body(other),
        }
    }

    fn values(&self, values: &Values) -> Text {
        let row = |row: &Vec<Expr>| self.list(row).map(|values| format!("({values})"));
        let rows = values.rows.iter().map(|content| row(&content.content)).collect::<Result<Vec<_>, _>>()?;
        Ok(format!("VALUES {}", rows.join(", ")))
    }

    fn order(&self, order: &OrderBy) -> Text {
        match &order.kind {
            OrderByKind::Expressions(keys) => self.order_keys(keys),
            OrderByKind::All(_) => Err(refused("ORDER BY ALL")),
        }
    }

    pub(super) fn order_keys(&self, keys: &[OrderByExpr]) -> Text {
        let keys = keys.iter().map(|key| self.order_key(key)).collect::<Result<Vec<_>, _>>()?;
        Ok(keys.join(", "))
    }

    fn order_key(&self, key: &OrderByExpr) -> Text {
        let descends = key.options.sort == Some(firn_sql::ast::OrderBySort::Desc);
        let nulls_first = key.options.nulls_first.unwrap_or(descends);
        let value = match place(&key.expr) {
            Some(place) => place.to_owned(),
            None => {
                self.refuse_variant(&key.expr, "ORDER BY")?;
                self.expression_in_order(&key.expr)?
            }
        };
        let direction = if descends { "DESC" } else { "ASC" };
        Ok(format!("{value} {direction} NULLS {}", if nulls_first { "FIRST" } else { "LAST" }))
    }

    fn limit(&self, limit: &LimitClause) -> Text {
        let LimitClause::LimitOffset { limit, offset, limit_by } = limit else {
            return Err(refused("LIMIT with a comma"));
        };
        if !limit_by.is_empty() {
            return Err(refused("LIMIT BY"));
        }
        let count = |expr: &Expr| match expr {
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) => Ok(Some(digits.clone())),
                Value::Null => Ok(None),
                _ => Err(refused("LIMIT of what is no number")),
            },
            _ => Err(refused("LIMIT of what is no number")),
        };
        let mut sql = String::new();
        if let Some(rows) = limit.as_ref().map(count).transpose()?.flatten() {
            // A limit beyond Spark's numbers is none.
            if rows.parse::<i32>().is_ok() {
                sql.push_str(&format!(" LIMIT {rows}"));
            }
        }
        if let Some(rows) = offset.as_ref().map(|offset| count(&offset.value)).transpose()?.flatten() {
            sql.push_str(&format!(" OFFSET {rows}"));
        }
        Ok(sql)
    }
}

/// A column's place in ORDER BY or GROUP BY.
pub(super) fn place(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits),
            _ => None,
        },
        _ => None,
    }
}
