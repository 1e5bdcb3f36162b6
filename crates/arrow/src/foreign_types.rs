//! The types of columns that others write, as the schema of a stream says them.

use crate::flat_table_reader::TableView;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForeignType {
    Null,
    Boolean,
    Integer {
        bytes: usize,
        signed: bool,
    },
    Float,
    Double,
    /// In 128 bits.
    Decimal {
        scale: i32,
    },
    Text,
    Binary,
    /// Days.
    Date,
    Time {
        bytes: usize,
        per_second: i64,
    },
    Timestamp {
        per_second: i64,
        has_zone: bool,
    },
    Struct,
    List,
    /// A list of pairs of a key and a value.
    Map,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignField {
    pub name: String,
    pub data_type: ForeignType,
    /// The bytes of the ends of texts and lists.
    pub(crate) end_bytes: usize,
    pub children: Vec<ForeignField>,
}

mod numbers {
    pub const NULL: u8 = 1;
    pub const INT: u8 = 2;
    pub const FLOATING_POINT: u8 = 3;
    pub const BINARY: u8 = 4;
    pub const UTF8: u8 = 5;
    pub const BOOL: u8 = 6;
    pub const DECIMAL: u8 = 7;
    pub const DATE: u8 = 8;
    pub const TIME: u8 = 9;
    pub const TIMESTAMP: u8 = 10;
    pub const LIST: u8 = 12;
    pub const STRUCT: u8 = 13;
    pub const MAP: u8 = 17;
    pub const LARGE_BINARY: u8 = 19;
    pub const LARGE_UTF8: u8 = 20;
    pub const LARGE_LIST: u8 = 21;
}

/// Types within types beyond this depth are refused.
const DEPTH_MAX: usize = 32;

impl ForeignField {
    /// `None` for a type that is not read here.
    pub(crate) fn read(field: &TableView<'_>, depth: usize) -> Option<Self> {
        // A field with a dictionary has indexes in the place of its values.
        if depth > DEPTH_MAX || field.table(4).is_some() {
            return None;
        }
        let children = field.tables(5).unwrap_or_default();
        let children = children.iter().map(|child| Self::read(child, depth + 1)).collect::<Option<Vec<_>>>()?;
        let data_type = type_of(field)?;
        let wanted = match data_type {
            ForeignType::List | ForeignType::Map => children.len() == 1,
            ForeignType::Struct => true,
            _ => children.is_empty(),
        };
        let name = field.text(0).unwrap_or_default().to_owned();
        let is_large = matches!(field.byte(2)?, numbers::LARGE_BINARY | numbers::LARGE_UTF8 | numbers::LARGE_LIST);
        let end_bytes = if is_large { 8 } else { 4 };
        wanted.then_some(Self { name, data_type, end_bytes, children })
    }
}

fn type_of(field: &TableView<'_>) -> Option<ForeignType> {
    // A type whose fields all have their defaults may be left out.
    let detail = field.table(3);
    let short = |number: usize, default: i16| detail.map_or(default, |detail| detail.short(number).unwrap_or(default));
    let int = |number: usize, default: i32| detail.map_or(default, |detail| detail.int(number).unwrap_or(default));
    Some(match field.byte(2)? {
        numbers::NULL => ForeignType::Null,
        numbers::BOOL => ForeignType::Boolean,
        numbers::INT => {
            let bits = usize::try_from(int(0, 0)).ok().filter(|bits| matches!(bits, 8 | 16 | 32 | 64))?;
            ForeignType::Integer { bytes: bits / 8, signed: detail?.byte(1) == Some(1) }
        }
        numbers::FLOATING_POINT => match short(0, 0) {
            1 => ForeignType::Float,
            2 => ForeignType::Double,
            _ => return None,
        },
        numbers::DECIMAL if int(2, 128) == 128 => ForeignType::Decimal { scale: int(1, 0) },
        numbers::UTF8 | numbers::LARGE_UTF8 => ForeignType::Text,
        numbers::BINARY | numbers::LARGE_BINARY => ForeignType::Binary,
        // The default unit is the millisecond.
        numbers::DATE if short(0, 1) == 0 => ForeignType::Date,
        numbers::TIME => {
            ForeignType::Time { bytes: usize::try_from(int(1, 32)).ok()? / 8, per_second: per_second(short(0, 1))? }
        }
        numbers::TIMESTAMP => ForeignType::Timestamp {
            per_second: per_second(short(0, 0))?,
            has_zone: detail.and_then(|detail| detail.text(1)).is_some_and(|zone| !zone.is_empty()),
        },
        numbers::LIST | numbers::LARGE_LIST => ForeignType::List,
        numbers::STRUCT => ForeignType::Struct,
        numbers::MAP => ForeignType::Map,
        _ => return None,
    })
}

fn per_second(unit: i16) -> Option<i64> {
    10_i64.checked_pow(3 * u32::try_from(unit).ok().filter(|unit| *unit <= 3)?)
}
