//! A statement's failure as the caller sees it: the contract's code, its SQL state and a message.

/// Why a statement cannot be processed. Every failure is a user error; internal errors have an error type in the crate
/// that detects them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    pub code: &'static str,
    pub sql_state: &'static str,
    pub message: String,
}

impl Failure {
    pub fn new(code: &'static str, sql_state: &'static str, message: impl Into<String>) -> Self {
        Self { code, sql_state, message: message.into() }
    }

    /// `line` and `position` as the contract counts them: lines from 1, positions from 0.
    pub fn syntax(line: u64, position: u64, unexpected: &str) -> Self {
        Self::new(
            "001003",
            "42000",
            format!(
                "SQL compilation error:\nsyntax error line {line} at position {position} unexpected '{unexpected}'."
            ),
        )
    }

    /// The same message for an object that does not exist and one the caller is not authorised to see.
    /// Tables and views have a state of their own.
    pub fn missing_object(kind: &str, name: &str) -> Self {
        Self::new(
            "002003",
            if matches!(kind, "Object" | "Table" | "View" | "Semantic view") { "42S02" } else { "02000" },
            format!("SQL compilation error:\n{kind} '{name}' does not exist or not authorized."),
        )
    }

    /// A statement larger than one of the limits of the parser or the planner.
    pub fn limit_exceeded(what: &str, limit: usize) -> Self {
        Self::new("000603", "54001", format!("SQL compilation error: {what} exceeds {limit}."))
    }

    pub fn already_exists(name: &str) -> Self {
        Self::new("002002", "42710", format!("SQL compilation error:\nObject '{name}' already exists."))
    }

    pub fn unknown_function(name: &str) -> Self {
        Self::new("002139", "42601", format!("SQL compilation error:\nUnknown function {name}"))
    }

    pub fn unknown_table_function(name: &str) -> Self {
        Self::new("002141", "42601", format!("SQL compilation error:\nUnknown table function {name}"))
    }

    /// With the place in the statement that it is about; lines count from one, and line 0 is no place.
    pub fn at(mut self, line: u64, position: u64) -> Self {
        const HEADING: &str = "SQL compilation error:\n";
        if let Some(rest) = self.message.strip_prefix(HEADING).filter(|_| line > 0) {
            self.message = format!("{} error line {line} at position {position}\n{rest}", HEADING.trim_end());
        }
        self
    }

    /// A statement or clause the dialect knows and this server does not offer.
    pub fn unsupported(feature: &str) -> Self {
        Self::new("000002", "0A000", format!("Unsupported feature '{feature}'."))
    }

    /// A method of one of the vendor's classes.
    pub fn method(name: &str) -> Self {
        Self::unsupported(&format!("method {}() of a class", name.to_uppercase()))
    }

    /// A command that makes no sense, or is not allowed, over this interface.
    pub fn not_over_the_api(command: &str) -> Self {
        Self::new("391911", "0A000", format!("Command not supported by SQL API: {command}"))
    }

    pub fn invalid_value(what: &str, value: &str, way_out: &str) -> Self {
        Self::new("001007", "22023", format!("SQL compilation error:\ninvalid value [{value}] for {what}; {way_out}"))
    }

    /// A change in the server's own database.
    pub fn read_only_database(name: &str) -> Self {
        Self::new(
            "003001",
            "42501",
            format!(
                "SQL access control error:\nDatabase '{name}' belongs to the server: nothing in it can be created, changed, \
                 dropped or granted. Grant IMPORTED PRIVILEGES on it or one of its database roles to let a role read it."
            ),
        )
    }

    pub fn insufficient_privileges(kind: &str, name: &str) -> Self {
        Self::new(
            "003001",
            "42501",
            format!("SQL access control error:\nInsufficient privileges to operate on {kind} '{name}'."),
        )
    }
}
