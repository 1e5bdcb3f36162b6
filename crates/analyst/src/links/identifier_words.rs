//! Identifiers as words: `dept_store_chain_id`, `maxOccupancy`, `lname` and `stuid` all become what a person would say.

use std::collections::BTreeSet;

use super::schema_words::{cuts, is_schema_word};
use crate::lexicon::{self, PartOfSpeech};
use crate::question::lemma::lemma;

const ABBREVIATIONS: &[(&str, &str)] = &[
    ("num", "number"),
    ("no", "number"),
    ("nbr", "number"),
    ("nr", "number"),
    ("desc", "description"),
    ("descr", "description"),
    ("addr", "address"),
    ("dept", "department"),
    ("qty", "quantity"),
    ("amt", "amount"),
    ("yr", "year"),
    ("yrs", "year"),
    ("emp", "employee"),
    ("cust", "customer"),
    ("prod", "product"),
    ("tel", "telephone"),
    ("pct", "percent"),
    ("avg", "average"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("appt", "appointment"),
    ("mgr", "manager"),
    ("org", "organization"),
    ("uid", "user id"),
    ("dob", "date of birth"),
    ("lname", "last name"),
    ("fname", "first name"),
    ("mname", "middle name"),
    ("lastname", "last name"),
    ("firstname", "first name"),
    ("hq", "headquarter"),
    ("ts", "timestamp"),
    ("cnt", "count"),
    ("lang", "language"),
    ("img", "image"),
    ("pos", "position"),
    ("temp", "temperature"),
    ("msg", "message"),
    ("loc", "location"),
    ("acc", "account"),
    ("pop", "population"),
    ("stu", "student"),
    ("dest", "destination"),
    ("src", "source"),
    ("nm", "name"),
    ("dt", "date"),
    ("cd", "code"),
    ("wt", "weight"),
    ("ht", "height"),
    ("tot", "total"),
    ("lvl", "level"),
    ("vol", "volume"),
    ("acct", "account"),
    ("txn", "transaction"),
    ("bldg", "building"),
    ("univ", "university"),
    ("mfg", "manufacturing"),
    ("mfr", "manufacturer"),
    ("gov", "government"),
    ("lat", "latitude"),
    ("lng", "longitude"),
    ("lon", "longitude"),
    ("elev", "elevation"),
    ("freq", "frequency"),
    ("grp", "group"),
    ("usr", "user"),
    ("perc", "percent"),
    ("pw", "password"),
    ("pwd", "password"),
    ("hrs", "hour"),
    ("mins", "minute"),
];

/// Words that often end an identifier glued to another word.
const ENDINGS: &[&str] = &[
    "description",
    "location",
    "position",
    "status",
    "amount",
    "number",
    "address",
    "phone",
    "title",
    "price",
    "count",
    "level",
    "grade",
    "point",
    "state",
    "city",
    "name",
    "code",
    "type",
    "date",
    "year",
    "time",
    "desc",
    "num",
    "id",
    "no",
    "in",
    "out",
    "by",
    "of",
];

/// The words of an identifier; `known` holds the words of the model's other names, `own` those of its table.
#[must_use]
pub fn identifier_words(identifier: &str, known: &BTreeSet<String>, own: &[String]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in parts(identifier) {
        if part == "min"
            && words.last().is_some_and(|last| ["duration", "time", "length", "runtime"].contains(&last.as_str()))
        {
            words.push("minute".to_string());
        } else if let Some((_, full)) = ABBREVIATIONS.iter().find(|(short, _)| *short == part) {
            words.extend(full.split(' ').map(str::to_string));
        } else if let Some(word) = shortened(&part, own) {
            words.push(word);
        } else if known.contains(&lemma(&part)) || part.len() < 3 || is_verb_form(&part) {
            words.push(lemma(&part));
        } else {
            let glued = split_glued(&part, known, own).or_else(|| split_by_words(&part, known));
            words.extend(glued.unwrap_or_else(|| vec![lemma(&part)]));
        }
    }
    words
}

/// What an abbreviation stands for.
#[must_use]
pub fn expansion(word: &str) -> Option<&'static str> {
    ABBREVIATIONS.iter().find(|(short, _)| *short == word).map(|(_, full)| *full)
}

/// The word of the table that a part abbreviates: `fac` in `faculty`, but not `year` in `yearly`.
fn shortened(part: &str, own: &[String]) -> Option<String> {
    let found = own.iter().find(|word| word.len() > part.len() + 1 && word.starts_with(part));
    found.filter(|_| (3..=5).contains(&part.len()) && !is_schema_word(part)).cloned()
}

