//! A cache of prepared geographies (indexed for spatial predicates): one that repeats row after row is prepared once.

use std::cell::RefCell;
use std::rc::Rc;

use firn_values::geo::relations::{PreparedShape, check_size};
use firn_values::geo::{Model, Shape};

use super::arguments::Arguments;
use super::failure;
use crate::columns::Values;

/// Shapes cached by a thread.
const CACHED_MAX: usize = 8;
/// Smaller shapes, such as points, are prepared faster than they are looked up.
const BYTES_MIN: usize = 40;

thread_local! {
    static LATEST: RefCell<Vec<(Vec<u8>, Rc<PreparedShape>)>> = const { RefCell::new(Vec::new()) };
}

type Pair = (Rc<PreparedShape>, Rc<PreparedShape>);

/// `None` unless both arguments are GEOGRAPHY and not NULL.
pub(super) fn pair(arguments: Arguments<'_>) -> Result<Option<Pair>, String> {
    let (Some(Values::Geography(left)), Some(Values::Geography(right))) = (arguments.value(0), arguments.value(1))
    else {
        return Ok(None);
    };
    let (left, right) = (prepared(left[arguments.row].get())?, prepared(right[arguments.row].get())?);
    check_size(left.size(), right.size()).map_err(|reason| failure(&reason))?;
    Ok(Some((left, right)))
}

fn prepared(encoded: &[u8]) -> Result<Rc<PreparedShape>, String> {
    let make = || Shape::decode(Model::Sphere, encoded).map(|shape| Rc::new(PreparedShape::of(&shape.geometry)));
    if encoded.len() < BYTES_MIN {
        return make();
    }
    LATEST.with_borrow_mut(|latest| {
        if let Some((_, shape)) = latest.iter().find(|(bytes, _)| bytes == encoded) {
            return Ok(shape.clone());
        }
        let shape = make()?;
        if latest.len() == CACHED_MAX {
            latest.remove(0);
        }
        latest.push((encoded.to_vec(), shape.clone()));
        Ok(shape)
    })
}
