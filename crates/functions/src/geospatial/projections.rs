//! ST_TRANSFORM between WGS 84 (4326) and the Web Mercator projection (3857).

use std::f64::consts::FRAC_PI_4;

use firn_values::geo::{Model, Shape, WGS84, validity};
use geo::{Coord, MapCoords};

use super::arguments::Arguments;
use super::{Evaluated, asks, encoded, failure, unsupported};
use crate::definition::{Definition, Kind};

const WEB_MERCATOR: i64 = 3857;
/// In metres: the great axis of WGS 84.
const RADIUS: f64 = 6_378_137.0;

pub(super) const DEFINITIONS: &[&[Definition]] = &[
    asks!(c"firn_st_transform", [Kind::Any, Kind::Any], Kind::Geometry, transform),
    asks!(c"firn_st_transform", [Kind::Any, Kind::Any, Kind::Any], Kind::Geometry, transform),
];

/// The target is the last argument; a source before it counts instead of the shape's own.
fn transform(arguments: Arguments<'_>) -> Evaluated {
    let Some(shape) = arguments.shape(0)? else { return Ok(None) };
    if shape.model == Model::Sphere {
        return Err(unsupported("ST_TRANSFORM of GEOGRAPHY"));
    }
    let numbers: Option<Vec<i64>> = (1..arguments.columns.len()).map(|index| arguments.integer(index)).collect();
    let (source, target) = match numbers.as_deref() {
        Some([target]) => (i64::from(shape.srid), *target),
        Some([source, target]) => (*source, *target),
        _ => return Ok(None),
    };
    let geometry = match (source, target) {
        _ if source == target => shape.geometry.clone(),
        (source, WEB_MERCATOR) if source == i64::from(WGS84) => shape.geometry.map_coords(project),
        (WEB_MERCATOR, target) if target == i64::from(WGS84) => shape.geometry.map_coords(unproject),
        _ => return Err(unsupported(&format!("ST_TRANSFORM from SRID {source} to {target}"))),
    };
    let srid = i32::try_from(target).map_err(|_| failure(&format!("SRID {target} is not valid")))?;
    let made = Shape::computed(Model::Plane, srid, geometry);
    validity::check_coordinates(&made).map_err(|reason| failure(&reason))?;
    Ok(Some(encoded(&made)))
}

fn project(at: Coord<f64>) -> Coord<f64> {
    Coord { x: RADIUS * at.x.to_radians(), y: RADIUS * (FRAC_PI_4 + at.y.to_radians() / 2.0).tan().ln() }
}

fn unproject(at: Coord<f64>) -> Coord<f64> {
    Coord { x: (at.x / RADIUS).to_degrees(), y: (2.0 * ((at.y / RADIUS).exp().atan() - FRAC_PI_4)).to_degrees() }
}
