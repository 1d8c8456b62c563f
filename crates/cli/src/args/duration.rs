//! Times as they are typed, within bounds.

use referee_model::limit;
use referee_syntax::duration;

/// Milliseconds in which a deadline for an answer must lie.
const ANSWER_LEAST: u64 = 100;
const DAY: u64 = 24 * 3_600_000;

/// Reads the deadline of an answer, as milliseconds.
pub(crate) fn deadline(text: &str) -> Result<u64, String> {
    within(text, (ANSWER_LEAST, DAY), "a time from 100ms to 24h, such as 90s or 5m")
}

/// Maximum age of a run that may answer, unless one is given.
pub(crate) const RECEIPT_AGE: &str = "24h";

/// Reads the maximum age of a run that may answer, as milliseconds.
pub(crate) fn receipt_age(text: &str) -> Result<u64, String> {
    within(text, (1_000, limit::SHARED_RECEIPT_AGE_MS), "a time from 1s to 720h, such as 30m or 24h")
}

/// Reads a time that lies between two, all in milliseconds. `expected` says which times are meant.
pub(super) fn within(text: &str, (least, most): (u64, u64), expected: &str) -> Result<u64, String> {
    duration::parse(text)
        .filter(|milliseconds| (least..=most).contains(milliseconds))
        .ok_or_else(|| format!("expected {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_whole_number_with_a_unit() {
        for (text, milliseconds) in
            [("100ms", 100), ("1500ms", 1_500), ("90s", 90_000), ("5m", 300_000), ("24h", 86_400_000)]
        {
            assert_eq!(deadline(text), Ok(milliseconds));
        }
        for junk in ["", "5", "s", "-5s", "99ms", "25h", "5 s", "5d", "5mm", "99999999999999999999s", "١s", "ß", "0s"]
        {
            assert!(deadline(junk).is_err(), "{junk}");
        }
        assert!(within("999ms", (1_000, 2_000), "a second or two").is_err());
    }
}
