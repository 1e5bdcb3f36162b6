//! `TABLE(TO_QUERY('SELECT …', name => value))`: the query in a text, with values for what it names by `:name`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::{parse_statement, split_script};
use crate::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectNamePart, Query, TableFactor, Value, VisitorMut,
};
use crate::source::ParseLimits;
use crate::tree::{Tree, outcome};
use crate::{Command, Failure};

const NESTING_DEPTH_MAX: usize = 50;
const TEXT_BYTES_MAX: usize = 100_000;

/// Puts the queries in the place of the functions.
pub(super) fn expand(command: &mut Command) -> Result<(), Failure> {
    outcome(command.visit_tree_mut(&mut Expansion))
}

struct Expansion;

impl VisitorMut for Expansion {
    type Break = Failure;

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        match open(factor) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        }
    }
}

fn open(factor: &mut TableFactor) -> Result<(), Failure> {
    let TableFactor::TableFunction { expr: Expr::Function(function), alias } = factor else { return Ok(()) };
    let [ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else { return Ok(()) };
    if !name.value.eq_ignore_ascii_case("TO_QUERY") {
        return Ok(());
    }
    let FunctionArguments::List(list) = &function.args else { return Ok(()) };
    let mut text = None;
    let mut values = BTreeMap::new();
    for (index, argument) in list.args.iter().enumerate() {
        match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) if index == 0 => text = Some(value),
            FunctionArg::Named { name, arg: FunctionArgExpr::Expr(value), .. }
            | FunctionArg::ExprNamed { name: Expr::Identifier(name), arg: FunctionArgExpr::Expr(value), .. } => {
                match name.value.to_ascii_uppercase().as_str() {
                    "SQL" => text = Some(value),
                    name => drop(values.insert(name.to_owned(), value.clone())),
                }
            }
            _ => return Err(Failure::unsupported("TO_QUERY with a value that has no name")),
        }
    }
    let text = text.and_then(text_of).ok_or_else(|| Failure::unsupported("TO_QUERY of anything but a text"))?;
    let mut query = read(text)?;
    outcome(query.walk_mut(&mut Filling { values }))?;
    *factor = TableFactor::Derived { lateral: false, subquery: query, alias: alias.take(), sample: None };
    Ok(())
}

/// The text is read as a statement of its own is, but for its size.
fn read(text: &str) -> Result<Box<Query>, Failure> {
    let limits =
        ParseLimits { text_bytes_max: TEXT_BYTES_MAX, statements_max: 1, nesting_depth_max: NESTING_DEPTH_MAX };
    let mut statements = split_script(text, &limits)?;
    let source = statements.pop().ok_or_else(|| Failure::unsupported("TO_QUERY of nothing"))?;
    match parse_statement(&source, &limits)?.command {
        Command::Query(query) => Ok(query),
        _ => Err(Failure::unsupported("TO_QUERY of anything but a query")),
    }
}

fn text_of(value: &Expr) -> Option<&str> {
    match value {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text),
            Value::DollarQuotedString(text) => Some(&text.value),
            _ => None,
        },
        _ => None,
    }
}

struct Filling {
    values: BTreeMap<String, Expr>,
}

impl VisitorMut for Filling {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let Expr::Value(value) = &*expr else { return ControlFlow::Continue(()) };
        let Value::Placeholder(name) = &value.value else { return ControlFlow::Continue(()) };
        let Some(name) = name.strip_prefix(':') else { return ControlFlow::Continue(()) };
        match self.values.get(&name.to_ascii_uppercase()) {
            Some(given) => {
                *expr = given.clone();
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(Failure::invalid_value("TO_QUERY", name, "give it a value by its name")),
        }
    }
}
