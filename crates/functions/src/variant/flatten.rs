//! `firn_flatten(input, path, outer, recursive, mode, with_this)`: the rows of FLATTEN as a list of structs, which
//! the engine unnests. Every input it is called for gets a number of its own, counted within one query.

use std::ffi::CStr;

use firn_values::variant::Variant;
use firn_values::variant::flatten::{Depth, Mode, Row, This, Wanted, empty_row, rows};
use firn_values::variant::path::{find, read_path};

use super::arguments::Arguments;
use crate::definition::Kind;

/// The fields of a row.
pub const FIELDS: [(&CStr, Kind); 6] = [
    (c"SEQ", Kind::Integer),
    (c"KEY", Kind::Text),
    (c"PATH", Kind::Text),
    (c"INDEX", Kind::Integer),
    (c"VALUE", Kind::Variant),
    (c"THIS", Kind::Variant),
];

pub const PARAMETERS: [Kind; 6] = [Kind::Any, Kind::Text, Kind::Boolean, Kind::Boolean, Kind::Text, Kind::Boolean];

/// The rows of one input.
pub fn rows_of(arguments: Arguments<'_>) -> Result<Vec<Row>, String> {
    let path = arguments.text(1).unwrap_or_default();
    let mode = arguments.text(4).unwrap_or_else(|| "BOTH".to_owned());
    let mode = Mode::named(&mode)
        .ok_or_else(|| format!("firn:100107:Invalid mode '{mode}' of FLATTEN; it is 'OBJECT', 'ARRAY' or 'BOTH'"))?;
    let steps = read_path(&path).ok_or_else(|| format!("firn:100115:Invalid path '{path}'"))?;
    let found = arguments.json(0).and_then(|json| find(&json, &steps).map(Variant::from_json));
    let depth = if arguments.boolean(3) == Some(true) { Depth::All } else { Depth::One };
    let this = if arguments.boolean(5) == Some(false) { This::LeftOut } else { This::Included };
    let wanted = Wanted { depth, mode, this };
    let found_rows = found.as_ref().map(|value| rows(value, &path, wanted)).unwrap_or_default();
    if found_rows.is_empty() && arguments.boolean(2) == Some(true) {
        return Ok(vec![empty_row(found.as_ref(), &path)]);
    }
    Ok(found_rows)
}
