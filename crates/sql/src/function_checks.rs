//! Checks the functions that a statement calls: whether each is supported in its position, and its number of arguments.

use std::ops::ControlFlow;

use crate::ast::{Expr, Function, FunctionArg, FunctionArguments, TableFactor, Visitor};
use crate::command::{Command, Ddl, TableSource};
use crate::functions::{EngineCall, Evaluation, arity, find_in_any_case, is_callable, not_offered};
use crate::tree::outcome;
use crate::{Failure, Statement, context, normalize, owners_calls};

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

/// Whether an expression is evaluated now, or stored in a view or a column's default and evaluated later.
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
        normalize::table_functions::check(factor).map_or_else(ControlFlow::Break, ControlFlow::Continue)
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
            let shown = owners_calls::displayed(&function.name);
            let written = || if name.contains('"') { name.clone() } else { name.to_uppercase() };
            return Err(not_offered(&shown.unwrap_or_else(written)));
        };
        if entry.evaluation == Evaluation::Engine {
            return match has_named_argument(function) {
                true => Err(Failure::unsupported(&format!("named argument of {name}"))),
                false => arity::check(entry, function),
            };
        }
        // Functions that the engine evaluates may be in views and columns' defaults.
        if self.place == Place::Stored && entry.engine_call == EngineCall::Never {
            return Err(Failure::unsupported(&format!("{} in a view or a column's default", entry.name)));
        }
        match entry.evaluation {
            Evaluation::Session => context::check_call(entry, function),
            _ => Ok(()),
        }
    }
}

fn has_named_argument(function: &Function) -> bool {
    match &function.args {
        FunctionArguments::List(list) => list.args.iter().any(|argument| !matches!(argument, FunctionArg::Unnamed(_))),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::testing::parse;

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
            ("select * from read_csv('/etc/passwd')", "002141"),
            ("select * from table(main.read_text('/etc/passwd'))", "002141"),
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
