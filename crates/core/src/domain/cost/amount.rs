//! Amounts that are counted: exact to nine decimals, so that a sum depends neither on the order of
//! its parts nor on binary fractions, and `5` USD spent in tenths is not more than a limit of `5`.

use std::fmt;

use serde::{Deserialize, Serialize};

use std::ops::AddAssign;

/// What is counted: calls, tokens, seconds, money. Not negative.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Amount(u128);

/// Parts of one.
const PARTS: u128 = 1_000_000_000;

/// The most that one record or limit may say.
pub const MOST: f64 = 1e15;

impl Amount {
    /// The amount of a number from 0 to [`MOST`]; nothing for any other.
    pub fn of(number: f64) -> Option<Amount> {
        // NaN is in no range.
        if !(0.0..=MOST).contains(&number) {
            return None;
        }
        // Both are in range: the whole part is at most `MOST`, the fraction below 1.
        let whole = number.trunc() as u128;
        let parts = (number.fract() * PARTS as f64).round() as u128;
        Some(Amount(whole * PARTS + parts))
    }

    /// As a number that JSON can hold: the nearest to the exact one.
    pub fn number(self) -> f64 {
        // Digits with a point between them always are a number.
        self.to_string().parse().unwrap_or(f64::MAX)
    }
}

impl From<u32> for Amount {
    fn from(whole: u32) -> Amount {
        Amount(u128::from(whole) * PARTS)
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Amount) {
        self.0 = self.0.saturating_add(other.0);
    }
}

/// A number as people read it: an amount in decimals, and what is none, as another program may have recorded
/// it, with its power of ten: `1e308`, not 309 digits.
pub fn shown(number: f64) -> String {
    match Amount::of(number) {
        Some(amount) => amount.to_string(),
        None if number.is_finite() && number.abs() > MOST => format!("{number:e}"),
        None => number.to_string(),
    }
}

/// In decimals, without zeros at the end: `7200`, `0.25`.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, parts) = (self.0 / PARTS, self.0 % PARTS);
        if parts == 0 {
            return write!(f, "{whole}");
        }
        let digits = format!("{parts:09}");
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_finite_numbers_from_zero_are_amounts() {
        for wrong in [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -1e-9,
            -1.0,
            1e15 + 1.0,
            f64::MAX,
        ] {
            assert_eq!(Amount::of(wrong), None, "{wrong}");
        }
        for (number, shown) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (0.1, "0.1"),
            (5.25, "5.25"),
            (0.000_000_001, "0.000000001"),
            (0.999_999_999_9, "1"),
            (1e15, "1000000000000000"),
        ] {
            assert_eq!(Amount::of(number).unwrap().to_string(), shown);
        }
        assert_eq!(Amount::of(1e-10), Some(Amount::default()));
    }

    #[test]
    fn no_number_is_shown_with_hundreds_of_digits() {
        for (number, text) in [
            (3.0, "3"),
            (0.1 + 0.2, "0.3"),
            (1e15, "1000000000000000"),
            (1e308, "1e308"),
            (-2.5e300, "-2.5e300"),
            (-1.5, "-1.5"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(shown(number), text);
        }
    }

    #[test]
    fn tenths_make_ones() {
        let mut sum = Amount::default();
        for _ in 0..50 {
            sum += Amount::of(0.1).unwrap();
        }
        assert_eq!(sum, Amount::from(5));
        assert!((sum.number() - 5.0).abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn sums_are_those_of_whole_numbers(parts in prop::collection::vec(0..10_000_000u64, 0..40)) {
            let mut sum = Amount::default();
            for part in &parts {
                sum += Amount::of(*part as f64 / 1e6).unwrap();
            }
            let micros: u64 = parts.iter().sum();
            prop_assert_eq!(sum, Amount(u128::from(micros) * 1000));
        }
    }
}
