//! Lengths, areas, distances and directions: in metres on the globe, in the units of the coordinates on the plane.

use geo::line_measures::{Euclidean, Length};
use geo::{Area, Geometry, LineString, Point};

use super::arguments::Arguments;
use super::{Told, asks, failure};
use crate::duckdb::own_functions::{Answer, Definition, Kind};
use crate::shapes::relations::{self, Relation};
use crate::shapes::{Model, Parts, Shape, sphere};

use Kind::{Any, Boolean, Double};

pub(super) const DEFINITIONS: &[&[Definition]] = &[
    asks!(c"firn_st_area", [Any], Double, area),
    asks!(c"firn_st_length", [Any], Double, length),
    asks!(c"firn_st_perimeter", [Any], Double, perimeter),
    asks!(c"firn_st_distance", [Any, Any], Double, distance),
    asks!(c"firn_st_azimuth", [Any, Any], Double, azimuth),
    asks!(c"firn_st_dwithin", [Any, Any, Double], Boolean, is_within_distance),
    asks!(c"firn_st_intersects", [Any, Any], Boolean, intersects),
    asks!(c"firn_st_disjoint", [Any, Any], Boolean, is_disjoint),
    asks!(c"firn_st_contains", [Any, Any], Boolean, contains),
    asks!(c"firn_st_within", [Any, Any], Boolean, is_within),
    asks!(c"firn_st_covers", [Any, Any], Boolean, covers),
    asks!(c"firn_st_coveredby", [Any, Any], Boolean, is_covered),
];

fn area(arguments: Arguments<'_>) -> Told {
    Ok(arguments.shape(0)?.map(|shape| {
        let polygons = Parts::of(&shape.geometry).polygons;
        total(polygons.iter().map(|polygon| match shape.model {
            Model::Plane => polygon.unsigned_area(),
            Model::Sphere => sphere::area(polygon) * sphere::RADIUS * sphere::RADIUS,
        }))
    }))
}

fn length(arguments: Arguments<'_>) -> Told {
    Ok(arguments.shape(0)?.map(|shape| {
        let lines = Parts::of(&shape.geometry).lines;
        total(lines.into_iter().map(|line| measured(&shape, line)))
    }))
}

fn perimeter(arguments: Arguments<'_>) -> Told {
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

fn distance(arguments: Arguments<'_>) -> Told {
    let Some((left, right)) = arguments.pair()? else { return Ok(None) };
    Ok(relations::distance(&left, &right).map_err(|reason| failure(&reason))?.map(Answer::Double))
}

fn is_within_distance(arguments: Arguments<'_>) -> Told {
    let (Some((left, right)), Some(most)) = (arguments.pair()?, arguments.double(2)) else { return Ok(None) };
    let distance = relations::distance(&left, &right).map_err(|reason| failure(&reason))?;
    Ok(distance.map(|distance| Answer::Boolean(distance <= most)))
}

/// Clockwise from north, in radians.
fn azimuth(arguments: Arguments<'_>) -> Told {
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

fn related(
    arguments: Arguments<'_>,
    relation: Relation,
    order: fn(Shape, Shape) -> (Shape, Shape),
) -> Result<Option<bool>, String> {
    let Some((left, right)) = arguments.pair()? else { return Ok(None) };
    let (left, right) = order(left, right);
    relations::relates(&left, &right, relation).map(Some).map_err(|reason| failure(&reason))
}

fn as_given(left: Shape, right: Shape) -> (Shape, Shape) {
    (left, right)
}

fn turned(left: Shape, right: Shape) -> (Shape, Shape) {
    (right, left)
}

fn intersects(arguments: Arguments<'_>) -> Told {
    Ok(related(arguments, Relation::Intersects, as_given)?.map(Answer::Boolean))
}

fn is_disjoint(arguments: Arguments<'_>) -> Told {
    Ok(related(arguments, Relation::Intersects, as_given)?.map(|meets| Answer::Boolean(!meets)))
}

fn contains(arguments: Arguments<'_>) -> Told {
    Ok(related(arguments, Relation::Contains, as_given)?.map(Answer::Boolean))
}

fn is_within(arguments: Arguments<'_>) -> Told {
    Ok(related(arguments, Relation::Contains, turned)?.map(Answer::Boolean))
}

fn covers(arguments: Arguments<'_>) -> Told {
    Ok(related(arguments, Relation::Covers, as_given)?.map(Answer::Boolean))
}

fn is_covered(arguments: Arguments<'_>) -> Told {
    Ok(related(arguments, Relation::Covers, turned)?.map(Answer::Boolean))
}
