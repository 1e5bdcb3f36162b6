//! An aggregate over some of the rows only: whatever it aggregates is absent in the others. A metric may be made of several
//! aggregates, and the condition goes into each of them.

/// Aggregates of one argument that skip what is absent.
const AGGREGATES: [&str; 14] = [
    "SUM",
    "AVG",
    "MIN",
    "MAX",
    "MEDIAN",
    "COUNT",
    "COUNT_IF",
    "STDDEV",
    "STDDEV_SAMP",
    "STDDEV_POP",
    "VARIANCE",
    "VAR_SAMP",
    "VAR_POP",
    "APPROX_COUNT_DISTINCT",
];

/// The expression with each of its aggregates over the rows with the condition; `None` where one of them cannot be.
#[must_use]
pub fn over_rows_with(expression: &str, condition: &str) -> Option<String> {
    let mut text = String::with_capacity(expression.len() + condition.len() + 32);
    let mut rest = expression;
    let mut is_restricted = false;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' | '"' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            _ if is_of_name(first) => rest.find(|other| !is_of_name(other)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (piece, behind) = rest.split_at(length);
        text.push_str(piece);
        rest = behind;
        if is_of_name(first) && rest.starts_with('(') {
            let end = closing(rest)?;
            if AGGREGATES.contains(&piece.to_ascii_uppercase().as_str()) {
                text.push_str(&format!("({})", argument_with(&rest[1..end], condition)?));
                rest = &rest[end + 1..];
                is_restricted = true;
            } else if !is_scalar(piece) {
                return None;
            }
        }
    }
    is_restricted.then_some(text)
}

fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '.'
}

/// Functions that metrics are often wrapped in.
fn is_scalar(name: &str) -> bool {
    const SCALARS: [&str; 11] =
        ["NULLIF", "COALESCE", "ROUND", "ABS", "IFNULL", "ZEROIFNULL", "NVL", "DIV0", "DIV0NULL", "FLOOR", "CEIL"];
    SCALARS.contains(&name.to_ascii_uppercase().as_str())
}

/// Where the bracket that opens a text closes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != character),
            (None, '\'' | '"') => quote = Some(character),
            (None, '(') => depth += 1,
            (None, ')') if depth == 1 => return Some(at),
            (None, ')') => depth -= 1,
            _ => {}
        }
    }
    None
}

fn argument_with(argument: &str, condition: &str) -> Option<String> {
    let argument = argument.trim();
    if argument == "*" {
        return Some(format!("CASE WHEN {condition} THEN 1 END"));
    }
    let distinct = argument.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("DISTINCT "));
    let (opening, argument) = if distinct { ("DISTINCT ", argument[9..].trim()) } else { ("", argument) };
    (!has_several(argument)).then(|| format!("{opening}CASE WHEN {condition} THEN {argument} END"))
}

/// Whether a comma parts the text outside of brackets and quotes.
fn has_several(text: &str) -> bool {
    let mut depth = 0_i32;
    let mut quote = None;
    text.chars().any(|character| {
        match (quote, character) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != character),
            (None, '\'' | '"') => quote = Some(character),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            (None, ',') => return depth == 0,
            _ => {}
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::over_rows_with;

    fn check(expression: &str, expected: Option<&str>) {
        assert_eq!(over_rows_with(expression, "c").as_deref(), expected, "{expression}");
    }

    #[test]
    fn the_condition_goes_into_every_aggregate() {
        check("COUNT(*)", Some("COUNT(CASE WHEN c THEN 1 END)"));
        check("COUNT(DISTINCT t.a)", Some("COUNT(DISTINCT CASE WHEN c THEN t.a END)"));
        check(
            "SUM(t.a) / NULLIF(SUM(t.b), 0)",
            Some("SUM(CASE WHEN c THEN t.a END) / NULLIF(SUM(CASE WHEN c THEN t.b END), 0)"),
        );
        check(
            "(SUM(t.a - t.b)) / (SUM(t.a))",
            Some("(SUM(CASE WHEN c THEN t.a - t.b END)) / (SUM(CASE WHEN c THEN t.a END))"),
        );
        check(
            "100.0 * COUNT(t.d) / COUNT(*)",
            Some("100.0 * COUNT(CASE WHEN c THEN t.d END) / COUNT(CASE WHEN c THEN 1 END)"),
        );
        check("SUM(NVL(t.a, 0))", Some("SUM(CASE WHEN c THEN NVL(t.a, 0) END)"));
        check(
            "SUM(CASE WHEN t.k = 'SUM(x)' THEN 1 END)",
            Some("SUM(CASE WHEN c THEN CASE WHEN t.k = 'SUM(x)' THEN 1 END END)"),
        );
    }

    #[test]
    fn what_is_no_plain_aggregate_is_left() {
        check("LISTAGG(t.a, ',')", None);
        check("t.a + 1", None);
        check("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY t.a)", None);
        check("COUNT(t.a, t.b)", None);
    }
}
