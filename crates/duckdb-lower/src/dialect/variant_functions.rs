//! Functions of semi-structured values that ask for a type by its name, IS_… and AS_…, or whose type is that of a map.

use firn_sql::ast::{Expr, Value};
use firn_sql::command::DataType;
use firn_sql::{Failure, Part, StructuredType, structured_type_of_text};

use super::build::{call, call_name, plain_arguments, text};
use super::casts::{convert_written, structured_value};
use super::literal_values::text_of;

/// The structured type an expression is visibly cast to.
pub(super) fn structured_type(expr: &Expr) -> Option<StructuredType> {
    let Expr::Function(function) = expr else { return None };
    let arguments = plain_arguments(function)?;
    match (call_name(function)?, arguments.get(1)?) {
        ("firn_structured_object" | "firn_structured_array", target) => structured_type_of_text(text_of(target)?).ok(),
        _ => None,
    }
}

/// The functions whose value has a type that comes from the map that is their first argument.
fn map(name: &str, arguments: &[Expr]) -> Result<Option<Expr>, Failure> {
    let Some(first) = arguments.first() else { return Ok(None) };
    let target = structured_type(first).filter(|target| matches!(target, StructuredType::Map { .. }));
    match (name, target) {
        ("MAP_CAT" | "MAP_INSERT" | "MAP_DELETE" | "MAP_PICK", Some(target)) => {
            let made = call(&format!("firn_{}", name.to_ascii_lowercase()), arguments.to_vec());
            Ok(Some(structured_value(made, &target)))
        }
        ("MAP_KEYS", Some(StructuredType::Map { key: key @ (DataType::Integer | DataType::Number { .. }), .. })) => {
            let element = Part { kind: StructuredType::Plain(key), is_required: true };
            let keys = call("firn_map_keys", arguments.to_vec());
            Ok(Some(structured_value(keys, &StructuredType::Array(Box::new(element)))))
        }
        ("MAP_CAT" | "MAP_INSERT", None) => {
            Err(Failure::unsupported(&format!("{name} of what is not cast to a MAP in the same place")))
        }
        _ => Ok(None),
    }
}

pub(super) fn rewrite(name: &str, arguments: &[Expr]) -> Result<Option<Expr>, Failure> {
    if name.starts_with("MAP_") {
        return map(name, arguments);
    }
    if let ("JSON_EXTRACT_PATH_TEXT", [json, path]) = (name, arguments) {
        let parsed = call("firn_parse_json", vec![json.clone()]);
        return Ok(Some(call("firn_text", vec![call("firn_extract", vec![parsed, path.clone()])])));
    }
    if name == "OBJECT_CONSTRUCT" || name == "OBJECT_CONSTRUCT_KEEP_NULL" {
        if !arguments.len().is_multiple_of(2) {
            return Err(Failure::unsupported(&format!("{name} with a key that has no value")));
        }
        return Ok(None);
    }
    if let Some(type_name) = name.strip_prefix("IS_").and_then(type_name) {
        return Ok(match arguments {
            [value] => Some(call("firn_is", vec![text(type_name), value.clone()])),
            _ => None,
        });
    }
    match (name.strip_prefix("AS_").and_then(type_name), arguments) {
        (Some(type_name), [value, rest @ ..]) => held_as(type_name, value, rest),
        _ => Ok(None),
    }
}

/// The name TYPEOF has for the type that IS_… and AS_… end with.
fn type_name(suffix: &str) -> Option<&'static str> {
    Some(match suffix {
        "ARRAY" => "ARRAY",
        "BINARY" => "BINARY",
        "BOOLEAN" => "BOOLEAN",
        "CHAR" | "VARCHAR" => "VARCHAR",
        "DATE" | "DATE_VALUE" => "DATE",
        "DECIMAL" | "NUMBER" => "DECIMAL",
        "DOUBLE" | "REAL" => "DOUBLE",
        "INTEGER" => "INTEGER",
        "NULL_VALUE" => "NULL_VALUE",
        "OBJECT" => "OBJECT",
        "TIME" => "TIME",
        "TIMESTAMP_LTZ" => "TIMESTAMP_LTZ",
        "TIMESTAMP_NTZ" => "TIMESTAMP_NTZ",
        "TIMESTAMP_TZ" => "TIMESTAMP_TZ",
        _ => return None,
    })
}

/// What a value holds, if it is of the type; else NULL.
fn held_as(type_name: &str, value: &Expr, rest: &[Expr]) -> Result<Option<Expr>, Failure> {
    let target = match type_name {
        "ARRAY" | "OBJECT" | "NULL_VALUE" => return Ok(None),
        "BINARY" => DataType::Binary { length: None },
        "BOOLEAN" => DataType::Boolean,
        "DATE" => DataType::Date,
        "DECIMAL" => DataType::Number { precision: digits(rest.first(), 38)?, scale: digits(rest.get(1), 0)? },
        "DOUBLE" => DataType::Float,
        "INTEGER" => DataType::Number { precision: 38, scale: 0 },
        "TIME" => DataType::Time { scale: 9 },
        "TIMESTAMP_LTZ" => DataType::TimestampLtz { scale: 9 },
        "TIMESTAMP_NTZ" => DataType::TimestampNtz { scale: 9 },
        "TIMESTAMP_TZ" => DataType::TimestampTz { scale: 9 },
        _ => DataType::Varchar { length: None },
    };
    if rest.len() > if type_name == "DECIMAL" { 2 } else { 0 } {
        return Err(Failure::unsupported(&format!("AS_{type_name} with more arguments")));
    }
    Ok(Some(convert_written(call("firn_as", vec![text(type_name), value.clone()]), &target)))
}

fn digits(expr: Option<&Expr>, default: u8) -> Result<u8, Failure> {
    match expr {
        None => Ok(default),
        Some(Expr::Value(value)) => match &value.value {
            Value::Number(digits, _) => digits.parse().map_err(|_| Failure::unsupported("this precision or scale")),
            _ => Err(Failure::unsupported("a precision or scale that is no number")),
        },
        Some(_) => Err(Failure::unsupported("a computed precision or scale")),
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn functions_ask_for_a_type_by_its_name() {
        check("SELECT IS_CHAR(v)", "SELECT firn_is('VARCHAR', v)");
        check("SELECT AS_DECIMAL(v, 10, 2)", "SELECT CAST(firn_as('DECIMAL', v) AS DECIMAL(10,2))");
        check("SELECT AS_VARCHAR(v)", "SELECT firn_as('VARCHAR', v)");
        check("SELECT AS_ARRAY(v), GET(v, 0)", "SELECT firn_as_array(v), firn_element(v, 0)");
        check("SELECT OBJECT_CONSTRUCT('b', 1, 'a', x)", "SELECT firn_object_construct('b', 1, 'a', x)");
    }
}
