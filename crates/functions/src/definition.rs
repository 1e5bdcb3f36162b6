//! The definition of a function or a cast for an engine: its name, the types of its parameters and of its result, and its
//! evaluation of one row.

use std::ffi::CStr;

use crate::columns::{Column, Interval};

/// The type of a parameter or of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Timestamp,
    SmallInteger,
    Text,
    TimestampTz,
    Interval,
    TimestampLtz,
    /// Any type; the column has the actual one.
    Any,
    Integer,
    /// A number of so many digits, all of them behind the point.
    Fraction(u8),
    Double,
    Boolean,
    Date,
    Time,
    Binary,
    Json,
    Variant,
    Object,
    Array,
    Geography,
    Geometry,
    Geographies,
    Geometries,
    Wide,
    Texts,
    Integers,
    Doubles,
    Binaries,
}

/// The result of a function for one row.
pub enum Answer<'row> {
    Null,
    Text(String),
    /// A piece of an argument.
    Piece(&'row str),
    Integer(i64),
    Double(f64),
    Boolean(bool),
    SmallInteger(i16),
    /// Days since the epoch.
    Date(i32),
    /// Microseconds since the epoch.
    Timestamp(i64),
    Interval(Interval),
    Wide(i128),
    Bytes(Vec<u8>),
}

pub type Run = for<'row> fn(&'row [Column<'row>], usize) -> Result<Answer<'row>, String>;

pub struct Definition {
    pub name: &'static CStr,
    pub parameters: &'static [Kind],
    /// Of any number of further parameters.
    pub rest: Option<Kind>,
    pub returns: Kind,
    pub run: Run,
}

impl Definition {
    pub const fn new(name: &'static CStr, parameters: &'static [Kind], returns: Kind, run: Run) -> Self {
        Self { name, parameters, rest: None, returns, run }
    }

    pub const fn with_rest(self, rest: Kind) -> Self {
        Self { rest: Some(rest), ..self }
    }
}

/// A cast. An implicit one has a cost, by which an engine chooses among overloads.
#[derive(Clone, Copy)]
pub struct Cast {
    pub source: Kind,
    pub target: Kind,
    pub implicit_cost: Option<i64>,
    pub run: Run,
}
