//! How semi-structured values compare: numbers by value whatever their form, and values of different
//! kinds by their kind, with a null last.

use std::cmp::Ordering;

use super::{Number, Variant};

/// Total, so that anything can be sorted.
pub fn compare(left: &Variant, right: &Variant) -> Ordering {
    match (left, right) {
        (Variant::Boolean(left), Variant::Boolean(right)) => left.cmp(right),
        (Variant::Number(left), Variant::Number(right)) => compare_numbers(*left, *right),
        (Variant::Number(left), Variant::Double(right)) => left.to_double().total_cmp(right),
        (Variant::Double(left), Variant::Number(right)) => left.total_cmp(&right.to_double()),
        (Variant::Double(left), Variant::Double(right)) => left.total_cmp(right),
        (Variant::Text(left), Variant::Text(right)) => left.cmp(right),
        (Variant::Typed(left), Variant::Typed(right)) => left.text.cmp(&right.text),
        (Variant::Array(left), Variant::Array(right)) => {
            let pairs = left.iter().zip(right).map(|(left, right)| compare(left, right));
            pairs.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
        }
        (Variant::Object(_), Variant::Object(_)) => left.to_json().cmp(&right.to_json()),
        _ => rank(left).cmp(&rank(right)),
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

fn compare_numbers(left: Number, right: Number) -> Ordering {
    let scale = left.scale.max(right.scale);
    let raised = |number: Number| number.digits.checked_mul(10_i128.checked_pow(u32::from(scale - number.scale))?);
    match (raised(left), raised(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => left.to_double().total_cmp(&right.to_double()),
    }
}

/// A text that sorts as the value does: the kind, then for a number a form whose bytes are in order.
pub fn sort_key(value: &Variant) -> String {
    let rank = char::from(b'0' + rank(value));
    match value {
        Variant::Boolean(value) => format!("{rank}{}", u8::from(*value)),
        Variant::Number(number) => format!("{rank}{}", ordered_bits(number.to_double())),
        Variant::Double(value) => format!("{rank}{}", ordered_bits(*value)),
        Variant::Text(text) => format!("{rank}{text}"),
        Variant::Typed(typed) => format!("{rank}{}", typed.text),
        Variant::Array(elements) => {
            elements.iter().fold(String::from(rank), |key, element| key + &sort_key(element) + "\u{1}")
        }
        other => format!("{rank}{}", other.to_json()),
    }
}

/// Negative numbers with all bits turned, others with the sign turned: their hexadecimal is in order.
fn ordered_bits(value: f64) -> String {
    let bits = value.to_bits();
    let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    format!("{ordered:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_order() {
        let ordered = ["false", "true", "-2.5", "-1", "0", "0.5", "1e0", "2", "10", "\"a\"", "\"b\"", "[1]", "[1,2]"];
        for pair in ordered.windows(2) {
            let (low, high) = (Variant::from_json(pair[0]), Variant::from_json(pair[1]));
            assert_eq!(compare(&low, &high), Ordering::Less, "{pair:?}");
            assert!(sort_key(&low) < sort_key(&high), "{pair:?}");
        }
        assert!(equal(&Variant::from_json("1"), &Variant::from_json("1e0")));
        assert!(!equal(&Variant::from_json("1"), &Variant::from_json("\"1\"")));
    }
}
