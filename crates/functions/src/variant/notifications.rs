//! Messages for notifications, and prompts: texts and objects that describe the message, its integration and recipients.

use firn_values::variant::Variant;
use firn_values::variant::objects::Members;

use super::arguments::{Arguments, stored};
use crate::columns::Column;
use crate::definition::{Answer, Definition, Kind};

/// The placeholder of a secret in the body of a message.
const SECRET: &str = "SNOWFLAKE_WEBHOOK_SECRET";

pub(super) const DEFINITIONS: &[Definition] = &[
    Definition::new(c"firn_text_plain", &[Kind::Text], Kind::Text, |columns, row| message(columns, row, "text/plain")),
    Definition::new(c"firn_text_html", &[Kind::Text], Kind::Text, |columns, row| message(columns, row, "text/html")),
    Definition::new(c"firn_application_json", &[Kind::Text], Kind::Text, |columns, row| {
        message(columns, row, "application/json")
    }),
    Definition::new(c"firn_integration", &[Kind::Text], Kind::Text, |columns, row| {
        let Some(name) = (Arguments { columns, row }).text(0) else { return Ok(Answer::Null) };
        Ok(Answer::Text(format!("{{{}:{{}}}}", json(&name))))
    }),
    Definition::new(c"firn_email_integration_config", &[Kind::Text, Kind::Text, Kind::Any], Kind::Text, email)
        .with_rest(Kind::Any),
    Definition::new(c"firn_sanitize_webhook_content", &[Kind::Text], Kind::Text, |columns, row| {
        let text = Arguments { columns, row }.text(0);
        Ok(text.map_or(Answer::Null, |text| Answer::Text(text.replace(SECRET, ""))))
    }),
    Definition::new(c"firn_prompt", &[Kind::Any], Kind::Object, prompt).with_rest(Kind::Any),
];

fn json(text: &str) -> String {
    Variant::Text(text.to_owned()).to_json()
}

fn message<'row>(columns: &'row [Column<'row>], row: usize, kind: &str) -> Result<Answer<'row>, String> {
    let text = Arguments { columns, row }.text(0);
    Ok(text.map_or(Answer::Null, |text| Answer::Text(format!("{{{}:{}}}", json(kind), json(&text)))))
}

/// The lists are the recipients, and those who get copies.
fn email<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let (Some(name), Some(subject)) = (arguments.text(0), arguments.text(1)) else { return Ok(Answer::Null) };
    let mut parts = vec![format!("\"subject\":{}", json(&subject))];
    for (index, key) in [(2, "toAddress"), (3, "ccAddress"), (4, "bccAddress")] {
        if let Some(addresses) = arguments.array(index)? {
            parts.push(format!("\"{key}\":{}", Variant::Array(addresses).to_json()));
        }
    }
    Ok(Answer::Text(format!("{{{}:{{{}}}}}", json(&name), parts.join(","))))
}

/// A template and what is put into it.
fn prompt<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let Some(template) = arguments.text(0) else { return Ok(Answer::Null) };
    let mut members = Members::new();
    let values = (1..arguments.count()).map(|index| arguments.value(index).unwrap_or(Variant::Null));
    members.insert("args".to_owned(), Variant::Array(values.collect()));
    members.insert("template".to_owned(), Variant::Text(template));
    Ok(stored(Some(Variant::Object(members))))
}
