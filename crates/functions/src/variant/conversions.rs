//! Conversions to and from semi-structured values, and the IS_… and AS_… functions.

use firn_values::variant::{Duplicates, Variant, parse};

use super::arguments::{Arguments, array, stored, text, uncastable};
use crate::columns::Column;
use crate::definition::{Answer, Definition, Kind};

pub(super) const DEFINITIONS: &[Definition] = &[
    Definition::new(c"firn_variant", &[Kind::Any], Kind::Variant, |columns, row| {
        Ok(stored(Arguments { columns, row }.value(0)))
    }),
    Definition::new(c"firn_to_array", &[Kind::Any], Kind::Array, |columns, row| {
        Ok(array(Arguments { columns, row }.value(0).and_then(|value| match value {
            Variant::Array(elements) => Some(elements),
            Variant::Null | Variant::Undefined => None,
            other => Some(vec![other]),
        })))
    }),
    Definition::new(c"firn_to_object", &[Kind::Any], Kind::Object, |columns, row| {
        Ok(stored(Arguments { columns, row }.object(0)?.map(Variant::Object)))
    }),
    Definition::new(c"firn_as_array", &[Kind::Any], Kind::Array, |columns, row| {
        Ok(stored(Arguments { columns, row }.value(0).filter(|value| matches!(value, Variant::Array(_)))))
    }),
    Definition::new(c"firn_as_object", &[Kind::Any], Kind::Object, |columns, row| {
        Ok(stored(Arguments { columns, row }.value(0).filter(|value| matches!(value, Variant::Object(_)))))
    }),
    Definition::new(c"firn_parse_json", &[Kind::Any], Kind::Variant, parse_json),
    Definition::new(c"firn_parse_json", &[Kind::Any, Kind::Text], Kind::Variant, parse_json),
    Definition::new(c"firn_try_parse_json", &[Kind::Any], Kind::Variant, try_parse_json),
    Definition::new(c"firn_try_parse_json", &[Kind::Any, Kind::Text], Kind::Variant, try_parse_json),
    Definition::new(c"firn_check_json", &[Kind::Any], Kind::Text, |columns, row| {
        Ok(text(Arguments { columns, row }.text(0).and_then(|json| match json.trim() {
            "" => None,
            json => parse(json, Duplicates::Refused).err(),
        })))
    }),
    Definition::new(c"firn_to_json", &[Kind::Any], Kind::Text, |columns, row| {
        Ok(text(Arguments { columns, row }.value(0).map(|value| value.to_shown_json())))
    }),
    Definition::new(c"firn_vector_elements", &[Kind::Any, Kind::Text, Kind::Integer], Kind::Json, vector_elements),
    Definition::new(c"firn_strip_null_value", &[Kind::Any], Kind::Variant, |columns, row| {
        Ok(stored(Arguments { columns, row }.value(0).filter(|value| !value.is_null())))
    }),
    Definition::new(c"firn_typeof", &[Kind::Any], Kind::Text, |columns, row| {
        Ok(text(Arguments { columns, row }.value(0).map(|value| value.type_name().to_owned())))
    }),
    Definition::new(c"firn_is", &[Kind::Text, Kind::Any], Kind::Boolean, |columns, row| {
        let arguments = Arguments { columns, row };
        let (Some(wanted), Some(value)) = (arguments.text(0), arguments.value(1)) else { return Ok(Answer::Null) };
        Ok(Answer::Boolean(is(&wanted, &value)))
    }),
    Definition::new(c"firn_as", &[Kind::Text, Kind::Any], Kind::Text, |columns, row| {
        let arguments = Arguments { columns, row };
        let (Some(wanted), Some(value)) = (arguments.text(0), arguments.value(1)) else { return Ok(Answer::Null) };
        Ok(text(if is(&wanted, &value) { value.to_text() } else { None }))
    }),
    Definition::new(c"firn_numeric_text", &[Kind::Any], Kind::Text, |columns, row| {
        Ok(text(Arguments { columns, row }.value(0).map(numeral).transpose()?.flatten()))
    }),
    Definition::new(c"firn_try_numeric_text", &[Kind::Any], Kind::Text, |columns, row| {
        Ok(text(Arguments { columns, row }.value(0).and_then(|value| numeral(value).ok()).flatten()))
    }),
    Definition::new(c"firn_boolean_of", &[Kind::Any], Kind::Boolean, |columns, row| {
        boolean(Arguments { columns, row }.value(0))
    }),
];

