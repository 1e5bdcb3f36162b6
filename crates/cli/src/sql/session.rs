//! What a session remembers. Where the server keeps no session between requests, the names in use, variables and parameters are
//! kept here and go along with every request.

use std::collections::BTreeMap;

use chrono_tz::Tz;
use firn_sql::names::{escaped_literal, quote_identifier};

use super::script::SessionChange;
use crate::connection::Names;
use crate::output::cells;

#[derive(Clone, Debug, Default)]
pub struct Session {
    pub names: Names,
    /// Values as SQL.
    variables: BTreeMap<String, String>,
    /// Statements that set a parameter, by its name.
    parameters: BTreeMap<String, String>,
    secondary_roles: Option<String>,
    /// Variables of the command line.
    defined: BTreeMap<String, String>,
    /// The zone that instants are shown in, once it is known.
    pub zone: Option<Tz>,
}

/// The query that tells the names in use.
pub const NAMES_QUERY: &str = "SELECT CURRENT_ROLE(), CURRENT_WAREHOUSE(), CURRENT_DATABASE(), CURRENT_SCHEMA()";

impl Session {
    pub fn new(names: Names) -> Self {
        Self { names, ..Self::default() }
    }

    /// The statements that make the server's session what this one is, as far as a text may notice.
    pub fn prelude(&self, text: &str) -> Vec<String> {
        let mut statements: Vec<String> =
            self.secondary_roles.iter().chain(self.parameters.values()).cloned().collect();
        if text.contains('$') {
            statements.extend(self.variables.iter().map(|(name, value)| format!("SET {} = {value}", variable(name))));
        }
        statements
    }

    /// Takes note of a statement that has succeeded. Names and values of variables are read from the server.
    pub fn note(&mut self, change: &SessionChange, text: &str) {
        match change {
            SessionChange::Names | SessionChange::Variables(_) => {}
            SessionChange::SecondaryRoles => self.secondary_roles = Some(text.to_owned()),
            SessionChange::DroppedVariables(names) => {
                names.iter().for_each(|name| drop(self.variables.remove(name)));
            }
            SessionChange::Parameters(names) => {
                self.zone = None;
                for name in names {
                    self.parameters.insert(name.clone(), text.to_owned());
                }
            }
            SessionChange::DroppedParameters(names) => {
                self.zone = None;
                names.iter().for_each(|name| drop(self.parameters.remove(name)));
            }
        }
    }

    /// The answer to `NAMES_QUERY`.
    pub fn set_names(&mut self, row: &[Option<String>]) {
        let name = |index: usize| row.get(index).cloned().flatten();
        self.names = Names { role: name(0), warehouse: name(1), database: name(2), schema: name(3) };
    }

    /// A variable of this value, as a cell of the wire.
    pub fn set_variable(&mut self, name: &str, kind: &str, cell: Option<&str>) {
        self.variables.insert(name.to_owned(), literal(kind, cell));
    }

    /// `-D name=value`: a number stays one, everything else is a text.
    pub fn define(&mut self, name: &str, value: &str) {
        let value = if is_plain_number(value) { value.to_owned() } else { escaped_literal(value) };
        self.variables.insert(name.to_uppercase(), value.clone());
        self.defined.insert(name.to_uppercase(), value);
    }

    /// The variable of the command line that a statement of the prelude sets.
    pub fn defined_by(&self, statement: &str) -> Option<&str> {
        let mut names = self.defined.keys();
        names.find(|name| statement.starts_with(&format!("SET {} = ", variable(name)))).map(String::as_str)
    }

    /// Forgets all but the names in use and what the command line says.
    pub fn forget(&mut self) {
        let (names, defined) = (std::mem::take(&mut self.names), std::mem::take(&mut self.defined));
        *self = Self { names, variables: defined.clone(), defined, ..Self::default() };
    }
}

/// The query that tells the value of a variable.
pub fn variable_query(name: &str) -> String {
    format!("SELECT ${name}")
}

fn variable(name: &str) -> String {
    if firn_sql::names::is_plain(name) { name.to_owned() } else { quote_identifier(name) }
}

/// `12.5` and `-3`, but not `007`: that may be a code.
fn is_plain_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole) && are_digits(fraction) && (whole == "0" || !whole.starts_with('0'))
}

fn literal(kind: &str, cell: Option<&str>) -> String {
    let Some(cell) = cell else { return "NULL".to_owned() };
    let text = || escaped_literal(&cells::text(cell, kind, Tz::UTC));
    match kind {
        "fixed" | "boolean" => cell.to_owned(),
        "real" => format!("{}::FLOAT", escaped_literal(cell)),
        "binary" => format!("TO_BINARY({}, 'HEX')", escaped_literal(cell)),
        "date" | "time" | "timestamp_ntz" | "timestamp_ltz" | "timestamp_tz" => {
            format!("{}::{}", text(), kind.to_uppercase())
        }
        _ => escaped_literal(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_keep_their_type() {
        let check =
            |kind: &str, cell: Option<&str>, expected: &str| assert_eq!(literal(kind, cell), expected, "{kind}");
        check("fixed", Some("12.50"), "12.50");
        check("text", Some("it's"), "'it''s'");
        check("real", Some("inf"), "'inf'::FLOAT");
        check("boolean", Some("true"), "true");
        check("date", Some("19727"), "'2024-01-05'::DATE");
        check("timestamp_tz", Some("1704412800.000000000 1560"), "'2024-01-05 02:00:00 +02:00'::TIMESTAMP_TZ");
        check("binary", Some("00FF"), "TO_BINARY('00FF', 'HEX')");
        check("text", None, "NULL");
    }

    #[test]
    fn defined_values_are_numbers_or_texts() {
        let check = |value: &str, expected: &str| {
            let mut session = Session::default();
            session.define("x", value);
            assert_eq!(session.prelude("$x"), [format!("SET X = {expected}")]);
        };
        check("12.5", "12.5");
        check("-3", "-3");
        check("007", "'007'");
        check("0", "0");
        check("1e5", "'1e5'");
        check("", "''");
        check("it's", "'it''s'");
    }

    #[test]
    fn the_prelude_holds_what_the_text_may_notice() {
        let mut session = Session::default();
        session.define("x", "1");
        let zone = SessionChange::Parameters(vec!["TIMEZONE".to_owned()]);
        session.note(&zone, "alter session set timezone = 'A'");
        session.note(&zone, "alter session set timezone = 'B'");
        assert_eq!(session.prelude("select 1"), ["alter session set timezone = 'B'"]);
        assert_eq!(session.prelude("select $x").len(), 2);
        session.note(&SessionChange::DroppedParameters(vec!["TIMEZONE".to_owned()]), "");
        session.note(&SessionChange::DroppedVariables(vec!["X".to_owned()]), "");
        assert!(session.prelude("select $x").is_empty());
    }
}
