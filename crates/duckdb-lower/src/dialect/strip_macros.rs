//! A statement whose macro calls are replaced by expressions that reference the same columns. Preparing it makes the
//! engine report an unknown column by name, where an error inside a macro would hide it.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, VisitorMut};
use firn_sql::print;
use firn_sql::tree::Tree;

use super::build::{call, call_name, case, copied_arguments, null};

/// The engine's statement with each call of a firn macro replaced by a NULL that references the same columns.
pub fn without_macros(sql: &str) -> Option<String> {
    let mut statement = print::read_statement(sql).ok()?;
    // The visitor never breaks.
    let _ = statement.walk_mut(&mut Stripping);
    Some(print::into_sql(statement))
}

struct Stripping;

impl VisitorMut for Stripping {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::Function(function) = expr
            && call_name(function).is_some_and(|name| name.starts_with("firn_"))
            && let Some(arguments) = copied_arguments(function)
            && !arguments.is_empty()
        {
            let read = Expr::IsNull(Box::new(call("concat", arguments)));
            *expr = case(vec![(read, null())], None);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::without_macros;

    #[test]
    fn calls_of_ours_become_nulls_that_read_the_same_names() {
        let stripped = without_macros("SELECT firn_integer(firn_text(a)) + upper(b) FROM t");
        let expected = "SELECT CASE WHEN concat(CASE WHEN concat(a) IS NULL THEN NULL END) IS NULL THEN NULL END + upper(b) FROM t";
        assert_eq!(stripped.as_deref(), Some(expected));
    }
}
