//! Sizes as people write them: `65536`, `512MB`, `2GiB`.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteSize(pub u64);

const UNITS: [(&str, u64); 9] = [
    ("KIB", 1 << 10),
    ("MIB", 1 << 20),
    ("GIB", 1 << 30),
    ("TIB", 1 << 40),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
];

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let upper = text.trim().to_ascii_uppercase();
        let (digits, factor) = UNITS
            .iter()
            .find_map(|(unit, factor)| upper.strip_suffix(unit).map(|digits| (digits.trim_end(), *factor)))
            .unwrap_or((upper.as_str(), 1));
        digits
            .parse::<u64>()
            .ok()
            .and_then(|count| count.checked_mul(factor))
            .map(Self)
            .ok_or_else(|| format!("`{text}` is no size; write bytes or a unit, such as 65536, 512MB or 2GiB"))
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let binary = UNITS[..4].iter().rev().find(|(_, factor)| self.0 >= *factor && self.0.is_multiple_of(*factor));
        match binary {
            Some((unit, factor)) => write!(formatter, "{}{}iB", self.0 / factor, &unit[..1]),
            None => write!(formatter, "{}B", self.0),
        }
    }
}

impl Serialize for ByteSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SizeVisitor;

        impl Visitor<'_> for SizeVisitor {
            type Value = ByteSize;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a size such as 65536, \"512MB\" or \"2GiB\"")
            }

            fn visit_i64<E: Error>(self, bytes: i64) -> Result<ByteSize, E> {
                u64::try_from(bytes).map(ByteSize).map_err(|_| E::custom("a size cannot be negative"))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<ByteSize, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(SizeVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::ByteSize;

    fn check(text: &str, bytes: Option<u64>) {
        assert_eq!(text.parse::<ByteSize>().ok().map(|size| size.0), bytes, "{text}");
    }

    #[test]
    fn reads_sizes() {
        check("65536", Some(65_536));
        check("16MiB", Some(16 << 20));
        check("16mib", Some(16 << 20));
        check("2 GB", Some(2_000_000_000));
        check("7B", Some(7));
        check("", None);
        check("-1", None);
        check("1.5GB", None);
        check("99999999999999TB", None);
    }

    #[test]
    fn shows_what_it_reads() {
        for bytes in [0, 7, 1 << 10, 1500, 16 << 20, 10 << 30] {
            check(&ByteSize(bytes).to_string(), Some(bytes));
        }
        assert_eq!(ByteSize(16 << 20).to_string(), "16MiB");
    }
}
