//! Measures on the sphere: points are unit vectors, edges the shorter arcs of great circles.

use std::f64::consts::{PI, TAU};

use geo::{Coord, CoordsIter, Geometry, LineString, Point, Polygon};

use super::Parts;

/// In metres: what the dialect takes for the radius of the earth.
pub const RADIUS: f64 = 6_371_010.0;

/// In radians: what is nearer than this is in the same place (less than a micrometre on the ground).
pub(super) const TOLERANCE: f64 = 1e-13;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector(pub(super) [f64; 3]);

impl Vector {
    pub fn of(at: Coord<f64>) -> Self {
        let (longitude, latitude) = (at.x.to_radians(), at.y.to_radians());
        // The poles and the quarter meridians are where they are, whatever sine and cosine round to.
        let (sine, cosine) = exact(at.y, latitude);
        let (east, ahead) = exact(at.x, longitude);
        Self([cosine * ahead, cosine * east, sine])
    }

    /// Longitude and latitude in degrees.
    pub fn to_coord(self) -> Coord<f64> {
        let [x, y, z] = self.0;
        Coord { x: y.atan2(x).to_degrees(), y: z.atan2(x.hypot(y)).to_degrees() }
    }

    pub(super) fn dot(self, other: Self) -> f64 {
        self.0.iter().zip(other.0).map(|(left, right)| left * right).sum()
    }

    pub(super) fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a + x, b + y, c + z])
    }

    pub(super) fn minus(self, other: Self) -> Self {
        self.plus(other.times(-1.0))
    }

    pub(super) fn times(self, factor: f64) -> Self {
        Self(self.0.map(|part| part * factor))
    }

    pub(super) fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// `None` for no direction at all.
    pub fn unit(self) -> Option<Self> {
        let length = self.length();
        (length > 1e-15).then(|| self.times(1.0 / length))
    }

    /// In radians.
    pub fn angle(self, other: Self) -> f64 {
        // More exact for small angles than the cross product: the difference keeps all digits.
        2.0 * (self.minus(other).length()).atan2(self.plus(other).length())
    }
}

/// Sine and cosine of an angle given in degrees and radians.
fn exact(degrees: f64, radians: f64) -> (f64, f64) {
    match degrees {
        90.0 => (1.0, 0.0),
        -90.0 => (-1.0, 0.0),
        180.0 | -180.0 => (0.0, -1.0),
        _ => radians.sin_cos(),
    }
}

pub(super) fn vectors(line: &LineString<f64>) -> Vec<Vector> {
    line.0.iter().map(|at| Vector::of(*at)).collect()
}

/// In radians.
pub fn length(line: &LineString<f64>) -> f64 {
    vectors(line).windows(2).map(|edge| edge[0].angle(edge[1])).sum()
}

/// Of the smaller side of a closed ring, in steradians; negative if that side is on the right.
pub(super) fn signed_area(ring: &LineString<f64>) -> f64 {
    let corners = vectors(ring);
    let Some(first) = corners.first() else { return 0.0 };
    let fan = corners.windows(2).map(|edge| triangle(*first, edge[0], edge[1])).sum::<f64>();
    // Areas are the same modulo the whole sphere.
    fan - (fan / (4.0 * PI)).round() * 4.0 * PI
}

/// The signed area of a spherical triangle, from the lengths of its sides.
fn triangle(a: Vector, b: Vector, c: Vector) -> f64 {
    let side = |from: Vector, to: Vector| from.cross(to).length().atan2(from.dot(to));
    let sides = [side(b, c), side(c, a), side(a, b)];
    let half = 0.5 * sides.iter().sum::<f64>();
    let product: f64 = sides.iter().map(|side| (0.5 * (half - side)).tan()).product();
    let area = 4.0 * ((0.5 * half).tan() * product).max(0.0).sqrt().atan();
    area.copysign(a.dot(b.cross(c)))
}

/// In steradians.
pub fn area(polygon: &Polygon<f64>) -> f64 {
    let holes: f64 = polygon.interiors().iter().map(|ring| signed_area(ring).abs()).sum();
    (signed_area(polygon.exterior()).abs() - holes).max(0.0)
}

/// The direction from one point to another in radians, clockwise from north; `None` from a point to itself.
pub fn azimuth(from: Point<f64>, to: Point<f64>) -> Option<f64> {
    if from == to {
        return None;
    }
    let (latitude, other) = (from.y().to_radians(), to.y().to_radians());
    let east = (to.x() - from.x()).to_radians();
    let (sine, cosine) = latitude.sin_cos();
    let direction = (east.sin() * other.cos()).atan2(cosine * other.sin() - sine * other.cos() * east.cos());
    Some(direction.rem_euclid(TAU))
}

/// The centre of the parts of the highest dimension.
pub fn centroid(geometry: &Geometry<f64>) -> Option<Point<f64>> {
    let parts = Parts::of(geometry);
    let sum = |vectors: Vec<Vector>| vectors.into_iter().fold(Vector([0.0; 3]), Vector::plus);
    let polygons = sum(parts.polygons.iter().map(|polygon| moment(polygon)).collect());
    let lines = || sum(parts.lines.iter().map(|line| line_moment(line)).collect());
    let points = || sum(parts.points.iter().map(|point| Vector::of(point.0)).collect());
    let direction = polygons.unit().or_else(|| lines().unit()).or_else(|| points().unit())?;
    Some(Point(direction.to_coord()))
}

/// The sum of all directions into a polygon.
fn moment(polygon: &Polygon<f64>) -> Vector {
    let rings = [polygon.exterior()].into_iter().chain(polygon.interiors()).enumerate();
    rings.fold(Vector([0.0; 3]), |sum, (index, ring)| {
        // An inside is on the left, a hole counts against it.
        let sign = if (signed_area(ring) < 0.0) == (index == 0) { -0.5 } else { 0.5 };
        let edges = vectors(ring);
        let ring_sum = edges.windows(2).fold(Vector([0.0; 3]), |sum, edge| {
            let normal = edge[0].cross(edge[1]).unit().unwrap_or(Vector([0.0; 3]));
            sum.plus(normal.times(edge[0].angle(edge[1])))
        });
        sum.plus(ring_sum.times(sign))
    })
}

/// The sum of all directions to a line.
fn line_moment(line: &LineString<f64>) -> Vector {
    vectors(line).windows(2).fold(Vector([0.0; 3]), |sum, edge| {
        let middle = edge[0].plus(edge[1]).unit().unwrap_or(Vector([0.0; 3]));
        sum.plus(middle.times(2.0 * (edge[0].angle(edge[1]) / 2.0).sin()))
    })
}

/// Whether the smaller side of a closed ring is on its right.
pub fn runs_clockwise(ring: &LineString<f64>) -> bool {
    signed_area(ring) < 0.0
}

/// In radians, between corners alone; `None` for an empty shape.
pub fn hausdorff_distance(left: &Geometry<f64>, right: &Geometry<f64>) -> Option<f64> {
    let corners = |geometry: &Geometry<f64>| geometry.coords_iter().map(Vector::of).collect::<Vec<_>>();
    let (left, right) = (corners(left), corners(right));
    if left.is_empty() || right.is_empty() {
        return None;
    }
    let farthest = |from: &[Vector], to: &[Vector]| {
        let nearest = |point: &Vector| to.iter().map(|other| point.angle(*other)).fold(f64::INFINITY, f64::min);
        from.iter().map(nearest).fold(0.0, f64::max)
    };
    Some(farthest(&left, &right).max(farthest(&right, &left)))
}
