//! UNION, INTERSECT and EXCEPT of rows with semi-structured values, which are equal by their keys: the rows of UNION ALL
//! are made distinct, those of INTERSECT and EXCEPT are joined with the rows that have equal keys.

use firn_sql::ast::{
    Expr, GroupByExpr, Ident, OrderByKind, Query, Select, SelectItem, SetExpr, SetOperator, SetQuantifier, TableFactor,
};
use firn_sql::{Failure, print};

use super::build::{call, call_name, cast, quoted};
use super::literal_values::integer_of;
use super::lowered_types::first_argument;
use super::set_branches::{columns_of, is_by_name, name_of};
use super::variant_equality::{VariantEquality, key_of};
use super::variant_groups::value_of;

const FIRST_BY_TEXT: &str = "min_by";

impl VariantEquality {
    pub(super) fn unite(&self, query: &mut Query) -> Result<(), Failure> {
        if is_by_name(&query.body) {
            self.unite_by_name(&mut query.body);
            return Ok(());
        }
        let is_set = matches!(&*query.body, SetExpr::SetOperation { .. }) && !is_by_name(&query.body);
        let is_sorted_set = is_set && query.order_by.is_some();
        if !has_distinct_rows(&query.body) && !is_sorted_set {
            return Ok(());
        }
        let columns = columns_of(&mut query.body);
        let is_variant: Vec<bool> =
            columns.iter().map(|values| values.iter().any(|value| self.is_variant(value))).collect();
        if is_variant.contains(&true) {
            let names = names_of(&query.body);
            rewrite(&mut query.body, &is_variant, &names)?;
            if query.order_by.is_some() && matches!(&*query.body, SetExpr::SetOperation { .. }) {
                select_from(&mut query.body, &is_variant, &names)?;
            }
        }
        Ok(())
    }

    /// The engine finds the columns that meet and compares their values, so that equal ones have to be the same.
    fn unite_by_name(&self, body: &mut SetExpr) {
        if says_all(body) {
            return;
        }
        for value in columns_of(body).into_iter().flatten() {
            if self.is_variant(value) {
                *value = self.canonical(value);
            }
        }
    }

    /// A semi-structured column that is sorted by its position is sorted by its order.
    pub(super) fn order_positions(&self, query: &mut Query) {
        let (SetExpr::Select(select), Some(order_by)) = (&*query.body, &mut query.order_by) else { return };
        let OrderByKind::Expressions(keys) = &mut order_by.kind else { return };
        for key in keys {
            let shown = integer_of(&key.expr)
                .and_then(|place| select.projection.get(usize::try_from(place).ok()?.checked_sub(1)?))
                .and_then(value_of);
            if let Some(shown) = shown.filter(|shown| self.is_variant(shown) || is_branch_column(shown)) {
                key.expr = call("firn_order", vec![shown.clone()]);
            }
        }
    }
}

/// A column of the relation that stands for a set operation; only those with semi-structured columns are rewritten, and
/// the engine leaves a value of any other type as it is.
fn is_branch_column(expr: &Expr) -> bool {
    match expr {
        Expr::CompoundIdentifier(parts) => parts.len() == 2 && parts[0].value == "l" && parts[0].quote_style.is_none(),
        Expr::Function(function) if call_name(function) == Some(FIRST_BY_TEXT) => {
            first_argument(function).is_some_and(is_branch_column)
        }
        _ => false,
    }
}

/// The engine sorts the rows of a set operation by plain columns only; those of a relation by any expression.
fn select_from(body: &mut SetExpr, is_variant: &[bool], names: &[Ident]) -> Result<(), Failure> {
    let mut whole = read_select(&format!("FROM {}", side("l", is_variant)), is_variant)?;
    put_names(&mut whole, names);
    let branches = std::mem::replace(body, SetExpr::Select(whole));
    if let SetExpr::Select(select) = body {
        put_relations(select, vec![branches]);
    }
    Ok(())
}

fn says_all(body: &SetExpr) -> bool {
    match body {
        SetExpr::SetOperation { set_quantifier, left, right, .. } => {
            matches!(set_quantifier, SetQuantifier::All | SetQuantifier::AllByName) && says_all(left) && says_all(right)
        }
        SetExpr::Query(query) => says_all(&query.body),
        _ => true,
    }
}

/// Whether a set operation removes duplicates; columns that meet by name are left to the engine.
fn has_distinct_rows(body: &SetExpr) -> bool {
    match body {
        SetExpr::SetOperation { set_quantifier, left, right, .. } => {
            !is_by_name(body)
                && (*set_quantifier != SetQuantifier::All || has_distinct_rows(left) || has_distinct_rows(right))
        }
        SetExpr::Query(query) => has_distinct_rows(&query.body),
        _ => false,
    }
}

/// The names of the columns of the first branch.
fn names_of(body: &SetExpr) -> Vec<Ident> {
    match body {
        SetExpr::Select(select) => select.projection.iter().map(|item| quoted(&name_of(item))).collect(),
        SetExpr::Query(query) => names_of(&query.body),
        SetExpr::SetOperation { left, .. } => names_of(left),
        _ => Vec::new(),
    }
}

