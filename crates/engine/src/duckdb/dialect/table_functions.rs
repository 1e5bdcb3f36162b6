//! Table functions: FLATTEN opens a semi-structured value into rows, GENERATOR makes rows of nothing.

use firn_sql::Failure;
use firn_sql::ast::TableFactor;

pub(super) fn rewrite(table: &mut TableFactor) -> Result<(), Failure> {
    let _ = table;
    Ok(())
}
