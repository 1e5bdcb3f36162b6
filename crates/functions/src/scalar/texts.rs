//! Texts cut at delimiters, the words for true and false, and failures told by a text.

use super::{Answer, Evaluated, Kind, Native, Row};
use Kind::{Array, Boolean, Integer, Text};

/// What INITCAP takes for the end of a word.
const WORD_DELIMITERS: &str = " !?@\"^#$&~_,.:;+-*%/|\\[](){}<>\t\n\r";

/// `firn_capitals`: the engine's own upper() gives a letter one capital letter at most, where the dialect has SS for ß.
/// `firn_raised`: the engine's own error() counts as a side effect, and what has one can be named by no alias.
pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_raised", &[Text], Text, |row| Err(row.text(0).to_owned())),
    Native::new(c"firn_capitals", &[Text], Text, |row| Ok(Answer::Text(row.text(0).to_uppercase()))),
    Native::new(c"firn_initcap", &[Text], Text, |row| {
        Ok(Answer::Text(initial_capitals(row.text(0), |character| WORD_DELIMITERS.contains(character))))
    }),
    Native::new(c"firn_initcap", &[Text, Text], Text, |row| {
        Ok(Answer::Text(initial_capitals(row.text(0), |character| row.text(1).contains(character))))
    }),
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

/// The letters behind delimiters, and the first, in upper case, all others in lower case. A letter that is a delimiter
/// itself is none that begins a word.
fn initial_capitals(text: &str, is_delimiter: impl Fn(char) -> bool) -> String {
    let mut written = String::with_capacity(text.len());
    let mut begins = true;
    for character in text.chars() {
        let is_end = is_delimiter(character);
        if begins && !is_end {
            written.extend(capital(character));
        } else {
            written.extend(character.to_lowercase());
        }
        begins = is_end;
    }
    written
}

/// A letter without a single capital letter stays as it is.
fn capital(letter: char) -> Option<char> {
    let mut capitals = letter.to_uppercase();
    match (capitals.next(), capitals.next()) {
        (Some(capital), None) => Some(capital),
        _ => Some(letter),
    }
}

/// A semi-structured text comes with its quotes.
fn boolean(row: &Row<'_>) -> Evaluated {
    let word = row.text(0).trim().trim_matches('"').to_ascii_lowercase();
    match word.as_str() {
        "true" | "t" | "yes" | "y" | "on" | "1" => Ok(Answer::Boolean(true)),
        "false" | "f" | "no" | "n" | "off" | "0" => Ok(Answer::Boolean(false)),
        _ => Err(format!("firn:100037:Boolean value '{}' is not recognized", row.text(0))),
    }
}

fn token(row: &Row<'_>) -> Evaluated {
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

#[cfg(test)]
mod tests {
    use super::{WORD_DELIMITERS, initial_capitals};

    #[test]
    fn words_begin_with_capitals() {
        for (text, delimiters, expected) in [
            ("hELLO wORLD", WORD_DELIMITERS, "Hello World"),
            ("HelL0_hi+therE", WORD_DELIMITERS, "Hell0_Hi+There"),
            ("ÄäÖößÜü", WORD_DELIMITERS, "Ääöößüü"),
            ("this is the new Frame+work", "", "This is the new frame+work"),
            ("iqamqinterestedqinqthisqtopic", "q", "IqAmqInterestedqInqThisqTopic"),
            ("apple is僉sweetandballIsROUND", "僉a b", "aPple Is僉SweetaNdbaLlisround"),
        ] {
            assert_eq!(initial_capitals(text, |character| delimiters.contains(character)), expected, "{text}");
        }
    }
}
