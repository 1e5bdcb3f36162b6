//! Splitting of texts at delimiters, the words for true and false, and errors raised by macros.

use firn_values::running_call::{GrowingText, reserve, work};
use firn_values::variant::Variant;

use super::native::{Evaluated, Native, Row};
use crate::definition::{Answer, Kind};
use Kind::{Array, Boolean, Integer, Text};

/// What INITCAP takes for the end of a word.
const WORD_DELIMITERS: &str = " !?@\"^#$&~_,.:;+-*%/|\\[](){}<>\t\n\r";

/// `firn_capitals`: the engine's own upper() gives a letter one capital letter at most, where the dialect has SS for ß.
/// `firn_splittable`, `firn_tokenizable`: the text itself, if the engine may cut it into as many pieces.
/// `firn_raised`: the engine's own error() counts as a side effect, and what has one can be named by no alias.
pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_raised", &[Text], Text, |row| Err(row.text(0).to_owned())),
    Native::new(c"firn_capitals", &[Text], Text, |row| {
        let mut written = GrowingText::default();
        pieces_of(row.text(0)).try_for_each(|piece| written.push(&piece.to_uppercase()))?;
        Ok(Answer::Text(written.into_text()))
    }),
    Native::new(c"firn_initcap", &[Text], Text, |row| {
        Ok(Answer::Text(initial_capitals(row.text(0), |character| WORD_DELIMITERS.contains(character))))
    }),
    Native::new(c"firn_initcap", &[Text, Text], Text, |row| {
        Ok(Answer::Text(initial_capitals(row.text(0), |character| row.text(1).contains(character))))
    }),
    Native::new(c"firn_read_boolean", &[Text], Boolean, boolean),
    Native::new(c"firn_split_to_array", &[Text, Text], Array, |row| {
        Ok(Answer::Text(match row.text(1) {
            "" => array_of(std::iter::once(row.text(0))),
            delimiter => array_of(row.text(0).split(delimiter)),
        }))
    }),
    Native::new(c"firn_split_piece", &[Text, Text, Integer], Text, |row| {
        Ok(Answer::Text(split_piece(row.text(0), row.text(1), row.integer(2)).unwrap_or_default().to_owned()))
    }),
    Native::new(c"firn_splittable", &[Text, Text], Text, |row| {
        row.text(0).matches(row.text(1)).for_each(|_| reserve(PIECE_ENTRY_BYTES));
        Ok(Answer::Text(row.text(0).to_owned()))
    }),
    Native::new(c"firn_tokenizable", &[Text, Text], Text, |row| {
        tokens(row.text(0), row.text(1)).for_each(|_| reserve(TOKEN_ENTRY_BYTES));
        Ok(Answer::Text(row.text(0).to_owned()))
    }),
    Native::new(c"firn_strtok", &[Text, Text, Integer], Text, token),
    Native::new(c"firn_strtok_to_array", &[Text, Text], Array, |row| {
        Ok(Answer::Text(array_of(tokens(row.text(0), row.text(1)))))
    }),
];

/// The letters behind delimiters, and the first, in upper case, all others in lower case. A letter that is a delimiter
/// itself is none that begins a word.
fn initial_capitals(text: &str, is_delimiter: impl Fn(char) -> bool) -> String {
    let mut written = String::with_capacity(text.len());
    let mut begins = true;
    for character in text.chars() {
        work(1);
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
    Ok(tokens(row.text(0), row.text(1)).nth(before).map(str::to_owned).into())
}

/// Every character of `delimiters` cuts; nothing lies between two in a row. Without delimiters the text is whole.
fn tokens<'text>(text: &'text str, delimiters: &str) -> impl Iterator<Item = &'text str> {
    let is_delimiter = move |character: char| {
        work(1);
        delimiters.contains(character)
    };
    text.split(is_delimiter).filter(|token| !token.is_empty())
}

/// The work of searching for the next delimiter, besides the text before it.
const CUT_BYTES: usize = 16;
/// The memory of a piece in a list of the engine. The engine does not check for an interruption while it splits a text,
/// so this limit bounds the time as well.
const PIECE_ENTRY_BYTES: usize = 64;
/// The same, for one that a regular expression cuts off.
const TOKEN_ENTRY_BYTES: usize = 256;
/// So many bytes at most are changed at once, and a character more.
const CHANGED_AT_ONCE: usize = 1 << 16;

/// The text in pieces of a bounded length, which end between characters.
fn pieces_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = (CHANGED_AT_ONCE.min(rest.len())..=rest.len()).find(|end| rest.is_char_boundary(*end))?;
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The part between delimiters with that number, counted from 1, or from the end if it is negative; 0 is the first. A
/// text without an end to look for is one part.
fn split_piece<'text>(text: &'text str, delimiter: &str, number: i64) -> Option<&'text str> {
    if delimiter.is_empty() {
        return matches!(number, -1..=1).then_some(text);
    }
    let look = |piece: &&str| work(piece.len() + CUT_BYTES);
    let before = usize::try_from(number.unsigned_abs().max(1) - 1).ok()?;
    if number < 0 {
        text.rsplit(delimiter).inspect(look).nth(before)
    } else {
        text.split(delimiter).inspect(look).nth(before)
    }
}

fn array_of<'text>(pieces: impl Iterator<Item = &'text str>) -> String {
    Variant::array_json(pieces.map(|piece| Variant::Text(piece.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::{WORD_DELIMITERS, initial_capitals, pieces_of, split_piece};

    #[test]
    fn parts_count_from_either_end() {
        for (text, delimiter, number, expected) in [
            ("a.b.c", ".", 0, Some("a")),
            ("a.b.c", ".", 2, Some("b")),
            ("a.b.c", ".", -1, Some("c")),
            ("a.b.c", ".", 4, None),
            ("a.b.c", ".", -4, None),
            ("a.b.c", ".", i64::MIN, None),
            ("aaa", "aa", 2, Some("a")),
            ("a.b", "", -1, Some("a.b")),
            ("a.b", "", 2, None),
        ] {
            assert_eq!(split_piece(text, delimiter, number), expected, "{text} {delimiter} {number}");
        }
    }

    #[test]
    fn pieces_end_between_characters() {
        let text = "xä".repeat(60_000);
        assert!(pieces_of(&text).count() > 1);
        assert_eq!(pieces_of(&text).collect::<String>(), text);
        assert_eq!(pieces_of("").count(), 0);
    }

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
