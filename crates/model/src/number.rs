//! Numbers that every JSON parser represents exactly, so that documents can be hashed.

use serde::{Deserialize, Serialize};

use crate::limit::INTEGER_MAX;

/// A count, size or time. Values above 2^53 - 1 are written as 2^53 - 1, so that no tool output or file can
/// prevent a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "u64", into = "u64")]
pub struct Count(u64);

impl Count {
    /// Converts a length to a count.
    pub fn of(length: usize) -> Self {
        u64::try_from(length).unwrap_or(u64::MAX).into()
    }
}

impl From<u64> for Count {
    fn from(number: u64) -> Self {
        Self(number.min(INTEGER_MAX))
    }
}

impl From<Count> for u64 {
    fn from(count: Count) -> Self {
        count.0
    }
}

/// A rate in percent with one decimal, rounded down, so that a rate below a limit is also shown below it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Percent(f64);

impl Percent {
    /// Returns `part` as a percentage of `whole`. None: `whole` is 0.
    #[expect(clippy::cast_precision_loss, reason = "what is lost above 2^53 is far below the one decimal that is kept")]
    pub fn of(part: u64, whole: u64) -> Option<Self> {
        (whole > 0).then(|| Self::from(100.0 * part as f64 / whole as f64))
    }
}

impl From<f64> for Percent {
    fn from(rate: f64) -> Self {
        // 28.7 is stored as slightly less and must stay 28.7.
        let rate = (rate * 10.0 + 1e-9).floor() / 10.0;
        Self(if rate.is_finite() { rate.clamp(0.0, 100.0) } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_never_shown_as_more_than_they_are() {
        for (part, whole, shown) in [
            (8, 15, 53.3),
            (2, 3, 66.6),
            (287, 1000, 28.7),
            (9_999, 10_000, 99.9),
            (1, 1, 100.0),
            (0, 7, 0.0),
            (u64::MAX, u64::MAX, 100.0),
        ] {
            assert_eq!(Percent::of(part, whole), Some(Percent(shown)), "{part} of {whole}");
        }
        assert_eq!(Percent::of(0, 0), None);
        assert_eq!(Percent::from(f64::NAN), Percent(0.0));
    }

    #[test]
    fn counts_stay_where_every_reader_holds_them_exactly() {
        assert_eq!(serde_json::to_string(&Count::from(u64::MAX)).unwrap(), "9007199254740991");
        assert_eq!(serde_json::to_string(&Count::from(17)).unwrap(), "17");
    }
}
