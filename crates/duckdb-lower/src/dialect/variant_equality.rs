//! Where semi-structured values have to be equal, their equality keys are compared: the engine would compare the texts
//! they are stored as, in which `100` and `1e2` differ.

use firn_binder::Type;
use firn_sql::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Query,
    SelectItem, SetExpr, WindowType,
};
use firn_sql::command::DataType;

use super::aggregates::array_agg;
use super::build::{call, call_name, case, nested, null};
use super::columns::Columns;
use super::lowered_types::Types;

const KEY: &str = "firn_equality_key";

pub(super) struct VariantEquality {
    types: Types,
}

impl VariantEquality {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { types: Types::of(columns) }
    }

    pub(super) fn types(&self) -> &Types {
        &self.types
    }

    pub(super) fn is_variant(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Value(_) => false,
            // The lowered cast of a VARIANT is to the engine's type.
            Expr::Cast { data_type, .. } => {
                matches!(data_type.to_string().as_str(), "VARIANT" | "OBJECT" | "ARRAY")
            }
            _ => self.types.type_of(expr).family().is_semi_structured(),
        }
    }

    pub(super) fn rewrite(&self, expr: &mut Expr) {
        match expr {
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => self.compare(left, right),
            Expr::InSubquery { expr, subquery, .. } => self.compare_with_rows(expr, subquery),
            Expr::AnyOp { left, compare_op: BinaryOperator::Eq | BinaryOperator::NotEq, right, .. }
            | Expr::AllOp { left, compare_op: BinaryOperator::Eq | BinaryOperator::NotEq, right } => {
                if let Expr::Subquery(rows) = &mut **right {
                    self.compare_with_rows(left, rows);
                }
            }
            Expr::InList { expr, list, .. }
                if self.is_variant(expr) && list.iter().all(|item| self.is_variant(item)) =>
            {
                list.iter_mut().for_each(by_key);
                by_key(expr);
            }
            Expr::Case { operand: Some(operand), conditions, .. }
                if self.is_variant(operand) && conditions.iter().all(|branch| self.is_variant(&branch.condition)) =>
            {
                conditions.iter_mut().for_each(|branch| by_key(&mut branch.condition));
                by_key(operand);
            }
            Expr::Function(function) => {
                if let Some(rewritten) = self.call(function) {
                    *expr = rewritten;
                }
            }
            _ => {}
        }
    }

    pub(super) fn compare(&self, left: &mut Expr, right: &mut Expr) {
        if self.is_variant(left) && self.is_variant(right) {
            by_key(left);
            by_key(right);
        }
    }

    /// The value that all those equal to it become, for where the engine has to compare the values themselves.
    pub(super) fn canonical(&self, value: &Expr) -> Expr {
        call(self.canonical_call(value), vec![value.clone()])
    }

    pub(super) fn canonical_call(&self, value: &Expr) -> &'static str {
        match self.types.type_of(value) {
            Type::Of(DataType::Array) => "firn_canonical_array",
            Type::Of(DataType::Structured(structured)) if structured.outermost() == "ARRAY" => "firn_canonical_array",
            Type::Of(DataType::Object | DataType::Structured(_)) => "firn_canonical_object",
            _ => "firn_canonical",
        }
    }

    fn compare_with_rows(&self, value: &mut Expr, rows: &mut Query) {
        if self.is_variant(value)
            && let Some(shown) = only_item(rows).filter(|shown| self.is_variant(shown))
        {
            by_key(shown);
            by_key(value);
        }
    }

    /// What the call becomes, unless it is changed in place.
    fn call(&self, function: &mut Function) -> Option<Expr> {
        if let Some(WindowType::WindowSpec(window)) = &mut function.over {
            window.partition_by.iter_mut().filter(|key| self.is_variant(key)).for_each(by_key);
        }
        let name = call_name(function)?.to_owned();
        let FunctionArguments::List(list) = &mut function.args else { return None };
        let is_distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        let mut values: Vec<&mut Expr> = list.args.iter_mut().filter_map(plain_value).collect();
        match (name.as_str(), &mut values[..]) {
            ("COUNT", values) if is_distinct => {
                for value in values.iter_mut().filter(|value| self.is_variant(value)) {
                    **value = key_of(call("firn_unless_json_null", vec![std::mem::replace(value, null())]));
                }
            }
            ("APPROX_COUNT_DISTINCT" | "HLL" | "HLL_ACCUMULATE", values) => {
                values.iter_mut().filter(|value| self.is_variant(value)).for_each(|value| by_key(value));
            }
            ("ARRAY_AGG", [value, ..]) if is_distinct && function.over.is_none() && self.is_variant(value) => {
                list.duplicate_treatment = None;
                return Some(call("ARRAY_DISTINCT", vec![array_agg(function).ok()?]));
            }
            ("__CANONICAL", [value]) => return Some(self.canonical(value)),
            ("MODE", [value]) if self.is_variant(value) => **value = self.canonical(value),
            ("EQUAL_NULL", [left, right]) => self.compare(left, right),
            ("NULLIF", [left, right]) if self.is_variant(left) && self.is_variant(right) => {
                let (value, other) = (left.clone(), right.clone());
                let equal = Expr::BinaryOp {
                    left: Box::new(key_of(value.clone())),
                    op: BinaryOperator::Eq,
                    right: Box::new(key_of(other)),
                };
                return Some(nested(case(vec![(equal, null())], Some(value))));
            }
            ("DECODE", [subject, rest @ ..]) if self.is_variant(subject) => {
                let last = rest.len() - rest.len() % 2;
                let mut wanted: Vec<&mut &mut Expr> = rest[..last].iter_mut().step_by(2).collect();
                if wanted.iter().all(|value| self.is_variant(value)) {
                    wanted.iter_mut().for_each(|value| by_key(value));
                    by_key(subject);
                }
            }
            _ => {}
        }
        None
    }
}

/// What a query shows in its only column, where it is written out.
fn only_item(query: &mut Query) -> Option<&mut Expr> {
    let SetExpr::Select(select) = &mut *query.body else { return None };
    match &mut select.projection[..] {
        [SelectItem::UnnamedExpr(shown) | SelectItem::ExprWithAlias { expr: shown, .. }] => Some(shown),
        _ => None,
    }
}

fn plain_value(argument: &mut FunctionArg) -> Option<&mut Expr> {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value),
        _ => None,
    }
}

pub(super) fn key_of(value: Expr) -> Expr {
    call(KEY, vec![value])
}

pub(super) fn by_key(value: &mut Expr) {
    *value = key_of(std::mem::replace(value, null()));
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn variants_are_equal_by_their_keys() {
        let key = |name: &str| format!(r#"firn_equality_key(firn_extract({name}, '["a"]'))"#);
        check("SELECT v:a = w:a", &format!("SELECT {} = {}", key("v"), key("w")));
        check("SELECT v:a IN (w:a)", &format!("SELECT {} IN ({})", key("v"), key("w")));
        check(
            "SELECT COUNT(DISTINCT v:a)",
            r#"SELECT COUNT(DISTINCT firn_equality_key(firn_unless_json_null(firn_extract(v, '["a"]'))))"#,
        );
        check("SELECT MODE(v:a)", r#"SELECT MODE(firn_canonical(firn_extract(v, '["a"]')))"#);
        check("SELECT v:a IN (SELECT w:a FROM t)", &format!("SELECT {} IN (SELECT {} FROM t)", key("v"), key("w")));
    }
}
