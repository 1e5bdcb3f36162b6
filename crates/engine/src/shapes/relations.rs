//! How two shapes lie to each other: distance, intersection, covering and containing, on the sphere and on the plane.

use geo::line_measures::{Distance, Euclidean};
use geo::{Geometry, Relate};

use super::contain::{Place, Region};
use super::edges::Edge;
use super::sphere::{RADIUS, TOLERANCE, Vector, vectors};
use super::{Model, Parts, Shape};

/// The one question ST_CONTAINS, ST_COVERS and ST_INTERSECTS each ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Intersects,
    Covers,
    Contains,
}

/// Comparing every edge with every other takes their product; beyond this a statement would seem to hang.
const PAIRS_MAX: usize = 400_000_000;

pub(crate) fn relates(left: &Shape, right: &Shape, relation: Relation) -> Result<bool, String> {
    if left.is_empty() || right.is_empty() {
        return Ok(false);
    }
    check_size(left, right)?;
    if left.model == Model::Plane {
        let matrix = left.geometry.relate(&right.geometry);
        return Ok(match relation {
            Relation::Intersects => matrix.is_intersects(),
            Relation::Covers => matrix.is_covers(),
            Relation::Contains => matrix.is_contains(),
        });
    }
    let (left, right) = (Figure::of(&left.geometry), Figure::of(&right.geometry));
    Ok(match relation {
        Relation::Intersects => left.distance(&right) < TOLERANCE,
        Relation::Covers => left.covers(&right),
        Relation::Contains => left.covers(&right) && left.holds_some_inside(&right),
    })
}

/// `None` for an empty shape.
pub(crate) fn distance(left: &Shape, right: &Shape) -> Result<Option<f64>, String> {
    if left.is_empty() || right.is_empty() {
        return Ok(None);
    }
    check_size(left, right)?;
    Ok(Some(match left.model {
        Model::Plane => Euclidean.distance(&left.geometry, &right.geometry),
        Model::Sphere => {
            let (left, right) = (Figure::of(&left.geometry), Figure::of(&right.geometry));
            let radians = left.distance(&right);
            if radians < TOLERANCE { 0.0 } else { radians * RADIUS }
        }
    }))
}

fn check_size(left: &Shape, right: &Shape) -> Result<(), String> {
    if left.points().saturating_mul(right.points()) > PAIRS_MAX {
        return Err("the two shapes have too many points to be compared".to_owned());
    }
    Ok(())
}

/// A shape on the sphere, ready to be asked.
struct Figure {
    points: Vec<Vector>,
    lines: Vec<Vec<Edge>>,
    regions: Vec<Region>,
}

impl Figure {
    fn of(geometry: &Geometry<f64>) -> Self {
        let parts = Parts::of(geometry);
        let edges = |corners: Vec<Vector>| {
            corners.windows(2).map(|pair| Edge { start: pair[0], end: pair[1] }).collect::<Vec<_>>()
        };
        Self {
            points: parts.points.iter().map(|point| Vector::of(point.0)).collect(),
            lines: parts.lines.iter().map(|line| edges(vectors(line))).collect(),
            regions: parts.polygons.iter().map(|polygon| Region::of(polygon)).collect(),
        }
    }

    fn edges(&self) -> Vec<Edge> {
        let lines = self.lines.iter().flatten().copied();
        lines.chain(self.regions.iter().flat_map(Region::edges)).collect()
    }

    /// The parts on which a point can be: not inside of a region.
    fn outline_distance(&self, edges: &[Edge], point: Vector) -> f64 {
        let to_points = self.points.iter().map(|other| other.angle(point));
        to_points.chain(edges.iter().map(|edge| edge.distance(point))).fold(f64::INFINITY, f64::min)
    }

    fn has_inside(&self, point: Vector) -> bool {
        self.regions.iter().any(|region| region.place(point) == Place::Inside)
    }

    /// Whether a point is in the shape or on its outline.
    fn has(&self, edges: &[Edge], point: Vector) -> bool {
        self.outline_distance(edges, point) < TOLERANCE || self.has_inside(point)
    }

    /// A point of every separate part.
    fn samples(&self) -> impl Iterator<Item = Vector> + '_ {
        let lines = self.lines.iter().filter_map(|line| line.first()).map(|edge| edge.start);
        let regions = self.regions.iter().filter_map(|region| region.edges().next()).map(|edge| edge.start);
        self.points.iter().copied().chain(lines).chain(regions)
    }

    /// In radians.
    fn distance(&self, other: &Self) -> f64 {
        let (edges, other_edges) = (self.edges(), other.edges());
        if other.samples().any(|point| self.has_inside(point)) || self.samples().any(|point| other.has_inside(point)) {
            return 0.0;
        }
        let from_points = other.points.iter().map(|point| self.outline_distance(&edges, *point));
        let to_points = self.points.iter().map(|point| other.outline_distance(&other_edges, *point));
        let nearest = from_points.chain(to_points).fold(f64::INFINITY, f64::min);
        let between = edges.iter().flat_map(|edge| other_edges.iter().map(|other| edge.distance_to_edge(*other)));
        between.fold(nearest, f64::min)
    }

    /// Whether no point of the other is outside of this one.
    fn covers(&self, other: &Self) -> bool {
        let (edges, other_edges) = (self.edges(), other.edges());
        let points_inside = other.points.iter().all(|point| self.has(&edges, *point));
        let ends_inside = other_edges.iter().all(|edge| self.has(&edges, edge.start) && self.has(&edges, edge.end));
        points_inside
            && ends_inside
            && other_edges.iter().all(|edge| edge.pieces(&edges).iter().all(|middle| self.has(&edges, *middle)))
            && other.regions.iter().all(|region| self.fills(region, &other_edges))
    }

    /// Whether a region whose outline this shape covers has no hole of this shape, or its outside, in it.
    fn fills(&self, region: &Region, other_edges: &[Edge]) -> bool {
        let outline = self.regions.iter().flat_map(Region::edges).flat_map(|edge| edge.pieces(other_edges));
        let mut within = outline.filter(|middle| region.place(*middle) == Place::Inside);
        !self.regions.is_empty() && within.all(|middle| self.has_inside(middle))
    }

    /// Whether the insides of the two meet, where this one covers the other.
    fn holds_some_inside(&self, other: &Self) -> bool {
        if !other.regions.is_empty() {
            return true;
        }
        let edges = self.edges();
        let is_end = |point: &Vector| {
            let ends = self
                .lines
                .iter()
                .flat_map(|line| [line.first().map(|edge| edge.start), line.last().map(|edge| edge.end)]);
            let count = ends.flatten().filter(|end| end.angle(*point) < TOLERANCE).count();
            count % 2 == 1
        };
        let on_lines = |point: &Vector| self.lines.iter().flatten().any(|edge| edge.holds(*point)) && !is_end(point);
        let on_points = |point: &Vector| self.points.iter().any(|own| own.angle(*point) < TOLERANCE);
        let inside = |point: &Vector| self.has_inside(*point) || on_lines(point) || on_points(point);
        let middles = other.edges().into_iter().flat_map(|edge| edge.pieces(&edges));
        other.points.iter().any(inside) || middles.collect::<Vec<_>>().iter().any(inside)
    }
}
