//! Validity of shapes: coordinates in range, lines of two points, rings that do not cross themselves.

use geo::kernels::{Kernel, Orientation, RobustKernel};
use geo::{Coord, CoordsIter, Geometry, Polygon, Validation};

use super::edges::Edge;
use super::sphere::{TOLERANCE, vectors};
use super::{Model, Parts, Shape};
use crate::running_call::reserve;

/// What the checks hold of each edge: itself, its place in an index, and the copies that sort it.
const EDGE_BYTES: usize = 128;

pub fn check_coordinates(shape: &Shape) -> Result<(), String> {
    for at in shape.geometry.coords_iter() {
        if !at.x.is_finite() || !at.y.is_finite() {
            return Err("a coordinate is not finite".to_owned());
        }
        if shape.model == Model::Sphere && !(-90.0..=90.0).contains(&at.y) {
            return Err(format!("Invalid latitude {}; it lies between -90 and 90", at.y));
        }
        if shape.model == Model::Sphere && !(-180.0..=180.0).contains(&at.x) {
            return Err(format!("Invalid longitude {}; it lies between -180 and 180", at.x));
        }
    }
    Ok(())
}

/// The reason why a shape is not valid.
pub fn check(shape: &Shape) -> Result<(), String> {
    reserve(EDGE_BYTES * shape.points());
    let parts = Parts::of(&shape.geometry);
    if parts.lines.iter().any(|line| line.0.len() == 1) {
        return Err("a line has fewer than two points".to_owned());
    }
    match shape.model {
        Model::Sphere => parts.polygons.iter().try_for_each(|polygon| check_rings(polygon)),
        Model::Plane => check_plane(&shape.geometry),
    }
}

fn check_plane(geometry: &Geometry<f64>) -> Result<(), String> {
    match geometry {
        Geometry::Polygon(polygon) => {
            polygon.check_validation().map_err(|error| error.to_string())?;
            check_spikes(polygon)
        }
        Geometry::MultiPolygon(polygons) => {
            polygons.check_validation().map_err(|error| error.to_string())?;
            polygons.iter().try_for_each(check_spikes)
        }
        Geometry::GeometryCollection(members) => members.iter().try_for_each(check_plane),
        _ => Ok(()),
    }
}

/// Refuses rings with spikes: an edge that overlaps the one before it.
fn check_spikes(polygon: &Polygon<f64>) -> Result<(), String> {
    for ring in [polygon.exterior()].into_iter().chain(polygon.interiors()) {
        // The ring ends where it began; its second corner comes once more.
        let corners: Vec<Coord<f64>> = ring.0.iter().chain(ring.0.get(1)).copied().collect();
        let turns_back = corners.windows(3).any(|turn| {
            let (to, from) = (turn[1] - turn[0], turn[2] - turn[1]);
            let is_straight = RobustKernel::orient2d(turn[0], turn[1], turn[2]) == Orientation::Collinear;
            is_straight && to.x * from.x + to.y * from.y < 0.0
        });
        if turns_back {
            return Err("a ring of the polygon has a spike".to_owned());
        }
    }
    Ok(())
}

fn check_rings(polygon: &Polygon<f64>) -> Result<(), String> {
    let rings = [polygon.exterior()].into_iter().chain(polygon.interiors());
    let mut edges: Vec<Edge> =
        rings.flat_map(|ring| Edge::of(&vectors(ring))).filter(|edge| edge.normal.is_some()).collect();
    // Only edges that are near each other by one coordinate can meet.
    edges.sort_by(|left, right| left.span().0.total_cmp(&right.span().0));
    for (index, edge) in edges.iter().enumerate() {
        let end = edge.span().1;
        let mut near = edges[index + 1..].iter().take_while(|other| other.span().0 <= end);
        if near.any(|other| crosses(*edge, *other)) {
            return Err("Edge crosses another edge".to_owned());
        }
    }
    Ok(())
}

/// Edges may touch with an end; they may neither cross nor run over each other.
fn crosses(edge: Edge, other: Edge) -> bool {
    match &edge.meetings(other)[..] {
        [] => false,
        [first, rest @ ..] => rest.iter().any(|point| point.angle(*first) > 2.0 * TOLERANCE) || !touches(edge, other),
    }
}

fn touches(edge: Edge, other: Edge) -> bool {
    [other.start, other.end].iter().any(|end| edge.holds(*end))
        || [edge.start, edge.end].iter().any(|end| other.holds(*end))
}
