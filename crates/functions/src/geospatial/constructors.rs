//! Shapes from text, bytes, numbers and other shapes.

use firn_values::geo::{Invalid, Model, Notation, Shape, UNSUPPORTED, WGS84, sphere, validity};
use firn_values::variant::Variant;
use geo::{Coord, Geometry, GeometryCollection, LineString, MultiLineString, MultiPoint, MultiPolygon, Point, Polygon};

use super::arguments::{Arguments, text};
use super::{Evaluated, PARSING, asks, encoded, failure, gathers, joins, makes, tried, unsupported};
use crate::columns::Values;
use crate::definition::{Definition, Kind};

use Kind::{Any, Double, Geography, Geometry as Plane};

pub(super) const DEFINITIONS: &[&[Definition]] = &[
    asks!(c"firn_to_geography", [Any], Geography, to_geography),
    asks!(c"firn_to_geography", [Any, Any], Geography, to_geography),
    asks!(c"firn_to_geometry", [Any], Plane, to_geometry),
    asks!(c"firn_to_geometry", [Any, Any], Plane, to_geometry),
    asks!(c"firn_to_geometry", [Any, Any, Any], Plane, to_geometry),
    asks!(c"firn_try_to_geography", [Any], Geography, try_to_geography),
    asks!(c"firn_try_to_geography", [Any, Any], Geography, try_to_geography),
    asks!(c"firn_try_to_geometry", [Any], Plane, try_to_geometry),
    asks!(c"firn_try_to_geometry", [Any, Any], Plane, try_to_geometry),
    asks!(c"firn_try_to_geometry", [Any, Any, Any], Plane, try_to_geometry),
    asks!(c"firn_st_makepoint", [Double, Double], Geography, point),
    asks!(c"firn_st_makegeompoint", [Double, Double], Plane, plane_point),
    asks!(c"firn_st_makegeompoint", [Double, Double, Any], Plane, plane_point),
    joins!(c"firn_st_makeline", line),
    makes!(c"firn_st_makepolygon", [], polygon),
    asks!(c"firn_st_makepolygonoriented", [Any], Geography, oriented_polygon),
    joins!(c"firn_st_collect", collect_two),
    gathers!(c"firn_st_collected", collect_all),
    makes!(c"firn_st_setsrid", [Any], set_srid),
];

fn to_geography(arguments: Arguments<'_>) -> Evaluated {
    read(arguments, Model::Sphere, None, arguments.boolean(1))
}

fn to_geometry(arguments: Arguments<'_>) -> Evaluated {
    let srid = arguments.integer(1).map(srid_of).transpose()?;
    read(arguments, Model::Plane, srid, arguments.boolean(1).or(arguments.boolean(2)))
}

fn try_to_geography(arguments: Arguments<'_>) -> Evaluated {
    tried(to_geography(arguments))
}

fn try_to_geometry(arguments: Arguments<'_>) -> Evaluated {
    tried(to_geometry(arguments))
}

fn srid_of(number: i64) -> Result<i32, String> {
    i32::try_from(number).map_err(|_| failure(&format!("SRID {number} is not valid")))
}

/// What text, bytes, a semi-structured value or another shape is as a shape of the type.
fn read(arguments: Arguments<'_>, model: Model, srid: Option<i32>, allow_invalid: Option<bool>) -> Evaluated {
    let invalid = if allow_invalid == Some(true) { Invalid::Allowed } else { Invalid::Refused };
    let Some(values) = arguments.value(0) else { return Ok(None) };
    let row = arguments.row;
    let shape = match values {
        Values::Text(values) => Shape::read_text(model, text(&values[row]).unwrap_or_default(), srid, invalid),
        Values::Blob(values) => Shape::read_binary(model, values[row].get(), srid, invalid),
        Values::Json(_) => match arguments.variant(0) {
            None | Some(Variant::Null | Variant::Undefined) => return Ok(None),
            Some(Variant::Text(text)) => Shape::read_text(model, &text, srid, invalid),
            Some(other) => Shape::read_text(model, &other.to_shown_json(), srid, invalid),
        },
        Values::Geography(_) | Values::Geometry(_) => return converted(arguments, model, srid, invalid),
        _ => Err("a text, a BINARY or a GeoJSON object is expected".to_owned()),
    };
    match shape {
        Ok(shape) => Ok(Some(encoded(&shape))),
        Err(reason) => Err(match reason.strip_prefix(UNSUPPORTED) {
            Some(feature) => unsupported(feature),
            None => format!("{PARSING}Error parsing Geo input: {reason}."),
        }),
    }
}

