//! What the OBJECT_… functions do with their members.

use std::collections::BTreeMap;

use super::Variant;

pub type Members = BTreeMap<String, Variant>;

pub fn duplicate_key(key: &str) -> String {
    format!("firn:100104:Duplicate field key '{key}'")
}

/// Adds a member that must be new.
pub fn add(members: &mut Members, key: String, value: Variant) -> Result<(), String> {
    if members.contains_key(&key) {
        return Err(duplicate_key(&key));
    }
    members.insert(key, value);
    Ok(())
}

/// Pairs keys with values. A NULL among the keys leaves its pair out, one among the values stays.
pub fn from_pairs(keys: &[Variant], values: Vec<Variant>) -> Result<Members, String> {
    if keys.len() != values.len() {
        return Err("firn:215001:Key array and value array had unequal lengths in ARRAYS_TO_OBJECT".to_owned());
    }
    let mut members = Members::new();
    for (key, value) in keys.iter().zip(values) {
        match key {
            Variant::Text(key) => {
                members.insert(key.clone(), if value.is_null() { Variant::Null } else { value });
            }
            key if key.is_null() => {}
            _ => return Err("firn:215002:Key supplied for ARRAYS_TO_OBJECT does not have string type".to_owned()),
        }
    }
    Ok(members)
}

/// One object per place, with the members `$1`, `$2` and so on; of empty arrays one object without members. They are
/// written as an array.
pub fn zip(arrays: &[Vec<Variant>]) -> String {
    let length = arrays.iter().map(Vec::len).max().unwrap_or(0);
    if length == 0 {
        return Variant::array_json([Variant::Object(Members::new())].into_iter());
    }
    let member = |place: usize, (index, array): (usize, &Vec<Variant>)| {
        let value = array.get(place).cloned().unwrap_or(Variant::Null);
        (format!("${}", index + 1), if value.is_null() { Variant::Null } else { value })
    };
    let object = |place| Variant::Object(arrays.iter().enumerate().map(|array| member(place, array)).collect());
    Variant::array_json((0..length).map(object))
}
