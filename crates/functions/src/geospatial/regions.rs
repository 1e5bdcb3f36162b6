//! H3 cells that fill or cover a shape.

use firn_values::geo::{Model, Shape};
use geo::{Geometry, MultiPolygon};
use h3o::geom::{ContainmentMode, TilerBuilder};
use h3o::{CellIndex, LatLng, Resolution};

use super::arguments::Arguments;
use super::cells::{Form, array, limited, resolution_of};
use super::{Evaluated, asks, failure, tried, unsupported};
use crate::definition::{Definition, Kind};

use Kind::{Any, Array};

pub(super) const DEFINITIONS: &[&[Definition]] = &[
    asks!(c"firn_h3_polygon_to_cells", [Any, Any], Array, filling),
    asks!(c"firn_h3_polygon_to_cells_strings", [Any, Any], Array, filling_named),
    asks!(c"firn_h3_try_polygon_to_cells", [Any, Any], Array, try_filling),
    asks!(c"firn_h3_try_polygon_to_cells_strings", [Any, Any], Array, try_filling_named),
    asks!(c"firn_h3_try_coverage", [Any, Any], Array, try_covering),
    asks!(c"firn_h3_try_coverage_strings", [Any, Any], Array, try_covering_named),
    asks!(c"firn_h3_coverage", [Any, Any], Array, covering),
    asks!(c"firn_h3_coverage_strings", [Any, Any], Array, covering_named),
];

fn filling(arguments: Arguments<'_>) -> Evaluated {
    tiled(arguments, ContainmentMode::ContainsCentroid, Form::Number)
}

fn filling_named(arguments: Arguments<'_>) -> Evaluated {
    tiled(arguments, ContainmentMode::ContainsCentroid, Form::Name)
}

fn covering(arguments: Arguments<'_>) -> Evaluated {
    tiled(arguments, ContainmentMode::Covers, Form::Number)
}

fn covering_named(arguments: Arguments<'_>) -> Evaluated {
    tiled(arguments, ContainmentMode::Covers, Form::Name)
}

fn try_filling(arguments: Arguments<'_>) -> Evaluated {
    tried(filling(arguments))
}

fn try_filling_named(arguments: Arguments<'_>) -> Evaluated {
    tried(filling_named(arguments))
}

fn try_covering(arguments: Arguments<'_>) -> Evaluated {
    tried(covering(arguments))
}

fn try_covering_named(arguments: Arguments<'_>) -> Evaluated {
    tried(covering_named(arguments))
}

fn tiled(arguments: Arguments<'_>, mode: ContainmentMode, form: Form) -> Evaluated {
    let (Some(shape), Some(resolution)) = (arguments.shape(0)?, resolution_of(arguments, 1)?) else { return Ok(None) };
    if shape.model == Model::Plane {
        return Err(unsupported("H3 cells of GEOMETRY"));
    }
    let mut cells = cells(&shape, resolution, mode)?;
    cells.sort_unstable();
    cells.dedup();
    Ok(Some(array(cells, form)))
}

fn cells(shape: &Shape, resolution: Resolution, mode: ContainmentMode) -> Result<Vec<CellIndex>, String> {
    match &shape.geometry {
        Geometry::Polygon(polygon) => tile(&MultiPolygon::new(vec![polygon.clone()]), resolution, mode),
        Geometry::MultiPolygon(polygons) => tile(polygons, resolution, mode),
        Geometry::Point(point) if mode == ContainmentMode::Covers => {
            let at = LatLng::new(point.y(), point.x()).map_err(|_| failure("a latitude or longitude is not finite"))?;
            Ok(vec![at.to_cell(resolution)])
        }
        _ if mode == ContainmentMode::Covers => {
            Err(unsupported("H3 coverage of shapes other than points and polygons"))
        }
        _ => Err(failure("H3_POLYGON_TO_CELLS needs a Polygon")),
    }
}

fn tile(polygons: &MultiPolygon<f64>, resolution: Resolution, mode: ContainmentMode) -> Result<Vec<CellIndex>, String> {
    let mut tiler = TilerBuilder::new(resolution).containment_mode(mode).build();
    for polygon in polygons {
        tiler.add(polygon.clone()).map_err(|error| failure(&format!("the polygon can't be filled: {error}")))?;
    }
    limited(tiler.coverage_size_hint() as u64)?;
    Ok(tiler.into_coverage().collect())
}
