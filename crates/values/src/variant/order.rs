//! How semi-structured values compare: numbers by value whatever their form, and values of different
//! kinds by their kind, with a null last.

use std::borrow::Cow;
use std::cmp::Ordering;

pub use super::number_order::{number_key, text_key};

use super::Variant;
use super::number_order::{compare_doubles, compare_numbers, compare_with_double, double_key, exact_number};

/// Total, so that anything can be sorted.
pub fn compare(left: &Variant, right: &Variant) -> Ordering {
    match (left, right) {
        (Variant::Boolean(left), Variant::Boolean(right)) => left.cmp(right),
        (Variant::Number(left), Variant::Number(right)) => compare_numbers(*left, *right),
        (Variant::Number(left), Variant::Double(right)) => compare_with_double(*left, *right),
        (Variant::Double(left), Variant::Number(right)) => compare_with_double(*right, *left).reverse(),
        (Variant::Double(left), Variant::Double(right)) => compare_doubles(*left, *right),
        (Variant::Text(left), Variant::Text(right)) => left.cmp(right),
        (Variant::Typed(left), Variant::Typed(right)) => left.text.cmp(&right.text),
        (Variant::Array(left), Variant::Array(right)) => {
            let pairs = left.iter().zip(right).map(|(left, right)| compare(left, right));
            pairs.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
        }
        (Variant::Object(_), Variant::Object(_)) => exact(left.clone()).to_json().cmp(&exact(right.clone()).to_json()),
        _ => rank(left).cmp(&rank(right)),
    }
}

/// The stored text of a value with its floating-point numbers written as the exact numbers they are equal to: two values
/// are equal if these texts are.
pub fn equality_key(stored: Cow<'_, str>) -> Cow<'_, str> {
    if has_exponent(stored.as_bytes()) { Cow::Owned(exact(Variant::from_json(&stored)).to_json()) } else { stored }
}

/// True for a text in which a floating-point number may be stored.
fn has_exponent(stored: &[u8]) -> bool {
    stored.windows(3).any(|bytes| matches!(bytes, [b'0'..=b'9', b'e' | b'E', b'+' | b'-' | b'0'..=b'9']))
}

fn exact(value: Variant) -> Variant {
    match value {
        Variant::Double(double) => exact_number(double).map_or(Variant::Double(double), Variant::Number),
        Variant::Array(elements) => Variant::Array(elements.into_iter().map(exact).collect()),
        Variant::Object(members) => {
            Variant::Object(members.into_iter().map(|(key, member)| (key, exact(member))).collect())
        }
        other => other,
    }
}

pub fn equal(left: &Variant, right: &Variant) -> bool {
    compare(left, right) == Ordering::Equal
}

fn rank(value: &Variant) -> u8 {
    match value {
        Variant::Boolean(_) => 0,
        Variant::Number(_) | Variant::Double(_) => 1,
        Variant::Text(_) => 2,
        Variant::Typed(_) => 3,
        Variant::Array(_) => 4,
        Variant::Object(_) => 5,
        Variant::Null => 6,
        Variant::Undefined => 7,
    }
}

/// A text that sorts as the value does: the kind, then for a number a form whose bytes are in order.
pub fn sort_key(value: &Variant) -> String {
    let rank = char::from(b'0' + rank(value));
    match value {
        Variant::Boolean(value) => format!("{rank}{}", u8::from(*value)),
        Variant::Number(number) => format!("{rank}{}", number_key(*number)),
        Variant::Double(value) => format!("{rank}{}", double_key(*value)),
        Variant::Text(text) => format!("{rank}{text}"),
        Variant::Typed(typed) => format!("{rank}{}", typed.text),
        Variant::Array(elements) => {
            elements.iter().fold(String::from(rank), |key, element| key + &sort_key(element) + "\u{1}")
        }
        other => format!("{rank}{}", exact(other.clone()).to_json()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_order() {
        let ordered = [
            "false",
            "true",
            "-1e300",
            "-9007199254740993",
            "-9.007199254740992e15",
            "-2.55",
            "-2.5",
            "-1",
            "0",
            "1e-300",
            "0.1",
            "0.10000000000000000001",
            "0.5",
            "1e0",
            "2",
            "10",
            "9007199254740992",
            "9007199254740993",
            "9.007199254740994e15",
            "9007199254740995",
            "99999999999999999999999999999999999999",
            "1.1e38",
            "1e300",
            "\"a\"",
            "\"b\"",
            "[1]",
            "[1,2]",
        ];
        for (place, low) in ordered.iter().enumerate() {
            for high in &ordered[place + 1..] {
                let (low_value, high_value) = (Variant::from_json(low), Variant::from_json(high));
                assert_eq!(compare(&low_value, &high_value), Ordering::Less, "{low} {high}");
                assert_eq!(compare(&high_value, &low_value), Ordering::Greater, "{low} {high}");
                assert!(sort_key(&low_value) < sort_key(&high_value), "{low} {high}");
            }
        }
        for (one, other) in [("0.1", "1e-1"), ("9007199254740992", "9.007199254740992e15"), ("0", "-0e0")] {
            let (one, other) = (Variant::from_json(one), Variant::from_json(other));
            assert!(equal(&one, &other) && sort_key(&one) == sort_key(&other), "{one:?} {other:?}");
        }
        assert!(equal(&Variant::from_json("1"), &Variant::from_json("1e0")));
        assert!(equal(&Variant::from_json(r#"{"a":[1]}"#), &Variant::from_json(r#"{"a":[1e0]}"#)));
        assert!(!equal(&Variant::from_json("1"), &Variant::from_json("\"1\"")));
    }
    #[test]
    fn equal_values_have_equal_keys() {
        for (stored, expected) in [
            ("100", "100"),
            ("1.000000000000000e+02", "100"),
            ("-5.000000000000000e-01", "-0.5"),
            ("-0.000000000000000e+00", "0"),
            ("9.007199254740992e+15", "9007199254740992"),
            ("1.000000000000000e+300", "1.000000000000000e+300"),
            ("1.000000000000000e-300", "1.000000000000000e-300"),
            (r#"[1.000000000000000e+00,"1e0"]"#, r#"[1,"1e0"]"#),
            (r#"{"a":1.000000000000000e+00}"#, r#"{"a":1}"#),
            (r#""1e5""#, r#""1e5""#),
            ("NaN", "NaN"),
        ] {
            assert_eq!(equality_key(Cow::Borrowed(stored)), expected, "{stored}");
        }
    }
}
