//! The functions of INFORMATION_SCHEMA in FROM: each becomes a query over a view, its arguments conditions.

mod loads;
mod logins;
mod metering;
mod past_statements;
mod policies;
mod tags;
mod unsupported_services;

use crate::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectNamePart, TableFactor, Value};
use crate::names::{INFORMATION_SCHEMA, quote_identifier};
use crate::reader::name_parts_of;
use crate::{Failure, ObjectName, print};

/// A call `TABLE([database.]INFORMATION_SCHEMA.name(…))`.
struct Call<'a> {
    name: &'a str,
    database: Option<&'a str>,
    function: &'a Function,
}

/// The query that a call stands for; `None` for a function of another view.
type View = fn(&Call<'_>) -> Result<Option<String>, Failure>;

/// Puts the query in the place of the function.
pub(super) fn open(factor: &mut TableFactor) -> Result<(), Failure> {
    let TableFactor::TableFunction { expr: Expr::Function(function), alias } = factor else { return Ok(()) };
    let parts: Vec<String> = function.name.0.iter().filter_map(name_part).collect();
    let [before @ .., schema, name] = &parts[..] else { return Ok(()) };
    if schema != INFORMATION_SCHEMA || before.len() > 1 {
        return Ok(());
    }
    let call = Call { name, database: before.first().map(String::as_str), function };
    let views: [View; 7] = [
        past_statements::query,
        loads::query,
        policies::query,
        tags::query,
        logins::query,
        metering::query,
        unsupported_services::query,
    ];
    let mut sql = None;
    for query in views {
        sql = query(&call)?;
        if sql.is_some() {
            break;
        }
    }
    let Some(sql) = sql else { return Ok(()) };
    let alias = alias.take();
    *factor =
        TableFactor::Derived { lateral: false, subquery: Box::new(print::read_query(&sql)?), alias, sample: None };
    Ok(())
}

fn name_part(part: &ObjectNamePart) -> Option<String> {
    part.as_ident().map(|name| match name.quote_style {
        None => name.value.to_ascii_uppercase(),
        Some(_) => name.value.clone(),
    })
}

impl<'a> Call<'a> {
    /// A view of the INFORMATION_SCHEMA that was called.
    fn view(&self, name: &str) -> String {
        let database = self.database.map_or_else(String::new, |database| format!("{}.", quote_identifier(database)));
        format!("{database}{INFORMATION_SCHEMA}.{name}")
    }

    /// The arguments with their names; those without one are named by their places.
    fn arguments(&self, parameters: &[&'static str]) -> Result<Vec<(&'static str, &'a Expr)>, Failure> {
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

    fn refused(&self, argument: &str) -> Failure {
        Failure::unsupported(&format!("{} with {argument}", self.name))
    }

    fn missing(&self, argument: &str) -> Failure {
        let message = format!("SQL compilation error:\n{} needs the argument {argument}.", self.name);
        Failure::new("000938", "22023", message)
    }
}

/// A name given as a text.
fn text_of(what: &str, value: &Expr) -> Result<String, Failure> {
    match value {
        Expr::Value(literal) => match &literal.value {
            Value::SingleQuotedString(text) => Ok(text.clone()),
            _ => Err(Failure::invalid_value(what, &value.to_string(), "give a text")),
        },
        _ => Err(Failure::invalid_value(what, &value.to_string(), "give a text")),
    }
}

fn object_of(what: &str, value: &Expr) -> Result<ObjectName, Failure> {
    let text = text_of(what, value)?;
    ObjectName::of_parts(name_parts_of(&text)?).ok_or_else(|| Failure::missing_object("Table", &text))
}

/// A condition that holds when the object is there and may be read.
fn is_there(name: &ObjectName) -> String {
    let parts = [name.database.as_deref(), name.schema.as_deref(), Some(name.name.as_str())];
    let parts: Vec<String> = parts.into_iter().flatten().map(quote_identifier).collect();
    format!("(SELECT COUNT(*) FROM {}) >= 0", parts.join("."))
}
