//! Names of objects: folded where they were unquoted, completed from the session's namespace.

use crate::Failure;

/// Only in names that the server itself makes; `resolve` refuses it in those of statements.
pub(crate) const MARK: char = '\u{1}';

/// The schema of every database whose views describe what it holds.
pub const INFORMATION_SCHEMA: &str = "INFORMATION_SCHEMA";

/// The server's own database, named as clients know it: its records as views.
pub const OWN_DATABASE: &str = "SNOWFLAKE";
/// The schema of these views.
pub const ACCOUNT_USAGE: &str = "ACCOUNT_USAGE";

/// The database and schema that complete a partial name. Case has already been settled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Namespace {
    pub database: Option<String>,
    pub schema: Option<String>,
}

/// A table, view or sequence name. After `qualify` all three parts are present.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectName {
    pub database: Option<String>,
    pub schema: Option<String>,
    pub name: String,
}

impl ObjectName {
    /// The object name of these parts; `None` when they name no table, view or sequence.
    pub fn of_parts(parts: Vec<String>) -> Option<Self> {
        let count = parts.len();
        let mut parts = parts.into_iter().rev();
        let name = parts.next().filter(|name| !name.is_empty())?;
        let schema = parts.next();
        let database = parts.next();
        let schema = match schema {
            Some(schema) if schema.is_empty() => {
                database.as_ref()?;
                None
            }
            schema => schema,
        };
        (count <= 3 && database.as_deref() != Some("")).then_some(ObjectName { database, schema, name })
    }

    pub fn qualified(database: &str, schema: &str, name: &str) -> Self {
        Self { database: Some(database.to_owned()), schema: Some(schema.to_owned()), name: name.to_owned() }
    }

    /// Fills the missing parts; fails with the contract's code when the session has none to give.
    pub fn qualify(&mut self, namespace: &Namespace) -> Result<(), Failure> {
        if self.database.is_none() {
            self.database = Some(namespace.database.clone().ok_or_else(no_current_database)?);
            if self.schema.is_none() {
                self.schema = Some(namespace.schema.clone().ok_or_else(no_current_schema)?);
            }
        }
        if self.schema.is_none() {
            self.schema = Some("PUBLIC".to_owned());
        }
        Ok(())
    }

    /// Whether a part has the mark of names that no statement writes: placeholders, and views that are read for somebody.
    pub fn is_marked(&self) -> bool {
        let parts = [self.database.as_deref(), self.schema.as_deref(), Some(self.name.as_str())];
        parts.into_iter().flatten().any(|part| part.contains(MARK))
    }

    pub fn database(&self) -> &str {
        self.database.as_deref().unwrap_or_default()
    }

    pub fn schema(&self) -> &str {
        self.schema.as_deref().unwrap_or_default()
    }
}

impl std::fmt::Display for ObjectName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for part in [&self.database, &self.schema].into_iter().flatten() {
            write!(formatter, "{}.", display_identifier(part))?;
        }
        formatter.write_str(&display_identifier(&self.name))
    }
}

/// A schema's name; `qualify` fills the database.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaName {
    pub database: Option<String>,
    pub schema: String,
}

impl SchemaName {
    pub fn qualify(&mut self, namespace: &Namespace) -> Result<(), Failure> {
        if self.database.is_none() {
            self.database = Some(namespace.database.clone().ok_or_else(no_current_database)?);
        }
        Ok(())
    }

    pub fn database(&self) -> &str {
        self.database.as_deref().unwrap_or_default()
    }
}

impl std::fmt::Display for SchemaName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(database) = &self.database {
            write!(formatter, "{}.", display_identifier(database))?;
        }
        formatter.write_str(&display_identifier(&self.schema))
    }
}

/// The name of a role inside a database; `qualify` fills the database.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DatabaseRoleName {
    pub database: Option<String>,
    pub name: String,
}

impl DatabaseRoleName {
    pub fn qualify(&mut self, namespace: &Namespace) -> Result<(), Failure> {
        if self.database.is_none() {
            self.database = Some(namespace.database.clone().ok_or_else(no_current_database)?);
        }
        Ok(())
    }

    pub fn database(&self) -> &str {
        self.database.as_deref().unwrap_or_default()
    }
}

impl std::fmt::Display for DatabaseRoleName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(database) = &self.database {
            write!(formatter, "{}.", display_identifier(database))?;
        }
        formatter.write_str(&display_identifier(&self.name))
    }
}

/// As a person would write it: quoted only where folding would change it.
pub fn display_identifier(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { quote_identifier(name) }
}

/// Whether a name means itself without quotes.
pub fn is_plain(name: &str) -> bool {
    name.chars().next().is_some_and(|c| c.is_ascii_uppercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_' || c == '$')
}

/// `demo` is DEMO, `"demo"` is demo.
pub fn stored_name(name: &str) -> String {
    if let Some(quoted) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return quoted.replace("\"\"", "\"");
    }
    let folded = name.to_uppercase();
    if is_plain(&folded) { folded } else { name.to_owned() }
}

pub fn quote_identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

pub fn quote_literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A text of the dialect, whose literals read backslashes and line ends as escapes.
pub fn escaped_literal(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r");
    quote_literal(&escaped)
}

fn no_current_database() -> Failure {
    Failure::new(
        "090105",
        "22000",
        "Cannot perform operation. This session does not have a current database. Call 'USE DATABASE', or use a qualified name.",
    )
}

fn no_current_schema() -> Failure {
    Failure::new(
        "090106",
        "22000",
        "Cannot perform operation. This session does not have a current schema. Call 'USE SCHEMA', or use a qualified name.",
    )
}
