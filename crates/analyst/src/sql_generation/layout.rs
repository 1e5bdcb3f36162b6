//! SQL over lines: one clause to a line, what is inside of brackets two spaces further in.

/// Longer lists are written with one item to a line.
const LINE_CHARACTERS_MAX: usize = 90;

/// `SELECT a, b`, or one item to a line where they are many.
pub fn listed(keyword: &str, items: &[String]) -> String {
    let one_line = format!("{keyword} {}", items.join(", "));
    if items.len() < 2 || (one_line.chars().count() <= LINE_CHARACTERS_MAX && !one_line.contains('\n')) {
        return one_line;
    }
    let lines: Vec<String> = items.iter().map(|item| indented(item)).collect();
    format!("{keyword}\n{}", lines.join(",\n"))
}

/// The text in brackets on lines of its own.
pub fn in_brackets(text: &str) -> String {
    format!("(\n{}\n)", indented(text))
}

/// Every line two spaces further in, but for those that begin inside of a literal or a quoted name.
pub fn indented(text: &str) -> String {
    let mut indented = String::with_capacity(text.len() + 32);
    indented.push_str("  ");
    let mut quote = None;
    for character in text.chars() {
        indented.push(character);
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None, '\n') => indented.push_str("  "),
            _ => {}
        }
    }
    indented
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_indented_and_literals_are_left_as_they_are() {
        assert_eq!(indented("SELECT 1\nFROM t"), "  SELECT 1\n  FROM t");
        assert_eq!(indented("a = 'x\ny'\nb"), "  a = 'x\ny'\n  b");
        assert_eq!(indented("a = 'it''s\n'\nb"), "  a = 'it''s\n'\n  b");
        assert_eq!(in_brackets("SELECT 1"), "(\n  SELECT 1\n)");
    }

    #[test]
    fn only_long_lists_take_several_lines() {
        let items = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(listed("SELECT", &items(&["a", "b"])), "SELECT a, b");
        let long = "x".repeat(60);
        assert_eq!(listed("SELECT", &items(&[&long, &long])), format!("SELECT\n  {long},\n  {long}"));
        assert_eq!(listed("SELECT", &items(&["(\n  1\n)"])), "SELECT (\n  1\n)");
    }
}
