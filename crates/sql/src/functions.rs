//! The functions of the dialect that firn offers. Any other of the dialect's reference is refused by name, and what is
//! in neither list is unknown, whatever the engine has.

mod aggregates;
pub(crate) mod arity;
mod geospatial_names;
mod names;

use std::ops::ControlFlow;

use crate::ast::{Expr, Function, FunctionArg, FunctionArguments, TableFactor, Visitor};
use crate::command::{Command, Ddl, TableSource};
use crate::tree::outcome;
use crate::{Failure, Statement, context, normalize, system_functions};
pub use aggregates::is_aggregate;
use names::NAMES;

/// Every function an engine has to offer, in alphabetical order.
pub fn names() -> &'static [&'static str] {
    NAMES
}

/// Every name of the dialect's function reference, offered or not, one per line.
const REFERENCE: &str = include_str!("functions/reference.txt");

/// What is wrong with calling a function that is not offered.
pub(crate) fn not_offered(name: &str) -> Failure {
    let is_of_vendor = name.starts_with("SNOWFLAKE.");
    if is_of_vendor || REFERENCE.lines().any(|known| known == name) {
        Failure::unsupported(&format!("function {name}"))
    } else {
        Failure::unknown_function(name)
    }
}

pub fn check_functions(statement: &Statement) -> Result<(), Failure> {
    let place = match &statement.command {
        Command::Ddl(Ddl::CreateTable(table))
            if matches!(table.source, TableSource::Query(_) | TableSource::Template(_)) =>
        {
            Place::Run
        }
        Command::Ddl(_) => Place::Stored,
        _ => Place::Run,
    };
    outcome(statement.command.visit_tree(&mut Check { place }))
}

/// The first function of a query whose value depends on who asks or when, or that does something.
pub fn function_of_the_moment(statement: &Statement) -> Option<String> {
    let mut search = OfTheMoment(None);
    // It breaks when it has found one.
    let _ = statement.command.visit_tree(&mut search);
    search.0
}

struct OfTheMoment(Option<String>);

impl Visitor for OfTheMoment {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        let upper = function.name.to_string().to_uppercase();
        if [context::NAMES, system_functions::NAMES].iter().any(|names| names.binary_search(&upper.as_str()).is_ok()) {
            self.0 = Some(upper);
            return ControlFlow::Break(Failure::unsupported("a second search"));
        }
        ControlFlow::Continue(())
    }
}

/// Whether an expression is evaluated now, or kept in a view or a column's default for later.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Run,
    Stored,
}

struct Check {
    place: Place,
}

impl Visitor for Check {
    type Break = Failure;

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        match normalize::table_functions::check(factor) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        }
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        let function = match expr {
            Expr::Function(function) => function,
            Expr::Prior(_) => return ControlFlow::Break(Failure::unsupported("PRIOR here")),
            Expr::Prefixed { .. } => return ControlFlow::Break(Failure::unsupported("CONNECT_BY_ROOT here")),
            Expr::OuterJoin(_) => return ControlFlow::Break(Failure::unsupported("(+) here")),
            _ => return ControlFlow::Continue(()),
        };
        let name = function.name.to_string();
        if is_in_tables(&name) {
            return match has_named_argument(function) {
                true => ControlFlow::Break(Failure::unsupported(&format!("named argument of {name}"))),
                false => match arity::check(&name, function) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(failure) => ControlFlow::Break(failure),
                },
            };
        }
        let upper = name.to_uppercase();
        let is_system = system_functions::NAMES.binary_search(&upper.as_str()).is_ok();
        if !is_system && context::NAMES.binary_search(&upper.as_str()).is_err() {
            return ControlFlow::Break(not_offered(&upper));
        }
        if self.place == Place::Stored && !context::STORED.contains(&upper.as_str()) {
            return ControlFlow::Break(Failure::unsupported(&format!("{upper} in a view or a column's default")));
        }
        let called = if is_system { Ok(()) } else { context::check_call(&upper, function) };
        match called {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        }
    }
}

fn has_named_argument(function: &Function) -> bool {
    match &function.args {
        FunctionArguments::List(list) => list.args.iter().any(|argument| !matches!(argument, FunctionArg::Unnamed(_))),
        _ => false,
    }
}

fn is_in_tables(name: &str) -> bool {
    [NAMES, geospatial_names::NAMES].iter().any(|table| table.binary_search(&name).is_ok())
}

/// Whether a function of this name is the dialect's own.
pub(crate) fn is_offered(name: &str) -> bool {
    is_in_tables(name)
        || [context::NAMES, system_functions::NAMES].iter().any(|names| names.binary_search(&name).is_ok())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::testing::parse;

    #[test]
    fn the_table_is_sorted() {
        let tables = [NAMES, geospatial_names::NAMES, context::NAMES, system_functions::NAMES];
        assert!(tables.iter().all(|names| names.is_sorted()));
    }

    #[test]
    fn every_function_is_of_the_reference() {
        // Forms of ours, which nobody writes: how a sequence is asked, how arguments of functions are bound, how row
        // patterns are matched, and how circles are found.
        let ours = ["NEXTVAL", "__BOUND", "__FIRST", "__LAST", "__MARKED", "__MATCHES", "__PIECES", "__UNNEST"];
        let is_known = |name: &str| ours.contains(&name) || REFERENCE.lines().any(|known| known == name);
        let foreign: Vec<_> = NAMES.iter().chain(geospatial_names::NAMES).filter(|name| !is_known(name)).collect();
        assert!(foreign.is_empty(), "{foreign:?} have no probe in tests/parity/functions.txt");
    }

    #[test]
    fn only_functions_of_the_table_pass() {
        for text in [
            "select count(*), Sum(a), ceil(b), extract(year from d), current_date, current_user() from t",
            "select trim(a), substring(a from 1 for 2), position('a' in b), {'a': [1, 2]}",
            "create table t as select current_role() as r",
            "create view v as select current_user() as a",
            "create table t (a varchar default current_user)",
            "select 1 where exists (select upper(x) from t)",
        ] {
            check_functions(&parse(text).unwrap()).unwrap();
        }
        for (text, code) in [
            ("select read_csv('/etc/passwd')", "002139"),
            ("select getenv('HOME')", "002139"),
            ("select a.b.c(1)", "002139"),
            ("select * from read_csv('/etc/passwd')", "000002"),
            ("select * from table(main.read_text('/etc/passwd'))", "000002"),
            ("select upper(value => 'a')", "000002"),
            ("select * from t where exists (select current_setting('x'))", "002139"),
            ("insert into t select read_text('x')", "002139"),
            ("create view v as select pg_sleep(1) as a", "002139"),
            ("create table t (a int default getenv('A'))", "002139"),
            ("create view v as select current_session() as a", "000002"),
            ("select current_user(1)", "000939"),
            ("select ai_complete('m', 'x')", "000002"),
        ] {
            assert_eq!(check_functions(&parse(text).unwrap()).unwrap_err().code, code, "{text}");
        }
    }
}
