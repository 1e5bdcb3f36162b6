//! VECTOR_… functions. Their arguments become lists of the engine, and the results of aggregates are cast back to a
//! vector, whose dimension has to be known here: from a declared column, a cast, or an alias of one.

use std::rc::Rc;

use firn_binder::Bound;
use firn_sql::Failure;
use firn_sql::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments};
use firn_sql::command::{DataType, VectorElement};

use super::build::{call, call_name, cast, copied_arguments, plain_name};
use super::columns::Columns;
use crate::types;

pub(super) struct Vectors {
    bound: Rc<Bound>,
}

impl Vectors {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { bound: columns.bound().clone() }
    }

    pub(super) fn rewrite(&self, expr: &mut Expr) -> Result<(), Failure> {
        let Expr::Function(function) = expr else { return Ok(()) };
        let Some(name) = call_name(function) else { return Ok(()) };
        match name {
            "VECTOR_COSINE_SIMILARITY" | "VECTOR_INNER_PRODUCT" | "VECTOR_L1_DISTANCE" | "VECTOR_L2_DISTANCE" => {
                let Some(arguments) = copied_arguments(function).filter(|arguments| arguments.len() == 2) else {
                    return Err(Failure::unsupported(&format!("{name} of anything but two vectors")));
                };
                let lists = arguments.into_iter().map(|argument| cast(argument, "DOUBLE[]")).collect();
                *expr = call(&format!("firn_{}", name.to_ascii_lowercase()), lists);
            }
            "VECTOR_AVG" | "VECTOR_MAX" | "VECTOR_MIN" | "VECTOR_SUM" => *expr = self.aggregate(name, function)?,
            _ => {}
        }
        Ok(())
    }

    fn aggregate(&self, name: &str, function: &Function) -> Result<Expr, Failure> {
        let unknown = || Failure::unsupported(&format!("{name} of a vector whose dimension is not declared; cast it"));
        let mut aggregate = function.clone();
        let FunctionArguments::List(list) = &mut aggregate.args else { return Err(unknown()) };
        let [FunctionArg::Unnamed(FunctionArgExpr::Expr(value))] = &mut list.args[..] else { return Err(unknown()) };
        let Some(DataType::Vector { element, dimension }) = self.type_of(value) else { return Err(unknown()) };
        *value = cast(value.clone(), "DOUBLE[]");
        aggregate.name = plain_name(&format!("firn_{}", name.to_ascii_lowercase()));
        let element = if name == "VECTOR_AVG" { VectorElement::Float } else { element };
        let made = types::engine_type(&DataType::Vector { element, dimension });
        Ok(cast(cast(Expr::Function(aggregate), "JSON"), &made))
    }

    fn type_of(&self, expr: &Expr) -> Option<DataType> {
        match expr {
            Expr::Nested(inside) => self.type_of(inside),
            Expr::Cast { data_type, .. } => vector_of_text(&data_type.to_string()),
            _ => self.bound.node(expr)?.value.data_type.data_type().cloned(),
        }
    }
}

/// The engine's name of a vector's type, read back.
fn vector_of_text(text: &str) -> Option<DataType> {
    let (element, dimension) = text.strip_suffix(']')?.split_once('[')?;
    let element = match element {
        "FLOAT" => VectorElement::Float,
        "INTEGER" => VectorElement::Integer,
        _ => return None,
    };
    Some(DataType::Vector { element, dimension: dimension.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn vectors_are_lists_to_their_functions() {
        check(
            "SELECT VECTOR_L1_DISTANCE(a, b)",
            "SELECT firn_vector_l1_distance(CAST(a AS DOUBLE[]), CAST(b AS DOUBLE[]))",
        );
        check(
            "SELECT VECTOR_AVG(a::VECTOR(INT, 2))",
            "SELECT CAST(CAST(firn_vector_avg(CAST(CAST(firn_vector_elements(a, 'INT', 2) AS INTEGER[2]) AS DOUBLE[])) AS JSON) AS FLOAT[2])",
        );
        check(
            "SELECT VECTOR_SUM(a)",
            "Unsupported feature 'VECTOR_SUM of a vector whose dimension is not declared; cast it'.",
        );
    }
}
