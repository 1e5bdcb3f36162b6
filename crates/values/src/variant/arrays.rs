//! What the ARRAY_… functions do with their elements.

use super::bag::Bag;
use super::order::{compare, equal};
use super::{NODE_BYTES, Variant};
use crate::running_call::{reserve, work};

/// The work of comparing two elements.
const COMPARISON_BYTES: usize = 32;

pub fn position(value: &Variant, elements: &[Variant]) -> Option<usize> {
    elements.iter().position(|element| equal(element, value))
}

/// The first of each kind of element.
pub fn distinct(elements: Vec<Variant>) -> Vec<Variant> {
    let mut seen = Bag::default();
    elements.into_iter().filter(|element| seen.add(element) == 1).collect()
}

/// Each element of `removed` takes one of its like away.
pub fn except(elements: Vec<Variant>, removed: Vec<Variant>) -> Vec<Variant> {
    let mut removed = Bag::of(&removed);
    elements.into_iter().filter(|element| !removed.take(element)).collect()
}

/// Each element of `others` keeps one of its like.
pub fn intersection(elements: Vec<Variant>, others: Vec<Variant>) -> Vec<Variant> {
    let mut others = Bag::of(&others);
    elements.into_iter().filter(|element| others.take(element)).collect()
}

pub fn overlap(elements: &[Variant], others: &[Variant]) -> bool {
    let others = Bag::of(others);
    elements.iter().any(|element| others.count(element) > 0)
}

/// Every element as often as the array has it that has it most often.
pub fn union(arrays: impl Iterator<Item = Vec<Variant>>) -> Vec<Variant> {
    let (mut united, mut in_all) = (Vec::new(), Bag::default());
    for elements in arrays {
        let mut here = Bag::default();
        for element in elements {
            if here.add(&element) > in_all.count(&element) {
                in_all.add(&element);
                united.push(element);
            }
        }
    }
    united
}

/// The place an index means: negative ones count from the end.
pub fn place(index: i64, length: usize) -> i64 {
    if index < 0 { index.saturating_add(length as i64) } else { index }
}

/// Past the end the array is filled up.
pub fn insert(elements: Vec<Variant>, index: i64, value: Variant, length_max: usize) -> Option<Vec<Variant>> {
    let mut elements = elements;
    let at = usize::try_from(place(index, elements.len()).max(0)).ok().filter(|at| *at <= length_max)?;
    if at > elements.len() {
        reserve(NODE_BYTES * (at - elements.len()));
        elements.resize(at, Variant::Undefined);
    }
    elements.insert(at, value);
    Some(elements)
}

pub fn remove_at(elements: Vec<Variant>, index: i64) -> Vec<Variant> {
    let mut elements = elements;
    if let Ok(at) = usize::try_from(place(index, elements.len()))
        && at < elements.len()
    {
        elements.remove(at);
    }
    elements
}

pub fn slice(elements: Vec<Variant>, from: i64, to: i64) -> Vec<Variant> {
    let length = elements.len();
    let bound = |index: i64| place(index, length).clamp(0, length as i64) as usize;
    let (from, to) = (bound(from), bound(to));
    elements.into_iter().take(to).skip(from).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    First,
    Last,
}

pub fn sort(elements: Vec<Variant>, direction: Direction, nulls: Nulls) -> Vec<Variant> {
    let (undefined, mut present): (Vec<Variant>, Vec<Variant>) =
        elements.into_iter().partition(|element| *element == Variant::Undefined);
    present.sort_by(|left, right| {
        work(COMPARISON_BYTES);
        compare(left, right)
    });
    if direction == Direction::Descending {
        present.reverse();
    }
    match nulls {
        Nulls::First => undefined.into_iter().chain(present).collect(),
        Nulls::Last => present.into_iter().chain(undefined).collect(),
    }
}

/// The largest or smallest element; a null only where there is nothing else.
pub fn extreme(elements: Vec<Variant>, direction: Direction) -> Option<Variant> {
    let (nulls, present): (Vec<Variant>, Vec<Variant>) =
        elements.into_iter().filter(|element| *element != Variant::Undefined).partition(Variant::is_null);
    let found = match direction {
        Direction::Ascending => present.into_iter().min_by(compare),
        Direction::Descending => present.into_iter().max_by(compare),
    };
    found.or_else(|| nulls.into_iter().next())
}

/// `None` when it would be longer than `length_max`.
pub fn range(start: i64, stop: i64, step: i64, length_max: usize) -> Option<impl Iterator<Item = i128>> {
    let (start, stop, step) = (i128::from(start), i128::from(stop), i128::from(step));
    let length = if (step > 0) == (stop > start) { ((stop - start).abs() + step.abs() - 1) / step.abs() } else { 0 };
    let length = usize::try_from(length).ok().filter(|length| *length <= length_max)?;
    Some((0..length as i128).map(move |index| start + index * step))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(json: &str) -> Vec<Variant> {
        match Variant::from_json(json) {
            Variant::Array(elements) => elements,
            other => vec![other],
        }
    }

    fn json(elements: Vec<Variant>) -> String {
        Variant::Array(elements).to_json()
    }

    #[test]
    fn arrays_are_sets_with_repetitions() {
        assert_eq!(json(except(array("[1,1,2,3]"), array("[1,3,4]"))), "[1,2]");
        assert_eq!(json(intersection(array("[1,1,2,3]"), array("[1,1,1,2]"))), "[1,1,2]");
        assert_eq!(json(union([array("[1,1,2]"), array("[2,2,1.0,3]")].into_iter())), "[1,1,2,2,3]");
        assert!(overlap(&array("[1,2]"), &array("[2e0]")));
        assert!(!overlap(&array("[1,2]"), &array("[\"2\"]")));
        assert_eq!(json(distinct(array("[1,\"1\",1,null,undefined,null]"))), "[1,\"1\",null,undefined]");
    }

    #[test]
    fn arrays_are_sorted_and_cut() {
        let mixed = || array("[20,null,0,undefined,10]");
        assert_eq!(json(sort(mixed(), Direction::Ascending, Nulls::Last)), "[0,10,20,null,undefined]");
        assert_eq!(json(sort(mixed(), Direction::Descending, Nulls::First)), "[undefined,null,20,10,0]");
        assert_eq!(json(slice(array("[0,1,2,3]"), 1, -1)), "[1,2]");
        assert_eq!(json(insert(array("[0]"), 2, Variant::Null, 10).unwrap_or_default()), "[0,undefined,null]");
        let numbers = |start, stop, step| range(start, stop, step, 10).map(Iterator::collect::<Vec<i128>>);
        assert_eq!(numbers(5, 0, -2), Some(vec![5, 3, 1]));
        assert_eq!(numbers(0, 5, -1), Some(Vec::new()));
        assert_eq!(numbers(0, 100, 1), None);
        assert_eq!(extreme(array("[null]"), Direction::Descending), Some(Variant::Null));
    }
}
