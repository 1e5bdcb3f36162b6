//! Columns that say yes or no in words.

/// The two values of a column as the data spell them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    pub yes: String,
    pub no: String,
}

/// Pairs of words, yes first.
const PAIRS: &[(&str, &str)] = &[("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f")];

/// The flag that the values of a column are, where they are nothing else.
pub(super) fn flag_of(values: &[String]) -> Option<Flag> {
    let spelled = |word: &str| values.iter().find(|value| value.trim().eq_ignore_ascii_case(word)).cloned();
    let [_, _] = values else { return None };
    PAIRS.iter().find_map(|(yes, no)| Some(Flag { yes: spelled(yes)?, no: spelled(no)? }))
}

#[cfg(test)]
mod tests {
    use super::flag_of;

    #[test]
    fn yes_and_no_make_a_flag() {
        let of = |values: &[&str]| flag_of(&values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["No", "Yes"]).map(|flag| flag.yes), Some("Yes".to_owned()));
        assert_eq!(of(&["N", "Y"]).map(|flag| flag.no), Some("N".to_owned()));
        assert_eq!(of(&["F", "M"]), None);
        assert_eq!(of(&["No", "Yes", "Maybe"]), None);
    }
}
