//! Semi-structured values and how often each is there, found at once however many they are.

use std::collections::HashMap;

use super::Variant;
use super::order::{equal, sort_key};

/// Values that are equal share a sort key; so may a few that are not.
#[derive(Default)]
pub(super) struct Bag(HashMap<String, Vec<Counted>>);

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
        let alike = self.0.entry(sort_key(value)).or_default();
        if let Some(known) = alike.iter_mut().find(|known| equal(&known.value, value)) {
            known.count += 1;
            return known.count;
        }
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
