//! Names of stages and of the files on them. A path is checked once, here: it has no empty part, no
//! `.` or `..`, no control character, and a bounded length, so that the storage of files can trust it.

use crate::Failure;
use crate::external_storage::{Credentials, ServerSideEncryption, StorageUrl};
use crate::names::{Namespace, ObjectName, quote_identifier};

/// The longest path of a file on a stage.
pub use crate::stage_paths::PATH_BYTES_MAX;

/// Which stage is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StageName {
    Named(ObjectName),
    /// `@%t`: every table has one.
    Table(ObjectName),
    /// `@~`: every user has one.
    User,
    /// `'s3://bucket/…'` in the place of a stage.
    Outside(Box<OutsideStage>),
}

/// A bucket that a statement names by its address; the path is the location's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OutsideStage {
    pub url: StorageUrl,
    pub credentials: Option<Credentials>,
    pub encryption: ServerSideEncryption,
}

/// A stage and a beginning of its files' paths: `@db.schema.stage/path`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StageLocation {
    pub stage: StageName,
    /// Empty for the whole stage.
    pub path: String,
}

impl StageName {
    pub fn qualify(&mut self, namespace: &Namespace) -> Result<(), Failure> {
        match self {
            Self::Named(name) | Self::Table(name) => name.qualify(namespace),
            Self::User | Self::Outside(_) => Ok(()),
        }
    }

    /// What comes before a file's path in LIST and in the results of COPY.
    pub fn prefix(&self) -> String {
        match self {
            Self::Named(name) => format!("{}/", name.name.to_lowercase()),
            Self::Table(_) | Self::User => String::new(),
            Self::Outside(outside) => outside.url.root(),
        }
    }
}

impl std::fmt::Display for StageName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Named(name) => name.fmt(formatter),
            Self::Table(name) => {
                let parts = [&name.database, &name.schema].into_iter().flatten();
                let before: String = parts.map(|part| format!("{}.", quote_identifier(part))).collect();
                write!(formatter, "{before}%{}", quote_identifier(&name.name))
            }
            Self::User => formatter.write_str("~"),
            Self::Outside(outside) => outside.url.fmt(formatter),
        }
    }
}

impl StageLocation {
    /// Reads `@stage/path` as it stands in a statement's text.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let malformed = || Failure::invalid_value("stage", text, "write @stage, @%table or @~, and /path after it");
        let rest = text.strip_prefix('@').ok_or_else(malformed)?;
        let (name, path) = match end_of_name(rest) {
            Some(end) => (&rest[..end], &rest[end + 1..]),
            None => (rest, ""),
        };
        let stage = if name == "~" { StageName::User } else { read_name(name).ok_or_else(malformed)? };
        let path = crate::stage_paths::unquoted(path);
        crate::stage_paths::check_prefix(&path)?;
        Ok(Self { stage, path })
    }
}

impl std::fmt::Display for StageLocation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "@{}", self.stage)?;
        if self.path.is_empty() { Ok(()) } else { write!(formatter, "/{}", self.path) }
    }
}

/// The path of one file on a stage.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StagePath(String);

impl StagePath {
    pub fn parse(text: &str) -> Result<Self, Failure> {
        crate::stage_paths::check_prefix(text)?;
        if text.is_empty() || text.ends_with('/') {
            return Err(Failure::invalid_value("file name", text, "a file's path does not end in a slash"));
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for StagePath {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Where the slash after the stage's name stands; slashes within quotes belong to the name.
fn end_of_name(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b'/' && !quoted
    })
}

fn read_name(text: &str) -> Option<StageName> {
    let mut parts = Vec::new();
    let mut rest = text;
    let mut of_table = false;
    loop {
        if let Some(table) = rest.strip_prefix('%') {
            of_table = true;
            rest = table;
        }
        let (part, after) = read_part(rest)?;
        parts.push(part);
        if after.is_empty() {
            break;
        }
        rest = after.strip_prefix('.').filter(|_| !of_table)?;
        if rest.starts_with('.') {
            parts.push(String::new());
            rest = &rest[1..];
        }
    }
    // Only a quoted name can begin so: `@"S"."%T"` is the stage of a table too.
    if let Some(table) = parts.last().and_then(|last| last.strip_prefix('%')).map(str::to_owned) {
        parts.pop();
        parts.push(table);
        of_table = true;
    }
    let name = ObjectName::of_parts(parts)?;
    Some(if of_table { StageName::Table(name) } else { StageName::Named(name) })
}

/// One identifier from the beginning of `text`, folded, and what comes after it.
fn read_part(text: &str) -> Option<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let mut name = String::new();
        let mut rest = quoted;
        loop {
            let (before, after) = rest.split_once('"')?;
            name.push_str(before);
            match after.strip_prefix('"') {
                Some(further) => {
                    name.push('"');
                    rest = further;
                }
                None => return (!name.is_empty()).then_some((name, after)),
            }
        }
    }
    let is_part = |character: char| character.is_alphanumeric() || character == '_' || character == '$';
    let end = text.find(|character| !is_part(character)).unwrap_or(text.len());
    let begins_well = text.starts_with(|character: char| character.is_alphabetic() || character == '_');
    begins_well.then(|| (text[..end].to_ascii_uppercase(), &text[end..]))
}

/// One identifier, folded where it is not quoted.
pub fn read_identifier(text: &str) -> Option<String> {
    read_part(text).filter(|(_, rest)| rest.is_empty()).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;

    #[test]
    fn locations_are_read() {
        for (text, expected) in [
            ("@s", "@S"),
            ("@s/a/b.csv", "@S/a/b.csv"),
            ("@db.sch.\"my stage\"/x", "@DB.SCH.\"my stage\"/x"),
            ("@\"a/b\"/c", "@\"a/b\"/c"),
            ("@%t/x", "@%\"T\"/x"),
            ("@db.sch.%t", "@\"DB\".\"SCH\".%\"T\""),
            ("@~", "@~"),
            ("@~/a/", "@~/a/"),
            ("@\"S\".\"%T\"/\"a b\"/c", "@\"S\".%\"T\"/a b/c"),
            ("@SYSTEM$BIND/1", "@SYSTEM$BIND/1"),
        ] {
            assert_eq!(StageLocation::parse(text).unwrap().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn bad_locations_are_refused() {
        for text in
            ["s", "@", "@1a", "@a b", "@s/../x", "@s/./x", "@s//x", "@s/a\\b", "@s/a\u{0}b", "@%t.u", "@a.b.c.d"]
        {
            assert!(StageLocation::parse(text).is_err(), "{text}");
        }
        assert!(StageLocation::parse(&format!("@s/{}", "x".repeat(PATH_BYTES_MAX + 1))).is_err());
        for text in ["", "a/", "..", "/etc/passwd", "a/../b"] {
            assert!(StagePath::parse(text).is_err(), "{text}");
        }
    }
}
