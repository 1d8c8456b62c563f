//! Times in incident documents: UTC, to the second, with `+00:00` (seed 3). Any RFC 3339 time is read.

use crate::time::{Timestamp, TimestampError};
use serde::{Deserialize, Deserializer, Serializer};

/// Returns a time in the format of incident documents.
pub fn text(time: Timestamp) -> String {
    let text = time.to_string();
    // `2026-02-17T03:00:00.000Z`: 19 characters precede the fraction of the second.
    format!("{}+00:00", text.get(..19).unwrap_or(&text))
}

/// Serializes a time.
///
/// # Errors
/// Fails if the serializer fails.
pub fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text(*time))
}

/// Deserializes a time.
///
/// # Errors
/// Fails for a text that is not a time.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    read(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

/// Parses a time. Times without a zone, which other programs write, are taken as UTC.
fn read(text: &str) -> Result<Timestamp, TimestampError> {
    let as_utc = || Timestamp::parse(&format!("{text}Z")).ok();
    Timestamp::parse(text).or_else(|error| as_utc().ok_or(error))
}

/// A time that may be missing.
pub mod optional {
    use crate::time::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Serializes a time or null.
    ///
    /// # Errors
    /// Fails if the serializer fails.
    pub fn serialize<S: Serializer>(time: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::serialize(time, serializer),
            None => serializer.serialize_none(),
        }
    }

    /// Deserializes a time or null.
    ///
    /// # Errors
    /// Fails for a value that is neither a time nor null.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        // Other programs write an empty text for a missing time.
        let text = text.filter(|text| !text.trim().is_empty());
        text.map(|text| super::read(&text)).transpose().map_err(serde::de::Error::custom)
    }
}
