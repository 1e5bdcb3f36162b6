//! Coordinates as numbers and as text.

/// What a GeoJSON text shows of a coordinate: the number as someone wrote it, or one a function worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `37.55`.
    Plain,
    /// `3.755000000000000e+01`.
    Double,
}

const DECIMALS_STORED: usize = 14;
/// From here on two neighbouring numbers are further apart than a unit of the last stored decimal.
const ALREADY_COARSE: f64 = 64.0;
const DECIMALS_SHOWN: usize = 9;

/// Coordinates are stored with fourteen decimals.
pub(super) fn rounded(value: f64) -> f64 {
    if !value.is_finite() || value.abs() >= ALREADY_COARSE || value.fract() == 0.0 {
        return value;
    }
    format!("{value:.DECIMALS_STORED$}").parse().unwrap_or(value)
}

pub(super) fn write(value: f64, notation: Notation, out: &mut String) {
    match notation {
        Notation::Plain => out.push_str(&plain(value)),
        Notation::Double => out.push_str(&scientific(value)),
    }
}

/// The shortest digits that are this number.
pub(super) fn plain(value: f64) -> String {
    // Zero has no sign in print.
    if value == 0.0 { "0".to_owned() } else { value.to_string() }
}

/// Results of computations on the sphere are shown to a tenth of a millimetre.
pub(super) fn shown(value: f64) -> String {
    let text = format!("{value:.DECIMALS_SHOWN$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// `1.500000000000000e+01`: fifteen decimals, and an exponent of at least two digits.
fn scientific(value: f64) -> String {
    let text = format!("{:.15e}", if value == 0.0 { 0.0 } else { value });
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_rounded_to_fourteen_decimals() {
        for (value, expected) in [
            (1.234_567_890_123_456_7, "1.23456789012346"),
            (-122.35, "-122.35"),
            (389_866.35, "389866.35"),
            (42.0, "42"),
            (-0.0, "0"),
        ] {
            assert_eq!(plain(rounded(value)), expected);
        }
    }

    #[test]
    fn what_was_worked_out_looks_like_a_double() {
        for (value, expected) in [
            (37.5, "3.750000000000000e+01"),
            (-122.35, "-1.223500000000000e+02"),
            (0.0, "0.000000000000000e+00"),
            (-0.25, "-2.500000000000000e-01"),
        ] {
            assert_eq!(scientific(value), expected);
        }
        assert_eq!(shown(15.014_819_855_438_5), "15.014819855");
        assert_eq!(shown(-0.999_999_999_999_999_8), "-1");
        assert_eq!(shown(-1e-12), "0");
    }
}
