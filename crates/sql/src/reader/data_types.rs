//! Data types: read from the text, and in one spelling each in the syntax tree.

use sqlparser::tokenizer::Token;

use super::{Reader, structured_types};
use crate::data_types::{DataType, VectorElement};
use crate::source::SourceStatement;
use crate::tokens::tokenize;
use crate::{Failure, ast};

/// The longest VARCHAR and BINARY the contract allows.
const VARCHAR_LENGTH_MAX: u64 = 134_217_728;
const BINARY_LENGTH_MAX: u64 = 67_108_864;
const PRECISION_MAX: u64 = 38;
const SCALE_MAX: u64 = 37;
const FRACTION_DIGITS_MAX: u64 = 9;
const VECTOR_DIMENSION_MAX: u64 = 4096;

pub(crate) fn read(reader: &mut Reader<'_>) -> Result<DataType, Failure> {
    let place = reader.place();
    let Some(mut name) = reader.word() else { return Err(reader.unexpected_at(place)) };
    reader.advance();
    if reader.eat("PRECISION") && name != "DOUBLE" {
        return Err(reader.unexpected());
    }
    if reader.eat("VARYING") {
        "VARCHAR".clone_into(&mut name);
    }
    if name == "VECTOR" {
        return vector(reader);
    }
    if matches!(name.as_str(), "ARRAY" | "MAP" | "OBJECT") && reader.at_token(&Token::LParen) {
        return structured(reader, &name);
    }
    let arguments = arguments(reader)?;
    if let Some(zone) = reader
        .eat_one_of(&["WITH LOCAL TIME ZONE", "WITHOUT TIME ZONE", "WITH TIME ZONE"])
        .filter(|_| name == "TIMESTAMP")
    {
        name = format!("{name} {zone}");
    }
    if name == "TIMESTAMP" {
        reader.timestamps.type_name().clone_into(&mut name);
    }
    of_name(&name, &arguments).unwrap_or_else(|| Err(unsupported(&name)))
}

/// A type that stands alone in a text.
pub fn data_type_of_text(text: &str) -> Result<DataType, Failure> {
    let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
    let mut reader = Reader::new(tokenize(&source)?, &source, 1);
    let data_type = read(&mut reader)?;
    reader.expect_end()?;
    Ok(data_type)
}

fn arguments(reader: &mut Reader<'_>) -> Result<Vec<u64>, Failure> {
    let mut arguments = Vec::new();
    if !reader.eat_token(&Token::LParen) {
        return Ok(arguments);
    }
    loop {
        if reader.word().is_some() {
            return Err(Failure::unsupported("structured type"));
        }
        let place = reader.place();
        arguments.push(u64::try_from(reader.integer()?).map_err(|_| reader.unexpected_at(place))?);
        if !reader.eat_token(&Token::Comma) {
            break;
        }
    }
    reader.expect_token(&Token::RParen)?;
    Ok(arguments)
}

/// What follows the name of a structured type.
fn structured(reader: &mut Reader<'_>, name: &str) -> Result<DataType, Failure> {
    let mut tokens = vec![Token::make_word(name, None)];
    let mut depth = 0_usize;
    loop {
        let token = reader.peek_nth(tokens.len() - 1).clone();
        match token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            Token::EOF => break,
            _ => {}
        }
        tokens.push(token);
        if depth == 0 {
            break;
        }
    }
    let Some((found, length)) = structured_types::read(&tokens) else {
        return Err(Failure::unsupported("this structured type; use MAP(VARCHAR, …), ARRAY(…) and OBJECT(…)"));
    };
    (1..length).for_each(|_| reader.advance());
    Ok(DataType::Structured(Box::new(found)))
}

/// `(FLOAT, 256)` or `(INT, 16)`.
fn vector(reader: &mut Reader<'_>) -> Result<DataType, Failure> {
    reader.expect_token(&Token::LParen)?;
    let place = reader.place();
    let element = match reader.word().as_deref() {
        Some("FLOAT") => VectorElement::Float,
        Some("INT" | "INTEGER") => VectorElement::Integer,
        _ => return Err(reader.unexpected_at(place)),
    };
    reader.advance();
    reader.expect_token(&Token::Comma)?;
    let place = reader.place();
    let dimension = u64::try_from(reader.integer()?).map_err(|_| reader.unexpected_at(place))?;
    reader.expect_token(&Token::RParen)?;
    let dimension = limited("VECTOR dimension", dimension, VECTOR_DIMENSION_MAX)?;
    Ok(DataType::Vector { element, dimension: dimension as u16 })
}

