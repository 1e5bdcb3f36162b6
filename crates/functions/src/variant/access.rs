//! Reading into semi-structured values: GET, GET_PATH, and how values compare.

use std::borrow::Cow;

use firn_values::variant::objects::Members;
use firn_values::variant::order::{compare, equality_key, number_key, sort_key, text_key};
use firn_values::variant::path::{find, read_path};
use firn_values::variant::{Number, Variant};

use super::arguments::{Arguments, stored, text, uncastable};
use crate::columns::{Column, Values};
use crate::definition::{Answer, Definition, Kind};

pub(super) const DEFINITIONS: &[Definition] = &[
    Definition::new(c"firn_extract", &[Kind::Any, Kind::Text], Kind::Variant, extract),
    Definition::new(c"firn_element", &[Kind::Any, Kind::Any], Kind::Variant, |columns, row| {
        element(Arguments { columns, row }, |mut members, wanted| members.remove(wanted))
    }),
    Definition::new(c"firn_get_ignore_case", &[Kind::Any, Kind::Any], Kind::Variant, |columns, row| {
        element(Arguments { columns, row }, member_ignoring_case)
    }),
    Definition::new(c"firn_array_size", &[Kind::Any], Kind::Integer, |columns, row| {
        let value = Arguments { columns, row }.value(0);
        let length = value.as_ref().and_then(Variant::as_array).map(<[Variant]>::len);
        Ok(length.map_or(Answer::Null, |length| Answer::Integer(length as i64)))
    }),
    Definition::new(c"firn_canonical", &[Kind::Any], Kind::Variant, canonical),
    Definition::new(c"firn_canonical_array", &[Kind::Any], Kind::Array, canonical),
    Definition::new(c"firn_canonical_object", &[Kind::Any], Kind::Object, canonical),
    Definition::new(c"firn_compare", &[Kind::Any, Kind::Any], Kind::Integer, compared),
    Definition::new(c"firn_equality_key", &[Kind::Any], Kind::Text, canonical),
    Definition::new(c"firn_number_key", &[Kind::Any], Kind::Text, |columns, row| {
        Ok(text(match (Arguments { columns, row }).value(0) {
            None => None,
            Some(Variant::Number(number)) => Some(number_key(number)),
            Some(Variant::Text(written)) => {
                let key = text_key(written.trim());
                Some(key.ok_or_else(|| format!("firn:100038:Numeric value '{written}' is not recognized"))?)
            }
            Some(other) => return Err(uncastable(&other, "FIXED")),
        }))
    }),
    Definition::new(c"firn_sort_key", &[Kind::Any], Kind::Text, |columns, row| {
        Ok(text(Arguments { columns, row }.value(0).map(|value| sort_key(&value))))
    }),
];

fn extract<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let (Some(json), Some(path)) = (arguments.json(0), arguments.text(1)) else { return Ok(Answer::Null) };
    let steps = read_path(&path).ok_or_else(|| format!("firn:100115:Invalid path '{path}'"))?;
    Ok(match json {
        Cow::Borrowed(json) => find(json, &steps).map_or(Answer::Null, Answer::Piece),
        Cow::Owned(json) => text(find(&json, &steps).map(str::to_owned)),
    })
}

/// An array's element by its index, an object's member by its key.
fn element<'row>(
    arguments: Arguments<'row>,
    member: fn(Members, &str) -> Option<Variant>,
) -> Result<Answer<'row>, String> {
    let found = match (arguments.value(0), arguments.value(1)) {
        (Some(Variant::Array(elements)), Some(Variant::Number(Number { digits, scale: 0 }))) => {
            let index = usize::try_from(digits).ok();
            index.and_then(|index| elements.into_iter().nth(index)).filter(|element| *element != Variant::Undefined)
        }
        (Some(Variant::Object(members)), Some(Variant::Text(wanted))) => member(members, &wanted),
        _ => None,
    };
    Ok(stored(found))
}

/// The member with the very key, or else the first one whose key differs in letter case alone.
fn member_ignoring_case(mut members: Members, wanted: &str) -> Option<Variant> {
    if let Some(member) = members.remove(wanted) {
        return Some(member);
    }
    let wanted = wanted.to_lowercase();
    members.into_iter().find(|(key, _)| key.to_lowercase() == wanted).map(|(_, member)| member)
}

/// Minus one, zero or one. Two semi-structured values of different kinds are in the order of their kinds. A number
/// beside a plain text that holds one is compared as a number, and anything else beside a text as text.
/// The text that all equal values have; it is one of these values itself.
fn canonical<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    Ok(match (Arguments { columns, row }).json(0).map(equality_key) {
        None => Answer::Null,
        Some(Cow::Borrowed(key)) => Answer::Piece(key),
        Some(Cow::Owned(key)) => text(Some(key)),
    })
}

fn compared<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let (Some(left), Some(right)) = (arguments.value(0), arguments.value(1)) else { return Ok(Answer::Null) };
    if left.is_null() || right.is_null() {
        return Ok(Answer::Null);
    }
    if columns.iter().all(|column| matches!(column.values, Values::Json(_))) {
        return Ok(Answer::Integer(compare(&left, &right) as i64));
    }
    let (left, right) = match (&left, &right) {
        (Variant::Text(text), Variant::Number(_) | Variant::Double(_)) => (as_number(text)?, right),
        (Variant::Number(_) | Variant::Double(_), Variant::Text(text)) => {
            let number = as_number(text)?;
            (left, number)
        }
        (Variant::Text(_), _) => {
            let other = Variant::Text(right.to_text().unwrap_or_default());
            (left, other)
        }
        (_, Variant::Text(_)) => (Variant::Text(left.to_text().unwrap_or_default()), right),
        _ => (left, right),
    };
    Ok(Answer::Integer(compare(&left, &right) as i64))
}

fn as_number(text: &str) -> Result<Variant, String> {
    match text.trim().parse::<f64>() {
        Ok(number) => Ok(Variant::Double(number)),
        Err(_) => Err(uncastable(&Variant::Text(text.to_owned()), "FIXED")),
    }
}
