//! Collations: the order of languages, and whether case and accents count, are the engine's; what it has no way of
//! comparing by (`trim`, punctuation) is refused by name.

use firn_sql::Failure;

/// Languages, and countries with an order of their own, that the engine can order by.
const LOCALES: &str = "af am ar ar_sa as az be bg bn bo br bs ca ceb chr cs cy da de de_at dsb dz ee el en en_us eo es \
                       et fa fa_af ff fi fil fo fr fr_ca ga gl gu ha haw he he_il hi hr hsb hu hy id id_id ig is it ja \
                       ka kk kl km kn ko kok ku ky lb lkt ln lo lt lv mk ml mn mr ms mt my nb nb_no ne nl nn om or pa \
                       pa_in pl ps pt ro ru sa se si sk sl smn sq sr sr_ba sr_me sr_rs sv sw ta te th tk to tr ug uk ur \
                       uz vi wae wo xh yi yo yue yue_cn zh zh_cn zh_hk zh_mo zh_sg zh_tw zu";

/// Languages whose small letters are not those of the others.
const OTHER_LETTER_CASE: [&str; 3] = ["az", "lt", "tr"];

/// Languages in which no letter differs from another by its accent alone.
const WITHOUT_ACCENTED_LETTERS: [&str; 9] = ["de", "de_at", "en", "en_us", "fr", "fr_ca", "it", "nl", "pt"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collation {
    locale: Option<&'static str>,
    pub ignores_case: bool,
    pub ignores_accents: bool,
}

impl Collation {
    /// Reads a specification such as `en-ci`.
    pub fn parse(specification: &str) -> Result<Self, Failure> {
        let unsupported = || {
            let way_out = "use a language, with -ci or -ai or both";
            Failure::unsupported(&format!("collation '{specification}'; {way_out}"))
        };
        let lower = specification.to_ascii_lowercase();
        let mut parts = lower.split('-').filter(|part| !part.is_empty()).peekable();
        let mut collation = Self::default();
        if let Some(first) = parts.next_if(|part| !is_attribute(part)) {
            match first {
                "utf8" | "bin" => {}
                "lower" | "upper" => collation.ignores_case = true,
                locale => collation.locale = Some(engine_locale(locale).ok_or_else(unsupported)?),
            }
        }
        for part in parts {
            match part {
                "ci" => collation.ignores_case = true,
                "ai" => collation.ignores_accents = true,
                "cs" | "as" | "ps" => {}
                // Lower or upper case first makes no difference where case is ignored.
                "fl" if collation.locale.is_some() => {}
                _ => return Err(unsupported()),
            }
        }
        let is_exact = collation.locale.is_none_or(|locale| {
            !(collation.ignores_case && OTHER_LETTER_CASE.contains(&locale))
                && (!collation.ignores_accents || WITHOUT_ACCENTED_LETTERS.contains(&locale))
        });
        if is_exact { Ok(collation) } else { Err(unsupported()) }
    }

    /// The engine's name of it; `None` for plain bytes.
    pub fn engine_name(&self) -> Option<String> {
        let parts = [self.ignores_case.then_some("NOCASE"), self.ignores_accents.then_some("NOACCENT"), self.locale];
        let parts: Vec<&str> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("."))
    }
}

fn is_attribute(part: &str) -> bool {
    // `as` is the language code of Assamese too; as a suffix it means accent-sensitive.
    matches!(part, "ci" | "cs" | "ai" | "as" | "pi" | "ps" | "fl" | "fu" | "trim" | "ltrim" | "rtrim")
}

/// The locale itself, or its language where the country orders like it.
fn engine_locale(locale: &str) -> Option<&'static str> {
    let known = |wanted: &str| LOCALES.split(' ').find(|known| *known == wanted);
    let (language, country) = locale.split_once('_').unwrap_or((locale, ""));
    let is_country = country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_lowercase());
    if !country.is_empty() && !is_country {
        return None;
    }
    known(locale).or_else(|| known(language))
}

#[cfg(test)]
mod tests {
    use super::Collation;

    #[test]
    fn collations_are_the_engine_s() {
        for (specification, expected) in [
            ("en-ci", Ok(Some("NOCASE.en"))),
            ("utf8-ci", Ok(Some("NOCASE"))),
            ("en_US-ci-ai", Ok(Some("NOCASE.NOACCENT.en_us"))),
            ("en-ai", Ok(Some("NOACCENT.en"))),
            ("fr_CH-cs-as", Ok(Some("fr"))),
            ("de", Ok(Some("de"))),
            ("lower", Ok(Some("NOCASE"))),
            ("ci", Ok(Some("NOCASE"))),
            ("", Ok(None)),
            ("utf8", Ok(None)),
            ("bin", Ok(None)),
            ("en-ps-fl", Ok(Some("en"))),
            ("upper", Ok(Some("NOCASE"))),
            ("es-ai", Err("000002")),
            ("trim", Err("000002")),
            ("en-ci-trim", Err("000002")),
            ("en-pi", Err("000002")),
            ("en-fu", Err("000002")),
            ("tr-ci", Err("000002")),
            ("nonsense", Err("000002")),
            ("en_nonsense", Err("000002")),
        ] {
            let found = Collation::parse(specification).map(|collation| collation.engine_name());
            let found = found.as_ref().map(Option::as_deref).map_err(|failure| failure.code);
            assert_eq!(found, expected, "{specification}");
        }
    }
}
