//! Other words for values that data often shorten.

/// Words for values that data often shorten.
pub fn value_aliases(column: &[String], value: &str) -> &'static [&'static str] {
    let speaks_of = |word: &str| column.iter().any(|own| own == word);
    match value.to_lowercase().as_str() {
        "m" if speaks_of("sex") || speaks_of("gender") => &["male", "man", "men", "boy", "boys"],
        "f" if speaks_of("sex") || speaks_of("gender") => &["female", "woman", "women", "girl", "girls"],
        "male" if speaks_of("sex") || speaks_of("gender") => &["man", "men", "boy", "boys"],
        "female" if speaks_of("sex") || speaks_of("gender") => &["woman", "women", "girl", "girls"],
        "usa" => &["us", "american", "united states"],
        "uk" => &["united kingdom", "british"],
        "united states" => &["us", "usa", "american"],
        _ => &[],
    }
}
