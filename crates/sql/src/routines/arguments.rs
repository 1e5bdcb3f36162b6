//! The arguments of a call of a routine.

use super::Parameter;
use crate::Failure;
use crate::ast::{Expr, FunctionArg, FunctionArgExpr};
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

    /// The place of the parameter that each argument is for; `None` when the call does not fit.
    pub fn places(&self, parameters: &[Parameter]) -> Option<Vec<usize>> {
        let mut is_given = vec![false; parameters.len()];
        let mut places = Vec::with_capacity(self.arguments.len());
        for (index, (name, _)) in self.arguments.iter().enumerate() {
            let place = match name {
                Some(name) => parameters.iter().position(|parameter| parameter.name == *name)?,
                None => index,
            };
            if std::mem::replace(is_given.get_mut(place)?, true) {
                return None;
            }
            places.push(place);
        }
        let is_complete =
            is_given.into_iter().zip(parameters).all(|(is_given, parameter)| is_given || parameter.default.is_some());
        is_complete.then_some(places)
    }

    /// One expression for each parameter; `None` when the call does not fit.
    pub fn values(&self, parameters: &[Parameter]) -> Option<Result<Vec<Expr>, Failure>> {
        let places = self.places(parameters)?;
        let value = |(place, parameter): (usize, &Parameter)| {
            let mut given = places.iter().zip(&self.arguments).filter(|(given, _)| **given == place);
            match (given.next(), &parameter.default) {
                (Some((_, (_, value))), _) => Ok(value.clone()),
                (None, default) => print::read_expression(default.as_deref().unwrap_or("NULL")),
            }
        };
        Some(parameters.iter().enumerate().map(value).collect())
    }
}