/// `None` when there is no such type, or not with these arguments.
fn of_name(name: &str, arguments: &[u64]) -> Option<Result<DataType, Failure>> {
    let data_type = match (name, arguments) {
        ("NUMBER" | "NUMERIC" | "DECIMAL" | "DEC", [] | [_] | [_, _]) => return Some(number(arguments)),
        ("INT" | "INTEGER" | "BIGINT" | "SMALLINT" | "TINYINT" | "BYTEINT", []) => DataType::Integer,
        ("FLOAT" | "FLOAT4" | "FLOAT8" | "DOUBLE" | "REAL", []) => DataType::Float,
        ("CHAR" | "CHARACTER" | "NCHAR", []) => DataType::Varchar { length: Some(1) },
        ("VARCHAR" | "STRING" | "TEXT" | "NVARCHAR" | "NVARCHAR2", []) => DataType::Varchar { length: None },
        ("CHAR" | "CHARACTER" | "NCHAR" | "VARCHAR" | "STRING" | "TEXT" | "NVARCHAR" | "NVARCHAR2", [length]) => {
            return Some(
                limited("VARCHAR length", *length, VARCHAR_LENGTH_MAX)
                    .map(|length| DataType::Varchar { length: Some(length) }),
            );
        }
        ("BOOLEAN" | "BOOL", []) => DataType::Boolean,
        ("DATE", []) => DataType::Date,
        ("BINARY" | "VARBINARY", []) => DataType::Binary { length: None },
        ("BINARY" | "VARBINARY", [length]) => {
            return Some(
                limited("BINARY length", *length, BINARY_LENGTH_MAX)
                    .map(|length| DataType::Binary { length: Some(length) }),
            );
        }
        ("VARIANT", []) => DataType::Variant,
        ("OBJECT", []) => DataType::Object,
        ("ARRAY", []) => DataType::Array,
        ("GEOGRAPHY", []) => DataType::Geography,
        ("GEOMETRY", []) => DataType::Geometry,
        (_, [] | [_]) => return temporal(name, arguments.first().copied().unwrap_or(FRACTION_DIGITS_MAX)),
        _ => return None,
    };
    Some(Ok(data_type))
}

fn temporal(name: &str, scale: u64) -> Option<Result<DataType, Failure>> {
    let of_scale: fn(u8) -> DataType = match name {
        "TIME" => |scale| DataType::Time { scale },
        "TIMESTAMP" | "TIMESTAMP_NTZ" | "TIMESTAMPNTZ" | "TIMESTAMP WITHOUT TIME ZONE" | "DATETIME" => {
            |scale| DataType::TimestampNtz { scale }
        }
        "TIMESTAMP_LTZ" | "TIMESTAMPLTZ" | "TIMESTAMP WITH LOCAL TIME ZONE" => |scale| DataType::TimestampLtz { scale },
        "TIMESTAMP_TZ" | "TIMESTAMPTZ" | "TIMESTAMP WITH TIME ZONE" => |scale| DataType::TimestampTz { scale },
        _ => return None,
    };
    if scale > FRACTION_DIGITS_MAX {
        return Some(Err(out_of_range(name, scale, FRACTION_DIGITS_MAX)));
    }
    Some(Ok(of_scale(scale as u8)))
}

fn number(arguments: &[u64]) -> Result<DataType, Failure> {
    let precision = arguments.first().copied().unwrap_or(PRECISION_MAX);
    let scale = arguments.get(1).copied().unwrap_or(0);
    let precision = limited("NUMBER precision", precision, PRECISION_MAX)?;
    if scale > precision.min(SCALE_MAX) {
        return Err(out_of_range("NUMBER scale", scale, precision.min(SCALE_MAX)));
    }
    Ok(DataType::Number { precision: precision as u8, scale: scale as u8 })
}

fn limited(what: &str, value: u64, limit: u64) -> Result<u64, Failure> {
    if (1..=limit).contains(&value) { Ok(value) } else { Err(out_of_range(what, value, limit)) }
}

fn out_of_range(what: &str, value: u64, limit: u64) -> Failure {
    Failure::invalid_value(what, &value.to_string(), &format!("use a number up to {limit}"))
}

fn unsupported(name: &str) -> Failure {
    Failure::new("002040", "42601", format!("SQL compilation error:\nUnsupported data type '{name}'."))
}

/// The declared type that a type in the syntax tree stands for.
pub fn declared_type(data_type: &ast::DataType) -> Result<DataType, Failure> {
    if let Some(known) = of_tree(data_type) {
        return known;
    }
    let text = data_type.to_string();
    let source = SourceStatement { text, line: 1, position: 0 };
    let mut reader = Reader::new(tokenize(&source)?, &source, 1);
    let declared = read(&mut reader).map_err(|failure| match failure.code {
        "001003" => unsupported(&source.text),
        _ => failure,
    })?;
    if reader.at_end() { Ok(declared) } else { Err(unsupported(&source.text)) }
}

