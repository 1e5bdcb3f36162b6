//! What an entry of the function table says.

pub(super) use firn_sql::command::DataType;

pub(super) use super::rules;
use crate::types::{FRACTION_DIGITS_MAX, Type};
pub(super) use crate::types::{INTEGER, TEXT, number};
pub(super) use Parameter::*;
pub(super) use Returns::{By, Common, Fixed, Like, Unknown};

pub(super) const MANY: usize = usize::MAX;
pub(super) const ARRAY: DataType = DataType::Array;
pub(super) const BINARY: DataType = DataType::Binary { length: None };
pub(super) const BOOLEAN: DataType = DataType::Boolean;
pub(super) const DATE: DataType = DataType::Date;
pub(super) const FLOAT: DataType = DataType::Float;
pub(super) const GEOGRAPHY: DataType = DataType::Geography;
pub(super) const GEOMETRY: DataType = DataType::Geometry;
pub(super) const OBJECT: DataType = DataType::Object;
pub(super) const TIME: DataType = DataType::Time { scale: FRACTION_DIGITS_MAX };
pub(super) const TIMESTAMP_LTZ: DataType = DataType::TimestampLtz { scale: FRACTION_DIGITS_MAX };
pub(super) const TIMESTAMP_NTZ: DataType = DataType::TimestampNtz { scale: FRACTION_DIGITS_MAX };
pub(super) const TIMESTAMP_TZ: DataType = DataType::TimestampTz { scale: FRACTION_DIGITS_MAX };
pub(super) const VARIANT: DataType = DataType::Variant;

pub(super) const fn text(length: u64) -> DataType {
    DataType::Varchar { length: Some(length) }
}

pub struct FunctionEntry {
    pub name: &'static str,
    /// The fewest and the most arguments.
    pub arity: (usize, usize),
    /// What the arguments are coerced to; those past the last one like the last one, and any type if there is none.
    pub parameters: &'static [Parameter],
    pub kind: FunctionKind,
    pub volatility: Volatility,
    pub nulls: Nulls,
    pub(super) returns: Returns,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    Scalar,
    Aggregate,
    /// Has to have an OVER clause. Aggregates may have one.
    Window,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volatility {
    /// Depends on its arguments alone.
    Immutable,
    /// The same throughout a statement.
    Stable,
    /// Another value in every row.
    Volatile,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// A NULL argument makes the result NULL; aggregates skip it.
    Propagate,
    /// A NULL argument is a value like others.
    Accept,
    /// The result is never NULL.
    NeverNull,
}

/// What an argument is coerced to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    Any,
    Array,
    Boolean,
    /// A date part, as a text of its canonical name.
    DatePart,
    Float,
    /// A date, a time or a timestamp.
    Instant,
    /// NUMBER or FLOAT.
    Numeric,
    Object,
    Text,
    TextOrBinary,
    Variant,
}

pub(super) enum Returns {
    /// Not modelled.
    Unknown,
    Fixed(DataType),
    /// The type of this argument.
    Like(usize),
    /// The common type of the arguments from this one.
    Common(usize),
    By(fn(&super::Call<'_>) -> Type),
}

pub(super) const fn scalar(
    name: &'static str,
    fewest: usize,
    most: usize,
    parameters: &'static [Parameter],
    returns: Returns,
) -> FunctionEntry {
    let (kind, volatility, nulls) = (FunctionKind::Scalar, Volatility::Immutable, Nulls::Propagate);
    FunctionEntry { name, arity: (fewest, most), parameters, kind, volatility, nulls, returns }
}

pub(super) const fn aggregate(
    name: &'static str,
    fewest: usize,
    most: usize,
    parameters: &'static [Parameter],
    returns: Returns,
) -> FunctionEntry {
    let mut entry = scalar(name, fewest, most, parameters, returns);
    entry.kind = FunctionKind::Aggregate;
    entry
}

pub(super) const fn window(
    name: &'static str,
    fewest: usize,
    most: usize,
    parameters: &'static [Parameter],
    returns: Returns,
) -> FunctionEntry {
    let mut entry = scalar(name, fewest, most, parameters, returns);
    entry.kind = FunctionKind::Window;
    entry
}

impl FunctionEntry {
    pub(super) const fn volatile(mut self) -> Self {
        self.volatility = Volatility::Volatile;
        self
    }

    pub(super) const fn stable(mut self) -> Self {
        self.volatility = Volatility::Stable;
        self
    }

    pub(super) const fn accepts_nulls(mut self) -> Self {
        self.nulls = Nulls::Accept;
        self
    }

    pub(super) const fn never_null(mut self) -> Self {
        self.nulls = Nulls::NeverNull;
        self
    }
}
