//! Collations: a language's order of letters, and whether case and accents count, are the engine's; any other is
//! refused by name.

use firn_sql::Failure;

/// The languages whose order of letters the engine knows.
const LANGUAGES: &[&str] = &[
    "af", "am", "ar", "as", "az", "be", "bg", "bn", "bo", "br", "bs", "ca", "cs", "cy", "da", "de", "el", "en", "eo",
    "es", "et", "fa", "fi", "fo", "fr", "ga", "gl", "gu", "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ka",
    "kk", "km", "kn", "ko", "ky", "lb", "lo", "lt", "lv", "mk", "ml", "mn", "mr", "ms", "mt", "my", "nb", "ne", "nl",
    "nn", "pa", "pl", "pt", "ro", "ru", "si", "sk", "sl", "sq", "sr", "sv", "sw", "ta", "te", "th", "tk", "tr", "ug",
    "uk", "ur", "uz", "vi", "zh", "zu",
];

/// The languages in which no letter differs from another by its accent alone.
const WITHOUT_ACCENTED_LETTERS: &[&str] = &["de", "en", "fr", "it", "nl", "pt"];

/// The engine's collation for a specification such as `en-ci`; `None` for plain bytes.
pub(crate) fn engine_collation(specification: &str) -> Result<Option<String>, Failure> {
    let lower = specification.to_ascii_lowercase();
    let mut parts: Vec<&str> = lower.split(['-', '_']).filter(|part| !part.is_empty()).collect();
    let mut without = |wanted: &str| {
        let before = parts.len();
        parts.retain(|part| *part != wanted);
        parts.len() < before
    };
    let (mut ignores_case, ignores_accents) = (without("ci"), without("ai"));
    for usual in ["cs", "as", "ps", "fl"] {
        without(usual);
    }
    let refused = || Failure::unsupported(&format!("collation '{specification}'; name a language, with -ci or -ai"));
    let language = match parts[..] {
        [] | ["utf8" | "bin"] => None,
        ["lower" | "upper"] if !ignores_case && !ignores_accents => {
            ignores_case = true;
            None
        }
        [language] => Some(language),
        [language, country] if country.len() == 2 => Some(language),
        _ => return Err(refused()),
    };
    if language.is_some_and(|language| LANGUAGES.binary_search(&language).is_err())
        || ignores_accents && language.is_some_and(|language| !WITHOUT_ACCENTED_LETTERS.contains(&language))
    {
        return Err(refused());
    }
    let names = [ignores_case.then_some("NOCASE"), ignores_accents.then_some("NOACCENT"), language];
    let names: Vec<&str> = names.into_iter().flatten().collect();
    Ok((!names.is_empty()).then(|| names.join(".")))
}

#[cfg(test)]
mod tests {
    use super::{LANGUAGES, engine_collation};

    #[test]
    fn collations_are_the_engine_s() {
        assert!(LANGUAGES.is_sorted());
        for (specification, expected) in [
            ("en-ci", Ok(Some("NOCASE.en"))),
            ("utf8-ci", Ok(Some("NOCASE"))),
            ("en_US-ci-ai", Ok(Some("NOCASE.NOACCENT.en"))),
            ("lower", Ok(Some("NOCASE"))),
            ("upper", Ok(Some("NOCASE"))),
            ("", Ok(None)),
            ("utf8", Ok(None)),
            ("de", Ok(Some("de"))),
            ("es-ci-ai", Err("000002")),
            ("en-ci-trim", Err("000002")),
            ("xx", Err("000002")),
        ] {
            let found = engine_collation(specification).map_err(|failure| failure.code);
            assert_eq!(found, expected.map(|name| name.map(str::to_owned)), "{specification}");
        }
    }
}
