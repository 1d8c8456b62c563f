//! Ids of incidents. They name directories and files, so they must be safe as such.

use serde::{Deserialize, Serialize};

use crate::limit;

/// Id of an incident: at most 128 letters, digits, dots, underscores and hyphens, beginning with a letter or a
/// digit. It is thus never `.`, `..`, a hidden file, a command-line option or a path (seed 3; IN-42).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IncidentId(String);

/// Error for a text that is not a valid incident id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IncidentIdError {
    /// The text is empty or consists of spaces.
    #[error("missing incident id")]
    Empty,
    /// The text is too long for a file name.
    #[error("an incident's id has at most {} characters", limit::INCIDENT_ID_CHARACTERS)]
    TooLong,
    /// The text begins with something other than a letter or a digit.
    #[error("an incident's id begins with a letter or a digit")]
    Start,
    /// The text contains a character that is not allowed.
    #[error("an incident's id may only contain letters a to z, digits, `.`, `_` and `-`, not {0:?}")]
    Character(char),
}

impl IncidentId {
    /// Parses an id. Surrounding spaces are ignored.
    pub fn parse(text: &str) -> Result<Self, IncidentIdError> {
        let text = text.trim();
        let first = text.chars().next().ok_or(IncidentIdError::Empty)?;
        if text.chars().count() > limit::INCIDENT_ID_CHARACTERS {
            return Err(IncidentIdError::TooLong);
        }
        let is_allowed = |character: char| character.is_ascii_alphanumeric() || ".-_".contains(character);
        if let Some(other) = text.chars().find(|character| !is_allowed(*character)) {
            return Err(IncidentIdError::Character(other));
        }
        if !first.is_ascii_alphanumeric() {
            return Err(IncidentIdError::Start);
        }
        Ok(Self(text.to_owned()))
    }
}

holds_text!(IncidentId, IncidentIdError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_safe_as_a_file_name() {
        for good in ["a", "a.b-c_1", "incident_20260217_120000_run_abc", "0", &"x".repeat(128)] {
            assert_eq!(IncidentId::parse(good).unwrap().as_str(), good);
        }
        assert_eq!(IncidentId::parse("  x ").unwrap().as_str(), "x");
        for bad in ["", "  ", ".", "..", "-rf", ".hidden", "_a", "a/b", "a b", "é", "a\0", &"x".repeat(129)] {
            assert!(IncidentId::parse(bad).is_err(), "{bad:?}");
        }
    }
}
