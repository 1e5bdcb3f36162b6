//! Joins that merge columns (USING, NATURAL).

use firn_sql::ast::{JoinConstraint, TableWithJoins};
use firn_sql::join_constraints::join_constraint;

/// True if a join shows columns of both sides as one.
pub(super) fn merges_columns(from: &[TableWithJoins]) -> bool {
    let mut joins = from.iter().flat_map(|table| &table.joins);
    joins.any(|join| {
        let constraint = join_constraint(&join.join_operator);
        matches!(constraint, Some(JoinConstraint::Using(_) | JoinConstraint::Natural))
    })
}
