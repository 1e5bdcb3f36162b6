//! Semi-structured values: VARIANT, OBJECT and ARRAY.
//!
//! They are stored as JSON text of one form, so that equal values are equal texts: compact, keys in
//! order, exact numbers without needless zeros, and floating-point numbers with an exponent. Two things
//! go beyond JSON: `undefined` stands for NULL inside an array, and a date, a time, a timestamp or bytes
//! are strings whose first character is written as an escape, which any reader of JSON takes for the
//! plain character.

pub mod arrays;
mod bag;
pub mod flatten;
mod number_order;
pub mod objects;
pub mod order;
pub mod path;
mod read;
pub mod structured;
mod write;
pub mod xml;

use std::collections::BTreeMap;

pub use read::{Duplicates, parse};

use crate::cells::numbers::write_float;
use write::Form;

/// The memory of a value in an array that grows.
const NODE_BYTES: usize = 64;
/// The memory of the first members of an object: a node of a tree is made for several at once.
const MEMBERS_BYTES: usize = 800;

#[derive(Clone, Debug, PartialEq)]
pub enum Variant {
    /// NULL inside an array.
    Undefined,
    Null,
    Boolean(bool),
    Number(Number),
    Double(f64),
    Text(String),
    /// A value of another type, as the text it is written with.
    Typed(TypedText),
    Array(Vec<Variant>),
    Object(BTreeMap<String, Variant>),
}

/// An exact number: `digits` with the decimal point `scale` places from the right, as short as possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    pub digits: i128,
    pub scale: u8,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedText {
    pub text: String,
    pub in_session_zone: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextType {
    Date,
    Time,
    TimestampNtz,
    TimestampLtz,
    TimestampTz,
    Binary,
}

impl TypedText {
    /// The type shows in the text: bytes have no mark, dates dashes, times colons, timestamps both, and
    /// a zone is a third word.
    pub fn text_type(&self) -> TextType {
        let (dash, colon) = (self.text.contains('-'), self.text.contains(':'));
        let zone = self.text.split(' ').count() > 2;
        match (dash, colon) {
            (false, false) => TextType::Binary,
            (true, false) => TextType::Date,
            (false, true) => TextType::Time,
            (true, true) if !zone && !self.text.contains('Z') => TextType::TimestampNtz,
            (true, true) if self.in_session_zone => TextType::TimestampLtz,
            (true, true) => TextType::TimestampTz,
        }
    }
}

impl Number {
    pub fn new(digits: i128, scale: u8) -> Self {
        let (mut digits, mut scale) = (digits, scale);
        while scale > 0 && digits % 10 == 0 {
            digits /= 10;
            scale -= 1;
        }
        Self { digits, scale }
    }

    pub fn integer(value: i64) -> Self {
        Self { digits: i128::from(value), scale: 0 }
    }

    pub fn to_double(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = Vec::new();
        crate::cells::numbers::write_wide_decimal(self.digits, usize::from(self.scale), &mut out);
        formatter.write_str(&String::from_utf8_lossy(&out))
    }
}

impl Variant {
    /// The value as it is stored.
    pub fn to_json(&self) -> String {
        self.written(Form::Stored)
    }

    /// The value as it is shown, without the marks of typed texts.
    pub fn to_shown_json(&self) -> String {
        self.written(Form::Shown)
    }

    /// The array of the elements as it is stored, without that all of them are in memory at once.
    pub fn array_json(elements: impl Iterator<Item = Self>) -> String {
        let mut out = vec![b'['];
        for (place, element) in elements.enumerate() {
            if place > 0 {
                out.push(b',');
            }
            write::write(&element, Form::Stored, &mut out);
        }
        out.push(b']');
        String::from_utf8(out).unwrap_or_default()
    }

    fn written(&self, form: Form) -> String {
        let mut out = Vec::new();
        write::write(self, form, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Undefined | Self::Null => "NULL_VALUE",
            Self::Boolean(_) => "BOOLEAN",
            Self::Number(Number { scale: 0, .. }) => "INTEGER",
            Self::Number(_) => "DECIMAL",
            Self::Double(_) => "DOUBLE",
            Self::Text(_) => "VARCHAR",
            Self::Typed(typed) => match typed.text_type() {
                TextType::Date => "DATE",
                TextType::Time => "TIME",
                TextType::TimestampNtz => "TIMESTAMP_NTZ",
                TextType::TimestampLtz => "TIMESTAMP_LTZ",
                TextType::TimestampTz => "TIMESTAMP_TZ",
                TextType::Binary => "BINARY",
            },
            Self::Array(_) => "ARRAY",
            Self::Object(_) => "OBJECT",
        }
    }

    /// What a cast to text makes of it; a null is NULL.
    pub fn to_text(&self) -> Option<String> {
        Some(match self {
            Self::Undefined | Self::Null => return None,
            Self::Boolean(value) => value.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Double(value) => double_text(*value),
            Self::Text(text) => text.clone(),
            Self::Typed(typed) => typed.text.clone(),
            Self::Object(members) if xml::is_element(members) => xml::to_text(members),
            Self::Array(_) | Self::Object(_) => self.to_shown_json(),
        })
    }

    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null | Self::Undefined)
    }
}

/// A floating-point number as text; a whole one has no point.
pub fn double_text(value: f64) -> String {
    let mut out = Vec::new();
    write_float(value, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}
