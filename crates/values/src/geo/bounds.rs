//! The box of longitudes and latitudes, or of plane coordinates, around a shape.

use geo::{BoundingRect, Coord};

use super::contain::{Place, Region};
use super::edges::Edge;
use super::sphere::Vector;
use super::{Model, Parts, Shape};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub low: Coord<f64>,
    pub high: Coord<f64>,
    /// Whether an edge goes from the far east to the far west.
    pub crosses_antimeridian: bool,
}

/// `None` for an empty shape.
pub fn of(shape: &Shape) -> Option<Bounds> {
    match shape.model {
        Model::Plane => {
            let rect = shape.geometry.bounding_rect()?;
            Some(Bounds { low: rect.min(), high: rect.max(), crosses_antimeridian: false })
        }
        Model::Sphere => on_sphere(shape),
    }
}

fn on_sphere(shape: &Shape) -> Option<Bounds> {
    let rect = shape.geometry.bounding_rect()?;
    let mut bounds = Bounds { low: rect.min(), high: rect.max(), crosses_antimeridian: false };
    let parts = Parts::of(&shape.geometry);
    let rings = parts.polygons.iter().flat_map(|polygon| [polygon.exterior()].into_iter().chain(polygon.interiors()));
    for line in parts.lines.iter().copied().chain(rings) {
        for pair in line.0.windows(2) {
            bounds.crosses_antimeridian |= (pair[0].x - pair[1].x).abs() > 180.0;
            let edge = Edge::new(Vector::of(pair[0]), Vector::of(pair[1]));
            for extreme in edge.extreme_latitudes() {
                bounds.low.y = bounds.low.y.min(extreme);
                bounds.high.y = bounds.high.y.max(extreme);
            }
        }
    }
    for region in parts.polygons.iter().map(|polygon| Region::of(polygon)) {
        for (pole, latitude) in [(Vector([0.0, 0.0, 1.0]), 90.0), (Vector([0.0, 0.0, -1.0]), -90.0)] {
            if region.place(pole) != Place::Outside {
                bounds.crosses_antimeridian = true;
                bounds.low.y = bounds.low.y.min(latitude);
                bounds.high.y = bounds.high.y.max(latitude);
            }
        }
    }
    // What lies on the antimeridian lies at both ends of the world.
    if bounds.crosses_antimeridian || bounds.low.x == -180.0 || bounds.high.x == 180.0 {
        bounds.low.x = -180.0;
        bounds.high.x = 180.0;
    }
    Some(bounds)
}
