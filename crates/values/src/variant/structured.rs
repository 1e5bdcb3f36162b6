//! Structured types: `MAP(VARCHAR, NUMBER(10,2))`, `ARRAY(INT)`, `OBJECT(a INT, b VARCHAR)`. A value cast to one has
//! every part in its type.

use firn_sql::command::DataType;
use firn_sql::{Part, StructuredType};

use super::objects::Members;
use super::{Number, TypedText, Variant};
use crate::formats::FormatModel;
use crate::inputs::DEFAULT_CENTURY_START;

/// A part that cannot be of its type is an error; a null is of every type that does not say NOT NULL.
pub fn convert(value: Variant, target: &StructuredType) -> Result<Variant, String> {
    if value.is_null() {
        return Ok(Variant::Null);
    }
    match (target, value) {
        (StructuredType::Plain(data_type), value) => plain(value, data_type),
        (StructuredType::Array(element), Variant::Array(elements)) => {
            elements.into_iter().map(|value| convert_part(value, element)).collect::<Result<_, _>>().map(Variant::Array)
        }
        (StructuredType::Map { key: kind, value: target }, Variant::Object(members)) => {
            let pairs =
                members.into_iter().map(|(key, value)| Ok((convert_key(key, kind)?, convert_part(value, target)?)));
            pairs.collect::<Result<Members, String>>().map(Variant::Object)
        }
        (StructuredType::Object(fields), Variant::Object(members)) => object(members, fields),
        (_, other) => Err(uncastable(&other, target)),
    }
}

fn convert_part(value: Variant, target: &Part) -> Result<Variant, String> {
    if target.is_required && value.is_null() {
        return Err(format!("firn:100071:Failed to cast a null to {target}"));
    }
    convert(value, &target.kind)
}

fn convert_key(key: String, kind: &DataType) -> Result<String, String> {
    let converted = plain(Variant::Text(key), kind)?;
    Ok(converted.to_text().unwrap_or_default())
}

/// Every field has to be there, and no other.
fn object(mut members: Members, fields: &[(String, Part)]) -> Result<Variant, String> {
    let mut made = Members::new();
    for (name, target) in fields {
        let Some(value) = members.remove(name) else {
            return Err(format!(
                "firn:100071:Failed to cast an object without the key '{name}' to a structured OBJECT"
            ));
        };
        made.insert(name.clone(), convert_part(value, target)?);
    }
    match members.keys().next() {
        None => Ok(Variant::Object(made)),
        Some(key) => {
            Err(format!("firn:100071:Failed to cast an object with the key '{key}' to a structured OBJECT without it"))
        }
    }
}

fn plain(value: Variant, data_type: &DataType) -> Result<Variant, String> {
    let failed = |value: &Variant| uncastable(value, &StructuredType::Plain(data_type.clone()));
    match data_type {
        DataType::Variant => Ok(value),
        DataType::Varchar { length } => {
            let text = value.to_text().unwrap_or_default();
            match length {
                Some(length) if text.chars().count() as u64 > *length => Err(failed(&value)),
                _ => Ok(Variant::Text(text)),
            }
        }
        DataType::Integer => number(&value, 38, 0).map(Variant::Number).ok_or_else(|| failed(&value)),
        DataType::Number { precision, scale } => {
            number(&value, *precision, *scale).map(Variant::Number).ok_or_else(|| failed(&value))
        }
        DataType::Float => match &value {
            Variant::Double(_) => Ok(value),
            Variant::Number(number) => Ok(Variant::Double(number.to_double())),
            Variant::Text(text) => text.trim().parse().map(Variant::Double).map_err(|_| failed(&value)),
            other => Err(failed(other)),
        },
        DataType::Boolean => match &value {
            Variant::Boolean(_) => Ok(value),
            Variant::Number(number) => Ok(Variant::Boolean(number.digits != 0)),
            Variant::Text(text) => match text.to_ascii_lowercase().as_str() {
                "true" | "t" | "yes" | "y" | "on" | "1" => Ok(Variant::Boolean(true)),
                "false" | "f" | "no" | "n" | "off" | "0" => Ok(Variant::Boolean(false)),
                _ => Err(failed(&value)),
            },
            other => Err(failed(other)),
        },
        DataType::Date | DataType::Time { .. } | DataType::TimestampNtz { .. } | DataType::Binary { .. } => {
            written(&value, data_type).ok_or_else(|| failed(&value))
        }
        DataType::TimestampLtz { .. } | DataType::TimestampTz { .. } if is_typed(&value, &data_type.full_name()) => {
            Ok(value)
        }
        DataType::Array if matches!(value, Variant::Array(_)) => Ok(value),
        DataType::Object if matches!(value, Variant::Object(_)) => Ok(value),
        _ => Err(failed(&value)),
    }
}

