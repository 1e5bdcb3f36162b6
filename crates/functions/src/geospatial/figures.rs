//! Shapes on the sphere made ready to be compared. One that comes again, row after row, is made ready once.

use std::cell::RefCell;
use std::rc::Rc;

use firn_values::geo::relations::{Figure, check_size};
use firn_values::geo::{Model, Shape};

use super::arguments::Arguments;
use super::failure;
use crate::columns::Values;

/// Shapes that are remembered by a thread.
const REMEMBERED: usize = 8;
/// A point is made ready quicker than it is found.
const BYTES_MIN: usize = 40;

thread_local! {
    static LATEST: RefCell<Vec<(Vec<u8>, Rc<Figure>)>> = const { RefCell::new(Vec::new()) };
}

type Pair = (Rc<Figure>, Rc<Figure>);

/// `None` unless both arguments are GEOGRAPHY and not NULL.
pub(super) fn pair(arguments: Arguments<'_>) -> Result<Option<Pair>, String> {
    let (Some(Values::Geography(left)), Some(Values::Geography(right))) = (arguments.value(0), arguments.value(1))
    else {
        return Ok(None);
    };
    let (left, right) = (figure(left[arguments.row].get())?, figure(right[arguments.row].get())?);
    check_size(left.size(), right.size()).map_err(|reason| failure(&reason))?;
    Ok(Some((left, right)))
}

fn figure(kept: &[u8]) -> Result<Rc<Figure>, String> {
    let make = || Shape::from_kept(Model::Sphere, kept).map(|shape| Rc::new(Figure::of(&shape.geometry)));
    if kept.len() < BYTES_MIN {
        return make();
    }
    LATEST.with_borrow_mut(|latest| {
        if let Some((_, figure)) = latest.iter().find(|(bytes, _)| bytes == kept) {
            return Ok(figure.clone());
        }
        let figure = make()?;
        if latest.len() == REMEMBERED {
            latest.remove(0);
        }
        latest.push((kept.to_vec(), figure.clone()));
        Ok(figure)
    })
}
