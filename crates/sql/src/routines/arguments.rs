//! The arguments of a call, and which of several routines of one name it means.

use super::column_types::ColumnTypes;
use super::{Parameter, Routine, plain_types};
use crate::Failure;
use crate::ast::{Expr, FunctionArg, FunctionArgExpr, Value};
use crate::data_types::DataType;
use crate::print;

/// Arguments as they stand in the text: in order, some with a name.
#[derive(Clone, Debug)]
pub struct Call {
    pub arguments: Vec<(Option<String>, Expr)>,
}

impl Call {
    /// `None` when an argument is no expression.
    pub fn of(arguments: &[FunctionArg]) -> Option<Self> {
        let argument = |argument: &FunctionArg| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some((None, expr.clone())),
            FunctionArg::Named { name, arg: FunctionArgExpr::Expr(expr), .. } => {
                Some((Some(name.value.to_ascii_uppercase()), expr.clone()))
            }
            _ => None,
        };
        Some(Self { arguments: arguments.iter().map(argument).collect::<Option<_>>()? })
    }

    /// One expression for each parameter; `None` when the call does not fit.
    pub fn values(&self, parameters: &[Parameter]) -> Option<Result<Vec<Expr>, Failure>> {
        let mut values: Vec<Option<Expr>> = vec![None; parameters.len()];
        for (index, (name, expr)) in self.arguments.iter().enumerate() {
            let place = match name {
                Some(name) => parameters.iter().position(|parameter| parameter.name == *name)?,
                None => index,
            };
            let slot = values.get_mut(place)?;
            if slot.is_some() {
                return None;
            }
            *slot = Some(expr.clone());
        }
        let mut complete = Vec::new();
        for (value, parameter) in values.into_iter().zip(parameters) {
            complete.push(match (value, &parameter.default) {
                (Some(value), _) => Ok(value),
                (None, Some(default)) => print::read_expression(default),
                (None, None) => return None,
            });
        }
        Some(complete.into_iter().collect())
    }

    /// The cost of coercing the arguments to the parameters; the overload with the lowest cost is chosen.
    fn distance(&self, routine: &Routine, columns: &ColumnTypes) -> Option<usize> {
        self.values(&routine.parameters)?.ok()?;
        Some(self.pairs(routine).map(|(expr, parameter)| distance(expr, columns, &parameter.data_type)).sum())
    }

    fn pairs<'a>(&'a self, routine: &'a Routine) -> impl Iterator<Item = (&'a Expr, &'a Parameter)> {
        self.arguments.iter().enumerate().filter_map(move |(index, (name, expr))| {
            let parameter = match name {
                Some(name) => routine.parameters.iter().find(|parameter| parameter.name == *name),
                None => routine.parameters.get(index),
            };
            parameter.map(|parameter| (expr, parameter))
        })
    }

    /// Whether an argument of unknown type matches parameters of different types in the two overloads.
    fn is_ambiguous(&self, one: &Routine, other: &Routine, columns: &ColumnTypes) -> bool {
        let is_null = |expr: &Expr| matches!(expr, Expr::Value(value) if value.value == Value::Null);
        let differ =
            |one: &Parameter, other: &Parameter| super::type_word(&one.data_type) != super::type_word(&other.data_type);
        self.pairs(one).zip(self.pairs(other)).any(|((expr, one), (_, other))| {
            plain_types::type_of(expr, columns).is_none() && !is_null(expr) && differ(one, other)
        })
    }
}

/// Overload resolution: the routine of this name that the call refers to. A call that is ambiguous because the types of
/// its arguments are not known here is refused.
pub fn choose<'a>(
    call: &Call,
    candidates: &[&'a Routine],
    columns: &ColumnTypes,
) -> Result<Option<&'a Routine>, Failure> {
    let distance = |routine: &Routine| call.distance(routine, columns);
    let fitting = candidates.iter().filter_map(|routine| distance(routine).map(|distance| (distance, *routine)));
    let mut fitting: Vec<(usize, &Routine)> = fitting.collect();
    let rank = |(distance, routine): &(usize, &Routine)| (*distance, routine.parameters.len());
    fitting.sort_by_key(rank);
    let [best, others @ ..] = fitting.as_slice() else { return Ok(None) };
    let mut equals = others.iter().take_while(|other| rank(other) == rank(best));
    if equals.any(|(_, other)| call.is_ambiguous(best.1, other, columns)) {
        let name = &best.1.name.name;
        return Err(Failure::unsupported(&format!("{name} of several, called with what tells no type; cast it")));
    }
    Ok(Some(best.1))
}

/// The cost of coercing an argument to a type; an argument of unknown type matches every type.
fn distance(expr: &Expr, columns: &ColumnTypes, data_type: &DataType) -> usize {
    match (plain_types::type_of(expr, columns), super::type_word(data_type)) {
        (None, _) => 0,
        (Some(given), wanted) if given == wanted => 0,
        (Some("NUMBER"), "FLOAT") => 1,
        (Some(given), wanted) if is_temporal(given) && matches!(wanted, "NUMBER" | "FLOAT" | "BOOLEAN") => 3,
        _ => 2,
    }
}

/// Types that need an explicit cast to become a number or a boolean.
fn is_temporal(word: &str) -> bool {
    word == "DATE" || word == "TIME" || word.starts_with("TIMESTAMP")
}
