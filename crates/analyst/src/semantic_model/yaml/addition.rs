//! Adds a verified query to the text of a model. The text keeps its form and its comments wherever that is possible; else
//! the model is written anew.

use super::document::{Content, documents};
use super::{ModelError, error_at_start, read_yaml};
use crate::semantic_model::yaml_writer::{verified_query_yaml, write_yaml};
use crate::semantic_model::{SemanticModel, VerifiedQuery};

/// The text with one more verified query. A name that is taken gets a number behind it; a question that is there already
/// is refused.
pub fn with_verified_query(text: &str, query: &VerifiedQuery) -> Result<String, ModelError> {
    let model = with_query(read_yaml(text)?.model, query)?;
    let Some(query) = model.verified_queries.last() else { return Ok(text.to_owned()) };
    let candidate = appended(text, query);
    let is_right = |candidate: &String| read_yaml(candidate).is_ok_and(|read| read.model == model);
    Ok(candidate.filter(is_right).unwrap_or_else(|| write_yaml(&model)))
}

/// The model with one more verified query.
pub fn with_query(mut model: SemanticModel, query: &VerifiedQuery) -> Result<SemanticModel, ModelError> {
    let is_asked = |other: &VerifiedQuery| other.question.trim().eq_ignore_ascii_case(query.question.trim());
    if let Some(same) = model.verified_queries.iter().find(|other| is_asked(other)) {
        let message = format!("the verified query `{}` has the same question; remove it first", same.name);
        return Err(error_at_start(&message));
    }
    let is_taken =
        |name: &str| model.verified_queries.iter().any(|other| other.name.to_lowercase() == name.to_lowercase());
    let numbered = (2..).map(|number| format!("{} {number}", query.name));
    let name = std::iter::once(query.name.clone()).chain(numbered).find(|name| !is_taken(name));
    model.verified_queries.push(VerifiedQuery { name: name.unwrap_or_default(), ..query.clone() });
    Ok(model)
}

/// The text with the query at the end of its list, or with a list of its own at the end.
fn appended(text: &str, query: &VerifiedQuery) -> Option<String> {
    let documents = documents(text).ok()?;
    let Content::Mapping(fields) = &documents.first()?.content else { return None };
    let list = fields.iter().rfind(|(key, _)| key.text() == Some("verified_queries"));
    let Some((_, list)) = list else {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        return Some(format!("{text}{end}verified_queries:\n{}", verified_query_yaml(query, 2)));
    };
    let Content::Sequence(items) = &list.content else { return None };
    let last = items.last()?.place;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let dash = lines.get(last.line - 1)?.find('-')?;
    let is_inside = |line: &&&str| {
        let indent = line.len() - line.trim_start().len();
        line.trim().is_empty() || indent > dash
    };
    let mut end = last.line + lines.iter().skip(last.line).take_while(is_inside).count();
    while end > last.line && lines.get(end - 1)?.trim().is_empty() {
        end -= 1;
    }
    let (before, after) = lines.split_at(end);
    let mut before = before.concat();
    if !before.ends_with('\n') {
        before.push('\n');
    }
    Some(format!("{before}{}{}", verified_query_yaml(query, dash), after.concat()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;

    const START: &str = "# ours\nname: a\ntables: [{name: t, base_table: {table: t}}] # one\n";

    fn check(end: &str, expected: &str) {
        let query = VerifiedQuery {
            name: "count".to_owned(),
            question: "How many: all?".to_owned(),
            sql: "SELECT COUNT(*)\nFROM __t".to_owned(),
            verified_at: Some(5),
            ..VerifiedQuery::default()
        };
        assert_eq!(with_verified_query(&format!("{START}{end}"), &query).unwrap(), format!("{START}{expected}"));
    }

    #[test]
    fn the_text_keeps_its_form() {
        let item = |indent: &str, name: &str| {
            format!(
                "{indent}- name: {name}\n{indent}  question: \"How many: all?\"\n{indent}  sql: \"SELECT COUNT(*)\\nFROM \
                 __t\"\n{indent}  verified_at: 5\n"
            )
        };
        check("", &format!("verified_queries:\n{}", item("  ", "count")));
        let first = "verified_queries:\n- {name: count, question: Who?, sql: SELECT 1}\n";
        check(first, &format!("{first}{}", item("", "count 2")));
        let inner = "verified_queries:\n    - name: q # first\n      question: Who?\n      sql: |\n        SELECT 1\n";
        check(&format!("{inner}\ndescription: x\n"), &format!("{inner}{}\ndescription: x\n", item("    ", "count")));
        check(inner.trim_end(), &format!("{inner}{}", item("    ", "count")));
    }

    #[test]
    fn a_form_that_cannot_be_continued_is_written_anew() {
        let text = "{name: a, tables: [{name: t, base_table: {table: t}}], verified_queries: []}";
        let query = VerifiedQuery {
            name: "count".to_owned(),
            question: "Who?".to_owned(),
            sql: "SELECT 1".to_owned(),
            ..VerifiedQuery::default()
        };
        let added = with_verified_query(text, &query).unwrap();
        assert_eq!(read_yaml(&added).unwrap().model.verified_queries.first(), Some(&query));
        let again = with_verified_query(&added, &query).unwrap_err().to_string();
        assert_eq!(again, "line 1, column 1: the verified query `count` has the same question; remove it first");
    }
}
