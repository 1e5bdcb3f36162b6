//! Addresses of staged files on this server.

use crate::names::{ObjectName, display_identifier};
use crate::stages::{StageName, read_identifier};

/// Where a stage's files are served; the user's own stage has no address.
pub fn address(stage: &StageName) -> Option<String> {
    let (name, mark) = match stage {
        StageName::Named(name) => (name, ""),
        StageName::Table(name) => (name, "%"),
        StageName::User | StageName::Outside(_) => return None,
    };
    let part = |name: &str| encoded(&display_identifier(name));
    Some(format!(
        "/api/v2/databases/{}/schemas/{}/stages/{}{}/files/",
        part(name.database()),
        part(name.schema()),
        encoded(mark),
        part(&name.name)
    ))
}

/// Where a file is served.
pub fn file_address(stage: &StageName, path: &str) -> Option<String> {
    Some(address(stage)? + &encoded(path).replace("%2F", "/"))
}

/// The stage and the file's path on it that an address names.
pub fn file_at(address: &str) -> Option<(StageName, String)> {
    let rest = address.strip_prefix("/api/v2/databases/")?;
    let (database, rest) = rest.split_once("/schemas/")?;
    let (schema, rest) = rest.split_once("/stages/")?;
    let (stage, path) = rest.split_once("/files/")?;
    let name = |text: &str| read_identifier(&decoded(text)?);
    let stage = decoded(stage)?;
    let qualified =
        |stage: &str| Some(ObjectName::qualified(&name(database)?, &name(schema)?, &read_identifier(stage)?));
    let stage = match stage.strip_prefix('%') {
        Some(table) => StageName::Table(qualified(table)?),
        None => StageName::Named(qualified(&stage)?),
    };
    Some((stage, decoded(path)?))
}

/// A text with everything but plain letters and digits written as `%20` is.
pub fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::stages::StageLocation;

    #[test]
    fn addresses_name_their_files() {
        for text in ["@d.s.t", "@\"D e\".s.\"ä/b\"", "@d.s.%t"] {
            let stage = StageLocation::parse(text).unwrap().stage;
            let address = file_address(&stage, "a b/c%.csv").unwrap();
            assert_eq!(file_at(&address), Some((stage, "a b/c%.csv".to_owned())), "{address}");
        }
        for text in [
            "",
            "/etc/passwd",
            "/api/v2/databases/D/schemas/S/stages/T/files",
            "/api/v2/databases/D/schemas/S/stages/%Z/files/a",
        ] {
            assert_eq!(file_at(text), None, "{text}");
        }
    }
}
