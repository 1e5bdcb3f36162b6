//! Access into semi-structured values: `v:a.b[0]`, `v['a']`, `v[0]`. Keys are case-sensitive, a missing
//! path is NULL, and a negative index finds nothing.

use firn_sql::Failure;
use firn_sql::ast::{Expr, JsonPathElem, UnaryOperator, Value};
use firn_values::variant::Variant;

use super::build::{call, null, text};

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    if let Expr::JsonAccess { value, path } = expr {
        let value = std::mem::replace(&mut **value, null());
        let steps = path.path.iter().map(|element| match element {
            JsonPathElem::Dot { key, .. } => Step::Constant(key_step(key)),
            JsonPathElem::Bracket { key } | JsonPathElem::ColonBracket { key } => step_of(key),
        });
        *expr = access(value, steps.collect());
    }
    Ok(())
}

enum Step {
    /// A piece of a path known now: `["a"]` or `[0]`.
    Constant(String),
    /// A key or index that only the row knows.
    Computed(Box<Expr>),
}

fn step_of(key: &Expr) -> Step {
    match key {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(name) => Step::Constant(key_step(name)),
            Value::Number(index, _) if index.parse::<u64>().is_ok() => Step::Constant(format!("[{index}]")),
            _ => Step::Computed(Box::new(key.clone())),
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } if matches!(**expr, Expr::Value(_)) => {
            Step::Constant("[-1]".to_owned())
        }
        _ => Step::Computed(Box::new(key.clone())),
    }
}

fn key_step(key: &str) -> String {
    format!("[{}]", Variant::Text(key.to_owned()).to_json())
}

fn access(value: Expr, steps: Vec<Step>) -> Expr {
    let mut value = value;
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Constant(piece) => path.push_str(&piece),
            Step::Computed(key) => {
                value = call("firn_element", vec![extract(value, &mut path), *key]);
            }
        }
    }
    extract(value, &mut path)
}

fn extract(value: Expr, path: &mut String) -> Expr {
    if path.is_empty() {
        return value;
    }
    call("firn_extract", vec![value, text(&std::mem::take(path))])
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn paths_become_extractions() {
        check("SELECT v:a.b[0]", r#"SELECT firn_extract(v, '["a"]["b"][0]')"#);
        check("SELECT v:a::STRING", r#"SELECT firn_text(firn_extract(v, '["a"]'))"#);
        check("SELECT v:Key['x']", r#"SELECT firn_extract(v, '["Key"]["x"]')"#);
        check("SELECT v:a[i].x", r#"SELECT firn_extract(firn_element(firn_extract(v, '["a"]'), i), '["x"]')"#);
        check("SELECT v:\"a b\"", r#"SELECT firn_extract(v, '["a b"]')"#);
    }
}
