//! Which failures are tried again, how often, and after how long (seed 2, 1.6).

use std::collections::BTreeSet;

use crate::build_error::BuildErrorType;

/// Which failures are tried again, how often, and after how long.
#[derive(Debug, Clone, PartialEq)]
pub struct RetryPolicy {
    /// Attempts after the first one. What others call `maxAttempts` is one more.
    pub max_retries: u32,
    /// Milliseconds before the first retry.
    pub backoff_ms: u64,
    /// What each further wait is longer by.
    pub multiplier: Multiplier,
    /// The longest wait in milliseconds, before jitter.
    pub max_backoff_ms: u64,
    /// What is tried again.
    pub retryable: BTreeSet<BuildErrorType>,
    /// Whether a timeout is tried again, also where `retryable` leaves it out.
    pub retry_on_timeout: bool,
    /// Whether up to a quarter of the wait is added by chance.
    pub jitter: bool,
}

/// What each further wait is longer by: at least 1, so that waits never become shorter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Multiplier(f64);

/// A number that no wait can be multiplied by.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{0} is not a multiplier of waits: expected a number from 1 to 1000")]
pub struct MultiplierError(f64);

impl Multiplier {
    /// Every wait is as long as the first.
    pub const ONE: Self = Self(1.0);
    /// Every wait is half as long again as the one before.
    pub const ONE_AND_A_HALF: Self = Self(1.5);
    /// Every wait is twice as long as the one before.
    pub const TWO: Self = Self(2.0);

    /// Takes a number from 1 to 1000.
    pub fn new(number: f64) -> Result<Self, MultiplierError> {
        if (1.0..=1000.0).contains(&number) { Ok(Self(number)) } else { Err(MultiplierError(number)) }
    }

    /// Returns the number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// A number from 0 to 1 that chance gave. Whoever has a source of chance draws it; judging has none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance(f64);

impl Chance {
    /// The least: nothing is added.
    pub const NONE: Self = Self(0.0);

    /// Takes a number; what lies outside of 0 to 1, or is no number, is moved to the nearest end.
    pub fn new(number: f64) -> Self {
        Self(if number.is_nan() { 0.0 } else { number.clamp(0.0, 1.0) })
    }

    /// Returns the number.
    pub fn get(self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multiplier_never_makes_waits_shorter() {
        assert_eq!(Multiplier::new(1.5), Ok(Multiplier::ONE_AND_A_HALF));
        for wrong in [0.99, -2.0, 1001.0, f64::INFINITY, f64::NAN] {
            assert!(Multiplier::new(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn chance_lies_between_none_and_all() {
        for (number, kept) in [(-1.0, 0.0), (0.25, 0.25), (7.0, 1.0), (f64::NAN, 0.0), (f64::INFINITY, 1.0)] {
            assert!((Chance::new(number).get() - kept).abs() < f64::EPSILON, "{number}");
        }
    }
}
