//! Semi-structured values among plain ones: in comparisons, concatenations, arithmetic and text functions a VARIANT
//! counts as the value it holds. Where its type is not known here, the engine's casts do the same
//! (`variant_functions::casts`), except for sorting and comparing, which it would do by text.

use firn_binder::{Family, Reference};
use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator, Value,
};
use firn_sql::functions::{Parameter, find};

use super::build::{call, call_name, cast, copied_arguments, null, number, only_part, plain_name, rename, text};
use super::call_rewrites::unless_any_is_null;
use super::columns::Columns;
use super::deep_calls::evaluated_once;
use super::instants::is_comparison;
use super::lambdas::REDUCE_TO_TEXT;
use super::lowered_types::Types;
use super::variant_equality::by_key;

/// The key by which semi-structured values are sorted.
pub(super) const ORDER: &str = "firn_order";

pub(super) struct Variants {
    types: Types,
}

impl Variants {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { types: Types::of(columns) }
    }

    pub(super) fn rewrite(&self, expr: &mut Expr) -> Result<(), Failure> {
        match expr {
            Expr::BinaryOp { op, .. } if is_comparison(op) => self.compare(expr),
            Expr::BinaryOp { left, op: BinaryOperator::StringConcat, right } => {
                self.wrap(left, "firn_text");
                self.wrap(right, "firn_text");
            }
            Expr::BinaryOp {
                left,
                op:
                    BinaryOperator::Plus
                    | BinaryOperator::Minus
                    | BinaryOperator::Multiply
                    | BinaryOperator::Divide
                    | BinaryOperator::Modulo,
                right,
            } => {
                self.wrap(left, "firn_number");
                self.wrap(right, "firn_number");
            }
            Expr::UnaryOp { op: UnaryOperator::Minus, expr } => self.wrap(expr, "firn_number"),
            Expr::Like { expr, pattern, .. }
            | Expr::ILike { expr, pattern, .. }
            | Expr::RLike { expr, pattern, .. } => {
                self.wrap(expr, "firn_text");
                self.wrap(pattern, "firn_text");
            }
            Expr::InList { expr, list, .. } if self.holds(expr) => {
                let numbers = list.iter().all(|item| matches!(kind_of(item), Kind::Number | Kind::Null));
                if !numbers {
                    list.iter_mut().filter(|item| !matches!(kind_of(item), Kind::Text | Kind::Null)).for_each(as_text);
                }
                self.wrap(expr, if numbers { "firn_number" } else { "firn_text" });
            }
            Expr::Between { expr, low, high, .. } if self.holds(expr) => match (kind_of(low), kind_of(high)) {
                (Kind::Text, Kind::Text) => self.wrap(expr, "firn_text"),
                (Kind::Number, Kind::Number) => self.wrap(expr, "firn_number"),
                _ => {}
            },
            Expr::Function(_) => return self.function(expr),
            _ => {}
        }
        Ok(())
    }

    /// What a semi-structured value is sorted by: numbers by value, before texts.
    pub(super) fn order(&self, expr: &mut Expr) {
        self.wrap(expr, ORDER);
    }

    fn compare(&self, expr: &mut Expr) {
        let Expr::BinaryOp { left, op, right } = expr else { return };
        let (value, other) = match (self.holds(left), self.holds(right)) {
            (true, false) => (&mut *left, &*right),
            (false, true) => (&mut *right, &*left),
            (true, true) if matches!(op, BinaryOperator::Eq | BinaryOperator::NotEq) => {
                by_key(left);
                by_key(right);
                return;
            }
            (true, true) => {
                *expr = order_of(left, op, right);
                return;
            }
            _ => return,
        };
        match kind_of(other) {
            Kind::Text => self.wrap(value, "firn_text"),
            Kind::Number => self.wrap(value, "firn_number"),
            Kind::Boolean => **value = cast(std::mem::replace(value, null()), "BOOLEAN"),
            Kind::Null => {}
            Kind::Temporal(function) => self.wrap(value, function),
            Kind::Unknown => *expr = order_of(left, op, right),
        }
    }

    fn function(&self, expr: &mut Expr) -> Result<(), Failure> {
        let returns_text = self.types.type_of(expr).family() == Family::Text;
        let Expr::Function(function) = expr else { return Ok(()) };
        if let Some(chosen) = self.greatest_or_least(function) {
            *expr = chosen;
            return Ok(());
        }
        if returns_text && call_name(function) == Some("REDUCE") {
            rename(function, REDUCE_TO_TEXT);
        }
        self.call(function)
    }

    /// The engine would compare texts: the value is found beside its key.
    fn greatest_or_least(&self, function: &Function) -> Option<Expr> {
        let aggregate = match call_name(function)? {
            "GREATEST" => "max",
            "LEAST" => "min",
            _ => return None,
        };
        let arguments = copied_arguments(function)?;
        if !arguments.iter().any(|value| self.holds(value)) {
            return None;
        }
        Some(evaluated_once(arguments, |values| {
            let with_key = |value: &Expr| {
                let value = call("firn_variant", vec![value.clone()]);
                call("row", vec![call("firn_sort_key", vec![value.clone()]), value])
            };
            let list = call("list_value", values.iter().map(with_key).collect());
            let found = call("list_aggregate", vec![list, text(aggregate)]);
            unless_any_is_null(values, call("struct_extract", vec![found, number(2)]))
        }))
    }

    fn call(&self, function: &mut Function) -> Result<(), Failure> {
        let Some(name) = only_part(&function.name) else { return Ok(()) };
        let FunctionArguments::List(list) = &mut function.args else { return Ok(()) };
        if let ("MIN_BY" | "MAX_BY", [_, FunctionArg::Unnamed(FunctionArgExpr::Expr(key)), ..]) =
            (name, &mut list.args[..])
        {
            self.wrap(key, "firn_sort_key");
            return Ok(());
        }
        if let ("MIN" | "MAX", [FunctionArg::Unnamed(FunctionArgExpr::Expr(value))]) = (name, &list.args[..]) {
            if self.holds(value) {
                let key = call("firn_sort_key", vec![value.clone()]);
                list.args.push(FunctionArg::Unnamed(FunctionArgExpr::Expr(key)));
                function.name = plain_name(if name == "MIN" { "min_by" } else { "max_by" });
            }
            return Ok(());
        }
        let is_count = name == "COUNT";
        let Some(entry) = find(name) else { return Ok(()) };
        for (place, argument) in list.args.iter_mut().enumerate() {
            let reader = match entry.parameter(place) {
                _ if is_count => "firn_unless_json_null",
                Parameter::Text | Parameter::TextOrBinary => "firn_text",
                Parameter::Integer => "firn_integer",
                Parameter::Float | Parameter::Numeric | Parameter::Summand => "firn_number",
                _ => continue,
            };
            if let FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) = argument {
                self.wrap(value, reader);
            }
        }
        Ok(())
    }

    fn wrap(&self, expr: &mut Expr, function: &str) {
        if self.holds(expr) {
            let function = if self.is_parameter(expr) && function == "firn_number" { "firn_exact" } else { function };
            *expr = call(function, vec![std::mem::replace(expr, null())]);
        }
    }

    /// Whether an expression is semi-structured.
    fn holds(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.has_semi_structured_type(expr),
            Expr::Nested(inside) => self.holds(inside),
            Expr::Function(function) if is_choice(function) => arguments_of(function).any(|value| self.holds(value)),
            Expr::Function(_) | Expr::JsonAccess { .. } | Expr::Case { .. } | Expr::Subquery(_) => {
                self.has_semi_structured_type(expr)
            }
            Expr::Cast { data_type, .. } => {
                matches!(data_type.to_string().as_str(), "VARIANT" | "OBJECT" | "ARRAY")
            }
            _ => false,
        }
    }

    fn has_semi_structured_type(&self, expr: &Expr) -> bool {
        self.types.type_of(expr).family().is_semi_structured()
    }

    /// Results of lambdas are stored in an array again, so computations with their parameters stay exact.
    fn is_parameter(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Identifier(_) => {
                self.types.bound().node(expr).is_some_and(|node| node.reference == Some(Reference::LambdaParameter))
            }
            Expr::Nested(inside) => self.is_parameter(inside),
            Expr::Function(function) if is_choice(function) => {
                arguments_of(function).any(|value| self.is_parameter(value))
            }
            _ => false,
        }
    }
}

