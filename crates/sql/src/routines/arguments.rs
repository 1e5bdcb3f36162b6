//! The arguments of a call, and which of several routines of one name it means.

use super::{Parameter, Routine};
use crate::Failure;
use crate::ast::{Expr, FunctionArg, FunctionArgExpr, Value};
use crate::command::DataType;
use crate::parse::declared_type;
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

    /// How well the arguments suit the parameters: the less, the better.
    fn distance(&self, routine: &Routine) -> Option<usize> {
        self.values(&routine.parameters)?.ok()?;
        let pairs = self.arguments.iter().enumerate().filter_map(|(index, (name, expr))| {
            let parameter = match name {
                Some(name) => routine.parameters.iter().find(|parameter| parameter.name == *name),
                None => routine.parameters.get(index),
            };
            parameter.map(|parameter| (expr, parameter))
        });
        Some(pairs.map(|(expr, parameter)| usize::from(!suits(expr, &parameter.data_type))).sum())
    }
}

/// The routine that a call means among those of its name.
pub fn choose<'a>(call: &Call, candidates: &[&'a Routine]) -> Option<&'a Routine> {
    candidates
        .iter()
        .filter_map(|routine| call.distance(routine).map(|distance| (distance, *routine)))
        .min_by_key(|(distance, routine)| (*distance, routine.parameters.len()))
        .map(|(_, routine)| routine)
}

/// Whether an argument is plainly of the type; what is not plain to see suits any.
fn suits(expr: &Expr, data_type: &DataType) -> bool {
    let class = super::type_word(data_type);
    match expr {
        Expr::Nested(inside) => suits(inside, data_type),
        Expr::UnaryOp { expr, .. } => suits(expr, data_type),
        Expr::Cast { data_type: given, .. } => {
            declared_type(given).is_ok_and(|given| super::type_word(&given) == class)
        }
        Expr::Value(value) => match &value.value {
            Value::Number(..) => matches!(class, "NUMBER" | "FLOAT"),
            Value::SingleQuotedString(_) => class == "VARCHAR",
            Value::Boolean(_) => class == "BOOLEAN",
            _ => true,
        },
        _ => true,
    }
}
