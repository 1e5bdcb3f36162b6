//! The functions of the dialect. What is in the table is offered; any other name of the dialect's reference is refused by
//! name, and what is in neither is unknown, whatever the engine has.

pub(crate) mod arity;
mod entry;
mod table;
pub mod types;

use std::ops::ControlFlow;

use crate::ast::{Expr, Function, FunctionArg, FunctionArguments, TableFactor, Visitor};
use crate::command::{Command, Ddl, TableSource};
use crate::tree::outcome;
use crate::{Failure, Statement, context, normalize};
pub use entry::{
    EngineCall, Evaluation, FunctionClass, FunctionEntry, MANY, Nulls, Parameter, Returns, Rule, Volatility,
};
pub(crate) use table::is_notification;
pub use table::{all, find, find_in_any_case};

/// The names of the dialect's function reference that are not offered, one per line.
const UNSUPPORTED: &str = include_str!("functions/unsupported.txt");

/// What is wrong with calling a function that is not offered.
pub(crate) fn not_offered(name: &str) -> Failure {
    let is_of_vendor = name.starts_with("SNOWFLAKE.");
    if is_of_vendor || find(name).is_some() || UNSUPPORTED.lines().any(|known| known == name) {
        Failure::unsupported(&format!("function {name}"))
    } else {
        Failure::unknown_function(name)
    }
}

/// Whether a function makes one value of many rows; `name` is in upper case.
pub fn is_aggregate(name: &str) -> bool {
    find(name).is_some_and(|entry| entry.class == FunctionClass::Aggregate)
}

/// Whether a function has another value in every row; `name` is in upper case.
pub fn is_volatile(name: &str) -> bool {
    find(name).is_some_and(|entry| entry.volatility == Volatility::Volatile)
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
        let found = find_in_any_case(&function.name.to_string());
        if let Some(entry) = found
            && matches!(entry.evaluation, Evaluation::Session | Evaluation::Account)
        {
            self.0 = Some(entry.name.to_owned());
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
        match self.call(function) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        }
    }
}

impl Check {
    fn call(&self, function: &Function) -> Result<(), Failure> {
        let name = function.name.to_string();
        let Some(entry) = find_in_any_case(&name).filter(|entry| is_callable(entry)) else {
            return Err(not_offered(&name.to_uppercase()));
        };
        if entry.evaluation == Evaluation::Engine {
            return match has_named_argument(function) {
                true => Err(Failure::unsupported(&format!("named argument of {name}"))),
                false => arity::check(entry, function),
            };
        }
        // What the engine knows itself may be asked for by views and columns' defaults.
        if self.place == Place::Stored && entry.engine_call == EngineCall::Never {
            return Err(Failure::unsupported(&format!("{} in a view or a column's default", entry.name)));
        }
        match entry.evaluation {
            Evaluation::Session => context::check_call(entry, function),
            _ => Ok(()),
        }
    }
}

/// Whether an expression may call a function.
fn is_callable(entry: &FunctionEntry) -> bool {
    entry.class != FunctionClass::Table && entry.evaluation != Evaluation::Lookup
}

fn has_named_argument(function: &Function) -> bool {
    match &function.args {
        FunctionArguments::List(list) => list.args.iter().any(|argument| !matches!(argument, FunctionArg::Unnamed(_))),
        _ => false,
    }
}

/// Whether a function of this name is the dialect's own; `name` is in upper case.
pub(crate) fn is_offered(name: &str) -> bool {
    find(name).is_some_and(is_callable)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::testing::parse;

    #[test]
    fn what_is_offered_is_not_unsupported() {
        let both: Vec<&str> = UNSUPPORTED.lines().filter(|name| find(name).is_some()).collect();
        assert!(both.is_empty(), "{both:?} have entries in the function table");
        assert!(UNSUPPORTED.lines().is_sorted());
    }

    /// The names that have a probe.
    fn probed() -> Vec<&'static str> {
        const PROBES: &str = include_str!("../../../tests/parity/functions.txt");
        let is_probe = |line: &&str| !line.trim().is_empty() && !line.starts_with(['#', '=', ' ']);
        let names = |line: &'static str| match line.strip_prefix("- ") {
            Some(names) => names.split_whitespace().collect(),
            None => vec![line.split(':').next().unwrap_or(line)],
        };
        PROBES.lines().filter(is_probe).flat_map(names).collect()
    }

    #[test]
    fn every_function_has_its_probe_and_every_probe_its_function() {
        let probed = probed();
        // Forms that normalization makes have no probes of their own.
        let is_made = |name: &str| name == "NEXTVAL" || name.starts_with("__");
        let missing: Vec<_> =
            all().map(|entry| entry.name).filter(|name| !is_made(name) && !probed.contains(name)).collect();
        assert!(missing.is_empty(), "{missing:?} have no probe in tests/parity/functions.txt");
        let is_known = |name: &str| find(name).is_some() || UNSUPPORTED.lines().any(|known| known == name);
        let unknown: Vec<_> = probed.iter().filter(|name| !is_known(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?} are neither in the function table nor in unsupported.txt");
        let unprobed: Vec<_> = UNSUPPORTED.lines().filter(|name| !probed.contains(name)).collect();
        assert!(unprobed.is_empty(), "{unprobed:?} have no probe in tests/parity/functions.txt");
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
            ("select flatten(a) from t", "000002"),
        ] {
            assert_eq!(check_functions(&parse(text).unwrap()).unwrap_err().code, code, "{text}");
        }
    }
}
