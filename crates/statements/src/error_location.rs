//! Where in the text of a request its failure is. The record has the message alone, which names statement, line and
//! position in the contract's words.

use firn_catalog::registry::StatementRecord;
use firn_sql::{ParseLimits, SourceStatement, split_script};

/// Lines and statements count from 1, positions from 0, over the whole text of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorLocation {
    pub statement: u64,
    pub line: u64,
    pub position: u64,
}

const SYNTAX_ERROR: &str = "\nsyntax error line ";
const UNCAUGHT: &str = "Uncaught exception of type ";
const EXPANSION: &str = "\nFailure during expansion of ";

/// Texts that were recorded have passed the limits of their time.
const LIMITS: ParseLimits =
    ParseLimits { text_bytes_max: usize::MAX, statements_max: 1 << 20, nesting_depth_max: usize::MAX };

pub fn of_record(record: &StatementRecord) -> Option<ErrorLocation> {
    let message = &record.ended.as_ref()?.message;
    let (statement, of_statement) = failed_statement(message).unwrap_or((1, message));
    if of_statement.starts_with(UNCAUGHT) {
        return in_block(&record.text, statement, of_statement).or_else(|| {
            in_statement(&sources_of(&record.text), statement, UNCAUGHT).filter(|_| of_statement != message)
        });
    }
    let (found, message) = match failed_statement(message) {
        Some((statement, message)) => (in_statement(&sources_of(&record.text), statement, message), message),
        None => (of_request(&record.text, message), message.as_str()),
    };
    found.filter(|found| place(message).is_none() || is_there(&record.text, found, message))
}

/// Whether the text has what the message names: places in bodies of routines, which are texts inside of it, count there.
fn is_there(text: &str, found: &ErrorLocation, message: &str) -> bool {
    let quoted = ["unexpected '", "invalid identifier '"].iter().find_map(|words| message.split_once(words));
    let Some((named, _)) = quoted.and_then(|(_, rest)| rest.split_once('\'')) else { return true };
    let plain = |text: &str| text.replace('"', "").to_uppercase();
    let named = plain(named.lines().next().unwrap_or(named));
    if named.is_empty() || named.starts_with('<') {
        return true;
    }
    let line = usize::try_from(found.line - 1).ok().and_then(|skipped| text.split('\n').nth(skipped));
    let rest = plain(&line.unwrap_or_default().chars().skip(found.position as usize).collect::<String>());
    let end = rest.find(|each: char| !each.is_alphanumeric() && !"_$.".contains(each)).unwrap_or(rest.len());
    rest.trim_start().starts_with(&named) || rest[..end].ends_with(&named)
}

/// A failure that was noticed before anything ran. Places count over the whole text if they are of syntax errors, or if there
/// is only one statement.
fn of_request(text: &str, message: &str) -> Option<ErrorLocation> {
    let (line, position) = place(message)?;
    let sources = sources_of(text);
    if message.contains(SYNTAX_ERROR) {
        let begun = sources.iter().filter(|source| (source.line, source.position) <= (line, position)).count();
        return Some(ErrorLocation { statement: begun.max(1) as u64, line, position });
    }
    if sources.len() == 1 { in_statement(&sources, 1, message) } else { None }
}

/// A statement's own failure counts from where it begins; without a place its beginning is one.
fn in_statement(sources: &[SourceStatement], statement: u64, message: &str) -> Option<ErrorLocation> {
    let source = sources.get(usize::try_from(statement).ok()?.checked_sub(1)?)?;
    Some(absolute(source, statement, place(message).unwrap_or((1, 0))))
}

/// A place that counts from where the statement begins.
fn absolute(source: &SourceStatement, statement: u64, place: (u64, u64)) -> ErrorLocation {
    let (line, position) = match place {
        (1, position) => (source.line, source.position + position),
        (line, position) => (source.line + line - 1, position),
    };
    ErrorLocation { statement, line, position }
}

fn sources_of(text: &str) -> Vec<SourceStatement> {
    split_script(text, &LIMITS).unwrap_or_default()
}

/// The number and the message in `Execution of multiple statements failed on statement 2 "…": message`.
fn failed_statement(message: &str) -> Option<(u64, &str)> {
    let rest = message.strip_prefix("Execution of multiple statements failed on statement ")?;
    let (number, rest) = rest.split_once(" \"")?;
    // What is quoted is the user's; the place is looked for behind it.
    let message = match rest.rfind(&format!("\": {UNCAUGHT}")) {
        Some(end) => &rest[end + 3..],
        None => rest.rsplit_once("\": SQL ").map_or("", |(_, message)| message),
    };
    Some((number.parse().ok()?, message))
}

