//! For whom a table is read below a function: INVOKER_ROLE in the policies of the table is the owner of the function. The owner is
//! noted as a hint of the table, which no statement can write.

use std::ops::ControlFlow;

use crate::Failure;
use crate::ast::{Expr, TableFactor, Value, VisitorMut};
use crate::tree::Tree;

/// Has the tables of a function's body read for its owner. Those that are read for somebody already stay so.
pub fn invoke_for(body: &mut dyn Tree, owner: &str) {
    // The visitor never breaks.
    let _ = body.walk_mut(&mut Marker { owner });
}

/// For whom the table is read, if not for the session or the owner of a view. The hint is taken away.
pub fn take_invoker(factor: &mut TableFactor) -> Option<String> {
    let TableFactor::Table { with_hints, .. } = factor else { return None };
    match with_hints.drain(..).next()? {
        Expr::Value(value) => match value.value {
            Value::SingleQuotedString(owner) => Some(owner),
            _ => None,
        },
        _ => None,
    }
}

/// For a body whose tables are not read.
pub fn forget_invokers(body: &mut dyn Tree) {
    // The visitor never breaks.
    let _ = body.walk_mut(&mut Forgetting);
}

struct Forgetting;

impl VisitorMut for Forgetting {
    type Break = Failure;

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        drop(take_invoker(factor));
        ControlFlow::Continue(())
    }
}

struct Marker<'a> {
    owner: &'a str,
}

impl VisitorMut for Marker<'_> {
    type Break = Failure;

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        if let TableFactor::Table { args: None, with_hints, .. } = factor
            && with_hints.is_empty()
        {
            with_hints.push(Expr::value(Value::SingleQuotedString(self.owner.to_owned())));
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::print;

    struct Taker(Vec<Option<String>>);

    impl VisitorMut for Taker {
        type Break = Failure;

        fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
            self.0.push(take_invoker(factor));
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn the_first_invoker_stays_until_it_is_taken() {
        let text = r#"SELECT (SELECT MAX("N") FROM "D"."S"."T") FROM "D"."S"."U""#;
        let mut query = print::read_query(text).unwrap();
        invoke_for(&mut query, "SOMEBODY");
        invoke_for(&mut query, "ANOTHER");
        let mut taker = Taker(Vec::new());
        assert!(query.walk_mut(&mut taker).is_continue());
        assert_eq!(taker.0, [Some("SOMEBODY".to_owned()), Some("SOMEBODY".to_owned())]);
        assert_eq!(print::sql(&query), text);
        invoke_for(&mut query, "SOMEBODY");
        forget_invokers(&mut query);
        assert_eq!(print::sql(&query), text);
    }
}
