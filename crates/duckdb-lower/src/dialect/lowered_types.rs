//! The dialect types of the calls and casts that lowering passes insert. With them the binder knows the type of any
//! expression, however far it is lowered.

use std::rc::Rc;

use firn_binder::{Bound, Family, LoweredTypes, Type};
use firn_functions::quotients::scale_of;
use firn_sql::ast::{
    BinaryOperator, DataType as TreeType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
};
use firn_sql::command::DataType;
use firn_sql::functions::types::{ARRAY, BOOLEAN, DATE, FLOAT, INTEGER, OBJECT, TEXT, TIMESTAMP_TZ, VARIANT, number};

use super::build::{bound_parts, bound_place, call_name, plain_arguments};
use super::columns::Columns;

enum CallType {
    Fixed(DataType),
    /// Of two numbers.
    Operation(BinaryOperator),
    /// The type of the first argument, with as many digits as an exact number can have.
    LikeFirst,
}

/// In alphabetical order.
const CALLS: &[(&str, CallType)] = &[
    ("count", CallType::Fixed(INTEGER)),
    ("firn_array_from", CallType::Fixed(ARRAY)),
    ("firn_array_of", CallType::Fixed(ARRAY)),
    ("firn_array_union", CallType::Fixed(ARRAY)),
    ("firn_as_float", CallType::LikeFirst),
    ("firn_as_number", CallType::LikeFirst),
    ("firn_canonical", CallType::LikeFirst),
    ("firn_canonical_array", CallType::LikeFirst),
    ("firn_canonical_object", CallType::LikeFirst),
    ("firn_date", CallType::Fixed(DATE)),
    ("firn_divide", CallType::Fixed(FLOAT)),
    ("firn_element", CallType::Fixed(VARIANT)),
    ("firn_extract", CallType::Fixed(VARIANT)),
    // A comparison with an instant is one of instants.
    ("firn_instant", CallType::Fixed(TIMESTAMP_TZ)),
    ("firn_integer", CallType::Fixed(INTEGER)),
    ("firn_modulo", CallType::Operation(BinaryOperator::Modulo)),
    ("firn_number", CallType::Fixed(FLOAT)),
    ("firn_object_of", CallType::Fixed(OBJECT)),
    ("firn_parse_json", CallType::Fixed(VARIANT)),
    ("firn_text", CallType::Fixed(TEXT)),
    ("firn_text_storable", CallType::Fixed(TEXT)),
    ("firn_text_within", CallType::Fixed(TEXT)),
    ("firn_textual", CallType::Fixed(TEXT)),
    ("firn_to_array", CallType::Fixed(ARRAY)),
    ("firn_to_object", CallType::Fixed(OBJECT)),
    ("firn_truth", CallType::Fixed(BOOLEAN)),
    ("firn_variant", CallType::Fixed(VARIANT)),
    ("first", CallType::LikeFirst),
    ("sum", CallType::LikeFirst),
];

/// The types of expressions, before they are lowered and after.
#[derive(Clone)]
pub(super) struct Types {
    bound: Rc<Bound>,
}

impl Types {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { bound: columns.bound().clone() }
    }

    pub(super) fn bound(&self) -> &Bound {
        &self.bound
    }

    pub(super) fn type_of(&self, expr: &Expr) -> Type {
        self.bound.type_of_lowered(expr, &DuckDbTypes::default()).data_type
    }

    pub(super) fn is_text(&self, expr: &Expr) -> bool {
        self.type_of(expr).family() == Family::Text
    }
}

#[derive(Default)]
struct DuckDbTypes {
    /// Of the values that are bound around the expression.
    bound_values: Vec<Type>,
}

impl DuckDbTypes {
    /// The type of an expression over bound values, or of one of these.
    fn of_bound(&self, function: &Function, bound: &Bound) -> Option<Type> {
        if let Some(place) = bound_place(function) {
            return self.bound_values.get(place.checked_sub(1)?).cloned();
        }
        let (values, body) = bound_parts(function)?;
        let bound_values = values.into_iter().map(|value| bound.type_of_lowered(value, self).data_type).collect();
        Some(bound.type_of_lowered(body, &Self { bound_values }).data_type)
    }
}

impl LoweredTypes for DuckDbTypes {
    fn type_of_cast(&self, target: &TreeType) -> Option<Type> {
        let TreeType::Custom(name, _) = target else { return None };
        let name = name.to_string();
        let data_type = match name.as_str() {
            "BIGINT" => INTEGER,
            "BOOLEAN" => BOOLEAN,
            "DATE" => DATE,
            "DOUBLE" => FLOAT,
            _ => {
                let digits = name.strip_prefix("DECIMAL(")?.strip_suffix(')')?;
                let (precision, scale) = digits.split_once(',')?;
                number(precision.trim().parse().ok()?, scale.trim().parse().ok()?)
            }
        };
        Some(data_type.into())
    }

    fn type_of_call(&self, function: &Function, bound: &Bound) -> Option<Type> {
        let name = call_name(function)?;
        let Ok(found) = CALLS.binary_search_by(|(known, _)| (*known).cmp(name)) else {
            return scale_of(name).map(|scale| number(38, scale).into()).or_else(|| self.of_bound(function, bound));
        };
        match &CALLS[found].1 {
            CallType::Fixed(data_type) => Some(data_type.clone().into()),
            CallType::Operation(operator) => {
                let &[left, right] = &plain_arguments(function)?[..] else { return None };
                let (left, right) = (Box::new(left.clone()), Box::new(right.clone()));
                Some(bound.type_of_lowered(&Expr::BinaryOp { left, op: operator.clone(), right }, self).data_type)
            }
            CallType::LikeFirst => {
                let first = bound.type_of_lowered(first_argument(function)?, self).data_type;
                Some(match first.data_type() {
                    Some(DataType::Number { scale, .. }) => number(38, *scale).into(),
                    _ => first,
                })
            }
        }
    }
}

pub(super) fn first_argument(function: &Function) -> Option<&Expr> {
    let FunctionArguments::List(list) = &function.args else { return None };
    match list.args.first()? {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::CALLS;

    #[test]
    fn the_table_is_sorted() {
        assert!(CALLS.is_sorted_by(|(left, _), (right, _)| left < right));
    }
}