/// A shape of one type as one of the other. Only WGS 84 is on the globe.
fn converted(arguments: Arguments<'_>, model: Model, srid: Option<i32>, invalid: Invalid) -> Evaluated {
    let Some(shape) = arguments.shape(0)? else { return Ok(None) };
    let other = match (shape.model, model) {
        (Model::Plane, Model::Sphere) if !matches!(shape.srid, 0 | WGS84) => {
            return Err(failure(&format!(
                "GEOMETRY of SRID {} is no GEOGRAPHY; its SRID has to be {WGS84}",
                shape.srid
            )));
        }
        (_, Model::Sphere) => Shape { model, srid: WGS84, ..shape },
        (_, Model::Plane) => Shape { model, srid: srid.unwrap_or(shape.srid), notation: Notation::Double, ..shape },
    };
    validity::check_coordinates(&other).map_err(|reason| failure(&reason))?;
    if invalid == Invalid::Refused {
        validity::check(&other).map_err(|reason| failure(&reason))?;
    }
    Ok(Some(encoded(&other)))
}

fn point(arguments: Arguments<'_>) -> Evaluated {
    let (Some(x), Some(y)) = (arguments.double(0), arguments.double(1)) else { return Ok(None) };
    let shape = Shape::computed(Model::Sphere, WGS84, Point::new(x, y));
    validity::check_coordinates(&shape).map_err(|reason| failure(&reason))?;
    Ok(Some(encoded(&shape)))
}

fn plane_point(arguments: Arguments<'_>) -> Evaluated {
    let (Some(x), Some(y)) = (arguments.double(0), arguments.double(1)) else { return Ok(None) };
    let srid = arguments.integer(2).map(srid_of).transpose()?.unwrap_or(0);
    let shape = Shape::computed(Model::Plane, srid, Point::new(x, y));
    validity::check_coordinates(&shape).map_err(|reason| failure(&reason))?;
    Ok(Some(encoded(&shape)))
}

/// Of points and lines, in the order they come in.
fn line(arguments: Arguments<'_>) -> Evaluated {
    let Some((left, right)) = arguments.pair()? else { return Ok(None) };
    let coords = |shape: &Shape| match &shape.geometry {
        Geometry::Point(point) => Ok(vec![point.0]),
        Geometry::MultiPoint(MultiPoint(points)) => Ok(points.iter().map(|point| point.0).collect()),
        Geometry::LineString(line) => Ok(line.0.clone()),
        _ => Err(failure("ST_MAKELINE needs Points, MultiPoints or LineStrings")),
    };
    let joined: Vec<Coord<f64>> = [coords(&left)?, coords(&right)?].concat();
    Ok(Some(encoded(&joint(&left, &right, LineString::new(joined)))))
}

/// A shape made of two.
fn joint(left: &Shape, right: &Shape, geometry: impl Into<Geometry<f64>>) -> Shape {
    let notation = if right.notation == Notation::Double { Notation::Double } else { left.notation };
    Shape { notation, ..left.with(geometry) }
}

fn polygon(arguments: Arguments<'_>) -> Evaluated {
    let Some(shape) = arguments.shape(0)? else { return Ok(None) };
    let polygon = shape.with(loop_of(&shape, "ST_MAKEPOLYGON")?);
    validity::check(&polygon).map_err(|reason| failure(&reason))?;
    Ok(Some(encoded(&polygon)))
}

