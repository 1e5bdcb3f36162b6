//! Semi-structured values and how often each is there, found at once however many they are.

use std::collections::HashMap;

use super::order::{equal, sort_key};
use super::{NODE_BYTES, Variant};
use crate::running_call::{reserve, work};

/// Values that are equal share a sort key; so may a few that are not.
#[derive(Default)]
pub(super) struct Bag(HashMap<String, Vec<Counted>>);

/// The memory of a value that is alone with its sort key, beside the two.
const ENTRY_BYTES: usize = 160;

struct Counted {
    value: Variant,
    count: usize,
}

impl Bag {
    pub(super) fn of(values: &[Variant]) -> Self {
        let mut bag = Self::default();
        for value in values {
            bag.add(value);
        }
        bag
    }

    /// How often the value is there.
    pub(super) fn count(&self, value: &Variant) -> usize {
        let alike = self.0.get(&sort_key(value)).into_iter().flatten();
        alike.filter(|known| equal(&known.value, value)).map(|known| known.count).sum()
    }

    /// How often the value is there now.
    pub(super) fn add(&mut self, value: &Variant) -> usize {
        let key = sort_key(value);
        work(key.len() + NODE_BYTES);
        let key_bytes = key.len();
        let alike = self.0.entry(key).or_default();
        if let Some(known) = alike.iter_mut().find(|known| equal(&known.value, value)) {
            known.count += 1;
            return known.count;
        }
        reserve(2 * key_bytes + ENTRY_BYTES);
        alike.reserve_exact(1);
        alike.push(Counted { value: value.clone(), count: 1 });
        1
    }

    /// Whether the value was there.
    pub(super) fn take(&mut self, value: &Variant) -> bool {
        let alike = self.0.get_mut(&sort_key(value)).into_iter().flatten();
        for known in alike.filter(|known| known.count > 0) {
            if equal(&known.value, value) {
                known.count -= 1;
                return true;
            }
        }
        false
    }
}
