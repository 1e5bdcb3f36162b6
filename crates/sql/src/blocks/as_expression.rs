//! The block of a function as one expression: its variables are what was assigned to them, and its branches are CASEs.
//! Loops, statements and exceptions are refused by name.

use std::collections::HashMap;

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::variable_names::{after_dot, name, takes_value};
use super::{Action, Assigned, Block, Declaration, DeclaredKind, Fragment, Returned, Step};
use crate::Failure;
use crate::data_types::{DataType, type_in_tree};
use crate::source_map::SourceMap;
use crate::tokens::{is_word, tokenize};

/// Branches double what follows them, so the text has its limit.
const BYTES_MAX: usize = 200_000;

/// The expression that a block returns; names that it does not declare stay as they are.
pub(crate) fn expression_of(block: &Block) -> Result<String, Failure> {
    let text = of_block(block, &Rest::End, Variables::default())?;
    Ok(format!("({text})"))
}

/// The type and the value of each variable.
type Variables = HashMap<String, (Option<DataType>, String)>;

/// The steps that follow once those of a branch are done.
enum Rest<'a> {
    End,
    Then(&'a [Step], &'a Rest<'a>),
}

fn refused(what: &str) -> Failure {
    Failure::unsupported(&format!("{what} in the block of a function"))
}

fn of_block(block: &Block, rest: &Rest<'_>, mut variables: Variables) -> Result<String, Failure> {
    if !block.handlers.is_empty() {
        return Err(refused("EXCEPTION"));
    }
    for declaration in &block.declarations {
        declare(declaration, &mut variables)?;
    }
    of_steps(&block.steps, rest, variables)
}

fn of_steps(steps: &[Step], rest: &Rest<'_>, mut variables: Variables) -> Result<String, Failure> {
    let Some((step, others)) = steps.split_first() else {
        return match rest {
            Rest::End => Ok("NULL".to_owned()),
            Rest::Then(steps, rest) => of_steps(steps, rest, variables),
        };
    };
    let then = Rest::Then(others, rest);
    match &step.action {
        Action::Nothing => {}
        Action::Declare(declaration) => declare(declaration, &mut variables)?,
        Action::Assign { name, value: Assigned::Expression(value) } => assign(name, value, &mut variables)?,
        Action::Return(Returned::Nothing) => return Ok("NULL".to_owned()),
        Action::Return(Returned::Expression(value)) => return with_values(value, &variables),
        Action::Nested(block) => return of_block(block, &then, variables),
        Action::If { branches, otherwise } => return of_branches(None, branches, otherwise, &then, &variables),
        Action::Case { operand, branches, otherwise: Some(otherwise) } => {
            return of_branches(operand.as_ref(), branches, otherwise, &then, &variables);
        }
        other => return Err(refused(word_for(other))),
    }
    of_steps(others, rest, variables)
}

fn word_for(action: &Action) -> &'static str {
    match action {
        Action::ForRange { .. } | Action::ForRows { .. } => "FOR",
        Action::While { .. } => "WHILE",
        Action::Loop(_) => "LOOP",
        Action::Repeat { .. } => "REPEAT",
        Action::Raise(_) => "RAISE",
        Action::Case { .. } => "CASE without ELSE",
        Action::Open { .. } | Action::Fetch { .. } | Action::Close(_) => "a cursor",
        _ => "a statement",
    }
}

fn declare(declaration: &Declaration, variables: &mut Variables) -> Result<(), Failure> {
    let DeclaredKind::Variable { data_type, value } = &declaration.kind else {
        return Err(refused("what is no variable"));
    };
    if variables.contains_key(&declaration.name) {
        return Err(refused("a second variable of one name"));
    }
    let value = match value {
        Some(value) => with_values(value, variables)?,
        None => "NULL".to_owned(),
    };
    set(&declaration.name, data_type.clone(), &value, variables)
}

fn assign(name: &str, value: &Fragment, variables: &mut Variables) -> Result<(), Failure> {
    let value = with_values(value, variables)?;
    let data_type = variables.get(name).and_then(|(data_type, _)| data_type.clone());
    set(name, data_type, &value, variables)
}

