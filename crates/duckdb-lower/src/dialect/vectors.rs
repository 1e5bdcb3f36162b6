//! VECTOR_… functions. Their arguments become lists of the engine's, and what the aggregates answer becomes a vector
//! again, for which its dimension has to be known here: from a declared column, a cast, or an alias of one.

use std::ops::ControlFlow;

use firn_sql::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Select, SelectItem, Visitor};
use firn_sql::command::{DataType, VectorElement};
use firn_sql::{Failure, declared_type};
use foldhash::HashMap;

use super::build::{call, call_name, cast, copied_arguments, plain_name};
use super::columns::Columns;
use crate::types;

/// The names that stand for vectors; `None` where one name means two kinds.
#[derive(Default)]
pub(super) struct Vectors {
    names: HashMap<String, Option<DataType>>,
}

impl Vectors {
    /// Knows the columns, and learns the names that the queries of a tree give.
    pub(super) fn reader(columns: &Columns) -> Aliases {
        let mut found = Self::default();
        for (name, data_type) in columns.iter().filter(|(_, data_type)| matches!(data_type, DataType::Vector { .. })) {
            found.learn(name, data_type);
        }
        Aliases { found }
    }

    fn learn(&mut self, name: &str, data_type: &DataType) {
        let known = self.names.entry(name.to_owned()).or_insert_with(|| Some(data_type.clone()));
        if known.as_ref() != Some(data_type) {
            *known = None;
        }
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
            Expr::Identifier(name) => self.names.get(&name.value)?.clone(),
            Expr::CompoundIdentifier(parts) => self.names.get(&parts.last()?.value)?.clone(),
            Expr::Nested(inside) => self.type_of(inside),
            Expr::Cast { data_type, .. } => vector_of_text(&data_type.to_string()),
            _ => None,
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

/// The names subqueries give to vectors.
pub(super) struct Aliases {
    pub(super) found: Vectors,
}

impl Visitor for Aliases {
    type Break = Failure;

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Failure> {
        for item in &select.projection {
            if let SelectItem::ExprWithAlias { expr: Expr::Cast { data_type, .. }, alias } = item
                && let Ok(declared @ DataType::Vector { .. }) = declared_type(data_type)
            {
                self.found.learn(&alias.value, &declared);
            }
        }
        ControlFlow::Continue(())
    }
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