/// Where a block that the text is or has failed: inside of its step, where the message tells, else at the beginning of the step. A
/// step that calls or executes a text of its own may have failed in that.
fn in_block(text: &str, statement: u64, message: &str) -> Option<ErrorLocation> {
    const WITH_OTHER_TEXTS: [&str; 2] = ["CALL", "EXECUTE"];
    let sources = sources_of(text);
    let source = sources.get(usize::try_from(statement).ok()?.checked_sub(1)?)?;
    let code = source.code().to_ascii_uppercase();
    let mut words = code.split(|each: char| !each.is_alphanumeric() && each != '_').filter(|word| !word.is_empty());
    let is_block =
        matches!(words.next(), Some("BEGIN" | "DECLARE")) && !words.any(|word| WITH_OTHER_TEXTS.contains(&word));
    let (heading, rest) = message.split_once(" : ")?;
    let (line, position) = two_numbers(heading.split_once("' on line ")?.1)?;
    let step = is_block.then(|| absolute(source, statement, (line, position)))?;
    let Some((inner_line, inner_position)) = place(rest).filter(|_| message.contains("'STATEMENT_ERROR'")) else {
        return Some(step);
    };
    let inner = match inner_line {
        1 => absolute(source, statement, (line, position + inner_position)),
        _ => absolute(source, statement, (line + inner_line - 1, inner_position)),
    };
    Some(if is_there(text, &inner, rest) { inner } else { step })
}

/// The first `line 1 at position 7` of the message's heading. Those of statements in blocks, and of what views and functions
/// expand to, are places in other texts.
fn place(message: &str) -> Option<(u64, u64)> {
    if message.starts_with(UNCAUGHT) || message.contains(EXPANSION) {
        return None;
    }
    two_numbers(message.split_once("error line ")?.1)
}

/// Of `1 at position 7`, with which the text begins.
fn two_numbers(text: &str) -> Option<(u64, u64)> {
    let (line, rest) = text.split_once(" at position ")?;
    let digits = rest.find(|each: char| !each.is_ascii_digit()).unwrap_or(rest.len());
    let line = line.parse().ok().filter(|line| *line > 0)?;
    Some((line, rest[..digits].parse().ok()?))
}

#[cfg(test)]
mod tests {
    use firn_catalog::registry::{EndState, Ended, Sender};
    use uuid::Uuid;

    use super::*;

    fn check(text: &str, message: &str, expected: Option<(u64, u64, u64)>) {
        let ended = Ended {
            finished_on_ms: 0,
            expires_on_ms: 0,
            state: EndState::Failed,
            code: String::new(),
            sql_state: String::new(),
            message: message.to_owned(),
            result: None,
            reads: None,
            profile: None,
            queued_ms: 0,
        };
        let record = StatementRecord {
            handle: Uuid::nil(),
            user_id: 1,
            request_id: None,
            parent: None,
            children: Vec::new(),
            created_on_ms: 0,
            text: text.to_owned(),
            query_tag: None,
            sender: Sender::User,
            session: None,
            role: String::new(),
            warehouse: None,
            database: None,
            schema: None,
            ended: Some(ended),
        };
        let found = of_record(&record).map(|found| (found.statement, found.line, found.position));
        assert_eq!(found, expected, "{text}\n{message}");
    }

    #[test]
    fn places_count_over_the_whole_request() {
        let unknown = "SQL compilation error: error line 1 at position 7\ninvalid identifier 'X'";
        let set = |number: u64, message: &str| {
            format!(
                "Execution of multiple statements failed on statement {number} \"select x\": {message} (000904/42000)"
            )
        };
        check("select x", unknown, Some((1, 1, 7)));
        check("\n  select x", &unknown.replace("line 1 at position 7", "line 2 at position 9"), Some((1, 2, 9)));
        check("/* a */ select x", &unknown.replace("position 7", "position 15"), Some((1, 1, 15)));
        check("select 1; select x", unknown, None);
        check("select x", "Division by zero", None);
        check("select 1;\n  select x", &set(2, unknown), Some((2, 2, 9)));
        check(
            "select 1;\n  select\n x",
            &set(2, &unknown.replace("line 1 at position 7", "line 2 at position 1")),
            Some((2, 3, 1)),
        );
        check("select 1;\n  select 1/0", &set(2, "SQL execution error: Division by zero"), Some((2, 2, 2)));
        let syntax = "SQL compilation error:\nsyntax error line 2 at position 2 unexpected 'selec'.";
        check("select 1;\n  selec x", syntax, Some((2, 2, 2)));
        // Places in other texts.
        let uncaught =
            |inner: &str| format!("Uncaught exception of type 'STATEMENT_ERROR' on line 1 at position 6 : {inner}");
        check("begin select x; end", &uncaught(unknown), Some((1, 1, 13)));
        check("begin select 1/0; end", &uncaught("Division by zero"), Some((1, 1, 6)));
        check("select 1;\n  begin select x; end", &set(2, &uncaught(unknown)), Some((2, 2, 15)));
        check("begin call p(); end", &uncaught(unknown), None);
        check("execute immediate 'selec x'", &uncaught(&syntax.replace("line 2", "line 1")), None);
        check("select 1;\n  call p()", &set(2, &uncaught(unknown)), Some((2, 2, 2)));
        let expanded = "SQL compilation error:\nFailure during expansion of view 'V': SQL compilation error: error line 1 at position 7\n\
                        invalid identifier 'X'";
        check("select * from v", expanded, None);
        check("create procedure p() returns int as $$ selec 1 $$", &syntax.replace("line 2", "line 1"), None);
        check("select nothing from t", &unknown.replace("'X'", "'Y'"), None);
        check("select t.\"x y\" from t", &unknown.replace("'X'", "'T.\"x y\"'"), Some((1, 1, 7)));
        // A text that looks like a place is no place.
        check("select 1; select 'error line 9 at position 9'", &set(2, "Division by zero"), Some((2, 1, 10)));
    }
}
