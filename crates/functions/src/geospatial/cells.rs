//! H3: the cells of a hexagonal grid over the globe, by number or by its hexadecimal digits.

use firn_values::geo::{Model, Shape, WGS84};
use firn_values::variant::Variant;
use geo::{LineString, Point, Polygon};
use h3o::{CellIndex, LatLng, Resolution};

use super::arguments::{Arguments, text};
use super::{Evaluated, asks, encoded, failure, tried};
use crate::columns::Values;
use crate::definition::{Answer, Definition, Kind};

use Kind::{Any, Array, Boolean, Double, Geography, Integer, Text};

/// No array of cells is longer.
pub(super) const CELLS_MAX: u64 = 1_000_000;

pub(super) const DEFINITIONS: &[&[Definition]] = &[
    asks!(c"firn_h3_latlng_to_cell", [Double, Double, Any], Integer, of_position),
    asks!(c"firn_h3_latlng_to_cell_string", [Double, Double, Any], Text, of_position_named),
    asks!(c"firn_h3_point_to_cell", [Any, Any], Integer, of_point),
    asks!(c"firn_h3_point_to_cell_string", [Any, Any], Text, of_point_named),
    asks!(c"firn_h3_cell_to_point", [Any], Geography, centre),
    asks!(c"firn_h3_cell_to_boundary", [Any], Geography, boundary),
    asks!(c"firn_h3_cell_to_parent", [Text, Any], Text, parent),
    asks!(c"firn_h3_cell_to_parent", [Any, Any], Integer, parent),
    asks!(c"firn_h3_cell_to_children", [Any, Any], Array, children),
    asks!(c"firn_h3_cell_to_children_string", [Any, Any], Array, children),
    asks!(c"firn_h3_get_resolution", [Any], Integer, resolution),
    asks!(c"firn_h3_grid_disk", [Any, Any], Array, disk),
    asks!(c"firn_h3_grid_distance", [Any, Any], Integer, distance),
    asks!(c"firn_h3_grid_path", [Any, Any], Array, path),
    asks!(c"firn_h3_try_grid_distance", [Any, Any], Integer, try_distance),
    asks!(c"firn_h3_try_grid_path", [Any, Any], Array, try_path),
    asks!(c"firn_h3_int_to_string", [Any], Text, name),
    asks!(c"firn_h3_string_to_int", [Any], Integer, number),
    asks!(c"firn_h3_is_pentagon", [Any], Boolean, is_pentagon),
    asks!(c"firn_h3_is_valid_cell", [Any], Boolean, is_valid),
    asks!(c"firn_h3_compact_cells", [Any], Array, compact),
    asks!(c"firn_h3_compact_cells_strings", [Any], Array, compact),
    asks!(c"firn_h3_uncompact_cells", [Any, Any], Array, uncompact),
    asks!(c"firn_h3_uncompact_cells_strings", [Any, Any], Array, uncompact),
];

/// How cells are written where they came from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Number,
    Name,
}

pub(super) fn array(cells: impl IntoIterator<Item = CellIndex>, form: Form) -> Answer<'static> {
    let written = cells.into_iter().map(|cell| match form {
        Form::Number => u64::from(cell).to_string(),
        Form::Name => format!("\"{cell}\""),
    });
    Answer::Text(format!("[{}]", written.collect::<Vec<_>>().join(",")))
}

fn single(cell: CellIndex, form: Form) -> Answer<'static> {
    match form {
        Form::Number => Answer::Integer(u64::from(cell) as i64),
        Form::Name => Answer::Text(cell.to_string()),
    }
}

/// `None` for NULL.
fn cell(arguments: Arguments<'_>, index: usize) -> Result<Option<(CellIndex, Form)>, String> {
    let read = match arguments.value(index) {
        None => return Ok(None),
        Some(Values::Text(values)) => {
            named(text(&values[arguments.row]).unwrap_or_default()).map(|cell| (cell, Form::Name))
        }
        Some(_) => arguments.integer(index).and_then(numbered).map(|cell| (cell, Form::Number)),
    };
    read.map(Some).ok_or_else(|| failure("Invalid H3 cell"))
}

fn named(digits: &str) -> Option<CellIndex> {
    digits.trim().parse().ok()
}

fn numbered(number: i64) -> Option<CellIndex> {
    u64::try_from(number).ok().and_then(|number| CellIndex::try_from(number).ok())
}

