//! Units that numbers are stated in, and the words in the names of columns that hold such numbers.

use super::time::YEARS;
use super::words::Word;

/// What the words of one row measure.
struct Measurement {
    spellings: &'static [&'static str],
    /// Words of columns, the surest first.
    columns: &'static [&'static str],
}

const CURRENCIES: &[&str] = &[
    "dollars", "dollar", "euros", "euro", "usd", "eur", "pound", "pounds", "franc", "francs", "kronor", "krona",
    "kroner", "krone", "nok", "sek", "dkk", "chf", "gbp", "yen", "zloty", "cent", "cents",
];

const MEASUREMENTS: &[Measurement] = &[
    Measurement {
        spellings: CURRENCIES,
        columns: &[
            "amount", "price", "cost", "fee", "charge", "value", "salary", "premium", "revenue", "sale", "payment",
            "rate", "budget", "total",
        ],
    },
    Measurement { spellings: &["kg", "kilo", "kilos", "kilogram", "kilograms"], columns: &["weight", "kg", "mass"] },
    Measurement { spellings: &["ton", "tons", "tonne", "tonnes"], columns: &["ton", "tonne", "tonnage", "t"] },
    Measurement { spellings: &["hectare", "hectares", "ha"], columns: &["ha", "hectare", "area"] },
    Measurement { spellings: &["foot", "feet", "ft"], columns: &["ft", "foot", "feet"] },
    Measurement {
        spellings: &["km", "kilometer", "kilometers", "kilometre", "kilometres"],
        columns: &["km", "distance", "kilometer", "kilometre", "mileage", "length"],
    },
    Measurement {
        spellings: &["metre", "metres", "meter", "meters"],
        columns: &["m", "metre", "meter", "length", "height", "width", "depth"],
    },
    Measurement { spellings: &["mile", "miles"], columns: &["mile", "mileage", "distance"] },
    Measurement { spellings: &["hour", "hours"], columns: &["hour", "duration"] },
    Measurement { spellings: &["minute", "minutes"], columns: &["minute", "min", "duration"] },
    Measurement { spellings: &["day", "days"], columns: &["day", "duration"] },
    Measurement { spellings: &["night", "nights"], columns: &["night"] },
    Measurement { spellings: &["week", "weeks"], columns: &["week"] },
    Measurement { spellings: &["month", "months"], columns: &["month"] },
    Measurement { spellings: &["year", "years"], columns: &["year", "age"] },
    Measurement { spellings: &["degree", "degrees"], columns: &["temperature"] },
    Measurement {
        spellings: &["point", "points", "star", "stars"],
        columns: &["point", "score", "rating", "grade", "star"],
    },
    Measurement { spellings: &["piece", "pieces"], columns: &["piece", "quantity", "unit"] },
    Measurement { spellings: &["litre", "litres", "liter", "liters"], columns: &["litre", "liter", "volume"] },
    Measurement { spellings: &["kwh", "mwh"], columns: &["kwh", "mwh", "consumption", "energy", "production"] },
    Measurement { spellings: &["kw", "mw"], columns: &["kw", "mw", "capacity", "power"] },
    Measurement {
        spellings: &["people", "persons", "person"],
        columns: &["party", "pax", "headcount", "cover", "attendee", "participant"],
    },
    Measurement { spellings: &["credit", "credits"], columns: &["credit"] },
    Measurement { spellings: &["percent", "%"], columns: &["percent", "percentage", "pct", "rate", "share"] },
];

/// Abbreviations that names of columns end with, and what people say for them.
const SPELLED: &[(&str, &[&[&str]])] = &[
    ("sqm", &[&["square", "metre"], &["square", "meter"]]),
    ("m2", &[&["square", "metre"], &["square", "meter"]]),
    ("sqft", &[&["square", "foot"]]),
    ("m", &[&["metre"], &["meter"]]),
    ("km", &[&["kilometre"], &["kilometer"]]),
    ("kg", &[&["kilo"], &["kilogram"]]),
    ("t", &[&["tonne"], &["ton"]]),
    ("ha", &[&["hectare"]]),
    ("l", &[&["litre"], &["liter"]]),
    ("min", &[&["minute"]]),
    ("h", &[&["hour"]]),
];

/// The spellings of each unit that figures may be stated in.
const UNITS: &[&[&str]] = &[
    &["kg", "kilo", "kilos", "kilogram", "kilograms"],
    &["t", "ton", "tons", "tonne", "tonnes"],
    &["g", "gram", "grams"],
    &["lb", "lbs", "pound", "pounds"],
    &["oz", "ounce", "ounces"],
    &["m", "metre", "metres", "meter", "meters"],
    &["km", "kilometre", "kilometres", "kilometer", "kilometers"],
    &["cm", "centimetre", "centimetres", "centimeter", "centimeters"],
    &["mile", "miles", "mi"],
    &["ft", "foot", "feet"],
    &["inch", "inches"],
    &["yard", "yards"],
    &["l", "litre", "litres", "liter", "liters"],
    &["gallon", "gallons"],
    &["ha", "hectare", "hectares"],
    &["acre", "acres"],
    &["kwh"],
    &["mwh"],
    &["dollar", "dollars", "usd"],
    &["euro", "euros", "eur"],
    &["pound", "pounds", "gbp"],
    &["franc", "francs", "chf"],
    &["kronor", "krona", "sek"],
    &["kroner", "krone", "nok", "dkk"],
    &["yen", "jpy"],
    &["zloty", "pln"],
    &["cent", "cents"],
    &["celsius"],
    &["fahrenheit"],
];