fn loop_of(shape: &Shape, name: &str) -> Result<Polygon<f64>, String> {
    match &shape.geometry {
        Geometry::LineString(line) if line.0.len() >= 4 && line.is_closed() => {
            Ok(Polygon::new(line.clone(), Vec::new()))
        }
        Geometry::LineString(_) => Err(failure(&format!("{name} needs a LineString whose last point is its first"))),
        _ => Err(failure(&format!("{name} needs a LineString"))),
    }
}

/// The interior is on the left; a polygon larger than a hemisphere cannot be stored.
fn oriented_polygon(arguments: Arguments<'_>) -> Evaluated {
    let Some(shape) = arguments.shape(0)? else { return Ok(None) };
    if shape.model == Model::Plane {
        return Err(unsupported("ST_MAKEPOLYGONORIENTED of GEOMETRY"));
    }
    let made = loop_of(&shape, "ST_MAKEPOLYGONORIENTED")?;
    if sphere::runs_clockwise(made.exterior()) {
        return Err(unsupported("a polygon larger than half of the globe"));
    }
    let polygon = shape.with(made);
    validity::check(&polygon).map_err(|reason| failure(&reason))?;
    Ok(Some(encoded(&polygon)))
}

fn collect_two(arguments: Arguments<'_>) -> Evaluated {
    let (left, right) = (arguments.shape(0)?, arguments.shape(1)?);
    match (left, right) {
        (Some(_), Some(_)) => {
            let Some((left, right)) = arguments.pair()? else { return Ok(None) };
            collect(vec![left, right])
        }
        // Beside NULL a shape is all there is.
        (Some(shape), None) | (None, Some(shape)) => Ok(Some(encoded(&shape))),
        (None, None) => Ok(None),
    }
}

fn collect_all(arguments: Arguments<'_>) -> Evaluated {
    collect(arguments.shapes(0)?)
}

/// Points become a MultiPoint and so on; a mixture, or what has several parts already, a GeometryCollection.
fn collect(shapes: Vec<Shape>) -> Evaluated {
    let Some(first) = shapes.first().cloned() else { return Ok(None) };
    let is_double = shapes.iter().any(|shape| shape.notation == Notation::Double);
    let mut points = Vec::new();
    let mut lines = Vec::new();
    let mut polygons = Vec::new();
    for shape in &shapes {
        match &shape.geometry {
            Geometry::Point(point) => points.push(*point),
            Geometry::LineString(line) => lines.push(line.clone()),
            Geometry::Polygon(polygon) => polygons.push(polygon.clone()),
            _ => {}
        }
    }
    let count = shapes.len();
    let geometry = if points.len() == count {
        Geometry::MultiPoint(MultiPoint::new(points))
    } else if lines.len() == count {
        Geometry::MultiLineString(MultiLineString::new(lines))
    } else if polygons.len() == count {
        Geometry::MultiPolygon(MultiPolygon::new(polygons))
    } else {
        let members: Vec<_> = shapes.into_iter().map(|shape| shape.geometry).collect();
        Geometry::GeometryCollection(GeometryCollection::from(members))
    };
    let notation = if is_double { Notation::Double } else { Notation::Plain };
    Ok(Some(encoded(&Shape { notation, ..first.with(geometry) })))
}

fn set_srid(arguments: Arguments<'_>) -> Evaluated {
    let (Some(shape), Some(srid)) = (arguments.shape(0)?, arguments.integer(1)) else { return Ok(None) };
    if shape.model == Model::Sphere && srid != i64::from(WGS84) {
        return Err(failure(&format!("SRID {srid} is not supported for GEOGRAPHY; use {WGS84}")));
    }
    Ok(Some(encoded(&Shape { srid: srid_of(srid)?, ..shape })))
}
