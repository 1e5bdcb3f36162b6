//! Geohashes of shapes, and the boxes and centres of geohashes.

use firn_values::geo::geohash::{self, LENGTH_MAX};
use firn_values::geo::{Model, Shape, WGS84, bounds};
use geo::{Coord, LineString, Point, Polygon, Rect};

use super::arguments::Arguments;
use super::{Evaluated, asks, encoded, failure};
use crate::definition::{Answer, Definition, Kind};

use Kind::{Any, Geography, Geometry, Text};

pub(super) const DEFINITIONS: &[&[Definition]] = &[
    asks!(c"firn_st_geohash", [Any], Text, hash),
    asks!(c"firn_st_geohash", [Any, Any], Text, hash),
    asks!(c"firn_st_geogfromgeohash", [Text], Geography, area),
    asks!(c"firn_st_geogfromgeohash", [Text, Any], Geography, area),
    asks!(c"firn_st_geomfromgeohash", [Text], Geometry, plane_area),
    asks!(c"firn_st_geomfromgeohash", [Text, Any], Geometry, plane_area),
    asks!(c"firn_st_geogpointfromgeohash", [Text], Geography, centre),
    asks!(c"firn_st_geompointfromgeohash", [Text], Geometry, plane_centre),
];

/// What the hashes of the two corners of its box have in common.
fn hash(arguments: Arguments<'_>) -> Evaluated {
    let length = match (arguments.columns.len(), arguments.integer(1)) {
        (1, _) => LENGTH_MAX,
        (_, None) => return Ok(None),
        (_, Some(length)) => checked_length(length)?,
    };
    let Some(shape) = arguments.shape(0)? else { return Ok(None) };
    if shape.model == Model::Plane && shape.srid != WGS84 {
        return Err(failure(&format!("ST_GEOHASH needs a GEOMETRY of SRID {WGS84}, not {}", shape.srid)));
    }
    if let geo::Geometry::Point(point) = &shape.geometry {
        return Ok(Some(Answer::Text(geohash::encode(point.0, length))));
    }
    let Some(bounds) = bounds::of(&shape) else { return Ok(None) };
    let (low, high) = (geohash::encode(bounds.low, length), geohash::encode(bounds.high, length));
    let common = low.chars().zip(high.chars()).take_while(|(left, right)| left == right).map(|(letter, _)| letter);
    Ok(Some(Answer::Text(common.collect())))
}

fn checked_length(length: i64) -> Result<usize, String> {
    let checked = usize::try_from(length).ok().filter(|length| (1..=LENGTH_MAX).contains(length));
    checked.ok_or_else(|| failure(&format!("Geohash precision {length} is not between 1 and {LENGTH_MAX}")))
}

fn decoded(arguments: Arguments<'_>) -> Result<Option<Rect<f64>>, String> {
    let Some(text) = arguments.text(0) else { return Ok(None) };
    let length = match (arguments.columns.len(), arguments.integer(1)) {
        (1, _) => LENGTH_MAX,
        (_, None) => return Ok(None),
        (_, Some(length)) => checked_length(length)?,
    };
    let prefix: String = text.chars().take(length).collect();
    geohash::decode(&prefix).map(Some).map_err(|reason| failure(&reason))
}

fn made(bounds: Option<Rect<f64>>, model: Model, shape: fn(Rect<f64>) -> geo::Geometry<f64>) -> Evaluated {
    Ok(bounds.map(|bounds| encoded(&Shape::computed(model, WGS84, shape(bounds)))))
}

/// From the south-west over north.
fn ring(bounds: Rect<f64>) -> geo::Geometry<f64> {
    let (low, high) = (bounds.min(), bounds.max());
    let corners = vec![low, Coord { x: low.x, y: high.y }, high, Coord { x: high.x, y: low.y }, low];
    Polygon::new(LineString::new(corners), Vec::new()).into()
}

fn middle(bounds: Rect<f64>) -> geo::Geometry<f64> {
    Point(bounds.center()).into()
}

fn area(arguments: Arguments<'_>) -> Evaluated {
    made(decoded(arguments)?, Model::Sphere, ring)
}

fn plane_area(arguments: Arguments<'_>) -> Evaluated {
    made(decoded(arguments)?, Model::Plane, ring)
}

fn centre(arguments: Arguments<'_>) -> Evaluated {
    made(decoded(arguments)?, Model::Sphere, middle)
}

fn plane_centre(arguments: Arguments<'_>) -> Evaluated {
    made(decoded(arguments)?, Model::Plane, middle)
}
