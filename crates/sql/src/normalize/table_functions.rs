//! Functions in FROM, all in one form: `LATERAL name(arguments) AS alias`, the name in upper case.

use std::ops::ControlFlow;

use crate::ast::{
    BinaryOperator, ExcludeSelectItem, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgOperator,
    FunctionArguments, GroupByExpr, Ident, ObjectName, ObjectNamePart, Select, SelectItem, TableAlias,
    TableAliasColumnDef, TableFactor, Value, VisitorMut,
};
use crate::build::{call, number, operation};
use crate::functions::{Evaluation, FunctionClass, FunctionEntry, find_in_any_case, not_offered_in_from};
use crate::tree::Tree;
use crate::{Failure, owners_calls};

/// The hidden column of GENERATOR: the number of its row, from zero.
const ROW: &str = "__ROW";

/// Spells a table function in the one form, or refuses it by name.
pub(super) fn admit(factor: &mut TableFactor) -> Result<(), Failure> {
    let (name, args, alias) = match factor {
        TableFactor::TableFunction { expr: Expr::Function(function), alias } => {
            let FunctionArguments::List(list) = &mut function.args else {
                return Err(refused(&function.name));
            };
            if function.over.is_some() || !list.clauses.is_empty() {
                return Err(Failure::unsupported(&format!("{} OVER (PARTITION BY …)", function.name)));
            }
            (function.name.clone(), std::mem::take(&mut list.args), alias.take())
        }
        TableFactor::Function { name, args, alias, .. } => (name.clone(), std::mem::take(args), alias.take()),
        TableFactor::Table { name, args: Some(arguments), alias, .. } => {
            (name.clone(), std::mem::take(&mut arguments.args), alias.take())
        }
        TableFactor::TableFunction { .. } => return Err(Failure::unsupported("TABLE() of an expression")),
        _ => return Ok(()),
    };
    let Some(known) = known(&name) else {
        // A user-defined function, or an unknown one, which is reported during name resolution.
        *factor = TableFactor::Function { lateral: true, name, args, with_ordinality: false, alias };
        return Ok(());
    };
    let args = positional(known, args)?;
    let alias = alias.unwrap_or_else(|| alias_of(known.name));
    let name = ObjectName::from(vec![Ident::with_quote('"', known.name)]);
    *factor = TableFactor::Function { lateral: true, name, args, with_ordinality: false, alias: Some(alias) };
    if known.name == "GENERATOR" {
        name_rows(factor);
    }
    Ok(())
}

fn known(name: &ObjectName) -> Option<&'static FunctionEntry> {
    let [ObjectNamePart::Identifier(word)] = name.0.as_slice() else { return None };
    find_in_any_case(&word.value).filter(|entry| entry.class == FunctionClass::Table)
}

/// Refuses an unknown table function.
pub(crate) fn check(factor: &TableFactor) -> Result<(), Failure> {
    match factor {
        TableFactor::Function { name, .. } if known(name).is_none() => {
            let shown = owners_calls::displayed(name).unwrap_or_else(|| displayed(name));
            Err(not_offered_in_from(&shown))
        }
        _ => Ok(()),
    }
}

/// Whether the rows have to be known before the statement runs.
pub(super) fn is_looked_up(factor: &TableFactor) -> bool {
    let TableFactor::Function { name, .. } = factor else { return false };
    known(name).is_some_and(|entry| entry.evaluation == Evaluation::Lookup)
}

fn is_called(name: &ObjectName, wanted: &str) -> bool {
    name.0.last().and_then(|part| part.as_ident()).is_some_and(|part| part.value == wanted)
}

fn refused(name: &ObjectName) -> Failure {
    Failure::unsupported(&format!("table function {}", displayed(name)))
}

pub(crate) fn displayed(name: &ObjectName) -> String {
    name.to_string().to_ascii_uppercase().replace('"', "")
}

fn alias_of(name: &str) -> TableAlias {
    TableAlias { explicit: true, name: Ident::with_quote('"', name), columns: Vec::new(), at: None }
}

fn name_rows(factor: &mut TableFactor) {
    if let TableFactor::Function { alias: Some(alias), .. } = factor {
        alias.columns = vec![TableAliasColumnDef { name: Ident::with_quote('"', ROW), data_type: None }];
    }
}