/// Most types, which need not be printed and read: in their one spelling, and as people write them.
fn of_tree(data_type: &ast::DataType) -> Option<Result<DataType, Failure>> {
    use ast::{CharacterLength, DataType as Tree, ExactNumberInfo, TimezoneInfo};
    match data_type {
        Tree::Decimal(ExactNumberInfo::PrecisionAndScale(precision, scale)) => {
            of_name("NUMBER", &[*precision, u64::try_from(*scale).ok()?])
        }
        Tree::Int(None) | Tree::Integer(None) | Tree::BigInt(None) => of_name("BIGINT", &[]),
        Tree::Double(ExactNumberInfo::None) | Tree::Float(ExactNumberInfo::None) => of_name("DOUBLE", &[]),
        Tree::Varchar(None) | Tree::String(None) | Tree::Text => of_name("VARCHAR", &[]),
        Tree::Varchar(Some(CharacterLength::IntegerLength { length, unit: None })) => of_name("VARCHAR", &[*length]),
        Tree::Boolean => of_name("BOOLEAN", &[]),
        Tree::Date => of_name("DATE", &[]),
        Tree::Time(Some(scale), TimezoneInfo::None) => of_name("TIME", &[*scale]),
        Tree::TimestampNtz(Some(scale)) => of_name("TIMESTAMP_NTZ", &[*scale]),
        Tree::Custom(name, arguments) => match &name.0[..] {
            [ast::ObjectNamePart::Identifier(name)] if name.quote_style.is_none() => {
                let arguments: Vec<u64> = arguments.iter().map(|value| value.parse().ok()).collect::<Option<_>>()?;
                of_name(&name.value.to_ascii_uppercase(), &arguments)
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_types::type_in_tree;

    fn check(text: &str, expected: Result<DataType, &str>) {
        let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
        let found = tokenize(&source).and_then(|tokens| read(&mut Reader::new(tokens, &source, 1)));
        if let Ok(found) = &found {
            let in_tree = type_in_tree(found);
            assert_eq!(declared_type(&in_tree).as_ref(), Ok(found), "{text} keeps its meaning in the tree");
            if let Some(known) = of_tree(&in_tree) {
                assert_eq!(data_type_of_text(&in_tree.to_string()), known, "{text} is typed as it is read");
            }
        }
        assert_eq!(found.as_ref().map_err(|failure| failure.code), expected.as_ref().map_err(|code| *code), "{text}");
    }

    #[test]
    fn every_spelling_of_every_type() {
        for text in ["number", "NUMERIC", "Decimal", "dec", "number(38)", "decimal(38, 0)"] {
            check(text, Ok(DataType::Number { precision: 38, scale: 0 }));
        }
        check("number(10,2)", Ok(DataType::Number { precision: 10, scale: 2 }));
        for text in ["int", "integer", "bigint", "smallint", "tinyint", "byteint"] {
            check(text, Ok(DataType::Integer));
        }
        for text in ["float", "float4", "float8", "double", "double precision", "real"] {
            check(text, Ok(DataType::Float));
        }
        for text in ["varchar", "string", "text", "nvarchar", "char varying"] {
            check(text, Ok(DataType::Varchar { length: None }));
        }
        check("char", Ok(DataType::Varchar { length: Some(1) }));
        check("text(20)", Ok(DataType::Varchar { length: Some(20) }));
        check("boolean", Ok(DataType::Boolean));
        check("date", Ok(DataType::Date));
        check("time", Ok(DataType::Time { scale: 9 }));
        check("time(3)", Ok(DataType::Time { scale: 3 }));
        check("timestamp", Ok(DataType::TimestampNtz { scale: 9 }));
        check("datetime(0)", Ok(DataType::TimestampNtz { scale: 0 }));
        check("timestamp_ntz(6)", Ok(DataType::TimestampNtz { scale: 6 }));
        check("timestampltz", Ok(DataType::TimestampLtz { scale: 9 }));
        check("timestamp with local time zone", Ok(DataType::TimestampLtz { scale: 9 }));
        check("timestamp(3) with time zone", Ok(DataType::TimestampTz { scale: 3 }));
        check("timestamp_tz(3)", Ok(DataType::TimestampTz { scale: 3 }));
        check("binary", Ok(DataType::Binary { length: None }));
        check("varbinary(16)", Ok(DataType::Binary { length: Some(16) }));
        check("variant", Ok(DataType::Variant));
        check("object", Ok(DataType::Object));
        check("array", Ok(DataType::Array));
        check("geography", Ok(DataType::Geography));
        check("geometry", Ok(DataType::Geometry));
        check("vector(float, 256)", Ok(DataType::Vector { element: VectorElement::Float, dimension: 256 }));
        check("Vector(INT,4096)", Ok(DataType::Vector { element: VectorElement::Integer, dimension: 4096 }));
    }

    #[test]
    fn what_is_no_type_is_refused() {
        check("hugeint", Err("002040"));
        check("geography(4326)", Err("002040"));
        check("int(5)", Err("002040"));
        check("date(3)", Err("002040"));
        check("number(39)", Err("001007"));
        check("number(5,6)", Err("001007"));
        check("varchar(0)", Err("001007"));
        check("timestamp(10)", Err("001007"));
        check("array(struct(int))", Err("000002"));
        check("vector(float, 4097)", Err("001007"));
        check("vector(varchar, 2)", Err("001003"));
        check("vector", Err("001003"));
        check("'text'", Err("001003"));
    }
}
