//! Which files of a stage's directory, or of a workflow's, may be named (seed 5, `is_relative_to`; here stricter).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::limit;

/// A file inside a directory: relative, with `/` between its parts, none of which is empty, `.` or `..`. Whether a link
/// stands in its way only whoever opens it can tell.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StagePath(String);

/// Why a text names no file inside a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StagePathFault {
    /// Nothing.
    #[error("it is empty")]
    Empty,
    /// It begins at the root.
    #[error("it is absolute: it must be relative to the stage's directory")]
    Absolute,
    /// It leads out.
    #[error("it contains `..`: it must stay inside the stage's directory")]
    LeadsOut,
    /// A part is empty or `.`.
    #[error("it has an empty component, or `.`")]
    EmptyPart,
    /// A character that no path of ours has.
    #[error("it contains a backslash or a control character")]
    Character,
    /// Too long.
    #[error("it is longer than {} characters", limit::STAGE_PATH_CHARACTERS)]
    TooLong,
}

impl StagePath {
    /// Reads a path.
    ///
    /// # Errors
    /// Fails for whatever does not name a file inside.
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

    /// Returns it as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns its parts, of which there is one at least.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// Returns its last part.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// Says whether it lies below this directory.
    pub fn is_below(&self, directory: &str) -> bool {
        self.0.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
    }
}

impl fmt::Display for StagePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for StagePath {
    type Error = StagePathFault;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<StagePath> for String {
    fn from(path: StagePath) -> Self {
        path.0
    }
}

/// A path as a configuration names it: whoever would open it has to look first whether it may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathReference {
    /// It names a file inside.
    Inside(StagePath),
    /// It does not.
    Outside {
        /// As it is written.
        text: String,
        /// Why not.
        fault: StagePathFault,
    },
}

impl PathReference {
    /// Reads a path.
    pub fn new(text: &str) -> Self {
        match StagePath::parse(text) {
            Ok(path) => Self::Inside(path),
            Err(fault) => Self::Outside { text: text.to_owned(), fault },
        }
    }

    /// Returns it as it is written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Inside(path) => path.as_str(),
            Self::Outside { text, .. } => text,
        }
    }

    /// Returns the path, where it may be opened.
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
