//! Calls of functions: plain arguments, upper-case names, canonical date parts.

use super::function_names::plain_name;
use super::refusals::refuse;
use super::{odbc_escapes, queries};
use crate::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArgumentList, FunctionArguments,
    ObjectNamePart, Spanned, Value, WindowType,
};
use crate::build::{call, cast, string};
use crate::data_types::{DataType, type_in_tree};
use crate::functions::{FunctionClass, Parameter, find};
use crate::reader::name_parts_of;
use crate::{Failure, date_parts};

pub(super) fn admit(function: &mut Function) -> Result<(), Failure> {
    let name = match function.uses_odbc_syntax {
        true => odbc_escapes::open(function)?,
        false => plain_name(function)?,
    };
    refuse(!matches!(function.parameters, FunctionArguments::None), "parameters before arguments")?;
    refuse(function.filter.is_some(), "FILTER")?;
    check_window(&name, function)?;
    match &mut function.args {
        FunctionArguments::None => Ok(()),
        FunctionArguments::Subquery(_) => Err(Failure::unsupported("query as the argument of a function")),
        FunctionArguments::List(list) => {
            refuse(!takes_lambda(&name) && list.args.iter().any(is_lambda), "lambda")?;
            place_named(&name, list)?;
            check_role_name(&name, list)?;
            let nulls = admit_arguments(list)?;
            function.null_treatment = function.null_treatment.or(nulls);
            canonical_date_part(&name, list)
        }
    }
}

/// The functions that say whether a role is in the session take its name, and no number or truth value.
fn check_role_name(name: &str, list: &FunctionArgumentList) -> Result<(), Failure> {
    const OF_ROLES: [&str; 3] = ["IS_ROLE_IN_SESSION", "IS_DATABASE_ROLE_IN_SESSION", "IS_GRANTED_TO_INVOKER_ROLE"];
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(given)))] = list.args.as_slice() else {
        return Ok(());
    };
    let shown = match &given.value {
        Value::Number(digits, _) => {
            let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
            format!("NUMBER({},{})", whole.len() + fraction.len(), fraction.len())
        }
        Value::Boolean(_) => "BOOLEAN".to_owned(),
        _ => return Ok(()),
    };
    match OF_ROLES.contains(&name) {
        true => Err(Failure::new(
            "001044",
            "42P13",
            format!("SQL compilation error:\nInvalid argument types for function '{name}': ({shown})"),
        )),
        false => Ok(()),
    }
}

/// Window functions that depend on the order of rows need ORDER BY.
fn check_window(name: &str, function: &Function) -> Result<(), Failure> {
    let is_ordered = || find(name).is_some_and(|entry| entry.class == FunctionClass::OrderedWindow);
    match &function.over {
        Some(WindowType::WindowSpec(window)) if window.order_by.is_empty() && is_ordered() => {
            let message = format!(
                "SQL compilation error:\nWindow function type [{name}] requires ORDER BY in window specification"
            );
            Err(Failure::new("002303", "42601", message))
        }
        _ => Ok(()),
    }
}

/// The arguments of a call, when all of them are plain expressions.
pub(super) fn plain_arguments(function: Function) -> Option<Vec<Expr>> {
    let FunctionArguments::List(list) = function.args else { return None };
    let plain = |argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    };
    list.args.into_iter().map(plain).collect()
}

fn takes_lambda(name: &str) -> bool {
    find(name).is_some_and(|entry| entry.parameters.contains(&Parameter::Lambda))
}

fn is_lambda(argument: &FunctionArg) -> bool {
    matches!(argument, FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Lambda(_))))
}

/// `IDENTIFIER('t.a')` is the column that the text names.
pub(super) fn identifier(function: &Function) -> Result<Option<Expr>, Failure> {
    let [ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else { return Ok(None) };
    if !name.value.eq_ignore_ascii_case("IDENTIFIER") || name.quote_style.is_some() {
        return Ok(None);
    }
    let FunctionArguments::List(list) = &function.args else { return Ok(None) };
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value)))] = list.args.as_slice() else {
        return Err(Failure::unsupported("IDENTIFIER of what is not a text"));
    };
    let Value::SingleQuotedString(text) = &value.value else {
        return Err(Failure::unsupported("IDENTIFIER of what is not a text"));
    };
    let mut parts: Vec<_> =
        name_parts_of(text)?.into_iter().map(|part| crate::ast::Ident::with_quote('"', part)).collect();
    Ok(match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => Some(Expr::Identifier(only)),
        (Some(last), false) => {
            parts.push(last);
            Some(Expr::CompoundIdentifier(parts))
        }
        (None, _) => None,
    })
}

/// `COLLATION(x COLLATE 'en-ci')` is `'en-ci'`.
pub(super) fn given_collation(function: &Function) -> Option<String> {
    let FunctionArguments::List(list) = &function.args else { return None };
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Function(inside)))] = list.args.as_slice() else {
        return None;
    };
    if function.name.to_string() != "COLLATION" || inside.name.to_string() != "COLLATE" {
        return None;
    }
    let FunctionArguments::List(list) = &inside.args else { return None };
    match list.args.as_slice() {
        [_, FunctionArg::Unnamed(FunctionArgExpr::Expr(collation))] => text_of(collation).map(str::to_owned),
        _ => None,
    }
}

