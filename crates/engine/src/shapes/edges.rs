//! Arcs of great circles beside points and other arcs.

use super::sphere::{TOLERANCE, Vector};

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) start: Vector,
    pub(super) end: Vector,
}

impl Edge {
    pub(super) fn middle(self) -> Option<Vector> {
        self.start.plus(self.end).unit()
    }

    /// In radians, to the nearest point of the arc.
    pub(super) fn distance(self, point: Vector) -> f64 {
        let to_ends = self.start.angle(point).min(self.end.angle(point));
        let Some(normal) = self.start.cross(self.end).unit() else { return to_ends };
        let after_start = normal.cross(self.start).dot(point) > 0.0;
        let before_end = self.end.cross(normal).dot(point) > 0.0;
        // Whether the perpendicular from the point meets the arc, not the rest of its circle.
        if after_start && before_end { normal.dot(point).clamp(-1.0, 1.0).asin().abs().min(to_ends) } else { to_ends }
    }

    /// The latitudes in degrees where the arc turns from going north to going south, or the other way.
    pub(super) fn extreme_latitudes(self) -> Vec<f64> {
        let Some(normal) = self.start.cross(self.end).unit() else { return Vec::new() };
        let north = Vector([0.0, 0.0, 1.0]);
        let Some(top) = north.minus(normal.times(normal.dot(north))).unit() else { return Vec::new() };
        let on_arc =
            |point: &Vector| normal.cross(self.start).dot(*point) > 0.0 && self.end.cross(normal).dot(*point) > 0.0;
        [top, top.times(-1.0)].into_iter().filter(on_arc).map(|point| point.to_coord().y).collect()
    }

    pub(super) fn holds(self, point: Vector) -> bool {
        self.distance(point) < TOLERANCE
    }

    /// Where two arcs meet: a crossing, ends of one on the other.
    pub(super) fn meetings(self, other: Self) -> Vec<Vector> {
        let mut found: Vec<Vector> = [other.start, other.end].into_iter().filter(|end| self.holds(*end)).collect();
        found.extend([self.start, self.end].into_iter().filter(|end| other.holds(*end)));
        if found.is_empty() {
            found.extend(self.crossing(other));
        }
        found
    }

    /// Where two arcs cross inside of both.
    pub(super) fn crossing(self, other: Self) -> Option<Vector> {
        let normal = self.start.cross(self.end).unit()?;
        let other_normal = other.start.cross(other.end).unit()?;
        let along = normal.cross(other_normal).unit()?;
        [along, along.times(-1.0)].into_iter().find(|point| self.holds(*point) && other.holds(*point))
    }

    /// In radians.
    pub(super) fn distance_to_edge(self, other: Self) -> f64 {
        if self.crossing(other).is_some() {
            return 0.0;
        }
        let to_other = other.distance(self.start).min(other.distance(self.end));
        to_other.min(self.distance(other.start)).min(self.distance(other.end))
    }

    /// The arc cut at every meeting with the others, as the middles of its pieces.
    pub(super) fn pieces(self, others: &[Self]) -> Vec<Vector> {
        let mut cuts: Vec<Vector> = others.iter().flat_map(|other| self.meetings(*other)).collect();
        cuts.extend([self.start, self.end]);
        cuts.sort_by(|left, right| self.start.angle(*left).total_cmp(&self.start.angle(*right)));
        let apart = cuts.windows(2).filter(|pair| pair[0].angle(pair[1]) > 2.0 * TOLERANCE);
        apart.filter_map(|pair| Edge { start: pair[0], end: pair[1] }.middle()).collect()
    }
}
