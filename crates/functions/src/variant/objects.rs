//! The OBJECT_… functions.

use firn_values::variant::Variant;
use firn_values::variant::objects::{Members, add, duplicate_key, from_pairs, zip};

use super::arguments::{Arguments, array, stored, text};
use crate::columns::Column;
use crate::definition::{Answer, Definition, Kind};

pub(super) const DEFINITIONS: &[Definition] = &[
    Definition::new(c"firn_object_construct", &[], Kind::Object, |columns, row| {
        construct(Arguments { columns, row }, |value| value)
    })
    .with_rest(Kind::Any),
    Definition::new(c"firn_object_construct_keep_null", &[], Kind::Object, |columns, row| {
        construct(Arguments { columns, row }, |value| value.or(Some(Variant::Null)))
    })
    .with_rest(Kind::Any),
    Definition::new(c"firn_object_of", &[Kind::Any, Kind::Any], Kind::Object, object_of),
    Definition::new(c"firn_object_keys", &[Kind::Any], Kind::Array, |columns, row| {
        let members = match (Arguments { columns, row }).value(0) {
            Some(Variant::Object(members)) => Some(members),
            _ => None,
        };
        Ok(array(members.map(|members| members.into_keys().map(Variant::Text).collect())))
    }),
    Definition::new(c"firn_object_delete", &[Kind::Any, Kind::Any], Kind::Object, delete).with_rest(Kind::Any),
    Definition::new(c"firn_object_pick", &[Kind::Any, Kind::Any], Kind::Object, pick).with_rest(Kind::Any),
    Definition::new(c"firn_object_insert", &[Kind::Any, Kind::Any, Kind::Any], Kind::Object, insert),
    Definition::new(c"firn_object_insert", &[Kind::Any, Kind::Any, Kind::Any, Kind::Any], Kind::Object, insert),
    Definition::new(c"firn_arrays_to_object", &[Kind::Any, Kind::Any], Kind::Object, |columns, row| {
        let arguments = Arguments { columns, row };
        let (Some(keys), Some(values)) = (arguments.array(0)?, arguments.array(1)?) else { return Ok(Answer::Null) };
        from_pairs(&keys, values).map(object)
    }),
    Definition::new(c"firn_arrays_zip", &[Kind::Any], Kind::Array, |columns, row| {
        let arguments = Arguments { columns, row };
        let arrays: Option<Vec<Vec<Variant>>> =
            (0..arguments.count()).map(|index| arguments.array(index)).collect::<Result<_, _>>()?;
        Ok(text(arrays.map(|arrays| zip(&arrays))))
    })
    .with_rest(Kind::Any),
];

fn object<'row>(members: Members) -> Answer<'row> {
    stored(Some(Variant::Object(members)))
}

/// A NULL key leaves its pair out; `null_handling` maps a NULL value.
fn construct<'row>(
    arguments: Arguments<'row>,
    null_handling: fn(Option<Variant>) -> Option<Variant>,
) -> Result<Answer<'row>, String> {
    let mut members = Members::new();
    for index in (0..arguments.count()).step_by(2) {
        let value = null_handling(arguments.value(index + 1));
        if let (Some(key), Some(value)) = (arguments.text(index), value) {
            add(&mut members, key, value)?;
        }
    }
    Ok(object(members))
}

/// Of a list of keys and a list of values, with the pairs that have a NULL left out.
fn object_of<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let (keys, values) = (arguments.array(0)?.unwrap_or_default(), arguments.array(1)?.unwrap_or_default());
    let mut members = Members::new();
    for (key, value) in keys.iter().zip(values) {
        if let (Some(key), false) = (key.to_text(), value == Variant::Undefined) {
            add(&mut members, key, value)?;
        }
    }
    Ok(object(members))
}

/// The members without those of the keys that follow.
pub(super) fn delete<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let Some(mut members) = arguments.object(0)? else { return Ok(Answer::Null) };
    for key in keys(arguments) {
        members.remove(&key);
    }
    Ok(object(members))
}

/// The members of the keys that follow.
pub(super) fn pick<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let Some(members) = arguments.object(0)? else { return Ok(Answer::Null) };
    let picked = keys(arguments);
    Ok(object(members.into_iter().filter(|(key, _)| picked.contains(key)).collect()))
}

/// The keys after the first argument, alone or in an array.
fn keys(arguments: Arguments<'_>) -> Vec<String> {
    let mut keys = Vec::new();
    for index in 1..arguments.count() {
        match arguments.value(index) {
            Some(Variant::Array(several)) => keys.extend(several.iter().filter_map(Variant::to_text)),
            Some(one) => keys.extend(one.to_text()),
            None => {}
        }
    }
    keys
}

/// A NULL value takes a key away; one that is there is changed only on demand.
fn insert<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let (Some(mut members), Some(key)) = (arguments.object(0)?, arguments.text(1)) else { return Ok(Answer::Null) };
    let updates = arguments.boolean(3).unwrap_or(false);
    if members.contains_key(&key) && !updates {
        return Err(duplicate_key(&key));
    }
    match arguments.value(2) {
        Some(value) => members.insert(key, value),
        None => members.remove(&key),
    };
    Ok(object(members))
}