fn parse_json<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let parsed = read(arguments, 0, 1);
    parsed.map(stored).map_err(|reason| format!("firn:100069:Error parsing JSON: {reason}"))
}

fn try_parse_json<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    Ok(stored(read(Arguments { columns, row }, 0, 1).unwrap_or(None)))
}

/// Blank text is NULL; the option `d` lets keys come twice.
fn read(arguments: Arguments<'_>, json: usize, options: usize) -> Result<Option<Variant>, String> {
    let Some(json) = arguments.text(json) else { return Ok(None) };
    let duplicates = match arguments.text(options).as_deref() {
        Some("d" | "D") => Duplicates::LastWins,
        _ => Duplicates::Refused,
    };
    if json.trim().is_empty() {
        return Ok(None);
    }
    let value = parse(&json, duplicates)?;
    Ok(if value == Variant::Undefined { None } else { Some(value) })
}

/// The elements of a vector; the arguments give the element type and the dimension.
fn vector_elements<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let Some(elements) = arguments.array(0)? else { return Ok(Answer::Null) };
    let (kind, dimension) = (arguments.text(1).unwrap_or_default(), arguments.integer(2)?.unwrap_or(0));
    if elements.len() as i64 != dimension {
        return Err(format!(
            "firn:100071:Array-like value being cast to a vector has incorrect dimension: {} instead of {dimension}",
            elements.len()
        ));
    }
    let is_element = |value: &Variant| match value {
        Variant::Number(number) => kind != "INT" || (number.scale == 0 && i32::try_from(number.digits).is_ok()),
        Variant::Double(value) if kind == "INT" => value.fract() == 0.0 && value.abs() <= f64::from(i32::MAX),
        Variant::Double(_) => true,
        _ => false,
    };
    match elements.iter().find(|value| !is_element(value)) {
        Some(wrong) => Err(uncastable(wrong, if kind == "INT" { "INT" } else { "FLOAT" })),
        None => Ok(Answer::Text(Variant::Array(elements).to_json())),
    }
}

/// Whole numbers count as decimals too, and both as floating-point numbers.
fn is(wanted: &str, value: &Variant) -> bool {
    match wanted {
        "NULL_VALUE" => value.is_null(),
        "DECIMAL" => matches!(value, Variant::Number(_)),
        "DOUBLE" => matches!(value, Variant::Number(_) | Variant::Double(_)),
        other => value.type_name() == other,
    }
}

/// The digits of what is cast to a number; `None` for a JSON null.
fn numeral(value: Variant) -> Result<Option<String>, String> {
    let is_number = match &value {
        Variant::Null | Variant::Undefined | Variant::Number(_) | Variant::Double(_) => true,
        Variant::Boolean(value) => return Ok(Some(u8::from(*value).to_string())),
        Variant::Text(written) => written.trim().parse::<f64>().is_ok(),
        _ => false,
    };
    if is_number { Ok(value.to_text()) } else { Err(uncastable(&value, "FIXED")) }
}

pub(super) fn boolean<'row>(value: Option<Variant>) -> Result<Answer<'row>, String> {
    let Some(value) = value else { return Ok(Answer::Null) };
    Ok(match &value {
        Variant::Null | Variant::Undefined => Answer::Null,
        Variant::Boolean(value) => Answer::Boolean(*value),
        Variant::Number(number) => Answer::Boolean(number.digits != 0),
        Variant::Double(number) => Answer::Boolean(*number != 0.0),
        Variant::Text(word) => match word.to_ascii_lowercase().as_str() {
            "true" | "t" | "yes" | "y" | "on" | "1" => Answer::Boolean(true),
            "false" | "f" | "no" | "n" | "off" | "0" => Answer::Boolean(false),
            _ => return Err(format!("firn:100037:Boolean value '{word}' is not recognized")),
        },
        other => return Err(uncastable(other, "BOOLEAN")),
    })
}
