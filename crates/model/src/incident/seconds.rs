//! Times as incidents have them: UTC, to the second, with `+00:00` (seed 3). Any RFC 3339 time is read.

use crate::time::{Timestamp, TimestampError};
use serde::{Deserialize, Deserializer, Serializer};

/// Returns a time as incidents have it.
pub fn text(time: Timestamp) -> String {
    let text = time.to_string();
    // `2026-02-17T03:00:00.000Z`: always 19 characters before what is finer than a second.
    format!("{}+00:00", text.get(..19).unwrap_or(&text))
}

/// Writes a time.
///
/// # Errors
/// Fails where the serializer does.
pub fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text(*time))
}

/// Reads a time.
///
/// # Errors
/// Fails for what is none.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    read(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

/// Reads a time. Other programs write some times without a zone; those are taken for UTC.
fn read(text: &str) -> Result<Timestamp, TimestampError> {
    let as_utc = || Timestamp::parse(&format!("{text}Z")).ok();
    Timestamp::parse(text).or_else(|error| as_utc().ok_or(error))
}

/// A time that may be missing.
pub mod optional {
    use crate::time::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes a time, or null.
    ///
    /// # Errors
    /// Fails where the serializer does.
    pub fn serialize<S: Serializer>(time: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::serialize(time, serializer),
            None => serializer.serialize_none(),
        }
    }

    /// Reads a time, or null.
    ///
    /// # Errors
    /// Fails for what is neither.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        // Other programs write an empty text where there is no time.
        let text = text.filter(|text| !text.trim().is_empty());
        text.map(|text| super::read(&text)).transpose().map_err(serde::de::Error::custom)
    }
}
