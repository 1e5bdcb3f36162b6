//! Casts to structured types, the MAP_… functions, and objects made of whole rows.

use firn_sql::structured_type_of_text;
use firn_values::variant::Variant;
use firn_values::variant::objects::{Members, duplicate_key};
use firn_values::variant::structured::convert;

use super::arguments::{Arguments, array, stored};
use super::objects::{delete, pick};
use crate::columns::{Column, Values};
use crate::definition::{Answer, Definition, Kind};
use crate::variant::values;

pub(super) const DEFINITIONS: &[Definition] = &[
    Definition::new(c"firn_structured_object", &[Kind::Any, Kind::Text], Kind::Object, structured),
    Definition::new(c"firn_structured_array", &[Kind::Any, Kind::Text], Kind::Array, structured),
    Definition::new(c"firn_map_cat", &[Kind::Any, Kind::Any], Kind::Object, |columns, row| {
        let arguments = Arguments { columns, row };
        let (Some(mut first), Some(second)) = (arguments.object(0)?, arguments.object(1)?) else {
            return Ok(Answer::Null);
        };
        first.extend(second);
        Ok(object(first))
    }),
    Definition::new(c"firn_map_contains_key", &[Kind::Any, Kind::Any], Kind::Boolean, |columns, row| {
        let arguments = Arguments { columns, row };
        let (Some(key), Some(members)) = (arguments.text(0), arguments.object(1)?) else { return Ok(Answer::Null) };
        Ok(Answer::Boolean(members.contains_key(&key)))
    }),
    Definition::new(c"firn_map_delete", &[Kind::Any, Kind::Any], Kind::Object, delete).with_rest(Kind::Any),
    Definition::new(c"firn_map_insert", &[Kind::Any, Kind::Any, Kind::Any], Kind::Object, insert),
    Definition::new(c"firn_map_insert", &[Kind::Any, Kind::Any, Kind::Any, Kind::Any], Kind::Object, insert),
    Definition::new(c"firn_map_keys", &[Kind::Any], Kind::Array, |columns, row| {
        let members = Arguments { columns, row }.object(0)?;
        Ok(array(members.map(|members| members.into_keys().map(Variant::Text).collect())))
    }),
    Definition::new(c"firn_map_pick", &[Kind::Any, Kind::Any], Kind::Object, pick).with_rest(Kind::Any),
    Definition::new(c"firn_map_size", &[Kind::Any], Kind::Integer, |columns, row| {
        let members = Arguments { columns, row }.object(0)?;
        Ok(members.map_or(Answer::Null, |members| Answer::Integer(members.len() as i64)))
    }),
    Definition::new(c"firn_object_of_row", &[Kind::Any], Kind::Object, |columns, row| of_row(&columns[0], row, None)),
    Definition::new(c"firn_object_of_row_keep_null", &[Kind::Any], Kind::Object, |columns, row| {
        of_row(&columns[0], row, Some(Variant::Null))
    }),
];

fn object<'row>(members: Members) -> Answer<'row> {
    stored(Some(Variant::Object(members)))
}

fn structured<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let (Some(value), Some(target)) = (arguments.value(0), arguments.text(1)) else { return Ok(Answer::Null) };
    if value.is_null() {
        return Ok(Answer::Null);
    }
    let target = structured_type_of_text(&target).map_err(|failure| format!("firn:100071:{}", failure.message))?;
    convert(value, &target).map(|value| stored(Some(value)))
}

/// A key that is there is changed only on demand.
fn insert<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let (Some(mut members), Some(key)) = (arguments.object(0)?, arguments.text(1)) else { return Ok(Answer::Null) };
    if members.contains_key(&key) && !arguments.boolean(3).unwrap_or(false) {
        return Err(duplicate_key(&key));
    }
    members.insert(key, arguments.value(2).unwrap_or(Variant::Null));
    Ok(object(members))
}

/// An object of a row's columns; `absent` is the value for NULLs.
fn of_row<'row>(column: &Column<'row>, row: usize, absent: Option<Variant>) -> Result<Answer<'row>, String> {
    let Values::Struct(fields) = &column.values else { return Ok(Answer::Null) };
    let members = fields.iter().filter_map(|(name, field)| {
        let value = values::variant(field, row).or_else(|| absent.clone())?;
        Some(((*name).to_owned(), value))
    });
    Ok(object(members.collect()))
}
