//! Functions whose arguments the engine wants in another shape.

use firn_sql::Failure;
use firn_sql::ast::Expr;

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    let _ = expr;
    Ok(())
}
