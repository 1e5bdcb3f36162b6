//! The character encodings of CSV files, by the dialect's names.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding(&'static str);

/// As they are described; they are recognised in any letter case, with or without hyphens.
const NAMES: [&str; 29] = [
    "UTF8",
    "BIG5",
    "EUCJP",
    "EUCKR",
    "GB18030",
    "ISO2022JP",
    "ISO88591",
    "ISO885915",
    "ISO88592",
    "ISO88595",
    "ISO88596",
    "ISO88597",
    "ISO88598",
    "ISO88599",
    "KOI8R",
    "SHIFTJIS",
    "UTF16",
    "UTF16BE",
    "UTF16LE",
    "WINDOWS874",
    "WINDOWS949",
    "WINDOWS1250",
    "WINDOWS1251",
    "WINDOWS1252",
    "WINDOWS1253",
    "WINDOWS1254",
    "WINDOWS1255",
    "WINDOWS1256",
    "WINDOWS1258",
];

impl Encoding {
    pub const UTF_8: Self = Self("UTF8");
    pub const LATIN_1: Self = Self("ISO88591");

    pub fn named(name: &str) -> Option<Self> {
        let wanted = name.to_ascii_uppercase().replace(['-', '_'], "");
        NAMES.into_iter().find(|name| *name == wanted).map(Self)
    }

    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.into_iter().map(Self)
    }

    pub fn name(self) -> &'static str {
        self.0
    }
}
