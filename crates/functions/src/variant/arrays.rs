//! The ARRAY_… functions.

use std::collections::HashSet;
use std::fmt::Write;

use firn_values::running_call::{GrowingText, work};
use firn_values::variant::Variant;
use firn_values::variant::arrays::{
    Direction, Nulls, distinct, except, extreme, insert, intersection, overlap, position, range, remove_at, slice,
    sort, union,
};
use firn_values::variant::order::equal;

use super::arguments::{Arguments, LENGTH_MAX, array, stored, text};
use crate::columns::Column;
use crate::definition::{Answer, Definition, Kind};

const ONE: &[Kind] = &[Kind::Any];
const TWO: &[Kind] = &[Kind::Any, Kind::Any];
const THREE: &[Kind] = &[Kind::Any, Kind::Any, Kind::Any];

pub(super) const DEFINITIONS: &[Definition] = &[
    Definition::new(c"firn_array_construct", &[], Kind::Array, |columns, row| {
        let arguments = Arguments { columns, row };
        Ok(array(Some((0..arguments.count()).map(|index| arguments.element(index)).collect())))
    })
    .with_rest(Kind::Any),
    Definition::new(c"firn_array_construct_compact", &[], Kind::Array, |columns, row| {
        let arguments = Arguments { columns, row };
        Ok(array(Some((0..arguments.count()).filter_map(|index| arguments.value(index)).collect())))
    })
    .with_rest(Kind::Any),
    Definition::new(c"firn_array_append", TWO, Kind::Array, |columns, row| {
        let arguments = Arguments { columns, row };
        Ok(array(arguments.array(0)?.map(|mut elements| {
            elements.push(arguments.element(1));
            elements
        })))
    }),
    Definition::new(c"firn_array_prepend", TWO, Kind::Array, |columns, row| {
        let arguments = Arguments { columns, row };
        Ok(array(arguments.array(0)?.map(|mut elements| {
            elements.insert(0, arguments.element(1));
            elements
        })))
    }),
    Definition::new(c"firn_array_cat", TWO, Kind::Array, |columns, row| {
        both(Arguments { columns, row }, |left, right| left.into_iter().chain(right).collect())
    }),
    Definition::new(c"firn_array_compact", ONE, Kind::Array, |columns, row| {
        one(Arguments { columns, row }, |elements| elements.into_iter().filter(|element| !element.is_null()).collect())
    }),
    Definition::new(c"firn_array_contains", TWO, Kind::Boolean, contains),
    Definition::new(c"firn_array_distinct", ONE, Kind::Array, |columns, row| one(Arguments { columns, row }, distinct)),
    Definition::new(c"firn_first_of_equal", ONE, Kind::Array, |columns, row| {
        one(Arguments { columns, row }, first_of_equal)
    }),
    Definition::new(c"firn_array_except", TWO, Kind::Array, |columns, row| both(Arguments { columns, row }, except)),
    Definition::new(c"firn_array_intersection", TWO, Kind::Array, |columns, row| {
        both(Arguments { columns, row }, intersection)
    }),
    Definition::new(c"firn_array_flatten", ONE, Kind::Array, flatten),
    Definition::new(c"firn_array_generate_range", TWO, Kind::Array, generate_range),
    Definition::new(c"firn_array_generate_range", THREE, Kind::Array, generate_range),
    Definition::new(c"firn_array_insert", THREE, Kind::Array, |columns, row| {
        let arguments = Arguments { columns, row };
        let (Some(elements), Some(index)) = (arguments.array(0)?, arguments.integer(1)?) else {
            return Ok(Answer::Null);
        };
        insert(elements, index, arguments.element(2), LENGTH_MAX)
            .map(|elements| array(Some(elements)))
            .ok_or_else(|| too_long("ARRAY_INSERT"))
    }),
    Definition::new(c"firn_array_max", ONE, Kind::Variant, |columns, row| {
        let elements = Arguments { columns, row }.array(0)?;
        Ok(stored(elements.and_then(|elements| extreme(elements, Direction::Descending))))
    }),
    Definition::new(c"firn_array_min", ONE, Kind::Variant, |columns, row| {
        let elements = Arguments { columns, row }.array(0)?;
        Ok(stored(elements.and_then(|elements| extreme(elements, Direction::Ascending))))
    }),
    Definition::new(c"firn_array_position", TWO, Kind::Integer, |columns, row| {
        let arguments = Arguments { columns, row };
        let Some(elements) = arguments.array(1)? else { return Ok(Answer::Null) };
        Ok(position(&arguments.element(0), &elements).map_or(Answer::Null, |place| Answer::Integer(place as i64)))
    }),
    Definition::new(c"firn_array_remove", TWO, Kind::Array, |columns, row| {
        let arguments = Arguments { columns, row };
        let (Some(elements), Some(value)) = (arguments.array(0)?, arguments.value(1)) else { return Ok(Answer::Null) };
        Ok(array(Some(elements.into_iter().filter(|element| !equal(element, &value)).collect())))
    }),
    Definition::new(c"firn_array_remove_at", TWO, Kind::Array, |columns, row| {
        let arguments = Arguments { columns, row };
        let (Some(elements), Some(index)) = (arguments.array(0)?, arguments.integer(1)?) else {
            return Ok(Answer::Null);
        };
        Ok(array(Some(remove_at(elements, index))))
    }),
    Definition::new(c"firn_array_reverse", ONE, Kind::Array, |columns, row| {
        one(Arguments { columns, row }, |elements| elements.into_iter().rev().collect())
    }),
    Definition::new(c"firn_array_slice", THREE, Kind::Array, |columns, row| {
        let arguments = Arguments { columns, row };
        let (Some(elements), Some(from), Some(to)) =
            (arguments.array(0)?, arguments.integer(1)?, arguments.integer(2)?)
        else {
            return Ok(Answer::Null);
        };
        Ok(array(Some(slice(elements, from, to))))
    }),
    Definition::new(c"firn_array_sort", ONE, Kind::Array, sorted),
    Definition::new(c"firn_array_sort", TWO, Kind::Array, sorted),
    Definition::new(c"firn_array_sort", THREE, Kind::Array, sorted),
    Definition::new(c"firn_array_to_string", TWO, Kind::Text, |columns, row| {
        let arguments = Arguments { columns, row };
        let (Some(elements), Some(separator)) = (arguments.array(0)?, arguments.text(1)) else {
            return Ok(Answer::Null);
        };
        let mut joined = GrowingText::default();
        for (place, element) in elements.iter().enumerate() {
            if place > 0 {
                joined.push(&separator)?;
            }
            joined.push(&element.to_text().unwrap_or_default())?;
        }
        Ok(text(Some(joined.into_text())))
    }),
    Definition::new(c"firn_arrays_overlap", TWO, Kind::Boolean, |columns, row| {
        let arguments = Arguments { columns, row };
        let (Some(left), Some(right)) = (arguments.array(0)?, arguments.array(1)?) else { return Ok(Answer::Null) };
        Ok(Answer::Boolean(overlap(&left, &right)))
    }),
    Definition::new(c"firn_array_of", ONE, Kind::Array, |columns, row| {
        Ok(array(Some(Arguments { columns, row }.array(0)?.unwrap_or_default())))
    }),
    Definition::new(c"firn_array_from", ONE, Kind::Array, |columns, row| {
        Ok(array(Arguments { columns, row }.array(0)?))
    }),
    Definition::new(c"firn_array_union", ONE, Kind::Array, |columns, row| united(Arguments { columns, row })),
];