/// Whether a value is of the type, whatever digits the type has.
fn is_typed(value: &Variant, full_name: &str) -> bool {
    matches!(value, Variant::Typed(_)) && full_name.split('(').next() == Some(value.type_name())
}

/// A date, a time, a timestamp or bytes, also from a text.
fn written(value: &Variant, data_type: &DataType) -> Option<Variant> {
    if is_typed(value, &data_type.full_name()) {
        return Some(value.clone());
    }
    let Variant::Text(text) = value else { return None };
    let text = match data_type {
        DataType::Binary { .. } => {
            let is_hexadecimal = text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            return is_hexadecimal.then(|| typed(text.to_ascii_uppercase()));
        }
        DataType::Date => well_written(text, "YYYY-MM-DD")?,
        DataType::Time { .. } => well_written(text, "HH24:MI:SS")?,
        _ => well_written(text, "YYYY-MM-DD HH24:MI:SS.FF")
            .or_else(|| well_written(&format!("{text}.000"), "YYYY-MM-DD HH24:MI:SS.FF"))
            .or_else(|| well_written(&format!("{text} 00:00:00.000"), "YYYY-MM-DD HH24:MI:SS.FF"))?,
    };
    Some(typed(text))
}

/// The text, if it is written like the model.
fn well_written(text: &str, model: &str) -> Option<String> {
    FormatModel::parse(model).ok()?.read(text, DEFAULT_CENTURY_START.into()).map(|_| text.to_owned())
}

fn typed(text: String) -> Variant {
    Variant::Typed(TypedText { text, in_session_zone: false })
}

/// Rounded to the scale, half away from zero.
fn number(value: &Variant, precision: u8, scale: u8) -> Option<Number> {
    let exact = match value {
        Variant::Number(number) => *number,
        Variant::Boolean(value) => Number::integer(i64::from(*value)),
        Variant::Double(value) if value.is_finite() => read_number(&format!("{value}"))?,
        Variant::Text(text) => read_number(text.trim())?,
        _ => return None,
    };
    let mut digits = exact.digits;
    if exact.scale > scale {
        let unit = 10_i128.checked_pow(u32::from(exact.scale - scale))?;
        let half = unit / 2;
        digits = (digits + half * digits.signum()) / unit;
    } else {
        digits = digits.checked_mul(10_i128.checked_pow(u32::from(scale - exact.scale))?)?;
    }
    let limit = 10_i128.checked_pow(u32::from(precision))?;
    (digits.abs() < limit).then(|| Number::new(digits, scale))
}

fn read_number(text: &str) -> Option<Number> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let scale = u8::try_from(fraction.len()).ok().filter(|scale| *scale <= 37)?;
    format!("{whole}{fraction}").parse().ok().map(|digits| Number::new(digits, scale))
}

fn uncastable(value: &Variant, target: &StructuredType) -> String {
    format!("firn:100071:Failed to cast variant value {} to {target}", value.to_shown_json())
}

#[cfg(test)]
mod tests {
    use firn_sql::structured_type_of_text;

    use super::*;

    #[test]
    fn every_part_is_of_its_type() {
        for (json, target, expected) in [
            (r#"{"a":"1.005","b":2}"#, "MAP(VARCHAR, NUMBER(4,2))", Some(r#"{"a":1.01,"b":2}"#)),
            (r#"{"01":"x"}"#, "MAP(INT, VARCHAR)", Some(r#"{"1":"x"}"#)),
            (r#"{"a":"x"}"#, "MAP(INT, VARCHAR)", None),
            ("[1,null]", "ARRAY(NUMBER(4,2))", Some("[1,null]")),
            ("[1,null]", "ARRAY(NUMBER(4,2) NOT NULL)", None),
            ("[100]", "ARRAY(NUMBER(4,2))", None),
            (r#"{"a":1}"#, "OBJECT(a INT)", Some(r#"{"a":1}"#)),
            (r#"{"a":1,"b":1}"#, "OBJECT(a INT)", None),
            (r#"{}"#, "OBJECT(a INT)", None),
            (r#"["x"]"#, "ARRAY(DATE)", None),
        ] {
            let Ok(target) = structured_type_of_text(target) else { panic!("{target} is no type") };
            let made = convert(Variant::from_json(json), &target).ok().map(|value| value.to_json());
            assert_eq!(made.as_deref(), expected, "{json} as {target}");
        }
    }
}
