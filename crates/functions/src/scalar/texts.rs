//! Texts cut at delimiters, the words for true and false, and failures told by a text.

use super::{Answer, Kind, Native, Row, Told};
use Kind::{Array, Boolean, Integer, Text};

/// `firn_raised`: the engine's own error() counts as a side effect, and what has one can be named by no alias.
pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_raised", &[Text], Text, |row| Err(row.text(0).to_owned())),
    Native::new(c"firn_read_boolean", &[Text], Boolean, boolean),
    Native::new(c"firn_split", &[Text, Text], Array, |row| {
        let pieces: Vec<&str> = match row.text(1) {
            "" => vec![row.text(0)],
            delimiter => row.text(0).split(delimiter).collect(),
        };
        Ok(Answer::Text(serde_json::json!(pieces).to_string()))
    }),
    Native::new(c"firn_strtok", &[Text, Text, Integer], Text, token),
    Native::new(c"firn_strtok_to_array", &[Text, Text], Array, |row| {
        Ok(Answer::Text(serde_json::json!(tokens(row.text(0), row.text(1))).to_string()))
    }),
];

/// A semi-structured text comes with its quotes.
fn boolean(row: &Row<'_>) -> Told {
    let word = row.text(0).trim().trim_matches('"').to_ascii_lowercase();
    match word.as_str() {
        "true" | "t" | "yes" | "y" | "on" | "1" => Ok(Answer::Boolean(true)),
        "false" | "f" | "no" | "n" | "off" | "0" => Ok(Answer::Boolean(false)),
        _ => Err(format!("firn:100037:Boolean value '{}' is not recognized", row.text(0))),
    }
}

fn token(row: &Row<'_>) -> Told {
    let place = row.integer(2);
    let Ok(before) = usize::try_from(place - 1) else {
        return Err(format!("firn:100048:Invalid part number {place} for STRTOK; parts count from 1"));
    };
    Ok(tokens(row.text(0), row.text(1)).get(before).map(|token| (*token).to_owned()).into())
}

/// Every character of `delimiters` cuts; nothing lies between two in a row. Without delimiters the text is whole.
fn tokens<'text>(text: &'text str, delimiters: &str) -> Vec<&'text str> {
    text.split(|character| delimiters.contains(character)).filter(|token| !token.is_empty()).collect()
}
