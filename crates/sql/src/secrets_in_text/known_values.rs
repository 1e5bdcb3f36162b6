//! Secrets that are known when a statement runs, in the text of the statement around it: a password that a block has in a variable,
//! or that the arguments of a call bring.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{HIDDEN, secrets, secrets_and_variables, variables};

/// Shorter values are redacted only where they are all of a literal.
const SHORTEST_PART: usize = 4;
/// Shorter literals say nothing of a value that they are a part of.
const SHORTEST_LITERAL: usize = 3;

/// The secrets that are written in a text.
pub fn values(text: &str) -> Vec<String> {
    let found = secrets(text).into_iter().filter(|value| variables::names_in(text, value).is_empty());
    found.map(|value| text[value].replace("''", "'")).collect()
}

/// The secrets that are written in a text and reach their statements by variables.
pub fn of_variables(text: &str) -> Vec<String> {
    match variables(text).is_empty() {
        true => Vec::new(),
        false => values(text),
    }
}

/// The names of the variables that the secrets of a text are made of, in upper case.
pub fn variables(text: &str) -> HashSet<String> {
    secrets_and_variables(text).1
}

/// The text without the secrets, and without the literals that they are joined of.
pub fn without<'t>(text: &'t str, secrets: &[String]) -> Cow<'t, str> {
    let mut redacted = Cow::Borrowed(text);
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        for written in [secret.replace('\'', "''''"), secret.replace('\'', "''"), secret.clone()] {
            if secret.chars().count() >= SHORTEST_PART && redacted.contains(&written) {
                redacted = Cow::Owned(redacted.replace(&written, HIDDEN));
            }
        }
        if let Some(without_parts) = without_literals(&redacted, |literal| is_part(literal, secret)) {
            redacted = Cow::Owned(without_parts);
        }
    }
    redacted
}

fn is_part(literal: &str, secret: &str) -> bool {
    literal == secret || (literal.chars().count() >= SHORTEST_LITERAL && secret.contains(literal))
}

/// The text with other contents of what is between quotes; `None` if nothing there is to be redacted.
fn without_literals(text: &str, is_redacted: impl Fn(&str) -> bool) -> Option<String> {
    let mut parts: Vec<&str> = text.split('\'').collect();
    let last = parts.len() - 1;
    let mut is_found = false;
    for part in parts.iter_mut().take(last).skip(1).filter(|part| is_redacted(part)) {
        *part = HIDDEN;
        is_found = true;
    }
    is_found.then(|| parts.join("'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_secrets_are_redacted() {
        for (text, secret, expected) in [
            ("call p('Secret1', 'b')", "Secret1", "call p('****', 'b')"),
            ("call p('x Secret1 y')", "Secret1", "call p('x **** y')"),
            ("begin let a := 'Sec'; a := a || 'ret1'; end", "Secret1", "begin let a := '****'; a := a || '****'; end"),
            ("call p('it''s me')", "it's me", "call p('****')"),
            ("execute immediate 'call p(''it''''s me'')'", "it's me", "execute immediate 'call p(''****'')'"),
            ("call p('a', 'an')", "a", "call p('****', 'an')"),
            ("call p(12345678)", "12345678", "call p(****)"),
            ("call p('other')", "Secret1", "call p('other')"),
            ("call p('', 'x')", "Secret1", "call p('', 'x')"),
        ] {
            assert_eq!(without(text, &[secret.to_owned()]), expected);
        }
    }

    #[test]
    fn secrets_of_a_text_are_found() {
        assert_eq!(values("alter user u set password = 'it''s' comment = 'c'"), ["it's"]);
        assert!(values("alter user u set password = :p").is_empty());
        assert!(variables("alter user u set password = :p").contains("P"));
        assert!(variables("alter user u set password = 'p'").is_empty());
    }
}
