//! Lengths, areas, distances and directions: in metres on the globe, in the units of the coordinates on the plane.

use firn_values::geo::relations::{self, Relation};
use firn_values::geo::{Model, Parts, Shape, sphere};
use geo::line_measures::{Euclidean, Length};
use geo::{Area, Geometry, LineString, Point};

use super::arguments::Arguments;
use super::{Evaluated, asks, failure, prepared_shapes, unsupported};
use crate::definition::{Answer, Definition, Kind};

use Kind::{Any, Boolean, Double};

pub(super) const DEFINITIONS: &[&[Definition]] = &[
    asks!(c"firn_st_area", [Any], Double, area),
    asks!(c"firn_st_length", [Any], Double, length),
    asks!(c"firn_st_perimeter", [Any], Double, perimeter),
    asks!(c"firn_st_distance", [Any, Any], Double, distance),
    asks!(c"firn_st_azimuth", [Any, Any], Double, azimuth),
    asks!(c"firn_st_hausdorffdistance", [Any, Any], Double, hausdorff_distance),
    asks!(c"firn_st_dwithin", [Any, Any, Double], Boolean, is_within_distance),
    asks!(c"firn_st_intersects", [Any, Any], Boolean, intersects),
    asks!(c"firn_st_disjoint", [Any, Any], Boolean, is_disjoint),
    asks!(c"firn_st_contains", [Any, Any], Boolean, contains),
    asks!(c"firn_st_within", [Any, Any], Boolean, is_within),
    asks!(c"firn_st_covers", [Any, Any], Boolean, covers),
    asks!(c"firn_st_coveredby", [Any, Any], Boolean, is_covered),
];

fn area(arguments: Arguments<'_>) -> Evaluated {
    Ok(arguments.shape(0)?.map(|shape| {
        let polygons = Parts::of(&shape.geometry).polygons;
        total(polygons.iter().map(|polygon| match shape.model {
            Model::Plane => polygon.unsigned_area(),
            Model::Sphere => sphere::area(polygon) * sphere::RADIUS * sphere::RADIUS,
        }))
    }))
}

fn length(arguments: Arguments<'_>) -> Evaluated {
    Ok(arguments.shape(0)?.map(|shape| {
        let lines = Parts::of(&shape.geometry).lines;
        total(lines.into_iter().map(|line| measured(&shape, line)))
    }))
}

fn perimeter(arguments: Arguments<'_>) -> Evaluated {
    Ok(arguments.shape(0)?.map(|shape| {
        let polygons = Parts::of(&shape.geometry).polygons;
        let rings =
            polygons.into_iter().flat_map(|polygon| [polygon.exterior()].into_iter().chain(polygon.interiors()));
        total(rings.map(|ring| measured(&shape, ring)))
    }))
}

/// Nothing adds up to zero, without a sign.
fn total(parts: impl Iterator<Item = f64>) -> Answer<'static> {
    Answer::Double(parts.fold(0.0, |sum, part| sum + part))
}

fn measured(shape: &Shape, line: &LineString<f64>) -> f64 {
    match shape.model {
        Model::Plane => Euclidean.length(line),
        Model::Sphere => sphere::length(line) * sphere::RADIUS,
    }
}

fn apart(arguments: Arguments<'_>) -> Result<Option<f64>, String> {
    if let Some((left, right)) = prepared_shapes::pair(arguments)? {
        return Ok(left.distance(&right));
    }
    let Some((left, right)) = arguments.pair()? else { return Ok(None) };
    relations::distance(&left, &right).map_err(|reason| failure(&reason))
}

fn distance(arguments: Arguments<'_>) -> Evaluated {
    Ok(apart(arguments)?.map(Answer::Double))
}

fn is_within_distance(arguments: Arguments<'_>) -> Evaluated {
    let (Some(distance), Some(most)) = (apart(arguments)?, arguments.double(2)) else { return Ok(None) };
    Ok(Some(Answer::Boolean(distance <= most)))
}

/// The greatest distance of a corner of one from the nearest corner of the other, in degrees.
fn hausdorff_distance(arguments: Arguments<'_>) -> Evaluated {
    let Some((left, right)) = arguments.pair()? else { return Ok(None) };
    if left.model == Model::Plane {
        return Err(unsupported("ST_HAUSDORFFDISTANCE of GEOMETRY"));
    }
    relations::check_size(left.points(), right.points()).map_err(|reason| failure(&reason))?;
    let radians = sphere::hausdorff_distance(&left.geometry, &right.geometry);
    Ok(radians.map(|radians| Answer::Double(radians.to_degrees())))
}

/// Clockwise from north, in radians.
fn azimuth(arguments: Arguments<'_>) -> Evaluated {
    let Some((left, right)) = arguments.pair()? else { return Ok(None) };
    let (from, to) = (point(&left)?, point(&right)?);
    Ok(match left.model {
        Model::Sphere => sphere::azimuth(from, to),
        Model::Plane if from == to => None,
        Model::Plane => Some((to.x() - from.x()).atan2(to.y() - from.y()).rem_euclid(std::f64::consts::TAU)),
    }
    .map(Answer::Double))
}

fn point(shape: &Shape) -> Result<Point<f64>, String> {
    match &shape.geometry {
        Geometry::Point(point) => Ok(*point),
        _ => Err(failure("ST_AZIMUTH needs two Points")),
    }
}

/// Whether the first has the second, or the other way round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    AsGiven,
    Turned,
}

fn related(arguments: Arguments<'_>, relation: Relation, order: Order) -> Result<Option<bool>, String> {
    if let Some((left, right)) = prepared_shapes::pair(arguments)? {
        let (left, right) = if order == Order::Turned { (right, left) } else { (left, right) };
        return Ok(Some(left.relates(&right, relation)));
    }
    let Some((left, right)) = arguments.pair()? else { return Ok(None) };
    let (left, right) = if order == Order::Turned { (right, left) } else { (left, right) };
    relations::relates(&left, &right, relation).map(Some).map_err(|reason| failure(&reason))
}

fn intersects(arguments: Arguments<'_>) -> Evaluated {
    Ok(related(arguments, Relation::Intersects, Order::AsGiven)?.map(Answer::Boolean))
}

fn is_disjoint(arguments: Arguments<'_>) -> Evaluated {
    Ok(related(arguments, Relation::Intersects, Order::AsGiven)?.map(|meets| Answer::Boolean(!meets)))
}

fn contains(arguments: Arguments<'_>) -> Evaluated {
    Ok(related(arguments, Relation::Contains, Order::AsGiven)?.map(Answer::Boolean))
}

fn is_within(arguments: Arguments<'_>) -> Evaluated {
    Ok(related(arguments, Relation::Contains, Order::Turned)?.map(Answer::Boolean))
}

fn covers(arguments: Arguments<'_>) -> Evaluated {
    Ok(related(arguments, Relation::Covers, Order::AsGiven)?.map(Answer::Boolean))
}

fn is_covered(arguments: Arguments<'_>) -> Evaluated {
    Ok(related(arguments, Relation::Covers, Order::Turned)?.map(Answer::Boolean))
}
