//! Structured types: `MAP(VARCHAR, INT)`, `ARRAY(FLOAT NOT NULL)`, `OBJECT(a INT, b VARCHAR)`.

use std::fmt;

use super::DataType;

/// What the names of fields begin with in a word.
const HIDDEN: &str = "FIRN__FIELD_";

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StructuredType {
    Plain(DataType),
    Array(Box<Part>),
    Map { key: DataType, value: Box<Part> },
    Object(Vec<(String, Part)>),
}

/// What is inside of a structured type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    pub kind: StructuredType,
    /// NOT NULL.
    pub is_required: bool,
}

impl fmt::Display for StructuredType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(data_type) => formatter.write_str(&data_type.full_name()),
            Self::Array(element) => write!(formatter, "ARRAY({element})"),
            Self::Map { key, value } => write!(formatter, "MAP({}, {value})", key.full_name()),
            Self::Object(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, part)| format!("{} {part}", shown_identifier(name))).collect();
                write!(formatter, "OBJECT({})", fields.join(", "))
            }
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", self.kind, self.suffix())
    }
}

impl Part {
    fn suffix(&self) -> &'static str {
        if self.is_required { " NOT NULL" } else { "" }
    }

    fn word(&self) -> String {
        format!("{}{}", self.kind.word(), self.suffix())
    }
}

impl StructuredType {
    /// The type as one word of the syntax tree, in which names of fields survive that words are folded to upper case.
    pub fn word(&self) -> String {
        match self {
            Self::Plain(DataType::Varchar { length: None }) => "VARCHAR".to_owned(),
            Self::Plain(data_type) => data_type.full_name(),
            Self::Array(element) => format!("ARRAY({})", element.word()),
            Self::Map { key: DataType::Varchar { .. }, value } => format!("MAP(VARCHAR,{})", value.word()),
            Self::Map { key, value } => format!("MAP({},{})", key.full_name(), value.word()),
            Self::Object(fields) => {
                let digits = |name: &str| name.bytes().map(|byte| format!("{byte:02X}")).collect::<String>();
                let fields: Vec<String> =
                    fields.iter().map(|(name, part)| format!("{HIDDEN}{} {}", digits(name), part.word())).collect();
                format!("OBJECT({})", fields.join(","))
            }
        }
    }

    pub fn outermost(&self) -> &'static str {
        match self {
            Self::Array(_) => "ARRAY",
            Self::Map { .. } => "MAP",
            Self::Object(_) | Self::Plain(_) => "OBJECT",
        }
    }

    /// What is found under a key, or at a place if there is none.
    pub fn part(&self, key: Option<&str>) -> Option<&StructuredType> {
        match (self, key) {
            (Self::Array(part), None) | (Self::Map { value: part, .. }, _) => Some(&part.kind),
            (Self::Object(fields), Some(key)) => {
                fields.iter().find(|(name, _)| name == key).map(|(_, part)| &part.kind)
            }
            _ => None,
        }
    }
}

fn shown_identifier(name: &str) -> String {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// The name of a field in a word.
pub(crate) fn field_name(hidden: &str) -> Option<String> {
    let digits = hidden.strip_prefix(HIDDEN)?;
    let byte = |place| u8::from_str_radix(digits.get(place..place + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    String::from_utf8(bytes?).ok()
}
