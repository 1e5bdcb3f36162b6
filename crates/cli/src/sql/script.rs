//! A text as the statements it holds, and what is to be known of each before it is sent.

use firn_sql::command::{AccountCommand, Ddl, Persistence, SecondaryRoles, SessionCommand, Transaction};
use firn_sql::{Command, Failure, ParseLimits, SourceStatement, parse_statement, split_script};

/// Wide: the server has limits of its own.
const LIMITS: ParseLimits =
    ParseLimits { text_bytes_max: usize::MAX, statements_max: usize::MAX - 1, nesting_depth_max: 100 };

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    pub source: SourceStatement,
    pub kind: Kind,
    /// The number of the text that it stands in.
    pub text_number: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Its rows are a result.
    Query,
    /// Rows, or a sentence.
    Other,
    /// BEGIN … END: places of its failures count in it.
    Block,
    /// It changes rows or objects, and says so in words.
    Change,
    /// It changes which objects there are.
    Definition,
    /// What it makes lives as long as the session.
    TemporaryDefinition,
    Session(SessionChange),
    Transaction(Boundary),
    /// The answer holds a secret, which is shown to who asks for it alone.
    Secret,
    /// The server may know it, or says what is wrong with it.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionChange {
    Names,
    SecondaryRoles,
    Variables(Vec<String>),
    DroppedVariables(Vec<String>),
    Parameters(Vec<String>),
    DroppedParameters(Vec<String>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    Begin,
    End,
}

impl Planned {
    pub fn needs_company(&self) -> bool {
        matches!(self.kind, Kind::Session(_) | Kind::Transaction(_))
    }

    pub fn goes_alone(&self) -> bool {
        matches!(self.kind, Kind::Secret | Kind::Unknown)
    }
}

pub fn plan(text: &str) -> Result<Vec<Planned>, Failure> {
    let sources = split_script(text, &LIMITS)?;
    let planned = |source| Planned { kind: kind_of(&source), source, text_number: 0 };
    Ok(sources.into_iter().map(planned).collect())
}

fn kind_of(source: &SourceStatement) -> Kind {
    // Positions are counted from the statement's own beginning.
    let alone = SourceStatement { text: source.text.clone(), line: 1, position: 0 };
    let Ok(statement) = parse_statement(&alone, &LIMITS) else { return Kind::Unknown };
    match statement.command {
        Command::Session(command) => Kind::Session(session_change(command)),
        Command::SetVariables(variables) => Kind::Session(SessionChange::Variables(variables.names)),
        Command::Transaction(Transaction::Begin) => Kind::Transaction(Boundary::Begin),
        Command::Transaction(_) => Kind::Transaction(Boundary::End),
        Command::Account(AccountCommand::AccessToken { .. }) => Kind::Secret,
        Command::Account(_) | Command::Access(_) | Command::Dml(_) | Command::InsertMany(_) | Command::Tags(_) => {
            Kind::Change
        }
        Command::Ddl(ddl) if is_temporary(&ddl) => Kind::TemporaryDefinition,
        Command::Ddl(_) => Kind::Definition,
        Command::Query(_) | Command::Show(_) | Command::Explain(_) => Kind::Query,
        Command::Describe { .. } | Command::DescribeRoutine { .. } => Kind::Query,
        Command::Block(block) if !block.carries_statement => Kind::Block,
        Command::Block(_)
        | Command::Stages(_)
        | Command::Transfer(_)
        | Command::SemanticViews(_)
        | Command::LoginPolicies(_) => Kind::Other,
    }
}

fn is_temporary(ddl: &Ddl) -> bool {
    matches!(ddl, Ddl::CreateTable(table) if table.persistence == Persistence::Temporary)
}

fn session_change(command: SessionCommand) -> SessionChange {
    match command {
        SessionCommand::UseSecondaryRoles(SecondaryRoles::All | SecondaryRoles::None) => SessionChange::SecondaryRoles,
        SessionCommand::SetParameters(pairs) => {
            SessionChange::Parameters(pairs.into_iter().map(|(name, _)| name.to_uppercase()).collect())
        }
        SessionCommand::UnsetParameters(names) => {
            SessionChange::DroppedParameters(names.into_iter().map(|name| name.to_uppercase()).collect())
        }
        SessionCommand::UnsetVariables(names) => SessionChange::DroppedVariables(names),
        SessionCommand::UseDatabase(_)
        | SessionCommand::UseSchema(_)
        | SessionCommand::UseWarehouse(_)
        | SessionCommand::UseRole(_) => SessionChange::Names,
    }
}

