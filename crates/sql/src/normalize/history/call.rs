//! A call of a function of INFORMATION_SCHEMA, and its arguments.

use crate::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value};
use crate::names::{INFORMATION_SCHEMA, quote_identifier};
use crate::reader::name_parts_of;
use crate::{Failure, ObjectName};

/// A call `TABLE([database.]INFORMATION_SCHEMA.name(…))`.
pub(super) struct Call<'a> {
    pub(super) name: &'a str,
    pub(super) database: Option<&'a str>,
    pub(super) function: &'a Function,
}

impl<'a> Call<'a> {
    /// A view of the INFORMATION_SCHEMA that was called.
    pub(super) fn view(&self, name: &str) -> String {
        let database = self.database.map_or_else(String::new, |database| format!("{}.", quote_identifier(database)));
        format!("{database}{INFORMATION_SCHEMA}.{name}")
    }

    /// The arguments with their names; those without one are named by their places.
    pub(super) fn arguments(&self, parameters: &[&'static str]) -> Result<Vec<(&'static str, &'a Expr)>, Failure> {
        let FunctionArguments::List(list) = &self.function.args else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for (place, argument) in list.args.iter().enumerate() {
            let (name, value) = match argument {
                FunctionArg::Named { name, arg: FunctionArgExpr::Expr(value), .. }
                | FunctionArg::ExprNamed { name: Expr::Identifier(name), arg: FunctionArgExpr::Expr(value), .. } => {
                    let upper = name.value.to_ascii_uppercase();
                    let known = parameters.iter().find(|known| **known == upper);
                    (*known.ok_or_else(|| self.refused(&upper))?, value)
                }
                FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => {
                    (*parameters.get(place).ok_or_else(|| self.refused("more arguments"))?, value)
                }
                _ => return Err(self.refused("this argument")),
            };
            found.push((name, value));
        }
        Ok(found)
    }

    pub(super) fn refused(&self, argument: &str) -> Failure {
        Failure::unsupported(&format!("{} with {argument}", self.name))
    }

    pub(super) fn missing(&self, argument: &str) -> Failure {
        let message = format!("SQL compilation error:\n{} needs the argument {argument}.", self.name);
        Failure::new("000938", "22023", message)
    }
}

/// A name given as a text.
pub(super) fn text_of(what: &str, value: &Expr) -> Result<String, Failure> {
    match value {
        Expr::Value(literal) => match &literal.value {
            Value::SingleQuotedString(text) => Ok(text.clone()),
            _ => Err(Failure::invalid_value(what, &value.to_string(), "give a text")),
        },
        _ => Err(Failure::invalid_value(what, &value.to_string(), "give a text")),
    }
}

pub(super) fn object_of(what: &str, value: &Expr) -> Result<ObjectName, Failure> {
    let text = text_of(what, value)?;
    ObjectName::of_parts(name_parts_of(&text)?).ok_or_else(|| Failure::missing_object("Table", &text))
}

/// A condition that holds when the object is there and may be read.
pub(super) fn is_there(name: &ObjectName) -> String {
    let parts = [name.database.as_deref(), name.schema.as_deref(), Some(name.name.as_str())];
    let parts: Vec<String> = parts.into_iter().flatten().map(quote_identifier).collect();
    format!("(SELECT COUNT(*) FROM {}) >= 0", parts.join("."))
}
