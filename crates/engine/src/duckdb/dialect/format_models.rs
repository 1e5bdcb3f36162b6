//! Format models such as `YYYY-MM-DD HH24:MI:SS.FF3`, in the engine's patterns for reading and writing
//! dates and times.

use firn_sql::Failure;

/// What a pattern is for: some elements are read and written differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Write,
}

/// Longer elements first, for they begin like shorter ones.
const ELEMENTS: &[(&str, &str)] = &[
    ("YYYY", "%Y"),
    ("MMMM", "%B"),
    ("HH24", "%H"),
    ("HH12", "%I"),
    ("YY", "%y"),
    ("MON", "%b"),
    ("MM", "%m"),
    ("MI", "%M"),
    ("DD", "%d"),
    ("DY", "%a"),
    ("SS", "%S"),
    ("AM", "%p"),
    ("PM", "%p"),
];

pub(super) fn pattern(model: &str, direction: Direction) -> Result<String, Failure> {
    let upper = model.to_ascii_uppercase();
    let mut pattern = String::new();
    let mut rest = 0;
    'model: while rest < model.len() {
        let left = &upper[rest..];
        for (element, engine) in ELEMENTS {
            if left.starts_with(element) {
                pattern.push_str(engine);
                rest += element.len();
                continue 'model;
            }
        }
        if let Some(after) = left.strip_prefix("FF") {
            let digits = after.chars().next().filter(char::is_ascii_digit);
            pattern.push_str(fraction(digits, direction)?);
            rest += 2 + usize::from(digits.is_some());
        } else if let Some(after) = left.strip_prefix('"') {
            let length = after.find('"').ok_or_else(|| unknown(model))?;
            pattern.push_str(&model[rest + 1..rest + 1 + length].replace('%', "%%"));
            rest += length + 2;
        } else {
            let Some(character) = model[rest..].chars().next() else { break };
            if character.is_ascii_alphabetic() && character != 'T' && character != 'Z' {
                return Err(unknown(model));
            }
            pattern.push_str(&if character == '%' { "%%".to_owned() } else { character.to_string() });
            rest += character.len_utf8();
        }
    }
    Ok(pattern)
}

fn fraction(digits: Option<char>, direction: Direction) -> Result<&'static str, Failure> {
    Ok(match (direction, digits) {
        (Direction::Read, Some('0')) | (Direction::Write, Some('0')) => "",
        (Direction::Read, _) => "%f",
        (Direction::Write, Some('3')) => "%g",
        (Direction::Write, Some('6')) => "%f",
        (Direction::Write, None | Some('9')) => "%n",
        (Direction::Write, Some(other)) => return Err(Failure::unsupported(&format!("format element FF{other}"))),
    })
}

fn unknown(model: &str) -> Failure {
    Failure::unsupported(&format!("date or time format '{model}'"))
}

#[cfg(test)]
mod tests {
    use super::{Direction, pattern};

    #[test]
    fn models_become_patterns() {
        for (model, expected) in [
            ("YYYY-MM-DD", "%Y-%m-%d"),
            ("dd-mon-yyyy", "%d-%b-%Y"),
            ("YYYY-MM-DD\"T\"HH24:MI:SS.FF3", "%Y-%m-%dT%H:%M:%S.%g"),
            ("HH12:MI AM", "%I:%M %p"),
            ("100%", "100%%"),
        ] {
            assert_eq!(pattern(model, Direction::Write).as_deref(), Ok(expected));
        }
        assert!(pattern("999,999.00W", Direction::Write).is_err());
    }
}