/// Whether a call has the value of one of its arguments, whose NULLs it leaves out.
fn is_choice(function: &Function) -> bool {
    call_name(function).is_some_and(|name| matches!(name.to_ascii_uppercase().as_str(), "COALESCE" | "IFNULL" | "NVL"))
}

fn arguments_of(function: &Function) -> impl Iterator<Item = &Expr> {
    let arguments = match &function.args {
        FunctionArguments::List(list) => &list.args[..],
        _ => &[],
    };
    arguments.iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value),
        _ => None,
    })
}

fn as_text(expr: &mut Expr) {
    *expr = call("firn_text", vec![std::mem::replace(expr, null())]);
}

/// `firn_compare(left, right) <op> 0`.
fn order_of(left: &mut Expr, op: &BinaryOperator, right: &mut Expr) -> Expr {
    let sides = vec![std::mem::replace(left, null()), std::mem::replace(right, null())];
    Expr::BinaryOp { left: Box::new(call("firn_compare", sides)), op: op.clone(), right: Box::new(number(0)) }
}

/// What an expression certainly is.
enum Kind {
    Text,
    Number,
    Boolean,
    /// With the function that makes a value of the same type.
    Temporal(&'static str),
    Null,
    Unknown,
}

fn kind_of(expr: &Expr) -> Kind {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(_) => Kind::Text,
            Value::Number(..) => Kind::Number,
            Value::Boolean(_) => Kind::Boolean,
            Value::Null => Kind::Null,
            _ => Kind::Unknown,
        },
        Expr::UnaryOp { expr, .. } | Expr::Nested(expr) => kind_of(expr),
        Expr::Cast { data_type, .. } => match data_type.to_string().as_str() {
            "VARCHAR" => Kind::Text,
            "BIGINT" | "DOUBLE" => Kind::Number,
            "BOOLEAN" => Kind::Boolean,
            "DATE" => Kind::Temporal("firn_date"),
            "TIME" => Kind::Temporal("firn_time"),
            "TIMESTAMP" => Kind::Temporal("firn_timestamp_ntz"),
            "TIMESTAMPTZ" => Kind::Temporal("firn_timestamp_ltz"),
            _ => Kind::Unknown,
        },
        _ => Kind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn a_name_is_a_variant_where_its_own_scope_has_one() {
        check(
            "SELECT a = 'x' FROM (SELECT TO_VARIANT(b) AS a) AS t",
            "SELECT firn_text(a) = 'x' FROM (SELECT firn_variant(b) AS a) AS t",
        );
        check(
            "WITH y AS (SELECT TO_VARIANT(b) AS a) SELECT a = 'x' FROM (SELECT 'x' AS a) AS t ORDER BY a",
            "WITH y AS (SELECT firn_variant(b) AS a) SELECT a = 'x' FROM (SELECT 'x' AS a) AS t ORDER BY a",
        );
    }

