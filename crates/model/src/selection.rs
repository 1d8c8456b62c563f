//! How much of a task runs (ruling 17).

use serde::{Deserialize, Serialize};

/// How much runs. Every profile but `strict` is a reduced run: it decides on what ran, and never counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Everything.
    #[default]
    Strict,
    /// What is quick and telling: all steps up to [`Level::Fast`].
    Fast,
    /// The least that is worth asking: steps of [`Level::Smoke`].
    Smoke,
    /// As `smoke`, for those who know that they do not look.
    Yolo,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 4] = [Self::Strict, Self::Fast, Self::Smoke, Self::Yolo];

    /// Returns the profile as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Fast => "fast",
            Self::Smoke => "smoke",
            Self::Yolo => "yolo",
        }
    }

    /// Whether steps of this level run.
    pub fn runs(self, level: Level) -> bool {
        match self {
            Self::Strict => true,
            Self::Fast => level <= Level::Fast,
            Self::Smoke | Self::Yolo => level == Level::Smoke,
        }
    }
}

/// The smallest selection that a step belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Runs under every profile. Without a word: files, type checkers, compilers.
    Smoke,
    /// Runs under `fast` and `strict`. Without a word: tests, linters, HTTP requests.
    Fast,
    /// Runs under `strict` alone. Without a word: everything else.
    Strict,
}

/// Why a step was left out of a reduced run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// The profile leaves it out.
    Profile,
    /// Others were asked for.
    NotNamed,
    /// It was asked to be left out.
    Named,
    /// Something that it needs was left out.
    NeedLeftOut,
    /// It passed in the run before, and only what failed was asked for.
    PassedBefore,
}

/// What a run set out to do of its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scope {
    /// Profile that the run used: `strict`, `fast`, `smoke` or `yolo`.
    pub profile: Profile,
    /// Whether anything was left out.
    pub reduced: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_profile_runs_what_the_smaller_ones_run() {
        let levels = [Level::Smoke, Level::Fast, Level::Strict];
        let runs = |profile: Profile| levels.map(|level| profile.runs(level));
        assert_eq!(runs(Profile::Strict), [true; 3]);
        assert_eq!(runs(Profile::Fast), [true, true, false]);
        assert_eq!(runs(Profile::Smoke), [true, false, false]);
        assert_eq!(runs(Profile::Yolo), runs(Profile::Smoke));
    }
}
