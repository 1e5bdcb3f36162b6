//! HASH: one number for all arguments, NULLs among them. Equal numbers count as one value, whatever their type.

use firn_values::variant::{Number, Variant};

use super::arguments::Arguments;
use crate::definition::{Answer, Definition, Kind};

pub(super) const DEFINITIONS: &[Definition] =
    &[Definition::new(c"firn_hash", &[Kind::Any], Kind::Integer, |columns, row| {
        let arguments = Arguments { columns, row };
        let mut hash = Hash::default();
        for index in 0..arguments.count() {
            hash.take(exact(arguments.element(index)).to_json().as_bytes());
        }
        Ok(Answer::Integer(hash.finish()))
    })
    .with_rest(Kind::Any)];

/// A floating-point number as the exact one it is written as, if it can be.
fn exact(value: Variant) -> Variant {
    let Variant::Double(double) = value else { return value };
    if double.is_finite() && double == double.trunc() && double.abs() < 1e37 {
        return Variant::Number(Number::new(double as i128, 0));
    }
    let text = format!("{double}");
    let exact = text.split_once('.').and_then(|(whole, fraction)| {
        let scale = u8::try_from(fraction.len()).ok().filter(|scale| *scale <= 37)?;
        format!("{whole}{fraction}").parse().ok().map(|digits| Number::new(digits, scale))
    });
    exact.map_or(value, Variant::Number)
}

/// FNV-1a, and a last step that spreads what differs in a few bits over all of them.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    /// Every piece ends with a byte that no text has.
    fn take(&mut self, piece: &[u8]) {
        for byte in piece.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn finish(self) -> i64 {
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        (mixed ^ (mixed >> 33)) as i64
    }
}
