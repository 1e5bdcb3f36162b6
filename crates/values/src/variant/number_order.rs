//! The total order of exact and floating-point numbers: both are compared by their decimal digits. A floating-point number
//! beyond 2^53 stands for the integer that it is, a smaller one for the shortest decimal that is read as it, so that
//! `0.1` and `1e-1` are equal, and 2^53 + 1 is larger than the floating-point number 2^53.

use std::cmp::Ordering;

use super::Number;

/// From here on every floating-point number is an integer, and not every integer is one.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// The most digits after the point that an exact number has.
const SCALE_MAX: u8 = 38;

/// Of the texts that are read as numbers; keys have room for three digits of a length.
const EXPONENT_MAX: i32 = 400;
const DIGITS_MAX: usize = 500;

pub(super) fn compare_numbers(left: Number, right: Number) -> Ordering {
    if left.scale == right.scale {
        return left.digits.cmp(&right.digits);
    }
    Decimal::of_number(left).compare(&Decimal::of_number(right))
}

pub(super) fn compare_doubles(left: f64, right: f64) -> Ordering {
    // What is no number is the largest, and the two zeros are one.
    left.partial_cmp(&right).unwrap_or_else(|| left.is_nan().cmp(&right.is_nan()))
}

pub(super) fn compare_with_double(left: Number, right: f64) -> Ordering {
    if !right.is_finite() {
        return compare_doubles(0.0, right);
    }
    if left.scale == 0 && left.digits.unsigned_abs() <= EXACT_MAX as u128 {
        return compare_doubles(left.digits as f64, right);
    }
    Decimal::of_number(left).compare(&Decimal::of_double(right))
}

/// The exact number that a floating-point number is equal to, if there is one.
pub(super) fn exact_number(value: f64) -> Option<Number> {
    if !value.is_finite() {
        return None;
    }
    let decimal = Decimal::of_double(value);
    if decimal.sign == Ordering::Equal {
        return Some(Number::integer(0));
    }
    let scale = u8::try_from(decimal.fraction.len()).ok().filter(|scale| *scale <= SCALE_MAX)?;
    let digits: i128 = format!("{}{}", decimal.whole, decimal.fraction).parse().ok()?;
    Some(Number::new(if decimal.sign == Ordering::Less { -digits } else { digits }, scale))
}

/// A text that sorts as the number does.
pub fn number_key(number: Number) -> String {
    Decimal::of_number(number).key()
}

/// As `number_key`, of a text in which a number is written; `None` for any other text.
pub fn text_key(text: &str) -> Option<String> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, exponent) = match digits.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok().filter(|size| size.abs() <= EXPONENT_MAX)?),
        None => (digits, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = !(whole.is_empty() && fraction.is_empty()) && whole.len() + fraction.len() <= DIGITS_MAX;
    if !is_number || !whole.bytes().chain(fraction.bytes()).all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let all = format!("{whole}{fraction}");
    let point = whole.len() as i32 + exponent;
    let moved = match usize::try_from(point) {
        Err(_) => format!("0.{}{all}", "0".repeat(point.unsigned_abs() as usize)),
        Ok(point) if point >= all.len() => format!("{all}{}", "0".repeat(point - all.len())),
        Ok(point) => format!("{}.{}", &all[..point], &all[point..]),
    };
    Some(Decimal::of_text(&if is_negative { format!("-{moved}") } else { moved }).key())
}

/// As `number_key`; infinities and NaN sort outside of all other numbers.
pub(super) fn double_key(value: f64) -> String {
    if value.is_nan() {
        "5".to_owned()
    } else if value == f64::INFINITY {
        "4".to_owned()
    } else if value == f64::NEG_INFINITY {
        "0".to_owned()
    } else {
        Decimal::of_double(value).key()
    }
}

/// The digits of a number before and behind the point, without needless zeros.
struct Decimal {
    sign: Ordering,
    whole: String,
    fraction: String,
}

impl Decimal {
    fn of_number(number: Number) -> Self {
        Self::of_text(&number.to_string())
    }

    fn of_double(value: f64) -> Self {
        Self::of_text(&if value.abs() >= EXACT_MAX { format!("{value:.0}") } else { format!("{value}") })
    }

    fn of_text(text: &str) -> Self {
        let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        let sign = match (whole.is_empty() && fraction.is_empty(), is_negative) {
            (true, _) => Ordering::Equal,
            (false, true) => Ordering::Less,
            (false, false) => Ordering::Greater,
        };
        Self { sign, whole: whole.to_owned(), fraction: fraction.to_owned() }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let size = |number: &Self| number.whole.len();
        let magnitude = size(self)
            .cmp(&size(other))
            .then_with(|| self.whole.cmp(&other.whole))
            .then_with(|| self.fraction.cmp(&other.fraction));
        self.sign.cmp(&other.sign).then(if self.sign == Ordering::Less { magnitude.reverse() } else { magnitude })
    }

    /// The sign, how many digits there are before the point, and the digits; those of a negative number turned, with an
    /// end that is larger than any digit.
    fn key(&self) -> String {
        let (size, digits) = (self.whole.len(), self.whole.bytes().chain(self.fraction.bytes()));
        match self.sign {
            Ordering::Equal => "2".to_owned(),
            Ordering::Greater => format!("3{size:03}{}{}", self.whole, self.fraction),
            Ordering::Less => {
                let turned: String = digits.map(|digit| char::from(b'0' + (b'9' - digit))).collect();
                format!("1{:03}{turned}~", 999 - size)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Number, number_key, text_key};

    #[test]
    fn a_text_has_the_key_of_its_number() {
        for (text, digits, scale) in [
            ("5", 5, 0),
            ("+5.00", 5, 0),
            ("-5e-1", -5, 1),
            (".25", 25, 2),
            ("007.", 7, 0),
            ("1.5E2", 150, 0),
            ("-0", 0, 0),
            ("10000000000000000000000000001", 10_000_000_000_000_000_000_000_000_001, 0),
        ] {
            assert_eq!(text_key(text), Some(number_key(Number::new(digits, scale))), "{text}");
        }
        for text in ["", "-", ".", "x", "1x", "1e", "1e9999", "1 2"] {
            assert_eq!(text_key(text), None, "{text}");
        }
        assert!(text_key("1e40") > text_key("99999999999999999999999999999999999999"));
    }
}
