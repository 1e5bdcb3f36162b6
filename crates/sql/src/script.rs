//! From a request's text to its statements. Splitting works on tokens, so semicolons inside
//! strings, quoted names, `$$` bodies and comments are left alone.

mod to_query;

use sqlparser::tokenizer::{Location, Token, TokenWithSpan};

use crate::blocks::{self, split};
use crate::command::{Ddl, RoutineKind};
use crate::names::display_identifier;
use crate::nesting::Chains;
use crate::parse;
use crate::reader::{Reader, name_parts_of};
use crate::source::{ParseLimits, SourceStatement};
use crate::source_map::SourceMap;
use crate::tokens::{is_space, is_system_call, is_word, tokenize};
use crate::{
    Command, Failure, Statement, Substitutes, ast, build, clause_tokens, determinism, file_transfers, naming, nesting,
    new_names, normalize, normalize_tokens, stage_tokens, trailing_commas,
};

/// The statements of a request in order; empty ones are dropped. The text of an only one has what is written before it, so
/// that all of its places count over the request.
pub fn split_script(text: &str, limits: &ParseLimits) -> Result<Vec<SourceStatement>, Failure> {
    if text.len() > limits.text_bytes_max {
        let message = format!("SQL text of {} bytes is longer than the {} allowed", text.len(), limits.text_bytes_max);
        return Err(Failure::new("000603", "54000", format!("SQL compilation error: {message}.")));
    }
    if let Some(only) = plainly_one(text) {
        return Ok(vec![only]);
    }
    if file_transfers::is_file_transfer(text) {
        return Ok(vec![SourceStatement { text: text.to_owned(), line: 1, position: 0 }]);
    }
    let whole = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
    let tokens = tokenize(&whole)?;
    let map = SourceMap::new(&whole);
    let mut statements: Vec<_> = split::statements(&tokens)
        .into_iter()
        .filter_map(|tokens| statement_of(tokens, &map))
        .take(limits.statements_max + 1)
        .collect();
    if let [only] = statements.as_mut_slice() {
        extend_to_start(only, &tokens, &map);
    }
    if statements.len() > limits.statements_max {
        let message = format!("SQL compilation error: more than {} statements in one request.", limits.statements_max);
        return Err(Failure::new("000603", "54000", message));
    }
    Ok(statements)
}

/// Adds the comments and blanks before a statement, if nothing else is before it.
fn extend_to_start(statement: &mut SourceStatement, tokens: &[TokenWithSpan], map: &SourceMap<'_>) {
    let Some(first) = tokens.iter().find(|token| !is_space(token)) else { return };
    if map.in_request(first.span.start) == (statement.line, statement.position) {
        let before = map.slice(Location { line: 1, column: 1 }, first.span.start);
        *statement = SourceStatement { text: format!("{before}{}", statement.text), line: 1, position: 0 };
    }
}

/// The statement of a text that has neither comments nor semicolons but a last one. Most requests are
/// such a text, and need not be read twice.
fn plainly_one(text: &str) -> Option<SourceStatement> {
    const SPACES: [char; 4] = [' ', '\t', '\n', '\r'];
    let end = text.trim_end_matches(SPACES);
    let end = end.strip_suffix(';').unwrap_or(end).trim_end_matches(SPACES);
    let statement = end.trim_start_matches(SPACES);
    let is_plain = !statement.contains(';') && !["--", "//", "/*"].iter().any(|comment| statement.contains(comment));
    if statement.is_empty() || !is_plain {
        return None;
    }
    Some(SourceStatement { text: end.to_owned(), line: 1, position: 0 })
}

fn statement_of(tokens: &[TokenWithSpan], map: &SourceMap<'_>) -> Option<SourceStatement> {
    let is_code = |token: &&TokenWithSpan| !matches!(token.token, Token::Whitespace(_) | Token::EOF);
    let first = tokens.iter().find(is_code)?;
    let last = tokens.iter().rev().find(is_code)?;
    let (line, position) = map.in_request(first.span.start);
    Some(SourceStatement { text: map.slice(first.span.start, last.span.end).to_owned(), line, position })
}

/// Parses and classifies one statement, admits only what the dialect has, and gives every unnamed
/// column of its queries the contract's name.
pub fn parse_statement(source: &SourceStatement, limits: &ParseLimits) -> Result<Statement, Failure> {
    parse_with(source, limits, Substitutes::default())
}

/// As `parse_statement`, with values for variables and placeholders.
pub fn parse_with(
    source: &SourceStatement,
    limits: &ParseLimits,
    substitutes: Substitutes<'_>,
) -> Result<Statement, Failure> {
    if let Some(transfer) = file_transfers::read(source, substitutes.bindings) {
        return Ok(Statement::new(source.code(), Command::Transfer(Box::new(transfer?))));
    }
    let tokens = tokenize(source)?;
    if !is_system_call(&tokens)
        && let Some(block) = blocks::of_tokens(&tokens, source, substitutes.bindings)?
    {
        return Ok(Statement::new(source.code(), Command::Block(Box::new(block))));
    }
    parse_tokens(tokens, source, limits, substitutes)
}

