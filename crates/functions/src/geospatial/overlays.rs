//! Overlays of polygons on the plane (intersection, union, difference) and simplification. Not supported for GEOGRAPHY.

use firn_values::geo::{Model, Shape};
use firn_values::running_call::{PIECE_BYTES, work};
use geo::algorithm::bool_ops::unary_union;
use geo::{BooleanOps, Coord, CoordsIter, Geometry, GeometryCollection, MapCoords, MultiPolygon, OpType, Simplify};

use super::arguments::Arguments;
use super::{Evaluated, encoded, failure, gathers, joins, makes, unsupported};
use crate::definition::{Definition, Kind};

/// So many polygons are united at once.
const UNITED_MAX: usize = 64;

pub(super) const DEFINITIONS: &[&[Definition]] = &[
    joins!(c"firn_st_union", union),
    joins!(c"firn_st_intersection", intersection),
    joins!(c"firn_st_difference", difference),
    joins!(c"firn_st_symdifference", symmetric_difference),
    gathers!(c"firn_st_united", union_all),
    gathers!(c"firn_st_intersected", intersect_all),
    makes!(c"firn_st_simplify", [Kind::Double], simplify),
];

fn union(arguments: Arguments<'_>) -> Evaluated {
    cut(arguments, "ST_UNION", OpType::Union)
}

fn intersection(arguments: Arguments<'_>) -> Evaluated {
    cut(arguments, "ST_INTERSECTION", OpType::Intersection)
}

fn difference(arguments: Arguments<'_>) -> Evaluated {
    cut(arguments, "ST_DIFFERENCE", OpType::Difference)
}

fn symmetric_difference(arguments: Arguments<'_>) -> Evaluated {
    cut(arguments, "ST_SYMDIFFERENCE", OpType::Xor)
}

fn cut(arguments: Arguments<'_>, name: &str, operation: OpType) -> Evaluated {
    let Some((left, right)) = arguments.pair()? else { return Ok(None) };
    let result = polygons(&left, name)?.boolean_op(&polygons(&right, name)?, operation);
    Ok(Some(encoded(&snapped(&left, &[&left, &right], result))))
}

fn union_all(arguments: Arguments<'_>) -> Evaluated {
    let shapes = arguments.shapes(0)?;
    let Some(first) = shapes.first() else { return Ok(None) };
    let parts = shapes.iter().map(|shape| polygons(shape, "ST_UNION_AGG")).collect::<Result<Vec<_>, _>>()?;
    Ok(Some(encoded(&snapped(first, &shapes.iter().collect::<Vec<_>>(), united(&parts)))))
}

/// Many polygons are united piece by piece, so that a stop is noticed between the pieces.
fn united(parts: &[MultiPolygon<f64>]) -> MultiPolygon<f64> {
    work(PIECE_BYTES);
    if parts.len() <= UNITED_MAX {
        return unary_union(parts);
    }
    let (left, right) = parts.split_at(parts.len() / 2);
    unary_union(&[united(left), united(right)])
}

fn intersect_all(arguments: Arguments<'_>) -> Evaluated {
    let shapes = arguments.shapes(0)?;
    let Some((first, rest)) = shapes.split_first() else { return Ok(None) };
    let mut common = polygons(first, "ST_INTERSECTION_AGG")?;
    for shape in rest {
        work(PIECE_BYTES);
        common = common.intersection(&polygons(shape, "ST_INTERSECTION_AGG")?);
    }
    Ok(Some(encoded(&snapped(first, &shapes.iter().collect::<Vec<_>>(), common))))
}

fn polygons(shape: &Shape, name: &str) -> Result<MultiPolygon<f64>, String> {
    match (&shape.geometry, shape.model) {
        (_, Model::Sphere) => Err(unsupported(&format!("{name} of GEOGRAPHY"))),
        (Geometry::Polygon(polygon), _) => Ok(MultiPolygon::new(vec![polygon.clone()])),
        (Geometry::MultiPolygon(polygons), _) => Ok(polygons.clone()),
        _ => Err(unsupported(&format!("{name} of shapes other than polygons"))),
    }
}

/// Overlays work on a fine grid; vertices of the inputs get their original coordinates back.
fn snapped(like: &Shape, sources: &[&Shape], result: MultiPolygon<f64>) -> Shape {
    let sorted = |part: fn(Coord<f64>) -> f64| {
        let mut values: Vec<f64> = sources.iter().flat_map(|shape| shape.geometry.coords_iter()).map(part).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let (xs, ys) = (sorted(|corner| corner.x), sorted(|corner| corner.y));
    let extent = [&xs, &ys].into_iter().flatten().fold(0.0_f64, |extent, value| extent.max(value.abs()));
    let near = extent * 1e-8;
    let own = |value: f64, corners: &[f64]| {
        let place = corners.partition_point(|corner| *corner < value);
        let around = corners[place.saturating_sub(1)..].iter().take(2);
        let nearest = around.min_by(|left, right| (*left - value).abs().total_cmp(&(*right - value).abs()));
        nearest.copied().filter(|corner| (corner - value).abs() <= near).unwrap_or(value)
    };
    let result = result.map_coords(|at| Coord { x: own(at.x, &xs), y: own(at.y, &ys) });
    let geometry = match &result.0[..] {
        [] => Geometry::GeometryCollection(GeometryCollection::from(Vec::<Geometry<f64>>::new())),
        [polygon] => Geometry::Polygon(polygon.clone()),
        _ => Geometry::MultiPolygon(result),
    };
    Shape::computed(like.model, like.srid, geometry)
}

/// Leaves out points that are nearer to the line without them than the tolerance.
fn simplify(arguments: Arguments<'_>) -> Evaluated {
    let (Some(shape), Some(tolerance)) = (arguments.shape(0)?, arguments.double(1)) else { return Ok(None) };
    if shape.model == Model::Sphere {
        return Err(unsupported("ST_SIMPLIFY of GEOGRAPHY"));
    }
    let geometry: Geometry<f64> = match &shape.geometry {
        Geometry::LineString(line) => line.simplify(tolerance).into(),
        Geometry::MultiLineString(lines) => lines.simplify(tolerance).into(),
        Geometry::Polygon(polygon) => polygon.simplify(tolerance).into(),
        Geometry::MultiPolygon(polygons) => polygons.simplify(tolerance).into(),
        Geometry::GeometryCollection(_) => {
            return Err(failure("ST_SIMPLIFY does not support a GeometryCollection of GEOMETRY"));
        }
        other => other.clone(),
    };
    Ok(Some(encoded(&shape.with(geometry))))
}
