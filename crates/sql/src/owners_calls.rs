//! Functions and tables in the expressions of a semantic view are looked up in its schema and for its owner, not for the
//! caller. The name of such a function in an expanded statement is complete and has the owner in it, behind `MARK`.

use std::ops::ControlFlow;

use crate::ast::{Expr, Function, ObjectName as TreeName, Query, SelectItem, TableFactor, Visitor, VisitorMut};
use crate::build::select;
use crate::names::{MARK, Namespace, ObjectName};
use crate::normalize::table_functions;
use crate::query_parts::select_of;
use crate::reader::name_from_tree;
use crate::resolve::resolve;
use crate::routines::{completed, is_of_user};
use crate::tree::{Tree, outcome, tree_name};
use crate::{Command, Failure, Statement};

/// Where the functions of a definition are looked up, and for whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionHome {
    pub namespace: Namespace,
    pub owner: String,
}

impl FunctionHome {
    /// Makes the calls of users' functions in an expression those of the owner, and completes the names of tables in it.
    pub fn mark(&self, expr: &mut Expr) {
        if let Some((completed, _)) = self.with_relations(expr) {
            *expr = completed;
        }
        // The visitor never breaks.
        let _ = expr.walk_mut(&mut Marker { home: self, caller: Caller::Owner, marked: 0 });
    }

    /// Completes the names of users' functions and of tables in an expression that is part of a statement of the caller's. Whether
    /// there are any.
    pub fn complete(&self, expr: &mut Expr) -> bool {
        let with_relations = self.with_relations(expr);
        let has_relations = with_relations.is_some();
        if let Some((completed, _)) = with_relations {
            *expr = completed;
        }
        let mut marker = Marker { home: self, caller: Caller::Session, marked: 0 };
        // The visitor never breaks.
        let _ = expr.walk_mut(&mut marker);
        has_relations || marker.marked > 0
    }

    /// The tables and views that the subqueries of an expression read.
    pub fn reads(&self, expr: &Expr) -> Vec<ObjectName> {
        self.with_relations(expr).map(|(_, reads)| reads).unwrap_or_default()
    }

    /// An expression with the complete names of the relations in it, and these; `None` if it has no subquery.
    fn with_relations(&self, expr: &Expr) -> Option<(Expr, Vec<ObjectName>)> {
        if expr.walk(&mut QuerySearch).is_continue() {
            return None;
        }
        let mut statement = Statement::new("", Command::Query(select(vec![expr.clone()]).ok()?));
        let uses = resolve(&mut statement, &self.namespace).ok()?;
        let Command::Query(mut query) = statement.command else { return None };
        match select_of(&mut query)?.projection.pop()? {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                Some((expr, uses.objects.into_iter().map(|used| used.name).collect()))
            }
            _ => None,
        }
    }
}

/// It breaks at a query.
struct QuerySearch;

impl Visitor for QuerySearch {
    type Break = Failure;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Failure> {
        ControlFlow::Break(Failure::unsupported("a second search"))
    }
}

/// A function's own name, and the owner of the definition that calls it; `None` for a call of the statement itself.
pub fn caller_of(name: &ObjectName) -> Option<(ObjectName, String)> {
    let (function, owner) = name.name.rsplit_once(MARK)?;
    Some((ObjectName { name: function.to_owned(), ..name.clone() }, decoded(owner)?))
}

/// The name as messages show it; `None` for the name of a call of the statement itself.
pub(crate) fn displayed(name: &TreeName) -> Option<String> {
    caller_of(&completed(name, &Namespace::default())?).map(|(function, _)| function.to_string())
}

/// Refuses marked names of functions in what a user wrote.
pub fn refuse_marked(statement: &Statement) -> Result<(), Failure> {
    outcome(statement.command.visit_tree(&mut Refusal))
}

/// Whose rights a call has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Caller {
    Owner,
    Session,
}

struct Marker<'a> {
    home: &'a FunctionHome,
    caller: Caller,
    marked: usize,
}

impl Marker<'_> {
    fn mark(&mut self, name: &mut TreeName) {
        if let Some(mut complete) = completed(name, &self.home.namespace) {
            if self.caller == Caller::Owner {
                complete.name = format!("{}{MARK}{}", complete.name, encoded(&self.home.owner));
            }
            self.marked += 1;
            *name = tree_name(&complete);
        }
    }
}

impl VisitorMut for Marker<'_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::Function(Function { name, .. }) = expr
            && is_of_user(name)
        {
            self.mark(name);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        if table_functions::check(factor).is_err()
            && let TableFactor::Function { name, .. } = factor
        {
            self.mark(name);
        }
        ControlFlow::Continue(())
    }
}

struct Refusal;

impl Refusal {
    fn check(name: &TreeName) -> ControlFlow<Failure> {
        match name_from_tree(name) {
            Ok(marked) if marked.is_marked() => ControlFlow::Break(Failure::unknown_function(&marked.to_string())),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Visitor for Refusal {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::Function(function) => Self::check(&function.name),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        match factor {
            TableFactor::Function { name, .. } => Self::check(name),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// In hexadecimal digits, which no printing has to quote.
fn encoded(owner: &str) -> String {
    owner.bytes().map(|byte| format!("{byte:02X}")).collect()
}

fn decoded(digits: &str) -> Option<String> {
    let byte = |place: usize| u8::from_str_radix(digits.get(place..place + 2)?, 16).ok();
    let bytes = (0..digits.len()).step_by(2).map(byte).collect::<Option<Vec<u8>>>()?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::print;

    #[test]
    fn calls_of_users_functions_have_the_owner_in_their_names() {
        let namespace = Namespace { database: Some("D".to_owned()), schema: Some("S".to_owned()) };
        let home = FunctionHome { namespace, owner: "R\"\"1".to_owned() };
        let mut expr = print::read_expression("UPPER(f(x)) || other.\"g\"(1)").unwrap();
        home.mark(&mut expr);
        let printed = print::sql(&expr);
        let [first, second] = ["F", "g"].map(|name| format!("{name}\u{1}52222231"));
        assert_eq!(printed, format!("UPPER(\"D\".\"S\".\"{first}\"(x)) || \"D\".\"OTHER\".\"{second}\"(1)"));
        let found = caller_of(&ObjectName::qualified("D", "S", &first)).unwrap();
        assert_eq!(found, (ObjectName::qualified("D", "S", "F"), "R\"\"1".to_owned()));
        assert_eq!(caller_of(&ObjectName::qualified("D", "S", "F")), None);
        let mut completed = print::read_expression("f(x) + (SELECT MAX(a) FROM t)").unwrap();
        assert!(home.complete(&mut completed));
        assert_eq!(print::sql(&completed), r#""D"."S"."F"("X") + (SELECT MAX("A") FROM "D"."S"."T")"#);
        assert!(!home.complete(&mut print::read_expression("UPPER(x)").unwrap()));
        let query = Box::new(print::read_query(&format!("SELECT {printed}")).unwrap());
        assert!(refuse_marked(&Statement::new("", Command::Query(query))).is_err());
    }
}
