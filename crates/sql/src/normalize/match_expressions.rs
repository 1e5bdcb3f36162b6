//! Names and expressions that MATCH_RECOGNIZE and its measures are made of.

use crate::Failure;
use crate::ast::{Expr, Ident, SelectItem, SetExpr, WindowSpec};
use crate::query_parts::skeleton;

pub(super) fn folded(name: &Ident) -> String {
    match name.quote_style {
        None => name.value.to_uppercase(),
        Some(_) => name.value.clone(),
    }
}

/// `CASE WHEN condition THEN value END`.
pub(super) fn where_true(condition: Expr, value: Expr) -> Result<Expr, Failure> {
    let mut case = expression("CASE WHEN TRUE THEN 1 END")?;
    if let Expr::Case { conditions, .. } = &mut case
        && let Some(only) = conditions.first_mut()
    {
        only.condition = condition;
        only.result = value;
    }
    Ok(case)
}

/// Whether a window has a frame clause and nothing else.
pub(super) fn is_frame_only(spec: &WindowSpec) -> bool {
    spec.window_name.is_none() && spec.partition_by.is_empty() && spec.order_by.is_empty()
}

/// An expression that holds no text of the user's.
pub(super) fn expression(sql: &str) -> Result<Expr, Failure> {
    let query = skeleton(&format!("SELECT {sql}"))?;
    match *query.body {
        SetExpr::Select(select) => match select.projection.into_iter().next() {
            Some(SelectItem::UnnamedExpr(expr)) => Ok(expr),
            _ => Err(Failure::new("000603", "XX000", "a skeleton has another shape")),
        },
        _ => Err(Failure::new("000603", "XX000", "a skeleton has another shape")),
    }
}
