//! Calls with too few or too many arguments.

use super::FunctionEntry;
use crate::Failure;
use crate::ast::{Function, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectNamePart};

/// Refuses a call with too few or too many arguments.
pub(crate) fn check(entry: &FunctionEntry, function: &Function) -> Result<(), Failure> {
    let Some(given) = count(function) else { return Ok(()) };
    let (fewest, most) = entry.arity_of(given);
    let (code, message) = if given < fewest {
        ("000938", format!("not enough arguments for function [{function}], expected {fewest}, got {given}"))
    } else if given > most {
        ("000939", format!("too many arguments for function [{function}] expected {most}, got {given}"))
    } else {
        return Ok(());
    };
    Err(Failure::new(code, "22023", format!("SQL compilation error:{}\n{message}", place(function))))
}

/// `None` where a wildcard stands for any number of them.
fn count(function: &Function) -> Option<usize> {
    let is_expression = |argument: &FunctionArg| match argument {
        FunctionArg::Unnamed(value)
        | FunctionArg::Named { arg: value, .. }
        | FunctionArg::ExprNamed { arg: value, .. } => {
            matches!(value, FunctionArgExpr::Expr(_))
        }
    };
    match &function.args {
        FunctionArguments::List(list) => list.args.iter().all(is_expression).then_some(list.args.len()),
        _ => None,
    }
}

/// Where the call is written, if it is.
fn place(function: &Function) -> String {
    let start = match function.name.0.first() {
        Some(ObjectNamePart::Identifier(name)) => name.span.start,
        _ => return String::new(),
    };
    match start.column.checked_sub(1) {
        Some(position) if start.line > 0 => format!(" error line {} at position {position}", start.line),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::function_checks::check_functions;
    use crate::testing::parse;

    #[test]
    fn calls_have_as_many_arguments_as_they_take() {
        for (text, expected) in [
            (
                "select upper()",
                "SQL compilation error: error line 1 at position 7\nnot enough arguments for function [UPPER()], expected 1, got 0",
            ),
            (
                "select iff(true, 1)",
                "SQL compilation error: error line 1 at position 7\nnot enough arguments for function [IFF(true, 1)], expected 3, got 2",
            ),
            (
                "select uuid_string('a')",
                "SQL compilation error: error line 1 at position 7\nnot enough arguments for function [UUID_STRING('a')], expected 2, got 1",
            ),
            (
                "select current_user(1)",
                "SQL compilation error: error line 1 at position 7\ntoo many arguments for function [CURRENT_USER(1)] expected 0, got 1",
            ),
            ("select last_query_id('x')", "Numeric value 'x' is not recognized"),
            (
                "select 1, upper('a', 'b')",
                "SQL compilation error: error line 1 at position 10\ntoo many arguments for function [UPPER('a', 'b')] expected 1, got 2",
            ),
        ] {
            let failure = parse(text).and_then(|statement| check_functions(&statement)).err();
            assert_eq!(failure.map(|failure| failure.message).as_deref(), Some(expected), "{text}");
        }
    }
}
