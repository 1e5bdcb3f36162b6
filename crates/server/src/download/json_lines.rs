//! One JSON object per row and line.

use firn_values::cells::json_text::{compact, write_escaped};
use firn_values::cells::shown::CellKind;
use serde_json::value::RawValue;

use super::{Cell, Column};

pub(super) fn write_row(columns: &[Column], row: &[Cell<'_>], out: &mut Vec<u8>) {
    out.push(b'{');
    for (index, (column, cell)) in columns.iter().zip(row).enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_string(column.name.as_bytes(), out);
        out.push(b':');
        match &cell.0 {
            None => out.extend_from_slice(b"null"),
            Some(text) => write_value(column.kind, text, out),
        }
    }
    out.extend_from_slice(b"}\n");
}

/// What is JSON by itself stays so; all else, such as `NaN`, is a text.
fn write_value(kind: CellKind, text: &str, out: &mut Vec<u8>) {
    match kind {
        CellKind::Number | CellKind::Float | CellKind::Boolean if is_json(text.as_bytes()) => {
            out.extend_from_slice(text.as_bytes());
        }
        CellKind::SemiStructured => {
            let value = compact(text);
            match is_json(&value) {
                true => out.extend_from_slice(&value),
                false => write_string(text.as_bytes(), out),
            }
        }
        CellKind::Text => write_string(text.as_bytes(), out),
        kind => {
            let mut shown = Vec::new();
            kind.write_shown(text, &mut shown);
            write_string(&shown, out);
        }
    }
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<&RawValue>(text).is_ok()
}

fn write_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    write_escaped(text, out);
    out.push(b'"');
}
