//! What the OBJECT_… functions do with their members.

use std::collections::BTreeMap;

use super::Variant;

pub(crate) type Members = BTreeMap<String, Variant>;

pub(crate) fn duplicate_key(key: &str) -> String {
    format!("firn:100104:Duplicate field key '{key}'")
}

/// Adds a member that must be new.
pub(crate) fn add(members: &mut Members, key: String, value: Variant) -> Result<(), String> {
    if members.contains_key(&key) {
        return Err(duplicate_key(&key));
    }
    members.insert(key, value);
    Ok(())
}

/// Pairs keys with values; a NULL among the keys leaves its pair out.
pub(crate) fn from_pairs(keys: &[Variant], values: Vec<Variant>) -> Result<Members, String> {
    if keys.len() != values.len() {
        let message = format!("keys and values differ in length: {} and {}", keys.len(), values.len());
        return Err(format!("firn:100107:Invalid arguments of ARRAYS_TO_OBJECT: {message}"));
    }
    let mut members = Members::new();
    for (key, value) in keys.iter().zip(values) {
        if let (Some(key), false) = (key.to_text(), value == Variant::Undefined) {
            members.insert(key, value);
        }
    }
    Ok(members)
}

/// One object per place, with the members `$1`, `$2` and so on.
pub(crate) fn zip(arrays: &[Vec<Variant>]) -> Vec<Variant> {
    let length = arrays.iter().map(Vec::len).max().unwrap_or(0);
    let member = |place: usize, (index, array): (usize, &Vec<Variant>)| {
        let value = array.get(place).cloned().unwrap_or(Variant::Null);
        (format!("${}", index + 1), if value.is_null() { Variant::Null } else { value })
    };
    (0..length)
        .map(|place| Variant::Object(arrays.iter().enumerate().map(|array| member(place, array)).collect()))
        .collect()
}
