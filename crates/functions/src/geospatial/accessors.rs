//! What a shape consists of.

use firn_values::geo::{Shape, validity};
use geo::dimensions::{Dimensions, HasDimensions};
use geo::{Geometry, Point};

use super::arguments::Arguments;
use super::{Evaluated, asks, encoded, failure, makes};
use crate::definition::{Answer, Definition, Kind};

use Kind::{Any, Boolean, Double, Integer};

pub(super) const DEFINITIONS: &[&[Definition]] = &[
    asks!(c"firn_st_x", [Any], Double, x),
    asks!(c"firn_st_y", [Any], Double, y),
    asks!(c"firn_st_npoints", [Any], Integer, count),
    asks!(c"firn_st_dimension", [Any], Integer, dimension),
    asks!(c"firn_st_srid", [Any], Integer, srid),
    asks!(c"firn_st_isvalid", [Any], Boolean, is_valid),
    makes!(c"firn_st_startpoint", [], start),
    makes!(c"firn_st_endpoint", [], end),
    makes!(c"firn_st_pointn", [Any], nth),
];

fn x(arguments: Arguments<'_>) -> Evaluated {
    coordinate(arguments, "ST_X", |point| point.x())
}

fn y(arguments: Arguments<'_>) -> Evaluated {
    coordinate(arguments, "ST_Y", |point| point.y())
}

fn coordinate(arguments: Arguments<'_>, name: &str, part: fn(&Point<f64>) -> f64) -> Evaluated {
    match arguments.shape(0)?.map(|shape| shape.geometry) {
        None => Ok(None),
        Some(Geometry::Point(point)) => Ok(Some(Answer::Double(part(&point)))),
        Some(_) => Err(failure(&format!("{name} needs a Point"))),
    }
}

fn count(arguments: Arguments<'_>) -> Evaluated {
    Ok(arguments.shape(0)?.map(|shape| Answer::Integer(shape.points() as i64)))
}

/// Of the part with the most.
fn dimension(arguments: Arguments<'_>) -> Evaluated {
    let dimensions = arguments.shape(0)?.map(|shape| kind_dimensions(&shape.geometry));
    Ok(dimensions.and_then(|dimensions| match dimensions {
        Dimensions::Empty => None,
        Dimensions::ZeroDimensional => Some(Answer::Integer(0)),
        Dimensions::OneDimensional => Some(Answer::Integer(1)),
        Dimensions::TwoDimensional => Some(Answer::Integer(2)),
    }))
}

/// A line is one however short it is.
fn kind_dimensions(geometry: &Geometry<f64>) -> Dimensions {
    match geometry {
        Geometry::LineString(_) | Geometry::MultiLineString(_) => Dimensions::OneDimensional,
        Geometry::Polygon(_) | Geometry::MultiPolygon(_) => Dimensions::TwoDimensional,
        Geometry::GeometryCollection(members) => members.iter().map(kind_dimensions).max().unwrap_or(Dimensions::Empty),
        other => other.dimensions(),
    }
}

fn srid(arguments: Arguments<'_>) -> Evaluated {
    Ok(arguments.shape(0)?.map(|shape| Answer::Integer(shape.srid.into())))
}

fn is_valid(arguments: Arguments<'_>) -> Evaluated {
    Ok(arguments.shape(0)?.map(|shape| Answer::Boolean(validity::check(&shape).is_ok())))
}

fn start(arguments: Arguments<'_>) -> Evaluated {
    let Some(shape) = arguments.shape(0)? else { return Ok(None) };
    corner(&shape, "ST_STARTPOINT", 1)
}

fn end(arguments: Arguments<'_>) -> Evaluated {
    let Some(shape) = arguments.shape(0)? else { return Ok(None) };
    corner(&shape, "ST_ENDPOINT", -1)
}

fn nth(arguments: Arguments<'_>) -> Evaluated {
    let (Some(shape), Some(place)) = (arguments.shape(0)?, arguments.integer(1)) else { return Ok(None) };
    corner(&shape, "ST_POINTN", place)
}

/// Points count from 1, or from -1 at the end.
fn corner(shape: &Shape, name: &str, place: i64) -> Evaluated {
    let Geometry::LineString(line) = &shape.geometry else {
        return Err(failure(&format!("{name} needs a LineString")));
    };
    let count = line.0.len() as i64;
    let index = if place < 0 { count + place } else { place - 1 };
    let found = usize::try_from(index).ok().filter(|_| place != 0).and_then(|index| line.0.get(index));
    match found {
        Some(at) => Ok(Some(encoded(&shape.with(Point(*at))))),
        None => Err(failure(&format!("{name}: the LineString has no point of the index {place}"))),
    }
}
