//! Paths that a stage or workflow may name (seed 5, `is_relative_to`; the rules here are stricter).

use serde::{Deserialize, Serialize};

use crate::limit;

/// Path of a file inside a directory: relative, with components separated by `/`, none of which is empty, `.`
/// or `..`. The path is not checked for symbolic links; code that opens the file must do that.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StagePath(String);

/// Error for a text that does not name a file inside a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StagePathFault {
    /// The path is empty.
    #[error("it is empty")]
    Empty,
    /// The path is absolute.
    #[error("it is absolute: it must be relative to the stage's directory")]
    Absolute,
    /// The path contains `..`.
    #[error("it contains `..`: it must stay inside the stage's directory")]
    LeadsOut,
    /// A component is empty or `.`.
    #[error("it has an empty component, or `.`")]
    EmptyPart,
    /// The path contains a backslash or a control character.
    #[error("it contains a backslash or a control character")]
    Character,
    /// The path is too long.
    #[error("it is longer than {} characters", limit::STAGE_PATH_CHARACTERS)]
    TooLong,
}

impl StagePath {
    /// Parses a path.
    ///
    /// # Errors
    /// Fails for a text that does not name a file inside the directory.
    pub fn parse(text: &str) -> Result<Self, StagePathFault> {
        if text.is_empty() {
            return Err(StagePathFault::Empty);
        }
        if text.len() > limit::STAGE_PATH_CHARACTERS {
            return Err(StagePathFault::TooLong);
        }
        if text.chars().any(|character| character == '\\' || character.is_control()) {
            return Err(StagePathFault::Character);
        }
        if text.starts_with('/') {
            return Err(StagePathFault::Absolute);
        }
        if text.split('/').any(|part| part == "..") {
            return Err(StagePathFault::LeadsOut);
        }
        if text.split('/').any(|part| part.is_empty() || part == ".") {
            return Err(StagePathFault::EmptyPart);
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the components of the path; there is at least one.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// Returns the last component.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// Returns whether the path lies below `directory`.
    pub fn is_below(&self, directory: &str) -> bool {
        self.0.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
    }
}

holds_text!(StagePath, StagePathFault);

/// A path as a configuration states it, which may be invalid. Check it with [`PathReference::inside`] before
/// opening the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathReference {
    /// Path of a file inside the directory.
    Inside(StagePath),
    /// Text that is no valid path inside the directory.
    Outside {
        /// The text as written.
        text: String,
        /// Reason for which the text is invalid.
        fault: StagePathFault,
    },
}

impl PathReference {
    /// Parses a path.
    pub fn new(text: &str) -> Self {
        match StagePath::parse(text) {
            Ok(path) => Self::Inside(path),
            Err(fault) => Self::Outside { text: text.to_owned(), fault },
        }
    }

    /// Returns the path as written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Inside(path) => path.as_str(),
            Self::Outside { text, .. } => text,
        }
    }

    /// Returns the path if it lies inside the directory.
    pub fn inside(&self) -> Option<&StagePath> {
        match self {
            Self::Inside(path) => Some(path),
            Self::Outside { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_inside() {
        for good in ["a", "run/output-data/x.json", "..a", "a..b/c", "a b"] {
            assert_eq!(StagePath::parse(good).unwrap().as_str(), good);
        }
        let cases = [
            ("", StagePathFault::Empty),
            ("/etc/passwd", StagePathFault::Absolute),
            ("../a", StagePathFault::LeadsOut),
            ("a/../../b", StagePathFault::LeadsOut),
            ("a//b", StagePathFault::EmptyPart),
            ("a/./b", StagePathFault::EmptyPart),
            ("a/", StagePathFault::EmptyPart),
            ("a\\..\\b", StagePathFault::Character),
            ("a\0b", StagePathFault::Character),
        ];
        for (bad, fault) in cases {
            assert_eq!(StagePath::parse(bad), Err(fault), "{bad:?}");
        }
    }

    #[test]
    fn a_directory_holds_what_lies_below_it_and_not_its_namesakes() {
        let path = StagePath::parse("run/output-data/x.json").unwrap();
        assert!(path.is_below("run") && path.is_below("run/output-data"));
        assert!(!path.is_below("run/output") && !path.is_below("run/output-data/x.json"));
        assert_eq!(path.name(), "x.json");
    }
}
