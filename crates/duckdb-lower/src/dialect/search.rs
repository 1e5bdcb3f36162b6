//! SEARCH and SEARCH_IP: the searched columns become the last arguments.

use firn_sql::Failure;
use firn_sql::ast::Expr;

use super::build::{call, cast, null};
use super::literal_values::text_of;

pub(super) fn rewrite(name: &str, arguments: &[Expr]) -> Result<Option<Expr>, Failure> {
    let (searched, wanted, rest) = match (name, arguments) {
        ("SEARCH" | "SEARCH_IP", [searched, wanted, rest @ ..]) => (searched, wanted, rest),
        _ => return Ok(None),
    };
    if text_of(wanted).is_none() && *wanted != null() {
        return Err(Failure::unsupported(&format!("{name} for anything but a literal text")));
    }
    let mut given = vec![cast(wanted.clone(), "VARCHAR")];
    match (name, rest) {
        ("SEARCH", [] | [_] | [_, _]) => {
            if rest.first().and_then(text_of).is_some_and(|analyzer| analyzer.eq_ignore_ascii_case("UNICODE_ANALYZER"))
            {
                return Err(Failure::unsupported("UNICODE_ANALYZER"));
            }
            given.extend((0..2).map(|place| cast(rest.get(place).cloned().unwrap_or_else(null), "VARCHAR")));
        }
        ("SEARCH_IP", []) => {}
        _ => return Err(Failure::unsupported(&format!("{name} with so many arguments"))),
    }
    match searched {
        Expr::Tuple(columns) => given.extend(columns.iter().cloned()),
        Expr::Nested(column) => given.push((**column).clone()),
        column => given.push(column.clone()),
    }
    let engine_name = if name == "SEARCH" { "firn_search" } else { "firn_search_ip" };
    Ok(Some(call(engine_name, given)))
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn what_is_searched_comes_last() {
        check(
            "SELECT SEARCH((a, b), 'x')",
            "SELECT firn_search(CAST('x' AS VARCHAR), CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR), a, b)",
        );
        check("SELECT SEARCH_IP(a, '10.0.0.1')", "SELECT firn_search_ip(CAST('10.0.0.1' AS VARCHAR), a)");
    }
}