fn set(name: &str, data_type: Option<DataType>, value: &str, variables: &mut Variables) -> Result<(), Failure> {
    let text = match &data_type {
        Some(data_type) => format!("CAST(({value}) AS {})", type_in_tree(data_type)),
        None => format!("({value})"),
    };
    variables.insert(name.to_owned(), (data_type, limited(text)?));
    Ok(())
}

fn limited(text: String) -> Result<String, Failure> {
    if text.len() > BYTES_MAX { Err(refused("so many branches")) } else { Ok(text) }
}

fn of_branches(
    operand: Option<&Fragment>,
    branches: &[(Fragment, Vec<Step>)],
    otherwise: &[Step],
    then: &Rest<'_>,
    variables: &Variables,
) -> Result<String, Failure> {
    let operand = operand.map(|operand| with_values(operand, variables)).transpose()?;
    let mut text = "CASE".to_owned();
    for (condition, steps) in branches {
        let condition = with_values(condition, variables)?;
        let condition = match &operand {
            Some(operand) => format!("({operand}) = ({condition})"),
            None => condition,
        };
        let value = of_steps(steps, then, variables.clone())?;
        text = limited(format!("{text} WHEN {condition} THEN ({value})"))?;
    }
    let value = of_steps(otherwise, then, variables.clone())?;
    limited(format!("{text} ELSE ({value}) END"))
}

/// A text with the values of the variables it names.
fn with_values(source: &Fragment, variables: &Variables) -> Result<String, Failure> {
    let tokens = tokenize(source)?;
    if tokens.iter().any(|token| is_word(&token.token, "SELECT")) {
        return Err(refused("a query"));
    }
    let map = SourceMap::new(source);
    let is_space = |token: &TokenWithSpan| matches!(token.token, Token::Whitespace(_));
    let mut text = String::new();
    let mut before: Option<&Token> = None;
    for (index, token) in tokens.iter().enumerate() {
        if is_space(token) {
            text.push(' ');
            continue;
        }
        let next = tokens[index + 1..].iter().find(|token| !is_space(token)).map_or(&Token::EOF, |next| &next.token);
        let begins_variable = token.token == Token::Colon && takes_value(before);
        let is_plain = !after_dot(before) && !matches!(next, Token::LParen | Token::Period);
        let value = name(token).filter(|_| is_plain).and_then(|name| variables.get(&name));
        match value {
            _ if begins_variable => {}
            Some((_, value)) => text.push_str(value),
            None => text.push_str(map.slice(token.span.start, token.span.end)),
        }
        before = if begins_variable { None } else { Some(&token.token) };
    }
    limited(text)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::expression_of;
    use crate::blocks::parse;
    use crate::source::SourceStatement;

    fn check(block: &str, expected: &str) {
        let source = SourceStatement { text: block.to_owned(), line: 1, position: 0 };
        let found = expression_of(&parse(&source).unwrap());
        assert_eq!(found.unwrap_or_else(|failure| failure.message), expected, "{block}");
    }

    #[test]
    fn blocks_are_expressions() {
        check("BEGIN RETURN a + 1; END", "(a + 1)");
        check("DECLARE r INT; BEGIN r := :a * 2; RETURN r; END", "(CAST((a * 2) AS BIGINT))");
        check(
            "BEGIN LET x := 1; IF (a > x) THEN RETURN 'big'; END IF; RETURN 'small'; END",
            "(CASE WHEN (a > (1)) THEN ('big') ELSE ('small') END)",
        );
        check(
            "BEGIN CASE (a) WHEN 1 THEN RETURN 'one'; ELSE RETURN 'more'; END CASE; END",
            "(CASE WHEN ((a)) = (1) THEN ('one') ELSE ('more') END)",
        );
        check("BEGIN LET x := 1; END", "(NULL)");
        check("BEGIN FOR i IN 1 TO 3 DO NULL; END FOR; END", "Unsupported feature 'FOR in the block of a function'.");
        check("BEGIN RETURN (SELECT 1); END", "Unsupported feature 'a query in the block of a function'.");
    }
}