/// Of pairs of a key and a value, the value of the first pair with each key.
fn first_of_equal(pairs: Vec<Variant>) -> Vec<Variant> {
    let mut keys = HashSet::new();
    let mut values = Vec::new();
    for pair in pairs {
        if let Variant::Array(pair) = pair
            && let Ok([Variant::Text(key), value]) = <[Variant; 2]>::try_from(pair)
            && keys.insert(key)
        {
            values.push(value);
        }
    }
    values
}

fn one<'row>(arguments: Arguments<'row>, change: fn(Vec<Variant>) -> Vec<Variant>) -> Result<Answer<'row>, String> {
    Ok(array(arguments.array(0)?.map(change)))
}

fn both<'row>(
    arguments: Arguments<'row>,
    combine: fn(Vec<Variant>, Vec<Variant>) -> Vec<Variant>,
) -> Result<Answer<'row>, String> {
    let (Some(left), Some(right)) = (arguments.array(0)?, arguments.array(1)?) else { return Ok(Answer::Null) };
    Ok(array(Some(combine(left, right))))
}

/// NULL is contained if an element is NULL; else the result is NULL.
fn contains<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let Some(elements) = arguments.array(1)? else { return Ok(Answer::Null) };
    let value = arguments.element(0);
    let found = position(&value, &elements).is_some();
    Ok(if !found && value == Variant::Undefined { Answer::Null } else { Answer::Boolean(found) })
}