fn rewrite(body: &mut SetExpr, is_variant: &[bool], names: &[Ident]) -> Result<(), Failure> {
    if let SetExpr::Query(query) = body {
        return rewrite(&mut query.body, is_variant, names);
    }
    let SetExpr::SetOperation { op, set_quantifier, left, right } = body else { return Ok(()) };
    rewrite(left, is_variant, names)?;
    rewrite(right, is_variant, names)?;
    if *set_quantifier == SetQuantifier::All {
        return Ok(());
    }
    let join = match op {
        SetOperator::Union => String::new(),
        SetOperator::Intersect => format!("SEMI JOIN {} ON {}", side("r", is_variant), equal_rows(is_variant)),
        SetOperator::Except | SetOperator::Minus => {
            format!("ANTI JOIN {} ON {}", side("r", is_variant), equal_rows(is_variant))
        }
    };
    let mut select = read_select(&format!("FROM {} {join}", side("l", is_variant)), is_variant)?;
    show_one_of_each(&mut select, is_variant);
    put_names(&mut select, names);
    let whole = std::mem::replace(body, SetExpr::Select(select));
    if let (SetExpr::Select(select), SetExpr::SetOperation { op, left, right, .. }) = (body, whole) {
        let branches = match op {
            SetOperator::Union => {
                vec![SetExpr::SetOperation { op, set_quantifier: SetQuantifier::All, left, right }]
            }
            _ => vec![*left, *right],
        };
        put_relations(select, branches);
    }
    Ok(())
}

/// A select of the columns of `l`.
fn read_select(from: &str, is_variant: &[bool]) -> Result<Box<Select>, Failure> {
    let columns: Vec<String> = (0..is_variant.len()).map(|place| format!("l.c{place}")).collect();
    match *print::read_query(&format!("SELECT {} {from}", columns.join(", ")))?.body {
        SetExpr::Select(select) => Ok(select),
        _ => Err(Failure::unsupported("this set operation of semi-structured values")),
    }
}

fn put_names(select: &mut Select, names: &[Ident]) {
    for (item, name) in select.projection.iter_mut().zip(names) {
        if let SelectItem::UnnamedExpr(expr) = item {
            *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias: name.clone() };
        }
    }
}

/// A branch, still empty, with columns by their places.
fn side(name: &str, is_variant: &[bool]) -> String {
    let columns: Vec<String> = (0..is_variant.len()).map(|place| format!("c{place}")).collect();
    format!("(SELECT 1) AS {name}({})", columns.join(", "))
}

fn equal_rows(is_variant: &[bool]) -> String {
    let equal = is_variant.iter().enumerate().map(|(place, is_variant)| match is_variant {
        true => format!("firn_equality_key(l.c{place}) IS NOT DISTINCT FROM firn_equality_key(r.c{place})"),
        false => format!("l.c{place} IS NOT DISTINCT FROM r.c{place}"),
    });
    equal.collect::<Vec<_>>().join(" AND ")
}

/// Of rows that are equal, the values whose texts are first are shown, in whatever order the rows are read.
fn show_one_of_each(select: &mut Select, is_variant: &[bool]) {
    let mut keys = Vec::new();
    for (item, is_variant) in select.projection.iter_mut().zip(is_variant) {
        let SelectItem::UnnamedExpr(value) = item else { continue };
        keys.push(if *is_variant { key_of(value.clone()) } else { value.clone() });
        if *is_variant {
            *value = call(FIRST_BY_TEXT, vec![value.clone(), cast(value.clone(), "VARCHAR")]);
        }
    }
    select.group_by = GroupByExpr::Expressions(keys, Vec::new());
}

/// Puts the branches into the derived tables of FROM, in their order.
fn put_relations(select: &mut Select, branches: Vec<SetExpr>) {
    let joined = select.from.iter_mut().flat_map(|table| {
        std::iter::once(&mut table.relation).chain(table.joins.iter_mut().map(|join| &mut join.relation))
    });
    for (relation, branch) in joined.zip(branches) {
        if let TableFactor::Derived { subquery, .. } = relation {
            *subquery.body = branch;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn rows_of_set_operations_are_equal_by_their_keys() {
        check(
            "SELECT TO_VARIANT(a) AS v, b FROM t UNION SELECT TO_VARIANT(c), d FROM u",
            "SELECT min_by(l.c0, CAST(l.c0 AS VARCHAR)) AS \"v\", l.c1 AS \"b\" FROM \
             (SELECT firn_variant(a) AS v, b AS b FROM t UNION ALL SELECT firn_variant(c), d AS d FROM u) AS l (c0, c1) \
             GROUP BY firn_equality_key(l.c0), l.c1",
        );
        check(
            "SELECT TO_VARIANT(a) AS v FROM t EXCEPT SELECT TO_VARIANT(c) FROM u",
            "SELECT min_by(l.c0, CAST(l.c0 AS VARCHAR)) AS \"v\" FROM (SELECT firn_variant(a) AS v FROM t) AS l (c0) \
             ANTI JOIN (SELECT firn_variant(c) FROM u) AS r (c0) \
             ON firn_equality_key(l.c0) IS NOT DISTINCT FROM firn_equality_key(r.c0) \
             GROUP BY firn_equality_key(l.c0)",
        );
        check(
            "SELECT TO_VARIANT(a) AS v FROM t UNION BY NAME SELECT TO_VARIANT(c) AS v FROM u",
            "SELECT firn_canonical(firn_variant(a)) AS v FROM t UNION BY NAME \
             SELECT firn_canonical(firn_variant(c)) AS v FROM u",
        );
        check("SELECT 1 UNION SELECT 2", "SELECT 1 UNION SELECT 2");
    }
}
