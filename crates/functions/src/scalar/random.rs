//! Numbers and texts made from a generator's number. The same number always makes the same value.

use super::native::{Evaluated, Native, Row};
use crate::definition::{Answer, Kind};
use Kind::{Double, Integer, Text};

const TEXT_LENGTH_MAX: i64 = 1_000_000;
const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_seeded_random", &[Integer], Integer, |row| {
        let mut numbers = Numbers(row.integer(0) as u64 ^ row.ordinal.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        Ok(Answer::Integer(numbers.next() as i64))
    })
    .counting(),
    Native::new(c"firn_uniform_integer", &[Integer, Integer, Integer], Integer, uniform_integer),
    Native::new(c"firn_uniform_double", &[Double, Double, Integer], Double, |row| {
        let fraction = Numbers::of(row, 2).fraction();
        Ok(Answer::Double(row.double(0) + (row.double(1) - row.double(0)) * fraction))
    }),
    Native::new(c"firn_normal", &[Double, Double, Integer], Double, normal),
    Native::new(c"firn_zipf", &[Double, Integer, Integer], Integer, zipf),
    Native::new(c"firn_randstr", &[Integer, Integer], Text, random_text),
];

/// SplitMix64, whose every seed gives a sequence of its own.
struct Numbers(u64);

impl Numbers {
    fn of(row: &Row<'_>, index: usize) -> Self {
        Self(row.integer(index) as u64)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// At least 0 and below 1.
    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// From the first to the second number, both included.
fn uniform_integer(row: &Row<'_>) -> Evaluated {
    let (low, high) = (i128::from(row.integer(0)), i128::from(row.integer(1)));
    if low > high {
        return Err(format!("firn:100048:Invalid range for UNIFORM: {low} is greater than {high}"));
    }
    let random = i128::from(Numbers::of(row, 2).next());
    Ok(Answer::Integer((low + random % (high - low + 1)) as i64))
}

fn normal(row: &Row<'_>) -> Evaluated {
    let mut numbers = Numbers::of(row, 2);
    let radius = (-2.0 * (1.0 - numbers.fraction()).ln()).sqrt();
    let angle = std::f64::consts::TAU * numbers.fraction();
    Ok(Answer::Double(row.double(0) + row.double(1) * radius * angle.cos()))
}

/// Arguments: the exponent, the number of elements, the generator's number. By rejection, so that the time
/// does not grow with the number of elements.
fn zipf(row: &Row<'_>) -> Evaluated {
    let (exponent, count) = (row.double(0), row.integer(1));
    if !(1..=16_777_215).contains(&count) || exponent.is_nan() || exponent <= 0.0 {
        return Err(
            "firn:100048:Invalid arguments for ZIPF: the exponent is above 0, the count from 1 to 16777215".to_owned()
        );
    }
    let mut numbers = Numbers::of(row, 2);
    let integral = |x: f64| {
        if (exponent - 1.0).abs() < 1e-9 { x.ln() } else { (x.powf(1.0 - exponent) - 1.0) / (1.0 - exponent) }
    };
    let inverse = |y: f64| {
        if (exponent - 1.0).abs() < 1e-9 { y.exp() } else { (1.0 + y * (1.0 - exponent)).powf(1.0 / (1.0 - exponent)) }
    };
    let (low, high) = (integral(1.5) - 1.0, integral(count as f64 + 0.5));
    loop {
        let area = high + numbers.fraction() * (low - high);
        let candidate = (inverse(area) + 0.5).floor().clamp(1.0, count as f64);
        if area >= integral(candidate + 0.5) - candidate.powf(-exponent) {
            return Ok(Answer::Integer(candidate as i64));
        }
    }
}

fn random_text(row: &Row<'_>) -> Evaluated {
    let length = row.integer(0);
    if !(0..=TEXT_LENGTH_MAX).contains(&length) {
        return Err(format!("firn:100048:Invalid length {length} for RANDSTR; use 0 to {TEXT_LENGTH_MAX}"));
    }
    let mut numbers = Numbers::of(row, 1);
    let letter = |number: u64| char::from(LETTERS[(number % LETTERS.len() as u64) as usize]);
    Ok(Answer::Text((0..length).map(|_| letter(numbers.next())).collect()))
}