    #[test]
    fn a_variant_counts_as_what_it_holds() {
        check("SELECT v:a = 'x'", r#"SELECT firn_text(firn_extract(v, '["a"]')) = 'x'"#);
        check("SELECT 5 < v:a", r#"SELECT 5 < firn_number(firn_extract(v, '["a"]'))"#);
        check("SELECT v:a = b", r#"SELECT firn_compare(firn_extract(v, '["a"]'), b) = 0"#);
        check("SELECT v:a = TRUE", r#"SELECT CAST(firn_extract(v, '["a"]') AS BOOLEAN) = true"#);
        check("SELECT v:a IN (1, 2)", r#"SELECT firn_number(firn_extract(v, '["a"]')) IN (1, 2)"#);
        check("SELECT UPPER(v:a)", r#"SELECT firn_upper(firn_text(firn_extract(v, '["a"]')))"#);
        check("SELECT SUM(v:a)", r#"SELECT SUM(firn_number(firn_extract(v, '["a"]')))"#);
        check("SELECT COUNT(v:a)", r#"SELECT COUNT(firn_unless_json_null(firn_extract(v, '["a"]')))"#);
        check("SELECT NVL(v:a, 0) + 1", r#"SELECT firn_number(coalesce(firn_extract(v, '["a"]'), 0)) + 1"#);
        check("SELECT v:a + 1", r#"SELECT firn_number(firn_extract(v, '["a"]')) + 1"#);
        check("SELECT 1 ORDER BY v:a DESC", r#"SELECT 1 ORDER BY firn_order(firn_extract(v, '["a"]')) DESC"#);
        check("SELECT MAX(v:a)", r#"SELECT max_by(firn_extract(v, '["a"]'), firn_sort_key(firn_extract(v, '["a"]')))"#);
        check("SELECT v:a < w:a", r#"SELECT firn_compare(firn_extract(v, '["a"]'), firn_extract(w, '["a"]')) < 0"#);
        check(
            "SELECT v:a = '2020-01-01'::DATE",
            r#"SELECT firn_date(firn_extract(v, '["a"]')) = CAST('2020-01-01' AS DATE)"#,
        );
    }
}