/// As `parse_with`, from tokens, some of which may have been substituted.
pub(crate) fn parse_tokens(
    tokens: Vec<TokenWithSpan>,
    source: &SourceStatement,
    limits: &ParseLimits,
    substitutes: Substitutes<'_>,
) -> Result<Statement, Failure> {
    parse_as(tokens, source, limits, substitutes, parse::command)
}

/// An expression alone, as the query that `query_of` makes of it.
pub(crate) fn parse_expression(
    tokens: Vec<TokenWithSpan>,
    source: &SourceStatement,
    limits: &ParseLimits,
    substitutes: Substitutes<'_>,
    query_of: impl Fn(ast::Expr) -> Result<Box<ast::Query>, Failure>,
) -> Result<Statement, Failure> {
    parse_as(tokens, source, limits, substitutes, |reader| {
        let expression = reader.expression()?;
        reader.expect_end()?;
        query_of(expression).map(Command::Query)
    })
}

/// Whether a text is one expression and nothing more.
pub fn check_expression_text(text: &str, limits: &ParseLimits) -> Result<(), Failure> {
    if text.len() > limits.text_bytes_max {
        return Err(Failure::invalid_value("an expression", "", "it is too long"));
    }
    expression_of_text(text, limits).map(drop)
}

/// The expression that a text is, with only what the dialect has.
pub fn expression_of_text(text: &str, limits: &ParseLimits) -> Result<ast::Expr, Failure> {
    let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
    let alone = |expression| build::select(vec![expression]);
    let statement = parse_expression(tokenize(&source)?, &source, limits, Substitutes::default(), alone)?;
    if let Command::Query(query) = statement.command
        && let ast::SetExpr::Select(select) = *query.body
        && let Some(ast::SelectItem::ExprWithAlias { expr, .. }) = select.projection.into_iter().next()
    {
        return Ok(expr);
    }
    Err(Failure::invalid_value("an expression", text, "it is none"))
}

