//! Takes options by name, so that what is left over in the end is unknown.

use super::{BinaryText, Compression, Encoding, RecordDelimiter};
use crate::Failure;
use crate::command::{Property, PropertyValue};

pub(super) struct Options<'a> {
    given: &'a [Property],
    taken: Vec<&'static str>,
}

impl<'a> Options<'a> {
    pub fn new(given: &'a [Property]) -> Result<Self, Failure> {
        for (index, property) in given.iter().enumerate() {
            if given[..index].iter().any(|earlier| earlier.name == property.name) {
                return Err(Failure::invalid_value("file format option", &property.name, "it is given twice"));
            }
        }
        Ok(Self { given, taken: vec!["TYPE"] })
    }

    pub fn finish(self) -> Result<(), Failure> {
        match self.given.iter().find(|property| !self.taken.contains(&property.name.as_str())) {
            Some(property) => Err(Failure::invalid_value(
                "file format option",
                &property.name,
                "this type of file has no such option",
            )),
            None => Ok(()),
        }
    }

    fn take(&mut self, name: &'static str) -> Option<&'a PropertyValue> {
        self.taken.push(name);
        self.given.iter().find(|property| property.name == name).map(|property| &property.value)
    }

    pub fn text(&mut self, name: &'static str) -> Result<Option<String>, Failure> {
        match self.take(name) {
            None | Some(PropertyValue::Null) => Ok(None),
            Some(PropertyValue::Text(text)) if text.eq_ignore_ascii_case("NONE") => Ok(None),
            Some(PropertyValue::Text(text)) => Ok(Some(text.clone())),
            Some(_) => Err(Failure::invalid_value(name, "a list", "give one text")),
        }
    }

    pub fn flag(&mut self, name: &'static str, default: bool) -> Result<bool, Failure> {
        match self.text(name)?.map(|text| text.to_ascii_uppercase()) {
            None => Ok(default),
            Some(word) if word == "TRUE" => Ok(true),
            Some(word) if word == "FALSE" => Ok(false),
            Some(other) => Err(Failure::invalid_value(name, &other, "it is TRUE or FALSE")),
        }
    }

    /// An option whose other value is not offered.
    pub fn only(&mut self, name: &'static str, offered: bool) -> Result<(), Failure> {
        if self.flag(name, offered)? == offered {
            return Ok(());
        }
        Err(Failure::unsupported(&format!("{name} = {}", if offered { "FALSE" } else { "TRUE" })))
    }

    pub fn count(&mut self, name: &'static str) -> Result<u64, Failure> {
        match self.text(name)? {
            None => Ok(0),
            Some(text) => text.parse().map_err(|_| Failure::invalid_value(name, &text, "it is a number from 0")),
        }
    }

    /// A format of dates or times; AUTO is none.
    pub fn model(&mut self, name: &'static str) -> Result<Option<String>, Failure> {
        Ok(self.text(name)?.filter(|text| !text.eq_ignore_ascii_case("AUTO")))
    }

    pub fn texts(&mut self, name: &'static str, default: &[&str]) -> Result<Vec<String>, Failure> {
        match self.take(name) {
            None => Ok(default.iter().map(|&text| text.to_owned()).collect()),
            Some(PropertyValue::Null) => Ok(Vec::new()),
            Some(PropertyValue::Text(text)) => Ok(vec![text.clone()]),
            Some(PropertyValue::List(texts)) => Ok(texts.clone()),
        }
    }

    /// `None` when NONE is given.
    pub fn delimiter(&mut self, name: &'static str, default: &str) -> Result<Option<String>, Failure> {
        match self.take(name) {
            None => Ok(Some(default.to_owned())),
            Some(PropertyValue::Text(text)) if text.eq_ignore_ascii_case("NONE") => Ok(None),
            Some(PropertyValue::Text(text)) => {
                let read = unescaped(text).filter(|read| !read.is_empty() && read.len() <= 20);
                read.map(Some).ok_or_else(|| Failure::invalid_value(name, text, "give 1 to 20 characters, or NONE"))
            }
            Some(_) => Err(Failure::invalid_value(name, "a list", "give one text")),
        }
    }

    pub fn record_delimiter(&mut self) -> Result<RecordDelimiter, Failure> {
        Ok(match self.delimiter("RECORD_DELIMITER", "\n")?.as_deref() {
            Some("\n" | "\r\n" | "\r") => RecordDelimiter::NewLine,
            Some(text) => RecordDelimiter::Text(text.to_owned()),
            None => return Err(Failure::unsupported("RECORD_DELIMITER = NONE")),
        })
    }

    pub fn character(&mut self, name: &'static str, default: Option<char>) -> Result<Option<char>, Failure> {
        let Some(text) = self.take(name) else { return Ok(default) };
        let PropertyValue::Text(text) = text else { return Ok(None) };
        if text.eq_ignore_ascii_case("NONE") {
            return Ok(None);
        }
        let read = unescaped(text).unwrap_or_default();
        let mut characters = read.chars();
        match (characters.next(), characters.next()) {
            (Some(only), None) if only.is_ascii() => Ok(Some(only)),
            _ => Err(Failure::invalid_value(name, text, "give one single-byte character, or NONE")),
        }
    }

    pub fn quote(&mut self) -> Result<Option<char>, Failure> {
        match self.character("FIELD_OPTIONALLY_ENCLOSED_BY", None)? {
            quote @ (None | Some('"' | '\'')) => Ok(quote),
            Some(other) => Err(Failure::invalid_value(
                "FIELD_OPTIONALLY_ENCLOSED_BY",
                &other.to_string(),
                "it is a single quote, a double quote or NONE",
            )),
        }
    }

    pub fn compression(&mut self, refused: &[Compression]) -> Result<Compression, Failure> {
        let Some(name) = self.take("COMPRESSION") else { return Ok(Compression::Auto) };
        let PropertyValue::Text(name) = name else { return Ok(Compression::None) };
        let compression = match name.to_ascii_uppercase().as_str() {
            "AUTO" => Compression::Auto,
            "NONE" => Compression::None,
            "GZIP" => Compression::Gzip,
            "ZSTD" => Compression::Zstd,
            "SNAPPY" => Compression::Snappy,
            "BZ2" => Compression::Bzip2,
            "DEFLATE" => Compression::Deflate,
            "RAW_DEFLATE" => Compression::RawDeflate,
            known @ ("BROTLI" | "LZO") => {
                return Err(Failure::unsupported(&format!("COMPRESSION = {known}")));
            }
            _ => {
                return Err(Failure::invalid_value(
                    "COMPRESSION",
                    name,
                    "AUTO, GZIP, BZ2, ZSTD, DEFLATE, RAW_DEFLATE and NONE are offered",
                ));
            }
        };
        if refused.contains(&compression) {
            return Err(Failure::unsupported(&format!("COMPRESSION = {}", name.to_ascii_uppercase())));
        }
        Ok(compression)
    }

    pub fn binary_format(&mut self) -> Result<BinaryText, Failure> {
        let name = self.text("BINARY_FORMAT")?.unwrap_or_else(|| "HEX".to_owned()).to_ascii_uppercase();
        match name.as_str() {
            "HEX" => Ok(BinaryText::Hex),
            "BASE64" => Ok(BinaryText::Base64),
            "UTF8" | "UTF-8" => Ok(BinaryText::Utf8),
            _ => Err(Failure::invalid_value("BINARY_FORMAT", &name, "it is HEX, BASE64 or UTF8")),
        }
    }

    pub fn encoding(&mut self) -> Result<Encoding, Failure> {
        let Some(name) = self.text("ENCODING")? else { return Ok(Encoding::UTF_8) };
        Encoding::named(&name).ok_or_else(|| Failure::unsupported(&format!("ENCODING = '{name}'")))
    }
}

/// What an option's text stands for: itself, or characters written as `\t`, `\x7C`, `\174` or `0x7C`.
fn unescaped(text: &str) -> Option<String> {
    if let Some(digits) = text.strip_prefix("0x").filter(|digits| digits.len() == 2) {
        return u8::from_str_radix(digits, 16).ok().map(|byte| char::from(byte).to_string());
    }
    if text == "\\" {
        return Some(text.to_owned());
    }
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        let rest = characters.as_str();
        let octal = rest.get(..3).filter(|digits| digits.bytes().all(|digit| matches!(digit, b'0'..=b'7')));
        match characters.next()? {
            't' => out.push('\t'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            'f' => out.push('\u{c}'),
            'b' => out.push('\u{8}'),
            'x' => {
                out.push(char::from(u8::from_str_radix(rest.get(1..3)?, 16).ok()?));
                characters = rest[3..].chars();
            }
            _ if octal.is_some() => {
                out.push(char::from(u8::from_str_radix(octal?, 8).ok()?));
                characters = rest[3..].chars();
            }
            other => out.push(other),
        }
    }
    Some(out)
}
