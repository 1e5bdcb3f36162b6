//! Regular expressions with the dialect's arguments: a position to begin at, which occurrence is meant, parameters
//! (`c`, `i`, `m`, `s`, `e`) and a group. Positions count characters from 1.

mod spelling;

use std::cell::RefCell;
use std::collections::HashMap;

use firn_values::running_call::{GrowingText, work};
use firn_values::variant::Variant;
use regex::{Captures, Regex, RegexBuilder};

use self::spelling::respelled;
use super::native::{Evaluated, Native, Row};
use crate::definition::{Answer, Kind};
use Kind::{Array, Boolean, Integer, Text};

const EXPRESSIONS_CACHED_MAX: usize = 64;
const EXPRESSION_BYTES_MAX: usize = 1 << 21;

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_regexp_like", &[Text, Text, Text], Boolean, like),
    Native::new(c"firn_regexp_count", &[Text, Text, Integer, Text], Integer, count),
    Native::new(c"firn_regexp_replace", &[Text, Text, Text, Integer, Integer, Text], Text, replace),
    Native::new(c"firn_regexp_instr", &[Text, Text, Integer, Integer, Integer, Text, Integer], Integer, instr),
    Native::new(c"firn_regexp_substr", &[Text, Text, Integer, Integer, Text, Integer], Text, substr),
    Native::new(c"firn_regexp_substr_all", &[Text, Text, Integer, Integer, Text, Integer], Array, substr_all),
];

fn like(row: &Row<'_>) -> Evaluated {
    let whole = format!(r"\A(?:{})\z", row.text(1));
    with_expression(&whole, row.text(2), |expression| Ok(Answer::Boolean(expression.is_match(row.text(0)))))
}

fn count(row: &Row<'_>) -> Evaluated {
    let Some(subject) = from_position(row.text(0), row.integer(2))? else { return Ok(Answer::Integer(0)) };
    if row.text(1).is_empty() {
        return Ok(Answer::Integer(0));
    }
    with_expression(row.text(1), row.text(3), |expression| {
        let found = expression.find_iter(subject).inspect(|found| work(found.len() + MATCH_BYTES));
        Ok(Answer::Integer(found.count() as i64))
    })
}

/// Arguments: subject, pattern, replacement, position, occurrence (0 for all), parameters.
fn replace(row: &Row<'_>) -> Evaluated {
    let (whole, occurrence) = (row.text(0), row.integer(4));
    if occurrence < 0 {
        return Err(invalid("REGEXP_REPLACE", "occurrence", occurrence));
    }
    let Some(subject) = from_position(whole, row.integer(3))? else { return Ok(Answer::Text(whole.to_owned())) };
    let replacement = row.text(2);
    with_expression(row.text(1), row.text(5), |expression| {
        let mut text = GrowingText::default();
        text.push(&whole[..whole.len() - subject.len()])?;
        let mut rest = 0;
        for (number, captures) in (1..).zip(matches(expression, subject)) {
            if occurrence != 0 && number != occurrence {
                continue;
            }
            let Some(found) = captures.get(0) else { continue };
            text.push(&subject[rest..found.start()])?;
            expand(replacement, &captures, &mut text)?;
            rest = found.end();
        }
        text.push(&subject[rest..])?;
        Ok(Answer::Text(text.into_text()))
    })
}

/// `\1` in a replacement is the first group.
fn expand(replacement: &str, captures: &Captures<'_>, out: &mut GrowingText) -> Result<(), String> {
    let mut rest = replacement;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push(before)?;
        rest = after;
        match after.chars().next() {
            Some(digit) if digit.is_ascii_digit() => {
                let group = digit.to_digit(10).unwrap_or(0) as usize;
                out.push(captures.get(group).map_or("", |found| found.as_str()))?;
                rest = &after[1..];
            }
            Some('\\') => {
                out.push("\\")?;
                rest = &after[1..];
            }
            _ => out.push("\\")?,
        }
    }
    out.push(rest)
}

/// The work of searching for a match, besides its length.
const MATCH_BYTES: usize = 128;

/// All matches, one after another as long as the statement runs.
fn matches<'text>(expression: &'text Regex, subject: &'text str) -> impl Iterator<Item = Captures<'text>> {
    let length = |captures: &Captures<'_>| captures.get(0).map_or(0, |found| found.len());
    expression.captures_iter(subject).inspect(move |captures| work(length(captures) + MATCH_BYTES))
}

/// Arguments: subject, pattern, position, occurrence, option (1 for the place behind), parameters, group (-1: none).
fn instr(row: &Row<'_>) -> Evaluated {
    let option = row.integer(4);
    if !(0..=1).contains(&option) {
        return Err(invalid("REGEXP_INSTR", "option", option));
    }
    let whole = row.text(0);
    let Some(subject) = from_position(whole, row.integer(2))? else { return Ok(Answer::Integer(0)) };
    let skipped = whole[..whole.len() - subject.len()].chars().count();
    let (occurrence, group) = (row.integer(3), row.integer(6));
    with_expression(row.text(1), row.text(5), |expression| {
        let wanted = Wanted { occurrence, group: group_of(expression, row.text(5), group) };
        let place = wanted.find(expression, subject).map_or(0, |(start, end)| {
            let bytes = if option == 1 { end } else { start };
            (skipped + subject[..bytes].chars().count() + 1) as i64
        });
        Ok(Answer::Integer(place))
    })
}

