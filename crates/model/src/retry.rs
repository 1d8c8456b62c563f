//! Retry policies for failures (seed 2, 1.6).

use std::collections::BTreeSet;

use crate::build_error::BuildErrorType;

/// A retry policy: which failures are retried, how often, and after which delay.
#[derive(Debug, Clone, PartialEq)]
pub struct RetryPolicy {
    /// Maximum number of attempts after the first one: one less than the `maxAttempts` of other programs.
    pub max_retries: u32,
    /// Delay before the first retry, in milliseconds.
    pub backoff_ms: u64,
    /// Factor by which each further delay grows.
    pub multiplier: Multiplier,
    /// Maximum delay in milliseconds, before jitter.
    pub max_backoff_ms: u64,
    /// Error types that are retried.
    pub retryable: BTreeSet<BuildErrorType>,
    /// Whether timeouts are retried even if `retryable` does not include them.
    pub retry_on_timeout: bool,
    /// Whether a random addition of up to a quarter is added to the delay.
    pub jitter: bool,
}

/// Factor by which each further delay grows: at least 1, so that delays never decrease.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Multiplier(f64);

/// A number that is not a valid factor.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{0} is not a multiplier of waits: expected a number from 1 to 1000")]
pub struct MultiplierError(f64);

impl Multiplier {
    /// Constant delays.
    pub const ONE: Self = Self(1.0);
    /// Each delay is one and a half times the previous one.
    pub const ONE_AND_A_HALF: Self = Self(1.5);
    /// Each delay is twice the previous one.
    pub const TWO: Self = Self(2.0);

    /// Creates a factor from a number from 1 to 1000.
    pub fn new(number: f64) -> Result<Self, MultiplierError> {
        if (1.0..=1000.0).contains(&number) { Ok(Self(number)) } else { Err(MultiplierError(number)) }
    }

    /// Returns the number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// A random number from 0 to 1. Drawn by the caller, since judging has no source of randomness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance(f64);

impl Chance {
    /// 0: no jitter is added.
    pub const NONE: Self = Self(0.0);

    /// Creates a value; numbers outside of 0 to 1 are clamped, and NaN becomes 0.
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
