//! Point in polygon on the sphere.

use geo::{LineString, Polygon};

use super::edges::Edge;
use super::sphere::{TOLERANCE, Vector, signed_area, vectors};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Inside,
    Boundary,
    Outside,
}

/// A polygon whose rings all run with their inside on the left.
pub(super) struct Region {
    rings: Vec<Vec<Edge>>,
}

impl Region {
    pub(super) fn of(polygon: &Polygon<f64>) -> Self {
        let rings = [polygon.exterior()].into_iter().chain(polygon.interiors());
        Self { rings: rings.map(ring).collect() }
    }

    pub(super) fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.rings.iter().flatten().copied()
    }

    pub(super) fn place(&self, point: Vector) -> Place {
        if self.edges().any(|edge| edge.holds(point)) {
            return Place::Boundary;
        }
        let mut rings = self.rings.iter();
        let inside = rings.next().is_some_and(|exterior| is_left(exterior, point));
        if inside && !rings.any(|hole| is_left(hole, point)) { Place::Inside } else { Place::Outside }
    }
}

fn ring(line: &LineString<f64>) -> Vec<Edge> {
    let mut corners = vectors(line);
    if signed_area(line) < 0.0 {
        corners.reverse();
    }
    Edge::of(&corners).into_iter().filter(|edge| edge.normal.is_some()).collect()
}

/// Whether a point that is on no edge lies to the left of the ring. An arc from the point to the middle of an edge
/// arrives there from the left or from the right; each other edge it crosses on its way changes the side.
fn is_left(ring: &[Edge], point: Vector) -> bool {
    for (index, edge) in ring.iter().enumerate() {
        let Some(normal) = edge.normal else { continue };
        let side = normal.dot(point);
        if side.abs() < 1e-12 {
            continue;
        }
        let way = Edge::new(point, edge.middle());
        let mut crossings = 0;
        let others = ring.iter().enumerate().filter(|(other, _)| *other != index);
        let clear = others.map(|(_, other)| crossed(way, *other)).all(|crossed| {
            crossings += usize::from(crossed == Some(true));
            crossed.is_some()
        });
        if clear {
            return (side > 0.0) == (crossings % 2 == 0);
        }
    }
    false
}

/// `None` when the arc passes through a vertex, which is inconclusive.
fn crossed(way: Edge, edge: Edge) -> Option<bool> {
    let (normal, other) = (way.normal?, edge.normal?);
    let (from, to) = (normal.dot(edge.start), normal.dot(edge.end));
    let near = |value: f64| value.abs() < TOLERANCE;
    if (near(from) && way.holds(edge.start)) || (near(to) && way.holds(edge.end)) {
        return None;
    }
    if (from > 0.0) == (to > 0.0) {
        return Some(false);
    }
    let (start, end) = (other.dot(way.start), other.dot(way.end));
    if (start > 0.0) == (end > 0.0) {
        return Some(false);
    }
    // Both cross the other's circle; they meet on this side of the sphere or on its far side.
    let meeting = normal.cross(other).unit()?;
    let meeting = if meeting.dot(way.middle()) < 0.0 { meeting.times(-1.0) } else { meeting };
    Some(meeting.dot(edge.middle()) > 0.0)
}
