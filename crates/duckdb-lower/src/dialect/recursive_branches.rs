//! Recursive CTEs with several recursive branches. The engine takes two sides, of which the second one is recursive:
//! `a UNION ALL r1 UNION ALL r2` becomes `a UNION ALL (r1 UNION ALL r2)`.

use firn_sql::ast::{Query, SetExpr, SetOperator, SetQuantifier, Values};
use firn_sql::tree::reads_relation;
use firn_sql::{Failure, print};

pub(super) fn rewrite(query: &mut Query) -> Result<(), Failure> {
    let Some(with) = query.with.as_mut().filter(|with| with.recursive) else { return Ok(()) };
    for table in &mut with.cte_tables {
        regroup(&mut table.query.body, &table.alias.name.value)?;
    }
    Ok(())
}

fn regroup(body: &mut SetExpr, name: &str) -> Result<(), Failure> {
    let mut branches = Vec::new();
    collect(std::mem::replace(body, nothing()), &mut branches);
    // A branch that does not read the rows belongs to the first side wherever it stands: on the second one it would add
    // its rows in every round.
    let (recursive, anchors): (Vec<_>, Vec<_>) = branches.into_iter().partition(|branch| reads_relation(branch, name));
    let recursive = match recursive.len() {
        0 | 1 => united(recursive),
        _ => united(recursive).map(in_brackets).transpose()?,
    };
    if let Some(whole) = united(united(anchors).into_iter().chain(recursive).collect()) {
        *body = whole;
    }
    Ok(())
}

fn in_brackets(body: SetExpr) -> Result<SetExpr, Failure> {
    let mut query = print::read_query("SELECT 1")?;
    *query.body = body;
    Ok(SetExpr::Query(Box::new(query)))
}

/// What stands where a body was taken out.
fn nothing() -> SetExpr {
    SetExpr::Values(Values { explicit_row: false, value_keyword: false, rows: Vec::new() })
}

/// The branches of a UNION ALL, from left to right.
fn collect(body: SetExpr, branches: &mut Vec<SetExpr>) {
    match body {
        SetExpr::SetOperation { op: SetOperator::Union, set_quantifier: SetQuantifier::All, left, right } => {
            collect(*left, branches);
            collect(*right, branches);
        }
        other => branches.push(other),
    }
}

fn united(branches: Vec<SetExpr>) -> Option<SetExpr> {
    branches.into_iter().reduce(|left, right| SetExpr::SetOperation {
        op: SetOperator::Union,
        set_quantifier: SetQuantifier::All,
        left: Box::new(left),
        right: Box::new(right),
    })
}
