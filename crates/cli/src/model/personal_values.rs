//! Personal data: e-mail addresses, telephone numbers, names. A model is passed around more freely than its data, so such
//! values are left out of it unless they are asked for.

use firn_analyst::lexicon::is_person;

/// Words of a column's name whose values are personal in any table.
const PERSONAL: &[&str] = &[
    "address",
    "bic",
    "birth",
    "birthday",
    "dob",
    "email",
    "fax",
    "firstname",
    "fullname",
    "iban",
    "lastname",
    "login",
    "mail",
    "maiden",
    "mobile",
    "nickname",
    "passport",
    "password",
    "phone",
    "ssn",
    "street",
    "surname",
    "telephone",
    "twitter",
    "username",
];
/// Words of a table's or a column's name for people: their `name` is a person's.
const PEOPLE: &[&str] = &[
    "account",
    "actor",
    "agent",
    "artist",
    "attendee",
    "author",
    "candidate",
    "client",
    "coach",
    "crew",
    "contact",
    "customer",
    "doctor",
    "driver",
    "employee",
    "guest",
    "head",
    "instructor",
    "manager",
    "member",
    "mentor",
    "nurse",
    "officer",
    "owner",
    "participant",
    "partner",
    "passenger",
    "patient",
    "people",
    "performer",
    "person",
    "physician",
    "player",
    "professor",
    "recipient",
    "rep",
    "seller",
    "sender",
    "singer",
    "speaker",
    "staff",
    "student",
    "subscriber",
    "supervisor",
    "teacher",
    "tenant",
    "tourist",
    "user",
    "visitor",
];
/// Words that go with `name` in columns that hold a person's.
const NAME_PARTS: &[&str] = &["first", "last", "full", "given", "family", "middle", "sur", "nick"];

/// Whether values of a column look personal.
pub fn are_personal(table: &str, column: &str, values: &[String]) -> bool {
    let column_words = words(column);
    let is_name = column_words.iter().any(|word| word == "name");
    let has = |words: &[String], known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let of_people = names_people(column) || names_people(table);
    let is_of_agent = column_words.iter().chain(&words(table)).any(|word| is_agent(word));
    has(&column_words, PERSONAL)
        || (is_name && (of_people || has(&column_words, NAME_PARTS)))
        || values.iter().any(|value| has_email(value))
        || mostly(values, is_telephone)
        || ((of_people || is_of_agent) && mostly(values, is_full_name))
}

/// Whether a table or a column is called by a noun for people.
pub fn names_people(name: &str) -> bool {
    words(name).iter().any(|word| PEOPLE.contains(&word.as_str()) || is_agent(word) && is_person(word))
}

/// Nouns for people by what they do: `farmer`, `inspector`, `librarian`, `trainee`.
fn is_agent(word: &str) -> bool {
    word.len() > 4 && ["er", "or", "ist", "ian", "ant", "ee"].iter().any(|ending| word.ends_with(ending))
}

/// The words of a name, in small letters and singular; `e_mail` is one word.
fn words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut before = ' ';
    for character in name.chars() {
        if character.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(character);
        before = character;
    }
    let spaced = spaced.to_lowercase().replace("e_mail", "email").replace("e-mail", "email");
    let words = spaced.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    let singular = |word: &str| match word.strip_suffix('s') {
        Some(stem) if !stem.ends_with('s') => stem.to_owned(),
        _ => word.to_owned(),
    };
    words.map(singular).collect()
}

fn mostly(values: &[String], is_personal: impl Fn(&str) -> bool) -> bool {
    let count = values.iter().filter(|value| is_personal(value.trim())).count();
    count * 2 > values.len()
}

/// An address by itself or in the middle of a text.
fn has_email(value: &str) -> bool {
    let is_edge = |character: char| !character.is_alphanumeric();
    value.split_whitespace().any(|word| is_email(word.trim_matches(is_edge)))
}

fn is_email(value: &str) -> bool {
    let Some((name, host)) = value.split_once('@') else { return false };
    !name.is_empty() && host.contains('.') && !host.contains('@') && !value.contains(char::is_whitespace)
}

/// Seven digits or more among signs that telephone numbers are written with; dates and plain numbers are none.
fn is_telephone(value: &str) -> bool {
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let is_of_number = |character: char| character.is_ascii_digit() || " +-./()x".contains(character);
    let is_written = value.starts_with('+') || value.contains('(') || value.matches(['-', ' ', '.']).count() >= 2;
    let is_date = value.len() == 10 && value.matches('-').count() == 2 && value.find('-') == Some(4);
    (7..=15).contains(&digits) && value.chars().all(is_of_number) && is_written && !is_date
}

/// Two or three words, each a capital and small letters.
fn is_full_name(value: &str) -> bool {
    let parts: Vec<&str> = value.split_whitespace().collect();
    let is_name = |part: &&str| {
        let part = part.trim_end_matches('.');
        let mut characters = part.chars();
        characters.next().is_some_and(char::is_uppercase)
            && characters.all(|character| character.is_lowercase() || "-'’".contains(character))
    };
    (2..=3).contains(&parts.len()) && parts.iter().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn personal_values_are_recognised() {
        let check = |table: &str, column: &str, values: &[&str], expected: bool| {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            assert_eq!(are_personal(table, column, &values), expected, "{table}.{column} {values:?}");
        };
        check("T", "E_MAIL", &["x"], true);
        check("T", "contactEmail", &[], true);
        check("T", "CONTACT", &["ann@example.org", "bob@example.org", "-"], true);
        check("T", "REACHED_AT", &["+49 30 1234567", "(555) 123-4567"], true);
        check("T", "FIRST_NAME", &["Ann"], true);
        check("CUSTOMERS", "NAME", &["Ann Berg"], true);
        check("FARMS", "FARMER", &["Ada Abel", "Ada Dahl"], true);
        check("TRUCKS", "TRAILER", &["flat", "tank"], false);
        check("FIREFIGHTER", "NAME", &["Anna", "Bruno"], true);
        check("DIVER", "LABEL", &["Anna Olsen", "Bruno Dubois"], true);
        check("CONTAINER", "NAME", &["MSKU 1", "MSKU 2"], false);
        check("VISITS", "NOTE", &["call anna@ex.org", "nothing", "late", "rain"], true);
        check("CUSTOMERS", "LABEL", &["Ann Berg", "Tom Hill"], true);
        check("ORDERS", "MANAGER_NAME", &["x"], true);
        check("PRODUCTS", "NAME", &["Tent"], false);
        check("PRODUCTS", "CATEGORY", &["Hiking Boots", "Tents"], false);
        check("CUSTOMERS", "REGION", &["Europe", "North America"], false);
        check("ORDERS", "STATUS", &["open", "shipped"], false);
        check("ORDERS", "DAY", &["2024-01-05", "2024-02-05"], false);
        check("ORDERS", "CODE", &["1234567", "7654321"], false);
    }
}