/// Arguments: subject, pattern, position, occurrence, parameters, group (-1: none).
fn substr(row: &Row<'_>) -> Evaluated {
    let Some(subject) = from_position(row.text(0), row.integer(2))? else { return Ok(Answer::Null) };
    let (occurrence, group) = (row.integer(3), row.integer(5));
    if occurrence < 1 {
        return Err(invalid("REGEXP_SUBSTR", "occurrence", occurrence));
    }
    with_expression(row.text(1), row.text(4), |expression| {
        let wanted = Wanted { occurrence, group: group_of(expression, row.text(4), group) };
        Ok(wanted.find(expression, subject).map(|(start, end)| subject[start..end].to_owned()).into())
    })
}

/// As `substr`, from the occurrence on, as a JSON array.
fn substr_all(row: &Row<'_>) -> Evaluated {
    let Some(subject) = from_position(row.text(0), row.integer(2))? else { return Ok(Answer::Text("[]".to_owned())) };
    let (first, group) = (row.integer(3).max(1) as usize, row.integer(5));
    with_expression(row.text(1), row.text(4), |expression| {
        let group = group_of(expression, row.text(4), group);
        if group >= expression.captures_len() {
            return Ok(Answer::Null);
        }
        let all = matches(expression, subject).skip(first - 1);
        let found = all.filter_map(|captures| captures.get(group).map(|found| found.as_str().to_owned()));
        Ok(Answer::Text(Variant::array_json(found.map(Variant::Text))))
    })
}

struct Wanted {
    occurrence: i64,
    group: usize,
}

impl Wanted {
    /// Where the wanted group of the wanted occurrence begins and ends, in bytes.
    fn find(&self, expression: &Regex, subject: &str) -> Option<(usize, usize)> {
        let before = usize::try_from(self.occurrence - 1).ok()?;
        let captures = matches(expression, subject).nth(before)?;
        captures.get(self.group).map(|found| (found.start(), found.end()))
    }
}

/// A group is meant when it is given, or when `e` asks for the first one and there is one.
fn group_of(expression: &Regex, parameters: &str, group: i64) -> usize {
    match usize::try_from(group) {
        Ok(group) => group,
        Err(_) => usize::from(parameters.contains('e') && expression.captures_len() > 1),
    }
}

/// The subject from the position on; `None` behind its end.
fn from_position(subject: &str, position: i64) -> Result<Option<&str>, String> {
    let skipped = usize::try_from(position - 1).map_err(|_| invalid("a regular expression", "position", position))?;
    if skipped == 0 {
        return Ok(Some(subject));
    }
    let behind_end = subject.chars().count() == skipped;
    let start = subject.char_indices().nth(skipped).map(|(start, _)| start);
    Ok(start.or(behind_end.then_some(subject.len())).map(|start| &subject[start..]))
}

fn invalid(function: &str, argument: &str, value: i64) -> String {
    format!("firn:100048:Invalid {argument} {value} for {function}")
}

const PATTERN_CHARACTERS_SHOWN: usize = 200;

thread_local! {
    static EXPRESSIONS: RefCell<HashMap<(String, String), Regex>> = RefCell::default();
}

fn with_expression(pattern: &str, parameters: &str, use_it: impl FnOnce(&Regex) -> Evaluated) -> Evaluated {
    EXPRESSIONS.with_borrow_mut(|known| {
        let key = (pattern.to_owned(), parameters.to_owned());
        if !known.contains_key(&key) {
            if known.len() >= EXPRESSIONS_CACHED_MAX {
                known.clear();
            }
            let expression = compile(pattern, parameters)?;
            known.insert(key.clone(), expression);
        }
        let expression = known.get(&key);
        expression.map_or_else(|| Err(invalid_pattern(pattern)), use_it)
    })
}

fn compile(pattern: &str, parameters: &str) -> Result<Regex, String> {
    let mut builder = RegexBuilder::new(&respelled(pattern));
    builder.size_limit(EXPRESSION_BYTES_MAX);
    for parameter in parameters.chars() {
        match parameter {
            'c' => builder.case_insensitive(false),
            'i' => builder.case_insensitive(true),
            'm' => builder.multi_line(true),
            's' => builder.dot_matches_new_line(true),
            'e' => &mut builder,
            other => {
                return Err(format!("firn:100048:Invalid regular expression parameter '{other}'; use c, i, m, e, s"));
            }
        };
    }
    builder.build().map_err(|error| match error {
        regex::Error::CompiledTooBig(bytes) => {
            format!("firn:100048:Regular expression too large: it takes more than {bytes} bytes: '{}'", shown(pattern))
        }
        _ => invalid_pattern(pattern),
    })
}

fn invalid_pattern(pattern: &str) -> String {
    format!("firn:100048:Invalid regular expression: '{}'", shown(pattern))
}

/// As much of a pattern as a message needs.
fn shown(pattern: &str) -> String {
    match pattern.char_indices().nth(PATTERN_CHARACTERS_SHOWN) {
        Some((end, _)) => format!("{}…", &pattern[..end]),
        None => pattern.to_owned(),
    }
}
