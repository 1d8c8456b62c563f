//! Selection of the steps to run (ruling 17).

use serde::{Deserialize, Serialize};

document_words! {
    /// A profile: the selection of steps to run. Every profile except `strict` makes a reduced run, which is judged
    /// on what ran and never counts as done.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Profile {
        /// All steps.
        #[default]
        Strict = "strict",
        /// Fast and informative steps: those up to [`Level::Fast`].
        Fast = "fast",
        /// The minimal useful selection: steps of [`Level::Smoke`].
        Smoke = "smoke",
        /// The same steps as `smoke`, for deliberately skipping verification.
        Yolo = "yolo",
    }
}

impl Profile {
    /// Returns whether steps of this level run.
    pub fn runs(self, level: Level) -> bool {
        match self {
            Self::Strict => true,
            Self::Fast => level <= Level::Fast,
            Self::Smoke | Self::Yolo => level == Level::Smoke,
        }
    }
}

document_words! {
    /// The smallest selection that a step belongs to.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Level {
        /// Runs under every profile. Default for files, type checkers and compilers.
        Smoke = "smoke",
        /// Runs under `fast` and `strict`. Default for tests, linters and HTTP requests.
        Fast = "fast",
        /// Runs under `strict` only. Default for everything else.
        Strict = "strict",
    }
}

/// Reason why a step was left out of a reduced run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// The profile does not include it.
    Profile,
    /// Other steps were requested by name.
    NotNamed,
    /// The step was excluded by name.
    Named,
    /// A dependency was left out.
    NeedLeftOut,
    /// The step passed in the previous run, and only failed steps were requested.
    PassedBefore,
}

/// Scope of a run within its task.
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
