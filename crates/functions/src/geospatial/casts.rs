//! Casts of GEOGRAPHY and GEOMETRY, explicit and implicit.

use super::arguments::Arguments;
use super::guarded;
use crate::columns::Column;
use crate::definition::{Answer, Cast, Kind, Run};

const TEXT_COST: i64 = 500;

pub const CASTS: &[Cast] =
    &[implicit(Kind::Geography, Kind::Text, into_text), implicit(Kind::Geometry, Kind::Text, into_text)];

const fn implicit(source: Kind, target: Kind, run: Run) -> Cast {
    Cast { source, target, implicit_cost: Some(TEXT_COST), run }
}

fn into_text<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    guarded(|| Ok(Arguments { columns, row }.shape(0)?.map(|shape| Answer::Text(shape.to_geojson()))))
}