pub(super) fn resolution_of(arguments: Arguments<'_>, index: usize) -> Result<Option<Resolution>, String> {
    let Some(number) = arguments.integer(index) else { return Ok(None) };
    let resolution = u8::try_from(number).ok().and_then(|number| Resolution::try_from(number).ok());
    resolution.map(Some).ok_or_else(|| failure(&format!("H3 resolution {number} is not between 0 and 15")))
}

pub(super) fn limited(count: u64) -> Result<(), String> {
    if count > CELLS_MAX { Err(failure(&format!("more than {CELLS_MAX} H3 cells"))) } else { Ok(()) }
}

fn position(arguments: Arguments<'_>) -> Result<Option<CellIndex>, String> {
    let (Some(latitude), Some(longitude)) = (arguments.double(0), arguments.double(1)) else { return Ok(None) };
    let Some(resolution) = resolution_of(arguments, 2)? else { return Ok(None) };
    let at = LatLng::new(latitude, longitude).map_err(|_| failure("a latitude or longitude is not finite"))?;
    Ok(Some(at.to_cell(resolution)))
}

fn of_position(arguments: Arguments<'_>) -> Evaluated {
    Ok(position(arguments)?.map(|cell| single(cell, Form::Number)))
}

fn of_position_named(arguments: Arguments<'_>) -> Evaluated {
    Ok(position(arguments)?.map(|cell| single(cell, Form::Name)))
}

fn point(arguments: Arguments<'_>) -> Result<Option<CellIndex>, String> {
    let (Some(shape), Some(resolution)) = (arguments.shape(0)?, resolution_of(arguments, 1)?) else { return Ok(None) };
    let geo::Geometry::Point(at) = shape.geometry else { return Err(failure("H3_POINT_TO_CELL needs a Point")) };
    let at = LatLng::new(at.y(), at.x()).map_err(|_| failure("a latitude or longitude is not finite"))?;
    Ok(Some(at.to_cell(resolution)))
}

fn of_point(arguments: Arguments<'_>) -> Evaluated {
    Ok(point(arguments)?.map(|cell| single(cell, Form::Number)))
}

fn of_point_named(arguments: Arguments<'_>) -> Evaluated {
    Ok(point(arguments)?.map(|cell| single(cell, Form::Name)))
}

fn centre(arguments: Arguments<'_>) -> Evaluated {
    Ok(cell(arguments, 0)?.map(|(cell, _)| {
        let at = LatLng::from(cell);
        encoded(&Shape::computed(Model::Sphere, WGS84, Point::new(at.lng(), at.lat())))
    }))
}

fn boundary(arguments: Arguments<'_>) -> Evaluated {
    Ok(cell(arguments, 0)?.map(|(cell, _)| {
        let mut ring: Vec<_> = cell.boundary().iter().map(|at| geo::Coord { x: at.lng(), y: at.lat() }).collect();
        ring.extend(ring.first().copied());
        encoded(&Shape::computed(Model::Sphere, WGS84, Polygon::new(LineString::new(ring), Vec::new())))
    }))
}

fn parent(arguments: Arguments<'_>) -> Evaluated {
    let (Some((cell, form)), Some(resolution)) = (cell(arguments, 0)?, resolution_of(arguments, 1)?) else {
        return Ok(None);
    };
    match cell.parent(resolution) {
        Some(parent) => Ok(Some(single(parent, form))),
        None => Err(failure(&format!("the H3 cell has no parent of the resolution {}", u8::from(resolution)))),
    }
}

fn children(arguments: Arguments<'_>) -> Evaluated {
    let (Some((cell, form)), Some(resolution)) = (cell(arguments, 0)?, resolution_of(arguments, 1)?) else {
        return Ok(None);
    };
    if resolution < cell.resolution() {
        return Err(failure(&format!("the H3 cell has no children of the resolution {}", u8::from(resolution))));
    }
    limited(cell.children_count(resolution))?;
    Ok(Some(array(cell.children(resolution), form)))
}

fn resolution(arguments: Arguments<'_>) -> Evaluated {
    Ok(cell(arguments, 0)?.map(|(cell, _)| Answer::Integer(u8::from(cell.resolution()).into())))
}