/// Whether a text is over, so that it can be sent: after its last statement stands a semicolon, no block and no transaction
/// is open.
pub fn is_complete(text: &str) -> bool {
    let trimmed = text.trim_end();
    if trimmed.is_empty() {
        return true;
    }
    let Ok(planned) = plan(text) else { return false };
    let is_open = planned.iter().fold(false, |is_open, statement| match statement.kind {
        Kind::Transaction(boundary) => boundary == Boundary::Begin,
        _ => is_open,
    });
    // What follows a text that is over is a statement of its own; otherwise it is part of the last one.
    !is_open && plan(&format!("{text}\nX")).is_ok_and(|longer| longer.len() > planned.len())
}

/// `line 2 at position 5` of a message: lines from one, positions from zero.
pub fn place_in(message: &str) -> Option<(u64, u64)> {
    let (_, behind) = message.split_once("line ")?;
    let (line, behind) = behind.split_once(" at position ")?;
    let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
    Some((line.parse().ok()?, digits.parse().ok()?))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn statements_are_told_apart() {
        let check = |text: &str, expected: Kind| assert_eq!(plan(text).unwrap()[0].kind, expected, "{text}");
        check("select 1", Kind::Query);
        check("show tables", Kind::Query);
        check("insert into t values (1)", Kind::Change);
        check("create table t (a int)", Kind::Definition);
        check("create temporary table t (a int)", Kind::TemporaryDefinition);
        check("use schema s", Kind::Session(SessionChange::Names));
        check("set x = 1", Kind::Session(SessionChange::Variables(vec!["X".to_owned()])));
        check("unset x", Kind::Session(SessionChange::DroppedVariables(vec!["X".to_owned()])));
        let parameters = SessionChange::Parameters(vec!["TIMEZONE".to_owned()]);
        check("alter session set timezone = 'UTC'", Kind::Session(parameters));
        check("begin", Kind::Transaction(Boundary::Begin));
        check("alter user u add programmatic access token t", Kind::Secret);
        check("select form where", Kind::Unknown);
        check("begin let x := 1; return x; end", Kind::Block);
        check("call p()", Kind::Other);
    }

    #[test]
    fn a_text_is_complete_when_nothing_is_open() {
        let check = |text: &str, expected: bool| assert_eq!(is_complete(text), expected, "{text}");
        check("", true);
        check("select 1", false);
        check("select 1;", true);
        check("select 1; -- done", true);
        check("select ';", false);
        check("select ';'", false);
        check("select $$ ; $$", false);
        check("/* open ;", false);
        check("begin; insert into t values (1);", false);
        check("begin; insert into t values (1); commit;", true);
        check("begin let x := 1; return x;", false);
        check("begin let x := 1; return x; end;", true);
        check("select 1; select 2", false);
        check("-- only a comment", true);
    }

    #[test]
    fn steps_of_a_block_count_from_where_it_begins() {
        let lines = |text: &str| {
            let source = split_script(text, &LIMITS).unwrap().pop().unwrap();
            match parse_statement(&source, &LIMITS).unwrap().command {
                Command::Block(block) => block.steps.iter().map(|step| (step.line, step.position)).collect::<Vec<_>>(),
                _ => Vec::new(),
            }
        };
        assert_eq!(lines("select 1;\nselect 2;\nbegin\n let x int := 1;\n select 1/0;\nend"), [(2, 1), (3, 1)]);
        assert_eq!(lines("select 1; begin select 1/0; end"), [(1, 6)]);
        let failure = |text: &str| {
            let source = split_script(text, &LIMITS).unwrap().pop().unwrap();
            parse_statement(&source, &LIMITS).unwrap_err().message
        };
        assert!(failure("select 1;\nbegin\n let;\nend").contains("syntax error line 3 at position 4"));
    }

    #[test]
    fn places_are_read_from_messages() {
        let check = |message: &str, expected: Option<(u64, u64)>| assert_eq!(place_in(message), expected, "{message}");
        check("SQL compilation error: error line 2 at position 14 invalid identifier 'X'", Some((2, 14)));
        check("SQL compilation error:\nsyntax error line 1 at position 7 unexpected 'x'.", Some((1, 7)));
        check("Division by zero", None);
    }
}
