//! One row of a call.

use firn_values::geo::{Model, Shape};
use firn_values::variant::Variant;

use super::failure;
use crate::columns::{Bytes, Column, Values};

#[derive(Clone, Copy)]
pub(super) struct Arguments<'row> {
    pub(super) columns: &'row [Column<'row>],
    pub(super) row: usize,
}

impl<'row> Arguments<'row> {
    /// `None` for NULL, and for an argument that was not given.
    pub(super) fn value(self, index: usize) -> Option<&'row Values<'row>> {
        let column = self.columns.get(index)?;
        if column.is_null(self.row) || matches!(column.values, Values::Null) { None } else { Some(&column.values) }
    }

    pub(super) fn shape(self, index: usize) -> Result<Option<Shape>, String> {
        self.value(index).map(|values| shape(values, self.row)).transpose()
    }

    /// Two shapes of one type and one reference system.
    pub(super) fn pair(self) -> Result<Option<(Shape, Shape)>, String> {
        let (Some(left), Some(right)) = (self.shape(0)?, self.shape(1)?) else { return Ok(None) };
        same_system(&left, &right)?;
        Ok(Some((left, right)))
    }

    /// The shapes of a list, without its NULLs.
    pub(super) fn shapes(self, index: usize) -> Result<Vec<Shape>, String> {
        let Some(Values::List { entries, element }) = self.value(index) else { return Ok(Vec::new()) };
        let places = entries[self.row].offset as usize..(entries[self.row].offset + entries[self.row].length) as usize;
        let shapes = places.filter(|place| !element.is_null(*place)).map(|place| shape(&element.values, place));
        let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
        shapes.windows(2).try_for_each(|pair| same_system(&pair[0], &pair[1]))?;
        Ok(shapes)
    }

    pub(super) fn double(self, index: usize) -> Option<f64> {
        match self.value(index)? {
            Values::Double(values) => Some(values[self.row]),
            _ => None,
        }
    }

    pub(super) fn integer(self, index: usize) -> Option<i64> {
        let number = |digits: i128, scale: usize| {
            let unit = 10_i128.checked_pow(u32::try_from(scale).ok()?)?;
            i64::try_from(digits / unit).ok()
        };
        match self.value(index)? {
            Values::Int8(values) => Some(values[self.row].into()),
            Values::Int16 { values, scale } => number(values[self.row].into(), *scale),
            Values::Int32 { values, scale } => number(values[self.row].into(), *scale),
            Values::Int64 { values, scale } => number(values[self.row].into(), *scale),
            Values::Int128 { values, scale } => number(values[self.row].signed(), *scale),
            Values::Double(values) => Some(values[self.row] as i64),
            Values::Json(_) => match self.variant(index)? {
                Variant::Number(value) => number(value.digits, value.scale.into()),
                Variant::Double(value) => Some(value as i64),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn boolean(self, index: usize) -> Option<bool> {
        match self.value(index)? {
            Values::Boolean(values) => Some(values[self.row] != 0),
            _ => None,
        }
    }

    pub(super) fn text(self, index: usize) -> Option<&'row str> {
        match self.value(index)? {
            Values::Text(values) => text(&values[self.row]),
            _ => None,
        }
    }

    /// A semi-structured value.
    pub(super) fn variant(self, index: usize) -> Option<Variant> {
        match self.value(index)? {
            Values::Json(values) => Some(Variant::from_json(&String::from_utf8_lossy(values[self.row].get()))),
            _ => None,
        }
    }
}

/// The engine's texts are valid UTF-8.
pub(super) fn text(bytes: &Bytes) -> Option<&str> {
    std::str::from_utf8(bytes.get()).ok()
}

fn shape(values: &Values<'_>, row: usize) -> Result<Shape, String> {
    match values {
        Values::Geography(values) => Shape::decode(Model::Sphere, values[row].get()),
        Values::Geometry(values) => Shape::decode(Model::Plane, values[row].get()),
        _ => {
            Err("firn:001044:SQL compilation error:\nInvalid argument types: GEOGRAPHY or GEOMETRY is expected"
                .to_owned())
        }
    }
}

fn same_system(left: &Shape, right: &Shape) -> Result<(), String> {
    if left.model != right.model {
        let types = format!("{}, {}", left.model.type_name(), right.model.type_name());
        return Err(format!("firn:001044:SQL compilation error:\nInvalid argument types: ({types})"));
    }
    if left.srid != right.srid {
        let message =
            format!("Incompatible SRIDs: {} and {}; ST_SETSRID or ST_TRANSFORM makes them one", left.srid, right.srid);
        return Err(failure(&message));
    }
    Ok(())
}
