//! The columns of a result as the contract describes them.

/// One entry of `rowType`, with every field the wire carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireColumn {
    pub name: String,
    pub database: String,
    pub schema: String,
    pub table: String,
    pub wire_type: WireType,
    pub length: Option<i64>,
    pub byte_length: Option<i64>,
    pub precision: Option<i64>,
    pub scale: Option<i64>,
    pub nullable: bool,
    pub collation: Option<String>,
    /// The whole name of a type with a dimension or with parts, which the other fields do not say.
    pub ext_type_name: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireType {
    Fixed,
    Real,
    Text,
    Binary,
    Boolean,
    Date,
    Time,
    TimestampNtz,
    TimestampLtz,
    TimestampTz,
    Variant,
    Object,
    Array,
    Vector,
    Geography,
    Geometry,
}

impl WireType {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Real => "real",
            Self::Text => "text",
            Self::Binary => "binary",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Time => "time",
            Self::TimestampNtz => "timestamp_ntz",
            Self::TimestampLtz => "timestamp_ltz",
            Self::TimestampTz => "timestamp_tz",
            Self::Variant => "variant",
            Self::Object => "object",
            Self::Array => "array",
            Self::Vector => "vector",
            Self::Geography => "geography",
            Self::Geometry => "geometry",
        }
    }
}

impl WireColumn {
    /// A text column of a SHOW, DESCRIBE or status result.
    pub fn text(name: &str) -> Self {
        Self { length: Some(16_777_216), byte_length: Some(67_108_864), ..Self::of_type(name, WireType::Text) }
    }

    /// A count column of a DML result: fixed(19,0), never null.
    pub fn count(name: &str) -> Self {
        Self { precision: Some(19), scale: Some(0), nullable: false, ..Self::of_type(name, WireType::Fixed) }
    }

    /// An integer column of a SHOW result.
    pub fn integer(name: &str) -> Self {
        Self { precision: Some(38), scale: Some(0), ..Self::of_type(name, WireType::Fixed) }
    }

    /// An instant of a SHOW result.
    pub fn instant(name: &str) -> Self {
        Self { precision: Some(0), scale: Some(3), ..Self::of_type(name, WireType::TimestampLtz) }
    }

    pub fn of_type(name: &str, wire_type: WireType) -> Self {
        Self {
            name: name.to_owned(),
            database: String::new(),
            schema: String::new(),
            table: String::new(),
            wire_type,
            length: None,
            byte_length: None,
            precision: None,
            scale: None,
            nullable: true,
            collation: None,
            ext_type_name: None,
        }
    }
}

/// The columns of the answer of COPY INTO a table.
pub fn load_report_columns() -> Vec<WireColumn> {
    vec![
        WireColumn::text("file"),
        WireColumn::text("status"),
        WireColumn::integer("rows_parsed"),
        WireColumn::integer("rows_loaded"),
        WireColumn::integer("error_limit"),
        WireColumn::integer("errors_seen"),
        WireColumn::text("first_error"),
        WireColumn::integer("first_error_line"),
        WireColumn::integer("first_error_character"),
        WireColumn::text("first_error_column_name"),
    ]
}

/// The columns of VALIDATION_MODE and VALIDATE.
pub fn load_error_columns() -> Vec<WireColumn> {
    vec![
        WireColumn::text("ERROR"),
        WireColumn::text("FILE"),
        WireColumn::integer("LINE"),
        WireColumn::integer("CHARACTER"),
        WireColumn::integer("BYTE_OFFSET"),
        WireColumn::text("CATEGORY"),
        WireColumn::integer("CODE"),
        WireColumn::text("SQL_STATE"),
        WireColumn::text("COLUMN_NAME"),
        WireColumn::integer("ROW_NUMBER"),
        WireColumn::integer("ROW_START_LINE"),
        WireColumn::text("REJECTED_RECORD"),
    ]
}