/// All cells within so many steps.
fn disk(arguments: Arguments<'_>) -> Evaluated {
    let (Some((cell, form)), Some(steps)) = (cell(arguments, 0)?, arguments.integer(1)) else { return Ok(None) };
    let Some(steps) = u32::try_from(steps).ok().filter(|steps| *steps <= 10_000) else {
        return Err(failure(&format!("H3 distance {steps} is not between 0 and 10000")));
    };
    limited(3 * u64::from(steps) * (u64::from(steps) + 1) + 1)?;
    Ok(Some(array(cell.grid_disk::<Vec<_>>(steps), form)))
}

fn distance(arguments: Arguments<'_>) -> Evaluated {
    let (Some((from, _)), Some((to, _))) = (cell(arguments, 0)?, cell(arguments, 1)?) else { return Ok(None) };
    match from.grid_distance(to) {
        Ok(steps) => Ok(Some(Answer::Integer(steps.into()))),
        Err(error) => Err(failure(&format!("H3 cells have no grid distance: {error}"))),
    }
}

fn path(arguments: Arguments<'_>) -> Evaluated {
    let (Some((from, form)), Some((to, _))) = (cell(arguments, 0)?, cell(arguments, 1)?) else { return Ok(None) };
    let none = |error: h3o::error::LocalIjError| failure(&format!("H3 cells have no grid path: {error}"));
    limited(from.grid_distance(to).map_err(none)?.unsigned_abs().into())?;
    let cells = from.grid_path_cells(to).map_err(none)?.collect::<Result<Vec<_>, _>>().map_err(none)?;
    Ok(Some(array(cells, form)))
}

fn try_distance(arguments: Arguments<'_>) -> Evaluated {
    tried(distance(arguments))
}

fn try_path(arguments: Arguments<'_>) -> Evaluated {
    tried(path(arguments))
}

fn name(arguments: Arguments<'_>) -> Evaluated {
    Ok(arguments.integer(0).map(|number| Answer::Text(format!("{number:x}"))))
}

fn number(arguments: Arguments<'_>) -> Evaluated {
    let Some(digits) = arguments.text(0) else { return Ok(None) };
    match i64::from_str_radix(digits.trim(), 16) {
        Ok(number) => Ok(Some(Answer::Integer(number))),
        Err(_) => Err(failure(&format!("'{digits}' is no hexadecimal H3 cell"))),
    }
}

fn is_pentagon(arguments: Arguments<'_>) -> Evaluated {
    Ok(cell(arguments, 0)?.map(|(cell, _)| Answer::Boolean(cell.is_pentagon())))
}

fn is_valid(arguments: Arguments<'_>) -> Evaluated {
    Ok(arguments.value(0).map(|_| Answer::Boolean(cell(arguments, 0).is_ok_and(|cell| cell.is_some()))))
}

/// The cells of an array.
fn cells(arguments: Arguments<'_>) -> Result<Option<(Vec<CellIndex>, Form)>, String> {
    let invalid = || failure("an array of H3 cells is expected");
    let elements = match arguments.variant(0) {
        None | Some(Variant::Null | Variant::Undefined) => return Ok(None),
        Some(Variant::Array(elements)) => elements,
        Some(_) => return Err(invalid()),
    };
    let mut form = Form::Number;
    let read = elements.iter().map(|element| match element {
        Variant::Number(number) if number.scale == 0 => {
            i64::try_from(number.digits).ok().and_then(numbered).ok_or_else(invalid)
        }
        Variant::Text(digits) => {
            form = Form::Name;
            named(digits).ok_or_else(invalid)
        }
        _ => Err(invalid()),
    });
    let cells = read.collect::<Result<Vec<_>, _>>()?;
    Ok(Some((cells, form)))
}

fn compact(arguments: Arguments<'_>) -> Evaluated {
    let Some((mut cells, form)) = cells(arguments)? else { return Ok(None) };
    CellIndex::compact(&mut cells).map_err(|error| failure(&format!("H3 cells can't be compacted: {error}")))?;
    Ok(Some(array(cells, form)))
}

fn uncompact(arguments: Arguments<'_>) -> Evaluated {
    let (Some((cells, form)), Some(resolution)) = (cells(arguments)?, resolution_of(arguments, 1)?) else {
        return Ok(None);
    };
    if cells.iter().any(|cell| cell.resolution() > resolution) {
        return Err(failure(&format!("an H3 cell is finer than the resolution {}", u8::from(resolution))));
    }
    limited(cells.iter().map(|cell| cell.children_count(resolution)).fold(0, u64::saturating_add))?;
    Ok(Some(array(CellIndex::uncompact(cells, resolution), form)))
}
