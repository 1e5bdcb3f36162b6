//! Finds the queries that return the same rows as long as their tables do not change.

use std::ops::ControlFlow;

use crate::ast::{Expr, Function, Ident, ObjectName, ObjectNamePart, TableFactor, Visitor};
use crate::command::Command;
use crate::functions::{Evaluation, Volatility, find_in_any_case};
use crate::naming::is_next_value;
use crate::staged_relations::is_staged;
use crate::{Failure, Statement};

/// Whether the result of this query may be reused while its tables stay as they are.
pub fn is_deterministic(statement: &Statement) -> bool {
    statement.deterministic
}

/// Called right after parsing, before rewrites replace functions.
pub(crate) fn has_stable_result(statement: &Statement) -> bool {
    let mut search = Volatile { found: false };
    // The visitor never breaks.
    let _ = statement.command.visit_tree(&mut search);
    matches!(statement.command, Command::Query(_)) && !search.found
}

struct Volatile {
    found: bool,
}

impl Visitor for Volatile {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        let volatile = match expr {
            Expr::Function(Function { name, .. }) => {
                matches!(&name.0[..], [ObjectNamePart::Identifier(name)] if is_volatile(&name.value))
            }
            // What may be called without brackets is stable throughout a statement.
            Expr::Identifier(name) => name.quote_style.is_none() && volatility(&name.value) == Volatility::Stable,
            Expr::CompoundIdentifier(parts) => is_next_value(parts),
            _ => false,
        };
        self.found |= volatile;
        ControlFlow::Continue(())
    }

    /// A sample differs each time, and the result of another statement is no table.
    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        self.found |= match factor {
            TableFactor::Table { sample, .. } | TableFactor::Derived { sample, .. } => sample.is_some(),
            TableFactor::Function { .. } | TableFactor::Pivot { .. } => true,
            _ => false,
        };
        ControlFlow::Continue(())
    }

    /// The information schema changes with everything, staged files whenever someone puts them.
    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<Failure> {
        let of_schema = |part: &ObjectNamePart| match part {
            ObjectNamePart::Identifier(Ident { value, .. }) => value.eq_ignore_ascii_case("INFORMATION_SCHEMA"),
            ObjectNamePart::Function(_) => true,
        };
        self.found |= relation.0.iter().any(of_schema) || is_staged(relation);
        ControlFlow::Continue(())
    }
}

/// Whether a function's value changes from call to call, or with time, or with the session.
pub fn is_volatile(name: &str) -> bool {
    volatility(name) != Volatility::Immutable
}

/// Whether a function's value is the same throughout a statement, and changes with time only.
pub fn is_current_time(name: &str) -> bool {
    find_in_any_case(name)
        .is_some_and(|entry| entry.volatility == Volatility::Stable && entry.evaluation == Evaluation::Engine)
}

fn volatility(name: &str) -> Volatility {
    find_in_any_case(name).map_or(Volatility::Immutable, |entry| entry.volatility)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::is_deterministic;
    use crate::testing::parse;

    #[test]
    fn only_stable_queries_are_repeatable() {
        for (text, expected) in [
            ("select 1", true),
            ("select a, sum(b) from t where c > '2020-01-01' group by a", true),
            ("select \"RANDOM\" from t", true),
            ("select random() from t", false),
            ("select a from t where d > current_date", false),
            ("select a from t where d > dateadd(day, -1, current_timestamp())", false),
            ("select current_user", false),
            ("select system$typeof(a) from t", true),
            ("select system$cancel_query('x')", false),
            ("select system$log_info('x')", false),
            ("select * from (select uuid_string() as u)", false),
            ("with x as (select s.nextval as n) select n from x", false),
            ("select * from information_schema.tables", false),
            ("insert into t values (1)", false),
            ("show tables", false),
        ] {
            assert_eq!(is_deterministic(&parse(text).unwrap()), expected, "{text}");
        }
    }
}