/// `cancelled` is one word, though `cancel` and `led` are words too.
fn is_verb_form(part: &str) -> bool {
    let is_inflected = part.ends_with("ed") || part.ends_with("ing");
    is_inflected && lexicon::lemmas(part, Some(PartOfSpeech::Verb)).iter().any(|verb| verb.text != part)
}

/// The parts that the identifier itself separates: by signs, by the case of letters, by digits.
#[must_use]
pub fn parts(identifier: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut current = String::new();
    let mut before: Option<char> = None;
    let characters: Vec<char> = identifier.chars().collect();
    for (at, &character) in characters.iter().enumerate() {
        let next_lower = characters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let hump = character.is_uppercase()
            && before.is_some_and(|b| b.is_lowercase() || (b.is_uppercase() && next_lower && current.len() > 1));
        let digit_edge =
            before.is_some_and(|b| b.is_ascii_digit() != character.is_ascii_digit() && b.is_alphanumeric());
        let edge = !character.is_alphanumeric() || hump || digit_edge;
        if edge && !current.is_empty() {
            parts.push(std::mem::take(&mut current));
        }
        if character.is_alphanumeric() {
            current.extend(character.to_lowercase());
        }
        before = Some(character);
    }
    if !current.is_empty() {
        parts.push(current);
    }
    parts
}

/// `stuid` is `student id` where a table is called student; `dname` is `department name` inside department.
fn split_glued(part: &str, known: &BTreeSet<String>, own: &[String]) -> Option<Vec<String>> {
    for ending in ENDINGS {
        let Some(start) = part.strip_suffix(ending) else { continue };
        if start.is_empty() {
            continue;
        }
        let last = ABBREVIATIONS.iter().find(|(short, _)| short == ending).map_or(*ending, |(_, full)| full);
        if let Some(first) = expand(start, known, own) {
            return Some(vec![first, last.to_string()]);
        }
    }
    let known_piece = |piece: &str| piece.len() >= 3 && known.contains(&lemma(piece));
    (3..part.len().saturating_sub(2))
        .filter(|&cut| part.is_char_boundary(cut))
        .find(|&cut| known_piece(&part[..cut]) && known_piece(&part[cut..]))
        .map(|cut| vec![lemma(&part[..cut]), lemma(&part[cut..])])
}

/// `lifeexpectancy` is `life expectancy` in any business.
fn split_by_words(part: &str, known: &BTreeSet<String>) -> Option<Vec<String>> {
    let pieces = cuts(part, &|piece| known.contains(&lemma(piece)) || expansion(piece).is_some())?;
    Some(pieces.iter().map(|piece| expansion(piece).map_or_else(|| lemma(piece), str::to_string)).collect())
}

fn expand(start: &str, known: &BTreeSet<String>, own: &[String]) -> Option<String> {
    if let Some((_, full)) = ABBREVIATIONS.iter().find(|(short, _)| *short == start) {
        return Some((*full).to_string());
    }
    if start.len() >= 3 && known.contains(&lemma(start)) {
        return Some(lemma(start));
    }
    if let Some(word) = own.iter().find(|word| word.starts_with(start)) {
        return Some(word.clone());
    }
    if start.len() >= 3 {
        return known.iter().find(|word| word.len() > start.len() && word.starts_with(start)).cloned();
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::identifier_words;

    fn check(identifier: &str, own: &[&str], expected: &str) {
        let known: BTreeSet<String> =
            ["student", "club", "activity", "allergy", "type", "name", "dorm", "cancel"].map(str::to_string).into();
        let own: Vec<String> = own.iter().map(ToString::to_string).collect();
        assert_eq!(identifier_words(identifier, &known, &own).join(" "), expected);
    }

    #[test]
    fn identifiers_become_words() {
        check("dept_store_chain_id", &[], "department store chain id");
        check("maxOccupancy", &[], "maximum occupancy");
        check("stuid", &[], "student id");
        check("actid", &[], "activity id");
        check("AllergyType", &[], "allergy type");
        check("allergytype", &[], "allergy type");
        check("LName", &["student"], "last name");
        check("DName", &["department"], "department name");
        check("DNO", &["department"], "department number");
        check("dormid", &[], "dorm id");
        check("lifeexpectancy", &[], "life expectancy");
        check("NUMMOVES", &[], "number move");
        check("depot_nm", &["depot"], "depot name");
        check("duration_min", &[], "duration minute");
        check("CANCELLED", &[], "cancelled");
        check("plan_year", &["yearly", "plan"], "plan year");
    }
}
