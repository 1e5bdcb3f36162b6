//! `a ASOF JOIN b MATCH_CONDITION (a.t >= b.t)`: every row of the left side with the closest one of the
//! right, which a lateral subquery finds. The join is marked as GLOBAL, so that an engine that has such joins finds it again.

use super::refusals::refuse;
use crate::Failure;
use crate::ast::{
    BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, TableFactor, TableWithJoins, Value,
};
use crate::query_parts::{derived, limited_to_one, name_of, select_all};

pub(super) fn rewrite(tables: &mut TableWithJoins) -> Result<(), Failure> {
    for index in 0..tables.joins.len() {
        let (before, rest) = tables.joins.split_at_mut(index);
        let Some(join) = rest.first_mut() else { continue };
        if !matches!(join.join_operator, JoinOperator::AsOf { .. }) {
            continue;
        }
        let left = if before.is_empty() { name_of(&tables.relation) } else { None };
        rewrite_join(join, left.as_ref())?;
    }
    Ok(())
}

fn rewrite_join(join: &mut Join, left: Option<&Ident>) -> Result<(), Failure> {
    let JoinOperator::AsOf { match_condition, constraint } =
        std::mem::replace(&mut join.join_operator, JoinOperator::CrossApply)
    else {
        return Ok(());
    };
    let right =
        name_of(&join.relation).ok_or_else(|| Failure::unsupported("ASOF JOIN with a relation without a name"))?;
    let (condition, closest, descending) = match_of(match_condition)?;
    let condition = match &constraint {
        JoinConstraint::On(on) => Expr::BinaryOp {
            left: Box::new(Expr::Nested(Box::new(on.clone()))),
            op: BinaryOperator::And,
            right: Box::new(condition),
        },
        JoinConstraint::Using(names) => {
            let left = left.ok_or_else(|| Failure::unsupported("ASOF JOIN … USING after another join"))?;
            names.iter().try_fold(condition, |all, name| using(name, left, &right).map(|one| and(all, one)))?
        }
        JoinConstraint::None => condition,
        JoinConstraint::Natural => return Err(Failure::unsupported("NATURAL ASOF JOIN")),
    };
    let constraint = match constraint {
        JoinConstraint::Using(names) => JoinConstraint::Using(names),
        _ => JoinConstraint::On(Expr::value(Value::Boolean(true))),
    };
    let mut query = select_all(join.relation.clone(), Some(condition))?;
    limited_to_one(&mut query, closest, descending);
    join.relation = match derived(query, right) {
        TableFactor::Derived { subquery, alias, sample, .. } => {
            TableFactor::Derived { lateral: true, subquery, alias, sample }
        }
        other => other,
    };
    join.join_operator = JoinOperator::LeftOuter(constraint);
    join.global = true;
    Ok(())
}

/// The condition, the right side's expression, and whether its greatest value is the closest.
fn match_of(condition: Expr) -> Result<(Expr, Expr, bool), Failure> {
    let mut inside = &condition;
    while let Expr::Nested(nested) = inside {
        inside = nested;
    }
    let Expr::BinaryOp { op, right, .. } = inside else {
        return Err(Failure::unsupported("MATCH_CONDITION that is no comparison"));
    };
    let descending = match op {
        BinaryOperator::Gt | BinaryOperator::GtEq => true,
        BinaryOperator::Lt | BinaryOperator::LtEq => false,
        _ => return Err(Failure::unsupported("MATCH_CONDITION other than >=, >, <= and <")),
    };
    let closest = right.as_ref().clone();
    Ok((condition, closest, descending))
}

fn using(name: &ObjectName, left: &Ident, right: &Ident) -> Result<Expr, Failure> {
    let column = name.0.last().and_then(|part| part.as_ident()).cloned();
    let column = column.ok_or_else(|| Failure::unsupported("IDENTIFIER() in USING"))?;
    let side = |table: &Ident| Box::new(Expr::CompoundIdentifier(vec![table.clone(), column.clone()]));
    refuse(name.0.len() > 1, "qualified column in USING")?;
    Ok(Expr::BinaryOp { left: side(left), op: BinaryOperator::Eq, right: side(right) })
}

fn and(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::And, right: Box::new(right) }
}
