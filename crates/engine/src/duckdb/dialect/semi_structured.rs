//! Access into semi-structured values: `v:a.b[0]`, `v['a']`, `v[0]`. Keys are case-sensitive, a missing
//! path is NULL, and a negative index finds nothing.

use firn_sql::Failure;
use firn_sql::ast::{AccessExpr, Expr, JsonPathElem, Subscript, UnaryOperator, Value};

use super::build::{call, null, text};

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    match expr {
        Expr::JsonAccess { value, path } => {
            let value = std::mem::replace(&mut **value, null());
            let mut steps = Vec::new();
            for element in &path.path {
                steps.push(match element {
                    JsonPathElem::Dot { key, .. } => Step::Constant(key_step(key)),
                    JsonPathElem::Bracket { key } => step_of(key),
                    JsonPathElem::ColonBracket { key } => step_of(key),
                });
            }
            *expr = access(value, steps);
        }
        Expr::CompoundFieldAccess { root, access_chain } => {
            let mut steps = Vec::new();
            for part in access_chain.iter() {
                steps.push(match part {
                    AccessExpr::Dot(Expr::Identifier(ident)) => Step::Constant(key_step(&ident.value)),
                    AccessExpr::Subscript(Subscript::Index { index }) => step_of(index),
                    other => return Err(Failure::unsupported(&format!("access by {other}"))),
                });
            }
            let root = std::mem::replace(&mut **root, null());
            *expr = access(root, steps);
        }
        _ => {}
    }
    Ok(())
}

enum Step {
    /// A piece of a path known now: `."a"` or `[0]`.
    Constant(String),
    /// A key or index that only the row knows.
    Computed(Expr),
}

fn step_of(key: &Expr) -> Step {
    match key {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(name) => Step::Constant(key_step(name)),
            Value::Number(index, _) if index.parse::<u64>().is_ok() => Step::Constant(format!("[{index}]")),
            _ => Step::Computed(key.clone()),
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } if matches!(**expr, Expr::Value(_)) => {
            Step::Constant("[4294967295]".to_owned())
        }
        _ => Step::Computed(key.clone()),
    }
}

fn key_step(key: &str) -> String {
    format!(".\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""))
}

fn access(value: Expr, steps: Vec<Step>) -> Expr {
    let mut value = value;
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Constant(piece) => path.push_str(&piece),
            Step::Computed(key) => {
                value = call("firn_element", vec![extract(value, &mut path), key]);
            }
        }
    }
    extract(value, &mut path)
}

fn extract(value: Expr, path: &mut String) -> Expr {
    if path.is_empty() {
        return value;
    }
    let whole = format!("${}", std::mem::take(path));
    call("json_extract", vec![value, text(&whole)])
}

#[cfg(test)]
mod tests {
    use crate::duckdb::dialect::testing::check;

    #[test]
    fn paths_become_extractions() {
        check("SELECT v:a.b[0]", r#"SELECT json_extract(v, '$."a"."b"[0]')"#);
        check("SELECT v:a::STRING", r#"SELECT firn_text(json_extract(v, '$."a"'))"#);
        check("SELECT v['Key']['x']", r#"SELECT json_extract(v, '$."Key"."x"')"#);
        check("SELECT v[0]", "SELECT json_extract(v, '$[0]')");
        check("SELECT v[i].x", r#"SELECT json_extract(firn_element(v, i), '$."x"')"#);
        check("SELECT v:\"a b\"", r#"SELECT json_extract(v, '$."a b"')"#);
    }
}
