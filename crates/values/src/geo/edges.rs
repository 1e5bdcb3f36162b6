//! Arcs of great circles beside points and other arcs.

use super::sphere::{TOLERANCE, Vector};

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) start: Vector,
    pub(super) end: Vector,
    /// `None` for an arc without length, or of half a circle.
    pub(super) normal: Option<Vector>,
    middle: Vector,
    /// How far the arc goes from its middle, straight through the sphere.
    reach: f64,
}

impl Edge {
    pub(super) fn new(start: Vector, end: Vector) -> Self {
        let middle = start.plus(end).unit().unwrap_or(start);
        let reach = middle.minus(start).length().max(middle.minus(end).length());
        Self { start, end, normal: start.cross(end).unit(), middle, reach }
    }

    pub(super) fn of(corners: &[Vector]) -> Vec<Self> {
        corners.windows(2).map(|pair| Self::new(pair[0], pair[1])).collect()
    }

    pub(super) fn middle(self) -> Vector {
        self.middle
    }

    /// The range of the first coordinate, with room for rounding.
    pub(super) fn span(self) -> (f64, f64) {
        let room = self.reach + TOLERANCE;
        (self.middle.0[0] - room, self.middle.0[0] + room)
    }

    /// No point of the arc is nearer than this, in radians: a straight way is never longer than an arc.
    pub(super) fn at_least(self, point: Vector) -> f64 {
        self.middle.minus(point).length() - self.reach
    }

    /// In radians, to the nearest point of the arc.
    pub(super) fn distance(self, point: Vector) -> f64 {
        let to_ends = self.start.angle(point).min(self.end.angle(point));
        match self.normal {
            Some(normal) if self.is_beside(normal, point) => {
                normal.dot(point).clamp(-1.0, 1.0).asin().abs().min(to_ends)
            }
            _ => to_ends,
        }
    }

    /// Whether the perpendicular from the point meets the arc, not the rest of its circle.
    fn is_beside(self, normal: Vector, point: Vector) -> bool {
        normal.cross(self.start).dot(point) > 0.0 && self.end.cross(normal).dot(point) > 0.0
    }

    /// The latitudes in degrees where the arc turns from going north to going south, or the other way.
    pub(super) fn extreme_latitudes(self) -> Vec<f64> {
        let Some(normal) = self.normal else { return Vec::new() };
        let north = Vector([0.0, 0.0, 1.0]);
        let Some(top) = north.minus(normal.times(normal.dot(north))).unit() else { return Vec::new() };
        let turns = [top, top.times(-1.0)].into_iter().filter(|point| self.is_beside(normal, *point));
        turns.map(|point| point.to_coord().y).collect()
    }

    pub(super) fn holds(self, point: Vector) -> bool {
        self.at_least(point) < TOLERANCE && self.distance(point) < TOLERANCE
    }

    fn may_meet(self, other: Self) -> bool {
        self.middle.minus(other.middle).length() <= self.reach + other.reach + TOLERANCE
    }

    /// Where two arcs meet: a crossing, ends of one on the other.
    pub(super) fn meetings(self, other: Self) -> Vec<Vector> {
        if !self.may_meet(other) {
            return Vec::new();
        }
        let mut found: Vec<Vector> = [other.start, other.end].into_iter().filter(|end| self.holds(*end)).collect();
        found.extend([self.start, self.end].into_iter().filter(|end| other.holds(*end)));
        if found.is_empty() {
            found.extend(self.crossing(other));
        }
        found
    }

    /// Where two arcs cross inside of both.
    fn crossing(self, other: Self) -> Option<Vector> {
        let along = self.normal?.cross(other.normal?).unit()?;
        [along, along.times(-1.0)].into_iter().find(|point| self.holds(*point) && other.holds(*point))
    }

    /// In radians.
    pub(super) fn distance_to_edge(self, other: Self) -> f64 {
        if self.may_meet(other) && self.crossing(other).is_some() {
            return 0.0;
        }
        let to_other = other.distance(self.start).min(other.distance(self.end));
        to_other.min(self.distance(other.start)).min(self.distance(other.end))
    }

    /// Two arcs are no nearer than this, in radians.
    pub(super) fn edge_at_least(self, other: Self) -> f64 {
        self.at_least(other.middle) - other.reach
    }

    /// The arc cut at every meeting with the others, as the middles of its pieces.
    pub(super) fn pieces(self, others: &[Self]) -> Vec<Vector> {
        let mut cuts: Vec<Vector> = others.iter().flat_map(|other| self.meetings(*other)).collect();
        cuts.extend([self.start, self.end]);
        cuts.sort_by(|left, right| self.start.angle(*left).total_cmp(&self.start.angle(*right)));
        let apart = cuts.windows(2).filter(|pair| pair[0].angle(pair[1]) > 2.0 * TOLERANCE);
        apart.map(|pair| Self::new(pair[0], pair[1]).middle).collect()
    }
}
