//! Types in the syntax tree, in one spelling each.

use super::DataType;
use crate::ast;

/// The one spelling of a type in the syntax tree.
pub fn type_in_tree(data_type: &DataType) -> ast::DataType {
    use ast::{CharacterLength, ExactNumberInfo, TimezoneInfo};
    match *data_type {
        DataType::Structured(ref structured) => custom(&structured.word(), None),
        DataType::Number { precision, scale } => {
            ast::DataType::Decimal(ExactNumberInfo::PrecisionAndScale(precision.into(), scale.into()))
        }
        DataType::Integer => ast::DataType::BigInt(None),
        DataType::Float => ast::DataType::Double(ExactNumberInfo::None),
        DataType::Varchar { length } => {
            ast::DataType::Varchar(length.map(|length| CharacterLength::IntegerLength { length, unit: None }))
        }
        DataType::Boolean => ast::DataType::Boolean,
        DataType::Date => ast::DataType::Date,
        DataType::Time { scale } => ast::DataType::Time(Some(scale.into()), TimezoneInfo::None),
        DataType::TimestampNtz { scale } => ast::DataType::TimestampNtz(Some(scale.into())),
        DataType::TimestampLtz { scale } => custom("TIMESTAMP_LTZ", Some(scale)),
        DataType::TimestampTz { scale } => custom("TIMESTAMP_TZ", Some(scale)),
        DataType::Binary { length } => ast::DataType::Binary(length),
        DataType::Variant => custom("VARIANT", None),
        DataType::Object => custom("OBJECT", None),
        DataType::Array => custom("ARRAY", None),
        DataType::Geography => custom("GEOGRAPHY", None),
        DataType::Geometry => custom("GEOMETRY", None),
        DataType::Vector { element, dimension } => ast::DataType::Custom(
            ast::ObjectName::from(vec![ast::Ident::new("VECTOR")]),
            vec![element.name().to_owned(), dimension.to_string()],
        ),
    }
}

fn custom(name: &str, scale: Option<u8>) -> ast::DataType {
    let name = ast::ObjectName::from(vec![ast::Ident::new(name)]);
    ast::DataType::Custom(name, scale.into_iter().map(|scale| scale.to_string()).collect())
}