/// Words of columns that hold something for each of a unit.
const RATES: &[(&[&str], &[&str])] = &[
    (&["hour", "hours"], &["hourly", "hour"]),
    (&["day", "days"], &["daily", "day"]),
    (&["night", "nights"], &["nightly", "night"]),
    (&["week", "weeks"], &["weekly", "week"]),
    (&["month", "months"], &["monthly", "month"]),
    (&["year", "years"], &["yearly", "annual", "year"]),
    (&["kg", "kilo", "kilos", "kilogram", "kilograms"], &["kg", "kilo", "kilogram"]),
    (&["litre", "litres", "liter", "liters"], &["litre", "liter", "l"]),
    (&["tonne", "tonnes", "ton", "tons"], &["tonne", "ton", "t"]),
    (&["km", "kilometre", "kilometer", "kilometres", "kilometers"], &["km", "kilometre", "kilometer"]),
    (&["piece", "pieces", "unit", "units"], &["unit", "piece"]),
    (&["kwh", "mwh"], &["kwh", "mwh"]),
];

/// The words of columns that hold something for each of a unit: `daily` for a day.
#[must_use]
pub fn rate_words_of(lower: &str) -> &'static [&'static str] {
    RATES.iter().find(|(spellings, _)| spellings.contains(&lower)).map_or(&[], |(_, words)| words)
}

/// `euros a kilo`: the unit that the money at a word is for, and where it ends.
#[must_use]
pub fn rate_at(words: &[Word], at: usize) -> Option<(String, usize)> {
    let is_each = words.get(at + 1).is_some_and(|word| matches!(word.lower.as_str(), "a" | "an" | "per" | "each"));
    let unit = words.get(at + 2).filter(|_| is_each && is_currency(&words[at].lower))?;
    (!rate_words_of(&unit.lower).is_empty()).then(|| (unit.lower.clone(), at + 3))
}

/// `more than 200 an hour`: the unit that a number before the word is for, and where it ends.
#[must_use]
pub fn bare_rate_at(words: &[Word], at: usize) -> Option<(String, usize)> {
    let is_led = at > 0 && words[at - 1].number().is_some_and(|number| !YEARS.contains(&number));
    let is_each = matches!(words[at].lower.as_str(), "a" | "an" | "per");
    let unit = words.get(at + 1).filter(|_| is_led && is_each)?;
    (!rate_words_of(&unit.lower).is_empty()).then(|| (unit.lower.clone(), at + 2))
}

/// What people say for an abbreviation: `square metre` for `sqm`.
#[must_use]
pub fn spelled_out(abbreviation: &str) -> &'static [&'static [&'static str]] {
    SPELLED.iter().find(|(short, _)| *short == abbreviation).map_or(&[], |(_, spelled)| spelled)
}

/// Whether a word is a unit of money.
#[must_use]
pub fn is_currency(lower: &str) -> bool {
    CURRENCIES.contains(&lower)
}

/// Whether a word may say what a number counts in.
#[must_use]
pub fn is_unit(lower: &str) -> bool {
    MEASUREMENTS.iter().any(|measurement| measurement.spellings.contains(&lower))
}

/// Whether a word is a unit that figures may be stated in; a letter alone is none.
#[must_use]
pub fn is_stated_unit(lower: &str) -> bool {
    lower.len() > 1 && UNITS.iter().any(|spellings| spellings.contains(&lower))
}

/// Whether two words are spellings of one unit.
#[must_use]
pub fn is_same_unit(left: &str, right: &str) -> bool {
    UNITS.iter().any(|spellings| spellings.contains(&left) && spellings.contains(&right))
}

/// The words of columns that hold numbers in a unit, the surest first.
#[must_use]
pub fn column_words_of(lower: &str) -> &'static [&'static str] {
    let found = MEASUREMENTS.iter().find(|measurement| measurement.spellings.contains(&lower));
    found.map_or(&[], |measurement| measurement.columns)
}

#[cfg(test)]
mod tests {
    use super::{column_words_of, is_currency, is_same_unit, is_stated_unit, is_unit, spelled_out};

    #[test]
    fn units_tell_what_they_measure() {
        for (unit, word) in [("euros", "amount"), ("kg", "weight"), ("points", "rating"), ("kwh", "consumption")] {
            assert!(is_unit(unit) && column_words_of(unit).contains(&word), "{unit}");
        }
        assert_eq!(spelled_out("sqm").first(), Some(&["square", "metre"].as_slice()));
        assert!(spelled_out("status").is_empty());
        assert!(is_currency("dollars") && !is_currency("kg"));
        assert!(is_same_unit("kilos", "kg") && !is_same_unit("kilos", "tonnes") && !is_stated_unit("m"));
        assert!(!is_unit("orders") && column_words_of("orders").is_empty());
    }
}
