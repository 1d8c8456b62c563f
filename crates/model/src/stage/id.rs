//! Ids of stages and of composed runs. Both serve as names of directories.

use serde::{Deserialize, Serialize};

use crate::limit;

/// Id of a stage: lowercase letters, digits and hyphens, beginning with a letter (seed 5). It is never a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StageId(String);

/// Error for a text that is not a valid stage id or workflow name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StageIdError {
    /// The text does not have the required form.
    #[error(
        "{0:?} is not a name for a stage or a workflow: lower-case letters, digits and hyphens, beginning with a letter"
    )]
    Form(String),
    /// The text is too long to name a directory.
    #[error("a name has at most {} characters", limit::STAGE_ID_CHARACTERS)]
    TooLong,
}

impl StageId {
    /// Parses a stage id.
    ///
    /// # Errors
    /// Fails for any other form.
    pub fn parse(text: &str) -> Result<Self, StageIdError> {
        if text.len() > limit::STAGE_ID_CHARACTERS {
            return Err(StageIdError::TooLong);
        }
        let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !text.bytes().all(is_allowed) || !text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase()) {
            return Err(StageIdError::Form(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }
}

holds_text!(StageId, StageIdError);

/// Id of a composed run, such as `run-2026-01-19-007`: the UTC date and the lowest number that is free (seed 5;
/// WF-01).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StageRunId(String);

/// Error for a text that is not the id of a composed run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a run id: expected the form `run-2026-01-19-007`")]
pub struct StageRunIdError(String);

impl StageRunId {
    /// Creates the id of a run from a date, such as `2026-01-19`, and a number from 1.
    ///
    /// # Errors
    /// Fails if the date is invalid.
    pub fn new(day: &str, number: u32) -> Result<Self, StageRunIdError> {
        Self::parse(&format!("run-{day}-{number:03}"))
    }

    /// Parses a run id.
    ///
    /// # Errors
    /// Fails for any other form.
    pub fn parse(text: &str) -> Result<Self, StageRunIdError> {
        let wrong = || StageRunIdError(text.chars().take(80).collect());
        let rest = text.strip_prefix("run-").ok_or_else(wrong)?;
        let parts: Vec<&str> = rest.split('-').collect();
        let is_number = |part: &&str, least: usize, most: usize| {
            (least..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        match parts.as_slice() {
            [year, month, day, number]
                if is_number(year, 4, 4)
                    && is_number(month, 2, 2)
                    && is_number(day, 2, 2)
                    && is_number(number, 3, 9) =>
            {
                Ok(Self(text.to_owned()))
            }
            _ => Err(wrong()),
        }
    }
}

holds_text!(StageRunId, StageRunIdError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_called_what_no_path_can_be() {
        for good in ["explore", "a", "a-1", "x9-y"] {
            assert_eq!(StageId::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "-a", "1a", "A", "a_b", "..", "a/b", "a.b", "é", "a\0", &"x".repeat(200)] {
            assert!(StageId::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_run_is_called_by_its_day_and_number() {
        assert_eq!(StageRunId::new("2026-01-19", 7).unwrap().as_str(), "run-2026-01-19-007");
        assert_eq!(StageRunId::new("2026-01-19", 1_000).unwrap().as_str(), "run-2026-01-19-1000");
        for bad in [
            "",
            "run",
            "run-2026-01-19",
            "run-2026-1-19-001",
            "run-2026-01-19-01",
            "run-2026-01-19-0x1",
            "../run-2026-01-19-001",
        ] {
            assert!(StageRunId::parse(bad).is_err(), "{bad:?}");
        }
    }
}
