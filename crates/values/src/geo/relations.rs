//! Spatial predicates and distance of two shapes: ST_INTERSECTS, ST_COVERS, ST_CONTAINS, on the sphere and on the plane.

use geo::line_measures::{Distance, Euclidean};
use geo::{Geometry, Relate};

use super::contain::{Place, Region};
use super::edges::Edge;
use super::sphere::{RADIUS, TOLERANCE, Vector, vectors};
use super::{Parts, Shape};

/// ST_CONTAINS, ST_COVERS and ST_INTERSECTS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Intersects,
    Covers,
    Contains,
}

/// Comparing every edge with every other takes their product; beyond this a statement would seem to hang.
const PAIRS_MAX: usize = 400_000_000;

pub fn check_size(left: usize, right: usize) -> Result<(), String> {
    if left.saturating_mul(right) > PAIRS_MAX {
        return Err("the two shapes have too many points to be compared".to_owned());
    }
    Ok(())
}

/// Of two shapes of the plane.
pub fn relates(left: &Shape, right: &Shape, relation: Relation) -> Result<bool, String> {
    if left.is_empty() || right.is_empty() {
        return Ok(false);
    }
    check_size(left.points(), right.points())?;
    let matrix = left.geometry.relate(&right.geometry);
    Ok(match relation {
        Relation::Intersects => matrix.is_intersects(),
        Relation::Covers => matrix.is_covers(),
        Relation::Contains => matrix.is_contains(),
    })
}

/// Of two shapes of the plane; `None` for an empty one.
pub fn distance(left: &Shape, right: &Shape) -> Result<Option<f64>, String> {
    if left.is_empty() || right.is_empty() {
        return Ok(None);
    }
    check_size(left.points(), right.points())?;
    Ok(Some(Euclidean.distance(&left.geometry, &right.geometry)))
}

/// A shape on the sphere, prepared for predicates.
pub struct PreparedShape {
    points: Vec<Vector>,
    lines: Vec<Vec<Edge>>,
    regions: Vec<Region>,
    /// Of the lines and of the boundaries of the regions.
    edges: Vec<Edge>,
}

impl PreparedShape {
    pub fn of(geometry: &Geometry<f64>) -> Self {
        let parts = Parts::of(geometry);
        let lines: Vec<_> = parts.lines.iter().map(|line| Edge::of(&vectors(line))).collect();
        let regions: Vec<_> = parts.polygons.iter().map(|polygon| Region::of(polygon)).collect();
        let edges = lines.iter().flatten().copied().chain(regions.iter().flat_map(Region::edges)).collect();
        Self { points: parts.points.iter().map(|point| Vector::of(point.0)).collect(), lines, regions, edges }
    }

    pub fn size(&self) -> usize {
        self.points.len() + self.edges.len()
    }

    pub fn relates(&self, other: &Self, relation: Relation) -> bool {
        if self.size() == 0 || other.size() == 0 {
            return false;
        }
        match relation {
            Relation::Intersects => self.radians(other) < TOLERANCE,
            Relation::Covers => self.covers(other),
            Relation::Contains => self.covers(other) && self.holds_some_inside(other),
        }
    }

    /// In metres; `None` for an empty shape.
    pub fn distance(&self, other: &Self) -> Option<f64> {
        if self.size() == 0 || other.size() == 0 {
            return None;
        }
        let radians = self.radians(other);
        Some(if radians < TOLERANCE { 0.0 } else { radians * RADIUS })
    }

    /// The distance to the points and edges, also from the interior of a region.
    fn boundary_distance(&self, point: Vector) -> f64 {
        let to_points = self.points.iter().map(|other| other.angle(point)).fold(f64::INFINITY, f64::min);
        self.edges.iter().fold(to_points, |nearest, edge| {
            if edge.at_least(point) < nearest { edge.distance(point).min(nearest) } else { nearest }
        })
    }

    fn has_inside(&self, point: Vector) -> bool {
        self.regions.iter().any(|region| region.place(point) == Place::Inside)
    }

    /// Whether a point is in the shape or on its boundary.
    fn has(&self, point: Vector) -> bool {
        self.points.iter().any(|own| own.angle(point) < TOLERANCE)
            || self.lines.iter().flatten().any(|edge| edge.holds(point))
            || self.regions.iter().any(|region| region.place(point) != Place::Outside)
    }

    /// A point of every separate part.
    fn samples(&self) -> impl Iterator<Item = Vector> + '_ {
        let lines = self.lines.iter().filter_map(|line| line.first()).map(|edge| edge.start);
        let regions = self.regions.iter().filter_map(|region| region.edges().next()).map(|edge| edge.start);
        self.points.iter().copied().chain(lines).chain(regions)
    }

    fn radians(&self, other: &Self) -> f64 {
        if other.samples().any(|point| self.has_inside(point)) || self.samples().any(|point| other.has_inside(point)) {
            return 0.0;
        }
        let from_points = other.points.iter().map(|point| self.boundary_distance(*point));
        let to_points = self.points.iter().map(|point| other.boundary_distance(*point));
        let mut nearest = from_points.chain(to_points).fold(f64::INFINITY, f64::min);
        for edge in &self.edges {
            for other in other.edges.iter().filter(|other| edge.edge_at_least(**other) < nearest).collect::<Vec<_>>() {
                nearest = edge.distance_to_edge(*other).min(nearest);
            }
        }
        nearest
    }

    /// Whether no point of the other is outside of this one.
    fn covers(&self, other: &Self) -> bool {
        let has_ends = |edge: &Edge| self.has(edge.start) && self.has(edge.end);
        let has_pieces = |edge: &Edge| edge.pieces(&self.edges).iter().all(|middle| self.has(*middle));
        other.points.iter().all(|point| self.has(*point))
            && other.edges.iter().all(has_ends)
            && other.edges.iter().all(has_pieces)
            && other.regions.iter().all(|region| self.fills(region, &other.edges))
    }

    /// Whether a region whose boundary this shape covers has no hole or exterior of this shape in it.
    fn fills(&self, region: &Region, other_edges: &[Edge]) -> bool {
        let boundary = self.regions.iter().flat_map(Region::edges).flat_map(|edge| edge.pieces(other_edges));
        let mut within = boundary.filter(|middle| region.place(*middle) == Place::Inside);
        !self.regions.is_empty() && within.all(|middle| self.has_inside(middle))
    }

    /// Whether the insides of the two meet, where this one covers the other.
    fn holds_some_inside(&self, other: &Self) -> bool {
        if !other.regions.is_empty() {
            return true;
        }
        let mut middles = other.edges.iter().flat_map(|edge| edge.pieces(&self.edges));
        other.points.iter().any(|point| self.is_inner(*point)) || middles.any(|middle| self.is_inner(middle))
    }

    /// Inside of a region, on a line but not at its end, or a point.
    fn is_inner(&self, point: Vector) -> bool {
        let ends =
            self.lines.iter().flat_map(|line| [line.first().map(|edge| edge.start), line.last().map(|edge| edge.end)]);
        let is_here = |other: &Vector| other.angle(point) < TOLERANCE;
        // An endpoint of an even number of lines is interior (mod-2 rule).
        let is_end = || ends.flatten().filter(is_here).count() % 2 == 1;
        self.has_inside(point)
            || self.points.iter().any(is_here)
            || (self.lines.iter().flatten().any(|edge| edge.holds(point)) && !is_end())
    }
}