fn parse_as(
    tokens: Vec<TokenWithSpan>,
    source: &SourceStatement,
    limits: &ParseLimits,
    substitutes: Substitutes<'_>,
    command_of: impl Fn(&mut Reader<'_>) -> Result<Command, Failure>,
) -> Result<Statement, Failure> {
    let mut tokens = stage_tokens::prepare(substitutes.rules.prepare(tokens), source);
    // Whitespace ends the name of a stage, and has no other meaning.
    tokens.retain(|token| !matches!(token.token, Token::Whitespace(_)));
    let prepared = substitutes.prepare(normalize_tokens::prepare(tokens))?;
    let tokens = clause_tokens::prepare(prepared.tokens, source)?;
    let chains = nesting::check(&tokens, limits.nesting_depth_max)?;
    trailing_commas::refuse(&tokens, source)?;
    let mut reader = Reader::new(tokens, source, limits.nesting_depth_max);
    reader.timestamps = substitutes.rules.timestamps;
    let mut command = command_of(&mut reader)?;
    new_names::check(&command)?;
    if let Command::Ddl(Ddl::CreateRoutine { routine, .. }) = &command
        && routine.kind == RoutineKind::Function
    {
        blocks::check_function(routine)?;
    }
    if chains == Chains::Long {
        normalize::balance_chains(&mut command)?;
    }
    let tokens = reader.into_tokens();
    substitutes.rules.apply(&mut command)?;
    let unfinished = substitutes.variables.is_none().then(|| source.clone());
    let (rules, has_variables) = (substitutes.rules, prepared.has_variables);
    let mut statement = Statement { unfinished, rules, has_variables, ..Statement::new(source.code(), command) };
    naming::name_outputs(&mut statement, &tokens, source)?;
    if statement.mentions("TO_QUERY") {
        to_query::expand(&mut statement.command)?;
    }
    normalize::admit(&mut statement)?;
    statement.deterministic = determinism::has_stable_result(&statement);
    Ok(statement)
}

/// The parts of a name written in a text, as in `'db.schema."t"'`.
pub fn names_in_text(text: &str) -> Result<Vec<String>, Failure> {
    name_parts_of(text)
}

/// A column's default as people write it: `DB.SCHEMA.SEQ.NEXTVAL`, where the tree has a call.
pub fn shown_default(default: &str) -> String {
    const CALL: &str = "NEXTVAL('";
    let mut shown = String::new();
    let mut rest = default;
    while let Some((before, after)) = rest.split_once(CALL) {
        let named = after.split_once("')").and_then(|(name, after)| Some((name_parts_of(name).ok()?, after)));
        let Some((parts, after)) = named else { break };
        let parts: Vec<String> = parts.iter().map(|part| display_identifier(part)).collect();
        shown.push_str(before);
        shown.push_str(&format!("{}.NEXTVAL", parts.join(".")));
        rest = after;
    }
    shown + rest
}

/// Whether the query of a view names session variables, by the text of the statement that makes it.
pub fn has_variables_in_view(text: &str) -> Result<bool, Failure> {
    if !text.contains('$') {
        return Ok(false);
    }
    let source = SourceStatement { text: view_query_text(text).to_owned(), line: 1, position: 0 };
    Ok(Substitutes::default().prepare(tokenize(&source)?)?.has_variables)
}

/// The query of a view, from the text of the statement that made it.
pub fn view_query_text(text: &str) -> &str {
    let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
    let Ok(tokens) = tokenize(&source) else { return text };
    let mut depth = 0_usize;
    for token in &tokens {
        match &token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            word if depth == 0 && is_word(word, "AS") => {
                let end = SourceMap::new(&source).offset(token.span.end);
                return text.get(end..).unwrap_or_default().trim();
            }
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;

    #[test]
    fn the_short_way_to_one_statement_finds_what_the_long_way_finds() {
        let limits = ParseLimits { text_bytes_max: 1_000, statements_max: 10, nesting_depth_max: 10 };
        for text in ["select 1", "  select 1 ; \n", "\n\t select\r\n'a b'\n", "\r select 'é'  ;", "select $$a$$;"] {
            let short = plainly_one(text).unwrap();
            let long = split_script(&format!("{text}/**/"), &limits).unwrap();
            assert_eq!(vec![short], long, "{text:?}");
        }
        for text in
            ["", " ; ", "select 1; select 2", "select 1 -- x", "select ';'", ";;", "/* a */ select 1", "// a\nb"]
        {
            assert_eq!(plainly_one(text), None, "{text:?}");
        }
    }

    const LIMITS: ParseLimits = ParseLimits { text_bytes_max: 1_000, statements_max: 4, nesting_depth_max: 20 };

    fn check(text: &str, expected: &[(&str, u64, u64)]) {
        let statements = split_script(text, &LIMITS).unwrap();
        let found: Vec<_> = statements.iter().map(|s| (s.text.as_str(), s.line, s.position)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn splits_on_semicolons_between_statements_only() {
        check("select 1", &[("select 1", 1, 0)]);
        check("select 1;", &[("select 1", 1, 0)]);
        check(" ; ;select 1;;\n  select 2 ;", &[("select 1", 1, 4), ("select 2", 2, 2)]);
        check("select ';' ; select \"a;b\"", &[("select ';'", 1, 0), ("select \"a;b\"", 1, 13)]);
        check("select $$a;b$$; select 2", &[("select $$a;b$$", 1, 0), ("select 2", 1, 16)]);
        check("-- a;b\nselect 1 /* ; */ ; // c;d\n select 2", &[("select 1", 2, 0), ("select 2", 3, 1)]);
        check("select 'it''s;' ; select 'a\\';b'", &[("select 'it''s;'", 1, 0), ("select 'a\\';b'", 1, 18)]);
        check("select 'é' ; select 'ü'", &[("select 'é'", 1, 0), ("select 'ü'", 1, 13)]);
        check(" \n/* a */ select 1 -- b", &[(" \n/* a */ select 1", 1, 0)]);
        check("; /* a */ select 1", &[("select 1", 1, 10)]);
        check("-- nothing", &[]);
        check("", &[]);
    }

    #[test]
    fn defaults_and_views_are_shown_as_they_were_written() {
        assert_eq!(shown_default("1 + NEXTVAL('\"D\".\"PUBLIC\".\"a b\"') * 2"), "1 + D.PUBLIC.\"a b\".NEXTVAL * 2");
        assert_eq!(shown_default("'x'"), "'x'");
        let text = "create view v (a comment 'as is') comment = 'as' as\n select 1 as a";
        assert_eq!(view_query_text(text), "select 1 as a");
    }

    #[test]
    fn limits_hold() {
        assert_eq!(split_script("a;b;c;d;e", &LIMITS).unwrap_err().code, "000603");
        assert_eq!(split_script(&"x".repeat(1_001), &LIMITS).unwrap_err().code, "000603");
        assert!(split_script("a;b;c;d;", &LIMITS).is_ok());
    }

    #[test]
    fn an_unfinished_string_is_a_syntax_error() {
        let failure = split_script("select 1;\nselect 'abc", &LIMITS).unwrap_err();
        assert_eq!(failure.code, "001003");
        assert!(failure.message.contains("line 2 at position 7"), "{}", failure.message);
    }
}
