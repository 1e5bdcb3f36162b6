//! CSV as RFC 4180 has it. NULL is nothing at all, an empty text is `""`.

use firn_values::cells::json_text::compact;
use firn_values::cells::shown::CellKind;

use super::{Cell, Column};

const LINE_END: &[u8] = b"\r\n";

pub(super) fn write_head(columns: &[Column], out: &mut Vec<u8>) {
    for (index, column) in columns.iter().enumerate() {
        separate(index, out);
        write_text(column.name.as_bytes(), out);
    }
    out.extend_from_slice(LINE_END);
}

pub(super) fn write_row(columns: &[Column], row: &[Cell<'_>], out: &mut Vec<u8>) {
    for (index, (column, cell)) in columns.iter().zip(row).enumerate() {
        separate(index, out);
        match (&cell.0, column.kind) {
            (None, _) => {}
            (Some(text), CellKind::Text) => write_text(text.as_bytes(), out),
            (Some(text), CellKind::SemiStructured) => write_text(&compact(text), out),
            (Some(text), kind) => kind.write_shown(text, out),
        }
    }
    out.extend_from_slice(LINE_END);
}

fn separate(index: usize, out: &mut Vec<u8>) {
    if index > 0 {
        out.push(b',');
    }
}

fn write_text(text: &[u8], out: &mut Vec<u8>) {
    let is_special = |byte: &u8| matches!(byte, b',' | b'"' | b'\r' | b'\n');
    let has_outer_spaces = text.first() == Some(&b' ') || text.last() == Some(&b' ');
    if !text.is_empty() && !has_outer_spaces && !text.iter().any(is_special) {
        return out.extend_from_slice(text);
    }
    out.push(b'"');
    for piece in text.split_inclusive(|byte| *byte == b'"') {
        out.extend_from_slice(piece);
        if piece.last() == Some(&b'"') {
            out.push(b'"');
        }
    }
    out.push(b'"');
}
