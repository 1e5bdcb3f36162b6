//! Collations: those that ignore case, and accents, are the engine's; any other is refused by name.

use firn_sql::Failure;

/// The engine's collation for a specification such as `en-ci`; `None` for plain bytes.
pub(crate) fn engine_collation(specification: &str) -> Result<Option<&'static str>, Failure> {
    let lower = specification.to_ascii_lowercase();
    let mut parts: Vec<&str> = lower.split(['-', '_']).filter(|part| !part.is_empty()).collect();
    let mut without = |wanted: &str| {
        let before = parts.len();
        parts.retain(|part| *part != wanted);
        parts.len() < before
    };
    let (ignores_case, ignores_accents) = (without("ci"), without("ai"));
    without("cs");
    without("as");
    let is_plain = parts.is_empty() || parts == ["utf8"] || parts == ["bin"];
    match (ignores_case, ignores_accents) {
        (true, true) if is_language(&parts) => Ok(Some("NOCASE.NOACCENT")),
        (true, false) if is_language(&parts) => Ok(Some("NOCASE")),
        (false, false) if parts == ["lower"] => Ok(Some("NOCASE")),
        (false, false) if is_plain => Ok(None),
        _ => Err(Failure::unsupported(&format!("collation '{specification}'; use one that ends in -ci"))),
    }
}

/// At most a language, with or without a country, or the word for plain text.
fn is_language(parts: &[&str]) -> bool {
    match parts {
        [] => true,
        [one] => one.len() == 2 || *one == "utf8",
        [language, country] => language.len() == 2 && country.len() == 2,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::engine_collation;

    #[test]
    fn collations_that_ignore_case_are_the_engine_s() {
        for (specification, expected) in [
            ("en-ci", Ok(Some("NOCASE"))),
            ("utf8-ci", Ok(Some("NOCASE"))),
            ("en_US-ci-ai", Ok(Some("NOCASE.NOACCENT"))),
            ("lower", Ok(Some("NOCASE"))),
            ("upper", Err("000002")),
            ("", Ok(None)),
            ("utf8", Ok(None)),
            ("de", Err("000002")),
            ("en-ci-trim", Err("000002")),
        ] {
            assert_eq!(engine_collation(specification).map_err(|failure| failure.code), expected, "{specification}");
        }
    }
}
