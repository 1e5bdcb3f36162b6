//! Shapes as text and bytes.

use super::arguments::Arguments;
use super::{Evaluated, asks};
use crate::definition::{Answer, Definition, Kind};

use Kind::{Any, Binary, Object, Text};

pub(super) const DEFINITIONS: &[&[Definition]] = &[
    asks!(c"firn_st_asgeojson", [Any], Object, geojson),
    asks!(c"firn_st_aswkt", [Any], Text, wkt),
    asks!(c"firn_st_asewkt", [Any], Text, ewkt),
    asks!(c"firn_st_aswkb", [Any], Binary, wkb),
    asks!(c"firn_st_asewkb", [Any], Binary, ewkb),
];

fn geojson(arguments: Arguments<'_>) -> Evaluated {
    Ok(arguments.shape(0)?.map(|shape| Answer::Text(shape.to_geojson())))
}

fn wkt(arguments: Arguments<'_>) -> Evaluated {
    Ok(arguments.shape(0)?.map(|shape| Answer::Text(shape.to_wkt())))
}

fn ewkt(arguments: Arguments<'_>) -> Evaluated {
    Ok(arguments.shape(0)?.map(|shape| Answer::Text(shape.to_ewkt())))
}

fn wkb(arguments: Arguments<'_>) -> Evaluated {
    Ok(arguments.shape(0)?.map(|shape| Answer::Bytes(shape.to_wkb())))
}

fn ewkb(arguments: Arguments<'_>) -> Evaluated {
    Ok(arguments.shape(0)?.map(|shape| Answer::Bytes(shape.to_ewkb())))
}