/// `CURRENT_TIMESTAMP(3)` is `CURRENT_TIMESTAMP()` with three digits after the second.
pub(super) fn clock_with_digits(function: &Function) -> Option<Expr> {
    let name = function.name.to_string();
    let of_scale: fn(u8) -> DataType = match name.as_str() {
        "CURRENT_TIME" | "LOCALTIME" => |scale| DataType::Time { scale },
        "CURRENT_TIMESTAMP" | "LOCALTIMESTAMP" => |scale| DataType::TimestampLtz { scale },
        _ => return None,
    };
    let [Expr::Value(digits)] = &plain_arguments(function.clone())?[..] else { return None };
    let Value::Number(digits, _) = &digits.value else { return None };
    let scale = digits.parse().ok().filter(|scale| *scale <= 9)?;
    Some(cast(call(&name, Vec::new()), type_in_tree(&of_scale(scale))))
}

/// `LIKE(subject, pattern, escape)` is `subject LIKE pattern ESCAPE escape`.
pub(super) fn like(function: &Function) -> Option<Expr> {
    let name = function.name.to_string();
    if !matches!(name.as_str(), "LIKE" | "ILIKE") {
        return None;
    }
    let mut arguments = plain_arguments(function.clone())?.into_iter();
    let (expr, pattern) = (Box::new(arguments.next()?), Box::new(arguments.next()?));
    let escape_char = arguments.next().map(Box::new);
    if arguments.next().is_some() {
        return None;
    }
    let like = match name.as_str() {
        "LIKE" => Expr::Like { negated: false, any: false, expr, pattern, escape_char },
        _ => Expr::ILike { negated: false, any: false, expr, pattern, escape_char },
    };
    Some(Expr::Nested(Box::new(like)))
}

/// Gives named arguments their places; what is left out before another is NULL.
fn place_named(function: &str, list: &mut FunctionArgumentList) -> Result<(), Failure> {
    let names = find(function).map_or(&[][..], |entry| entry.argument_names);
    if names.is_empty() || !list.args.iter().any(|argument| matches!(argument, FunctionArg::Named { .. })) {
        return Ok(());
    }
    let mut places: Vec<Option<FunctionArgExpr>> = Vec::new();
    for argument in list.args.drain(..) {
        match argument {
            FunctionArg::Unnamed(value) => places.push(Some(value)),
            FunctionArg::Named { name, arg, .. } => {
                let found = names.iter().position(|known| name.value.eq_ignore_ascii_case(known));
                let place = found.ok_or_else(|| Failure::unsupported(&format!("argument {name} of {function}")))?;
                places.resize(places.len().max(place + 1), None);
                if places[place].replace(arg).is_some() {
                    return Err(Failure::unsupported(&format!("argument {name} of {function} twice")));
                }
            }
            FunctionArg::ExprNamed { .. } => return Err(Failure::unsupported("named argument")),
        }
    }
    let absent = || FunctionArgExpr::Expr(Expr::value(Value::Null));
    list.args = places.into_iter().map(|value| FunctionArg::Unnamed(value.unwrap_or_else(absent))).collect();
    Ok(())
}

fn admit_arguments(list: &mut FunctionArgumentList) -> Result<Option<crate::ast::NullTreatment>, Failure> {
    for argument in &list.args {
        match argument {
            FunctionArg::Unnamed(FunctionArgExpr::WildcardWithOptions(options)) => queries::admit_wildcard(options)?,
            FunctionArg::Unnamed(_) => {}
            FunctionArg::Named { .. } => {}
            FunctionArg::ExprNamed { .. } => return Err(Failure::unsupported("named argument")),
        }
    }
    let mut nulls = None;
    for clause in list.clauses.drain(..) {
        match clause {
            FunctionArgumentClause::IgnoreOrRespectNulls(treatment) => nulls = Some(treatment),
            other => return Err(Failure::unsupported(&format!("{other} inside a function's brackets"))),
        }
    }
    Ok(nulls)
}

fn canonical_date_part(function: &str, list: &mut FunctionArgumentList) -> Result<(), Failure> {
    if function == "DATE_TRUNC" {
        part_first(list);
    }
    let Some(argument) = date_parts::argument_of(function).and_then(|index| list.args.get_mut(index)) else {
        return Ok(());
    };
    let FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) = argument else { return Ok(()) };
    let name = match expr {
        Expr::Identifier(name) => name.value.clone(),
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(name) => name.clone(),
            _ => return Ok(()),
        },
        _ => return Ok(()),
    };
    let start = expr.span().start;
    let unknown = || unknown_date_part(&name).at(start.line, start.column.saturating_sub(1));
    *expr = string(date_parts::canonical(&name).ok_or_else(unknown)?);
    Ok(())
}

/// `DATE_TRUNC(d, 'month')` is `DATE_TRUNC('month', d)`.
fn part_first(list: &mut FunctionArgumentList) {
    let is_part = |argument: Option<&FunctionArg>| match argument {
        Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))) => {
            text_of(expr).is_some_and(|name| date_parts::canonical(name).is_some())
        }
        _ => false,
    };
    if is_part(list.args.get(1)) && !is_part(list.args.first()) {
        list.args.swap(0, 1);
    }
}

fn text_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn unknown_date_part(name: &str) -> Failure {
    Failure::invalid_value("date or time part", name, "use a part such as year, month, day or hour")
}
