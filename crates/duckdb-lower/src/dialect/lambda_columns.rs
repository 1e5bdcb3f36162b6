//! Correlated columns beside lambdas. The body of a lambda sees the columns of its own select only, and none of these if another
//! argument of its call is correlated. So the columns of enclosing queries become columns of one more relation:
//! `SELECT list_transform(l, lambda e : e + o.a) FROM t` in a subquery becomes
//! `SELECT list_transform(l, lambda e : e + firn_outer.c0) FROM t, LATERAL (SELECT o.a AS c0) AS firn_outer`.

use std::ops::ControlFlow;

use firn_sql::ast::{
    Expr, Function, GroupByExpr, Ident, Query, Select, SelectItem, SetExpr, TableFactor, TableWithJoins, VisitorMut,
};
use firn_sql::tree::each_expr;
use firn_sql::{Failure, print};

use super::build::{derived_table, number, plain_arguments, quoted};
use super::shadowed_names::{name_of, relations_of};

const OUTER: &str = "firn_outer";

#[derive(Default)]
pub(super) struct LambdaColumns {
    /// The enclosing selects, innermost last.
    selects: Vec<Scope>,
    /// For every call around the expression, whether it has a lambda that reads columns.
    calls: Vec<bool>,
}

struct Scope {
    relations: Vec<String>,
    /// The correlated columns that lambdas of the select have.
    correlated: Vec<Vec<Ident>>,
    /// Another relation would add its columns to `*`.
    is_fixed: bool,
}

impl LambdaColumns {
    /// The column of the additional relation that stands for a correlated one.
    fn outer_column(&mut self, name: &[Ident]) -> Option<Expr> {
        let (current, around) = self.selects.split_last_mut()?;
        let has = |scope: &Scope, relation: &str| scope.relations.iter().any(|known| known == relation);
        let relation = &name.first()?.value;
        if current.is_fixed || has(current, relation) || !around.iter().any(|scope| has(scope, relation)) {
            return None;
        }
        let place = current.correlated.iter().position(|known| known == name).unwrap_or_else(|| {
            current.correlated.push(name.to_vec());
            current.correlated.len() - 1
        });
        Some(column(place))
    }
}

impl VisitorMut for LambdaColumns {
    type Break = Failure;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        let relations =
            select.from.iter_mut().flat_map(relations_of).filter_map(|relation| name_of(relation)).collect();
        let is_fixed = select.projection.iter().any(|item| matches!(item, SelectItem::Wildcard(_)));
        self.selects.push(Scope { relations, correlated: Vec::new(), is_fixed });
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        let correlated = self.selects.pop().map(|scope| scope.correlated).unwrap_or_default();
        if correlated.is_empty() {
            return ControlFlow::Continue(());
        }
        if let GroupByExpr::Expressions(keys, _) = &mut select.group_by
            && !keys.is_empty()
        {
            keys.extend((0..correlated.len()).map(column));
        }
        match outer_relation(correlated) {
            Ok(relation) => select.from.push(relation),
            Err(failure) => return ControlFlow::Break(failure),
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::Function(function) => self.calls.push(has_lambda_of_columns(function)),
            Expr::Exists { subquery, .. } => show_no_columns(subquery),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::Function(_) => {
                self.calls.pop();
            }
            Expr::CompoundIdentifier(name) if self.calls.contains(&true) => {
                if let Some(column) = self.outer_column(name) {
                    *expr = column;
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn has_lambda_of_columns(function: &Function) -> bool {
    let arguments = plain_arguments(function).unwrap_or_default();
    arguments.into_iter().any(|argument| match argument {
        Expr::Lambda(lambda) => {
            let parameters: Vec<&Ident> = lambda.params.iter().map(|parameter| &parameter.name).collect();
            let is_column = |part: &Expr| match part {
                Expr::Identifier(name) => !parameters.contains(&name),
                Expr::CompoundIdentifier(_) => true,
                _ => false,
            };
            each_expr(&*lambda.body, &mut |part| match is_column(part) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            })
            .is_break()
        }
        _ => false,
    })
}

/// EXISTS does not read the columns of its query.
fn show_no_columns(query: &mut Query) {
    if let SetExpr::Select(select) = &mut *query.body
        && let [SelectItem::Wildcard(_)] = &select.projection[..]
    {
        select.projection = vec![SelectItem::UnnamedExpr(number(1))];
    }
}

fn column(place: usize) -> Expr {
    Expr::CompoundIdentifier(vec![quoted(OUTER), quoted(&format!("c{place}"))])
}

fn outer_relation(correlated: Vec<Vec<Ident>>) -> Result<TableWithJoins, Failure> {
    let mut query = print::read_query("SELECT 1")?;
    if let SetExpr::Select(select) = &mut *query.body {
        let items = correlated.into_iter().enumerate().map(|(place, name)| SelectItem::ExprWithAlias {
            expr: Expr::CompoundIdentifier(name),
            alias: quoted(&format!("c{place}")),
        });
        select.projection = items.collect();
    }
    let mut relation = derived_table(query, OUTER);
    if let TableFactor::Derived { lateral, .. } = &mut relation.relation {
        *lateral = true;
    }
    Ok(relation)
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn correlated_columns_of_lambdas_are_columns_of_a_relation() {
        check(
            "SELECT (SELECT TRANSFORM(u.l, x -> t.a) FROM u) FROM t",
            "SELECT (SELECT firn_array_from(list_transform(firn_elements(u.l), lambda x : \"firn_outer\".\"c0\")) \
             FROM u, LATERAL (SELECT t.a AS \"c0\") AS \"firn_outer\") FROM t",
        );
        check(
            "SELECT 1 FROM t WHERE EXISTS (SELECT * FROM u WHERE FILTER(t.l, x -> u.a) = u.l)",
            "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u, LATERAL (SELECT t.l AS \"c0\") AS \"firn_outer\" WHERE \
             firn_compare(firn_array_from(list_filter(firn_elements(\"firn_outer\".\"c0\"), lambda x : \
             CAST(firn_truth(u.a) AS BOOLEAN))), u.l) = 0)",
        );
        check(
            "SELECT TRANSFORM(t.l, x -> t.a) FROM t",
            "SELECT firn_array_from(list_transform(firn_elements(t.l), lambda x : t.a)) FROM t",
        );
    }
}
