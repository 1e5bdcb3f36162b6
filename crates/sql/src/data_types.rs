//! Types of columns and values, in the dialect's own terms.

mod in_tree;
mod structured;

pub use in_tree::type_in_tree;
pub(crate) use structured::field_name;
pub use structured::{Part, StructuredType};

/// A column type as declared, in the dialect's own terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DataType {
    /// NUMBER, DECIMAL, NUMERIC with their precision and scale.
    Number {
        precision: u8,
        scale: u8,
    },
    /// INT, BIGINT and the like: NUMBER(38,0) on the wire, a machine integer in the engine.
    Integer,
    Float,
    Varchar {
        length: Option<u64>,
    },
    Boolean,
    Date,
    Time {
        scale: u8,
    },
    TimestampNtz {
        scale: u8,
    },
    TimestampLtz {
        scale: u8,
    },
    TimestampTz {
        scale: u8,
    },
    Binary {
        length: Option<u64>,
    },
    Variant,
    Object,
    Array,
    Geography,
    Geometry,
    Vector {
        element: VectorElement,
        dimension: u16,
    },
    /// ARRAY, OBJECT or MAP with the types of what is in them.
    Structured(Box<StructuredType>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VectorElement {
    /// 32 bits.
    Float,
    /// 32 bits.
    Integer,
}
