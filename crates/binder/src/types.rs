//! The dialect's logical types. A declared type is `firn_sql::command::DataType`; a value may also be NULL, which goes
//! with every type, or of a type that the binder does not model.

use std::fmt;
use std::sync::Arc;

use firn_sql::StructuredType;
use firn_sql::command::DataType;

pub use firn_sql::functions::types::TEXT_LENGTH_MAX;
pub(crate) use firn_sql::functions::types::{FRACTION_DIGITS_MAX, INTEGER, PRECISION_MAX, TEXT, number};

/// Parts of a date that are at least a day.
pub(crate) const DATE_PARTS: &[&str] = &["day", "month", "quarter", "week", "year"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Type {
    /// Not modelled.
    #[default]
    Unknown,
    /// The type of the literal NULL.
    Null,
    Of(DataType),
}

impl Type {
    pub fn family(&self) -> Family {
        match self {
            Self::Unknown => Family::Unknown,
            Self::Null => Family::Null,
            Self::Of(data_type) => Family::of(data_type),
        }
    }

    pub fn data_type(&self) -> Option<&DataType> {
        match self {
            Self::Of(data_type) => Some(data_type),
            Self::Unknown | Self::Null => None,
        }
    }

    pub fn is_known(&self) -> bool {
        *self != Self::Unknown
    }
}

impl From<DataType> for Type {
    fn from(data_type: DataType) -> Self {
        Self::Of(data_type)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => formatter.write_str("UNKNOWN"),
            Self::Null => formatter.write_str("NULL"),
            Self::Of(data_type) => formatter.write_str(&data_type.full_name()),
        }
    }
}

/// The type of a part of a structured value.
pub(crate) fn of_part(part: &StructuredType) -> Type {
    match part {
        StructuredType::Plain(data_type) => data_type.clone().into(),
        other => DataType::Structured(Box::new(other.clone())).into(),
    }
}

/// What all types of one kind have in common, whatever their digits and lengths are: coercions are between families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    Unknown,
    Null,
    Number,
    Float,
    Text,
    Boolean,
    Binary,
    Date,
    Time,
    TimestampNtz,
    TimestampLtz,
    TimestampTz,
    Variant,
    Object,
    Array,
    /// ARRAY, OBJECT or MAP with the types of their parts.
    Structured,
    Geography,
    Geometry,
    Vector,
}

impl Family {
    pub fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::Number { .. } | DataType::Integer => Self::Number,
            DataType::Float => Self::Float,
            DataType::Varchar { .. } => Self::Text,
            DataType::Boolean => Self::Boolean,
            DataType::Date => Self::Date,
            DataType::Time { .. } => Self::Time,
            DataType::TimestampNtz { .. } => Self::TimestampNtz,
            DataType::TimestampLtz { .. } => Self::TimestampLtz,
            DataType::TimestampTz { .. } => Self::TimestampTz,
            DataType::Binary { .. } => Self::Binary,
            DataType::Variant => Self::Variant,
            DataType::Object => Self::Object,
            DataType::Array => Self::Array,
            DataType::Structured(_) => Self::Structured,
            DataType::Geography => Self::Geography,
            DataType::Geometry => Self::Geometry,
            DataType::Vector { .. } => Self::Vector,
        }
    }

    /// A date, a time, or both.
    pub fn is_temporal(self) -> bool {
        self == Self::Time || self.is_instant()
    }

    /// A date, or a date and a time.
    pub fn is_instant(self) -> bool {
        self == Self::Date || self.is_timestamp()
    }

    pub fn is_timestamp(self) -> bool {
        matches!(self, Self::TimestampNtz | Self::TimestampLtz | Self::TimestampTz)
    }

    /// VARIANT and what may be put into one without a conversion.
    pub fn is_semi_structured(self) -> bool {
        matches!(self, Self::Variant | Self::Object | Self::Array | Self::Structured)
    }
}

/// The type of an expression, and what else is known of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueType {
    pub data_type: Type,
    pub nullable: bool,
    pub collation: Option<Arc<str>>,
}

impl ValueType {
    pub fn nullable(data_type: impl Into<Type>) -> Self {
        Self { data_type: data_type.into(), nullable: true, collation: None }
    }

    pub(crate) fn not_null(data_type: impl Into<Type>) -> Self {
        Self { data_type: data_type.into(), nullable: false, collation: None }
    }

    pub(crate) fn unknown() -> Self {
        Self::nullable(Type::Unknown)
    }

    pub fn family(&self) -> Family {
        self.data_type.family()
    }
}
