//! The extent of a shape, and its centre.

use firn_values::geo::bounds::{self, Bounds};
use firn_values::geo::{Model, Shape, sphere};
use geo::{Centroid, Coord, Geometry, LineString, Point, Polygon};

use super::arguments::Arguments;
use super::{Evaluated, asks, encoded, makes, unsupported};
use crate::definition::{Answer, Definition, Kind};

use Kind::{Any, Double};

pub(super) const DEFINITIONS: &[&[Definition]] = &[
    asks!(c"firn_st_xmin", [Any], Double, west),
    asks!(c"firn_st_xmax", [Any], Double, east),
    asks!(c"firn_st_ymin", [Any], Double, south),
    asks!(c"firn_st_ymax", [Any], Double, north),
    makes!(c"firn_st_envelope", [], envelope),
    makes!(c"firn_st_centroid", [], centroid),
];

fn side(arguments: Arguments<'_>, side: fn(Bounds) -> f64) -> Evaluated {
    let bounds = arguments.shape(0)?.and_then(|shape| bounds::of(&shape));
    Ok(bounds.map(|bounds| Answer::Double(side(bounds))))
}

fn west(arguments: Arguments<'_>) -> Evaluated {
    side(arguments, |bounds| bounds.low.x)
}

fn east(arguments: Arguments<'_>) -> Evaluated {
    side(arguments, |bounds| bounds.high.x)
}

fn south(arguments: Arguments<'_>) -> Evaluated {
    side(arguments, |bounds| bounds.low.y)
}

fn north(arguments: Arguments<'_>) -> Evaluated {
    side(arguments, |bounds| bounds.high.y)
}

/// A box, or what is left of one that has no width or no height.
fn envelope(arguments: Arguments<'_>) -> Evaluated {
    let Some(shape) = arguments.shape(0)? else { return Ok(None) };
    if matches!(shape.geometry, Geometry::Point(_)) {
        return Ok(Some(encoded(&shape)));
    }
    let Some(Bounds { low, high, crosses_antimeridian }) = bounds::of(&shape) else { return Ok(Some(encoded(&shape))) };
    if crosses_antimeridian {
        return Err(unsupported("ST_ENVELOPE of a shape across the antimeridian or around a pole"));
    }
    let corner = |x, y| Coord { x, y };
    let geometry: Geometry<f64> = match (low.x == high.x, low.y == high.y) {
        (true, true) => Point(low).into(),
        (true, false) | (false, true) => LineString::new(vec![low, high]).into(),
        (false, false) => {
            let ring = vec![low, corner(high.x, low.y), high, corner(low.x, high.y), low];
            Polygon::new(LineString::new(ring), Vec::new()).into()
        }
    };
    Ok(Some(encoded(&Shape::computed(shape.model, shape.srid, geometry))))
}

fn centroid(arguments: Arguments<'_>) -> Evaluated {
    let Some(shape) = arguments.shape(0)? else { return Ok(None) };
    let centre = match shape.model {
        Model::Plane => shape.geometry.centroid(),
        Model::Sphere => sphere::centroid(&shape.geometry),
    };
    Ok(centre.map(|centre| encoded(&Shape::computed(shape.model, shape.srid, centre))))
}
