//! How a declared type is written for people.

use crate::data_types::{DataType, VectorElement};

pub const VARCHAR_LENGTH_DEFAULT: u64 = 16_777_216;
pub const BINARY_LENGTH_DEFAULT: u64 = 8_388_608;

impl VectorElement {
    pub fn name(self) -> &'static str {
        match self {
            Self::Float => "FLOAT",
            Self::Integer => "INT",
        }
    }
}

impl DataType {
    /// `NUMBER(38,0)`, `VARCHAR(16777216)`: as DESCRIBE and messages show it.
    pub fn full_name(&self) -> String {
        match self {
            Self::Number { precision, scale } => format!("NUMBER({precision},{scale})"),
            Self::Integer => "NUMBER(38,0)".to_owned(),
            Self::Float => "FLOAT".to_owned(),
            Self::Varchar { length } => format!("VARCHAR({})", length.unwrap_or(VARCHAR_LENGTH_DEFAULT)),
            Self::Boolean => "BOOLEAN".to_owned(),
            Self::Date => "DATE".to_owned(),
            Self::Time { scale } => format!("TIME({scale})"),
            Self::TimestampNtz { scale } => format!("TIMESTAMP_NTZ({scale})"),
            Self::TimestampLtz { scale } => format!("TIMESTAMP_LTZ({scale})"),
            Self::TimestampTz { scale } => format!("TIMESTAMP_TZ({scale})"),
            Self::Binary { length } => format!("BINARY({})", length.unwrap_or(BINARY_LENGTH_DEFAULT)),
            Self::Variant => "VARIANT".to_owned(),
            Self::Object => "OBJECT".to_owned(),
            Self::Array => "ARRAY".to_owned(),
            Self::Geography => "GEOGRAPHY".to_owned(),
            Self::Geometry => "GEOMETRY".to_owned(),
            Self::Vector { element, dimension } => format!("VECTOR({}, {dimension})", element.name()),
            Self::Structured(structured) => structured.to_string(),
        }
    }
}