/// An element that is NULL makes the whole NULL.
fn flatten<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let Some(elements) = (Arguments { columns, row }).array(0)? else { return Ok(Answer::Null) };
    let mut flat = Vec::new();
    for element in elements {
        match element {
            Variant::Array(inner) => flat.extend(inner),
            Variant::Undefined => return Ok(Answer::Null),
            _ => {
                let message = "Input argument to ARRAY_FLATTEN is not an array of arrays";
                return Err(format!("firn:100107:Not an array: '{message}'"));
            }
        }
    }
    Ok(array(Some(flat)))
}

fn generate_range<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let step = if arguments.count() > 2 { arguments.integer(2)? } else { Some(1) };
    let (Some(start), Some(stop), Some(step)) = (arguments.integer(0)?, arguments.integer(1)?, step) else {
        return Ok(Answer::Null);
    };
    if step == 0 {
        return Err("firn:100107:Invalid step of ARRAY_GENERATE_RANGE: it must not be 0".to_owned());
    }
    let numbers = range(start, stop, step, LENGTH_MAX).ok_or_else(|| too_long("ARRAY_GENERATE_RANGE"))?;
    range_text(numbers).map(Answer::Text)
}

/// The memory of a number as text.
const NUMBER_BYTES: usize = 16;

/// The array of the numbers, which is never anything but text: its elements would take ten times the memory.
fn range_text(numbers: impl Iterator<Item = i128>) -> Result<String, String> {
    let mut written = String::from("[");
    for (place, number) in numbers.enumerate() {
        work(NUMBER_BYTES);
        if place > 0 {
            written.push(',');
        }
        let _ = write!(written, "{number}");
    }
    written.push(']');
    Ok(written)
}

/// By default ascending, and NULLs sort as the largest values.
fn sorted<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let Some(elements) = arguments.array(0)? else { return Ok(Answer::Null) };
    let ascending = if arguments.count() > 1 { arguments.boolean(1) } else { Some(true) };
    let Some(ascending) = ascending else { return Ok(Answer::Null) };
    let nulls_first = if arguments.count() > 2 { arguments.boolean(2) } else { Some(!ascending) };
    let Some(nulls_first) = nulls_first else { return Ok(Answer::Null) };
    let direction = if ascending { Direction::Ascending } else { Direction::Descending };
    Ok(array(Some(sort(elements, direction, if nulls_first { Nulls::First } else { Nulls::Last }))))
}

/// Of a list of arrays.
fn united<'row>(arguments: Arguments<'row>) -> Result<Answer<'row>, String> {
    let arrays = arguments.array(0)?.unwrap_or_default().into_iter().filter_map(|element| match element {
        Variant::Array(elements) => Some(elements),
        _ => None,
    });
    Ok(array(Some(union(arrays))))
}

fn too_long(function: &str) -> String {
    format!("firn:100107:The array that {function} would make is longer than {LENGTH_MAX} elements")
}
