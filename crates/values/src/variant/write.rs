//! Semi-structured values as the text they are stored as.

use super::{NODE_BYTES, TypedText, Variant};
use crate::cells::json_text::write_escaped;
use crate::running_call::{PIECE_BYTES, VALUE_BYTES_MAX, limit_length, work};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Stored,
    Shown,
}

pub(super) fn write(value: &Variant, form: Form, out: &mut Vec<u8>) {
    work(NODE_BYTES);
    if out.len() > VALUE_BYTES_MAX {
        limit_length(out.len());
    }
    match value {
        Variant::Undefined => out.extend_from_slice(b"undefined"),
        Variant::Null => out.extend_from_slice(b"null"),
        Variant::Boolean(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Variant::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Variant::Double(value) => write_double(*value, out),
        Variant::Text(text) => write_string(text, out),
        Variant::Typed(typed) if form == Form::Stored => write_typed(typed, out),
        Variant::Typed(typed) => write_string(&typed.text, out),
        Variant::Array(elements) => {
            out.push(b'[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(element, form, out);
            }
            out.push(b']');
        }
        Variant::Object(members) => {
            out.push(b'{');
            for (index, (key, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_string(key, out);
                out.push(b':');
                write(member, form, out);
            }
            out.push(b'}');
        }
    }
}

fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for piece in text.as_bytes().chunks(PIECE_BYTES) {
        if out.len() + piece.len() > VALUE_BYTES_MAX {
            limit_length(out.len() + piece.len());
        }
        work(piece.len());
        write_escaped(piece, out);
    }
    out.push(b'"');
}

/// The first character as an escape, and the second as well for a time in the session's zone.
fn write_typed(typed: &TypedText, out: &mut Vec<u8>) {
    let escaped = if typed.in_session_zone { 2 } else { 1 };
    out.push(b'"');
    for (index, character) in typed.text.chars().enumerate() {
        if index < escaped {
            out.extend_from_slice(format!("\\u{:04x}", u32::from(character)).as_bytes());
        } else {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    out.push(b'"');
}

/// `1.912000000000000e+02`.
fn write_double(value: f64, out: &mut Vec<u8>) {
    if value.is_nan() {
        out.extend_from_slice(b"NaN");
    } else if value.is_infinite() {
        out.extend_from_slice(if value > 0.0 { b"Infinity" } else { b"-Infinity" });
    } else {
        let text = format!("{value:.15e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
        out.extend_from_slice(format!("{mantissa}e{sign}{digits:0>2}").as_bytes());
    }
}