/// Arguments in the order of the parameters; one that is left out is NULL.
fn positional(function: &FunctionEntry, given: Vec<FunctionArg>) -> Result<Vec<FunctionArg>, Failure> {
    let (fewest, number) = (function.arity.0, given.len());
    let (function, parameters) = (function.name, function.argument_names);
    let wrong = || {
        let message = format!("SQL compilation error:\n{function} takes the arguments {}.", parameters.join(", "));
        Failure::new("001002", "42601", message)
    };
    let mut values: Vec<Option<Expr>> = vec![None; parameters.len()];
    for (index, argument) in given.into_iter().enumerate() {
        let (place, value) = match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => (index, value),
            FunctionArg::Named {
                name,
                arg: FunctionArgExpr::Expr(value),
                operator: FunctionArgOperator::RightArrow,
            } => {
                let upper = name.value.to_ascii_uppercase();
                (parameters.iter().position(|parameter| *parameter == upper).ok_or_else(wrong)?, value)
            }
            _ => return Err(wrong()),
        };
        *values.get_mut(place).ok_or_else(wrong)? = Some(value);
    }
    if values.iter().take(fewest).any(Option::is_none) {
        let message = format!("not enough arguments for function [{function}], expected {fewest}, got {number}");
        return Err(Failure::new("000938", "22023", format!("SQL compilation error:\n{message}")));
    }
    let null = || Expr::value(Value::Null);
    Ok(values
        .into_iter()
        .map(|value| FunctionArg::Unnamed(FunctionArgExpr::Expr(value.unwrap_or_else(null))))
        .collect())
}

pub(super) fn is_generator(factor: &TableFactor) -> bool {
    matches!(factor, TableFactor::Function { name, .. } if is_called(name, "GENERATOR"))
}

/// SEQ1() to SEQ8(): the number of the row, which GENERATOR has as a column and other relations do not.
pub(super) fn number_rows(select: &mut Select) -> Result<(), Failure> {
    let only = match select.from.as_slice() {
        [table] => table.joins.is_empty() && is_generator(&table.relation),
        _ => false,
    };
    let relations = select
        .from
        .iter()
        .flat_map(|table| std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation)));
    if relations.clone().any(is_generator) {
        hide_rows(select, only)?;
    }
    if !only {
        return Ok(());
    }
    let items = select.projection.iter_mut().filter_map(|item| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    });
    let grouped = match &mut select.group_by {
        GroupByExpr::Expressions(expressions, _) => expressions.as_mut_slice(),
        GroupByExpr::All(_) => &mut [],
    };
    let others = [&mut select.selection, &mut select.having, &mut select.qualify];
    for expr in items.chain(grouped).chain(others.into_iter().flatten()) {
        // The visitor never breaks.
        let _ = expr.walk_mut(&mut RowNumbers);
    }
    Ok(())
}

fn hide_rows(select: &mut Select, only: bool) -> Result<(), Failure> {
    for item in &mut select.projection {
        let SelectItem::Wildcard(options) = item else { continue };
        if only {
            return Err(Failure::new(
                "002028",
                "42601",
                "SQL compilation error:\nSELECT with no columns: GENERATOR has none.",
            ));
        }
        let hidden = ObjectName::from(vec![Ident::with_quote('"', ROW)]);
        match &mut options.opt_exclude {
            Some(ExcludeSelectItem::Multiple(names)) => names.push(hidden),
            Some(ExcludeSelectItem::Single(name)) => {
                let names = vec![name.clone(), hidden];
                options.opt_exclude = Some(ExcludeSelectItem::Multiple(names));
            }
            None => options.opt_exclude = Some(ExcludeSelectItem::Multiple(vec![hidden])),
        }
    }
    Ok(())
}

/// Puts GENERATOR's column in the place of SEQ1() to SEQ8().
struct RowNumbers;

impl VisitorMut for RowNumbers {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        let row = Expr::Identifier(Ident::with_quote('"', ROW));
        *expr = match function.name.to_string().as_str() {
            "SEQ1" => wrapped_around(row, 8, function),
            "SEQ2" => wrapped_around(row, 16, function),
            "SEQ4" | "SEQ8" => row,
            _ => return ControlFlow::Continue(()),
        };
        ControlFlow::Continue(())
    }
}

/// After the largest number of so many bits, one of which is the sign, a sequence goes on with 0, or with the smallest
/// number where its argument is 1. The wider ones have more numbers than there are rows.
fn wrapped_around(row: Expr, bits: u32, function: &Function) -> Expr {
    let (count, half) = (1_u64 << bits, 1_u64 << (bits - 1));
    let half = number(half.to_string());
    if !is_signed(function) {
        return call("MOD", vec![row, half]);
    }
    let raised = operation(row, BinaryOperator::Plus, half.clone());
    let rest = call("MOD", vec![raised, number(count.to_string())]);
    Expr::Nested(Box::new(operation(rest, BinaryOperator::Minus, half)))
}

fn is_signed(function: &Function) -> bool {
    let FunctionArguments::List(list) = &function.args else { return false };
    matches!(&list.args[..], [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(sign)))]
        if sign.value == Value::Number("1".to_owned(), false))
}
