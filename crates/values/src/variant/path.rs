//! Paths into semi-structured values: `a.b[0]['c']."d e"`; a colon is equivalent to a point. A path is followed in the
//! stored text itself, without parsing the values that are not on it.

use super::Variant;
use super::read::{Duplicates, parse};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Key(String),
    Index(u64),
    /// An index that no array has.
    Nowhere,
}

/// `None` when the text is no path.
pub fn read_path(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let step;
        (step, rest) = match rest.as_bytes()[0] {
            b'[' => bracket(rest)?,
            b'.' | b':' if !steps.is_empty() => key(&rest[1..])?,
            _ if steps.is_empty() => key(rest)?,
            _ => return None,
        };
        steps.push(step);
    }
    Some(steps)
}

fn key(rest: &str) -> Option<(Step, &str)> {
    if rest.starts_with('"') {
        let (name, rest) = quoted(rest, '"')?;
        return Some((Step::Key(name), rest));
    }
    let length = rest.find(['.', ':', '[']).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(length);
    if name.is_empty() { None } else { Some((Step::Key(name.to_owned()), rest)) }
}

fn bracket(rest: &str) -> Option<(Step, &str)> {
    let inside = rest[1..].trim_start();
    let (step, rest) = match inside.chars().next()? {
        quote @ ('\'' | '"') => {
            let (name, rest) = quoted(inside, quote)?;
            (Step::Key(name), rest)
        }
        _ => {
            let (digits, rest) = inside.split_at(inside.find(']')?);
            let index: i64 = digits.trim().parse().ok()?;
            (u64::try_from(index).map_or(Step::Nowhere, Step::Index), rest)
        }
    };
    Some((step, rest.trim_start().strip_prefix(']')?))
}

/// A quoted key; JSON's escapes count in double quotes, a doubled quote in single ones.
fn quoted(rest: &str, quote: char) -> Option<(String, &str)> {
    let mut escaped = false;
    for (place, character) in rest.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == quote {
            let (literal, rest) = rest.split_at(place + 1);
            let inside = &literal[1..place];
            return match parse(&format!("\"{inside}\""), Duplicates::LastWins) {
                Ok(Variant::Text(key)) => Some((key, rest)),
                _ => Some((inside.to_owned(), rest)),
            };
        }
    }
    None
}

/// The text of the value at a path; `None` if it is missing or undefined.
pub fn find<'json>(json: &'json str, steps: &[Step]) -> Option<&'json str> {
    let mut place = json.trim();
    for step in steps {
        place = match step {
            Step::Key(key) => member(place, key)?,
            Step::Index(index) => element(place, *index)?,
            Step::Nowhere => return None,
        };
    }
    if place == "undefined" { None } else { Some(place) }
}

fn member<'json>(json: &'json str, wanted: &str) -> Option<&'json str> {
    let bytes = json.as_bytes();
    if bytes.first() != Some(&b'{') {
        return None;
    }
    let mut place = skip_space(bytes, 1);
    while bytes.get(place) == Some(&b'"') {
        let key_end = skip_string(bytes, place);
        let start = skip_space(bytes, skip_space(bytes, key_end) + 1);
        let end = skip_value(bytes, start);
        if is_key(&json[place..key_end], wanted) {
            return json.get(start..end);
        }
        place = skip_space(bytes, skip_space(bytes, end) + 1);
    }
    None
}

fn is_key(literal: &str, wanted: &str) -> bool {
    let inside = &literal[1..literal.len().saturating_sub(1).max(1)];
    if inside == wanted {
        return true;
    }
    inside.contains('\\') && matches!(parse(literal, Duplicates::LastWins), Ok(Variant::Text(key)) if key == wanted)
}

fn element(json: &str, wanted: u64) -> Option<&str> {
    let bytes = json.as_bytes();
    if bytes.first() != Some(&b'[') {
        return None;
    }
    let mut place = skip_space(bytes, 1);
    let mut index = 0;
    while place < bytes.len() && bytes[place] != b']' {
        let end = skip_value(bytes, place);
        if index == wanted {
            return json.get(place..end);
        }
        index += 1;
        place = skip_space(bytes, skip_space(bytes, end) + 1);
    }
    None
}

fn skip_space(bytes: &[u8], place: usize) -> usize {
    let rest = bytes.get(place..).unwrap_or_default();
    place + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The place after a string that begins at `place`.
fn skip_string(bytes: &[u8], place: usize) -> usize {
    let mut place = place + 1;
    while let Some(byte) = bytes.get(place) {
        match byte {
            b'"' => return place + 1,
            b'\\' => place += 2,
            _ => place += 1,
        }
    }
    bytes.len()
}

/// The place after a value that begins at `place`.
fn skip_value(bytes: &[u8], place: usize) -> usize {
    let mut depth = 0_usize;
    let mut place = place;
    while let Some(byte) = bytes.get(place) {
        match byte {
            b'"' => {
                place = skip_string(bytes, place);
                if depth == 0 {
                    return place;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return place,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return place + 1;
                }
            }
            b',' if depth == 0 => return place,
            byte if depth == 0 && byte.is_ascii_whitespace() => return place,
            _ => {}
        }
        place += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, path: &str, expected: Option<&str>) {
        let found = read_path(path).map(|steps| find(json, &steps));
        assert_eq!(found, Some(expected), "{path} in {json}");
    }

    #[test]
    fn paths_are_followed() {
        let json = r#"{"a":{"b":[10,{"c d":"x,]}"},undefined,null]},"e\"f":[[1],[2,3]], "g" : true}"#;
        check(json, "a.b[0]", Some("10"));
        check(json, "a['b'][1].\"c d\"", Some("\"x,]}\""));
        check(json, "a.b[1]['c d']", Some("\"x,]}\""));
        check(json, "a.b[2]", None);
        check(json, "a.b[3]", Some("null"));
        check(json, "a.b[4]", None);
        check(json, "a.b[-1]", None);
        check(json, "a.missing", None);
        check(json, r#"["e\"f"][1][1]"#, Some("3"));
        check(json, "g", Some("true"));
        check(json, "g.h", None);
        check("[1,2]", "[1]", Some("2"));
        check("[1,2]", "", Some("[1,2]"));
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for path in [".a", "a..b", "a[", "a[x]", "a[0", "a]"] {
            let steps = read_path(path);
            assert!(steps.is_none() || path == "a]", "{path} is {steps:?}");
        }
    }
}
