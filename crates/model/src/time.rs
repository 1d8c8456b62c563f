//! Points in time and durations, in milliseconds. Nothing here reads a clock.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A point in time: milliseconds since 1970-01-01T00:00:00Z, written as RFC 3339 in UTC with three decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

/// An error parsing a timestamp.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a timestamp: expected the form `2026-11-21T09:05:24.123Z`")]
pub struct TimestampError(String);

impl Timestamp {
    /// Creates a timestamp from milliseconds since the epoch.
    pub fn from_millisecond(milliseconds: i64) -> Self {
        Self(milliseconds)
    }

    /// Returns the milliseconds since the epoch.
    pub fn as_millisecond(self) -> i64 {
        self.0
    }

    /// Returns the time `milliseconds` later.
    #[must_use]
    pub fn plus_milliseconds(self, milliseconds: u64) -> Self {
        Self(self.0.saturating_add_unsigned(milliseconds))
    }

    /// Returns the milliseconds from `earlier` to this time; 0 if `earlier` is later.
    pub fn milliseconds_since(self, earlier: Self) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }

    /// Returns the day in UTC, such as `2026-11-21`.
    pub fn day(self) -> String {
        let text = self.to_string();
        text.split_once('T').map_or_else(|| "0000-00-00".to_owned(), |(day, _)| day.to_owned())
    }

    /// Parses an RFC 3339 timestamp.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        text.parse::<jiff::Timestamp>()
            .map(|time| Self(time.as_millisecond()))
            .map_err(|_| TimestampError(text.to_owned()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(time) => write!(formatter, "{time:.3}"),
            Err(_) => write!(formatter, "{}ms", self.0),
        }
    }
}

written_as_text!(Timestamp, TimestampError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc_with_three_decimals_and_read_back() {
        let time = Timestamp::from_millisecond(1_795_251_924_120);
        assert_eq!(time.to_string(), "2026-11-21T09:05:24.120Z");
        assert_eq!(Timestamp::parse(&time.to_string()).unwrap(), time);
        assert!(Timestamp::parse("yesterday").is_err());
        assert_eq!(time.day(), "2026-11-21");
        assert_eq!(Timestamp::from_millisecond(i64::MAX).day(), "0000-00-00");
    }
}
