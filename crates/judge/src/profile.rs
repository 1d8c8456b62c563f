//! Which commands of a project a profile runs (seed 4, 3.2).

use referee_model::budget::TaskSize;
use referee_model::selection::Profile;
use referee_model::verdict::Decision;

/// The commands that a project is known to have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Detected {
    /// Checks the syntax of what changed.
    pub syntax: Option<String>,
    /// Runs the tests.
    pub test: Option<String>,
    /// Shows that it starts at all.
    pub smoke: Option<String>,
    /// Builds it.
    pub build: Option<String>,
    /// Looks at its style.
    pub lint: Option<String>,
    /// Tells the most in the least time.
    pub diagnostic: Option<String>,
}

/// What the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// How much is wanted.
    pub profile: Profile,
    /// How large the task is.
    pub size: TaskSize,
    /// Whether files changed.
    pub changed: bool,
    /// Whether the goal asks for a build.
    pub build_asked: bool,
}

/// A profile that leaves nothing to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NothingToRun {
    profile: Profile,
}

impl NothingToRun {
    /// What gates: where nothing runs nothing is shown (ruling 25).
    pub fn decision(self) -> Decision {
        Decision::Blocked
    }

    /// Returns why, in a sentence.
    pub fn reason(self) -> String {
        format!("nothing is to run: the profile {} leaves no command of this project", self.profile.as_str())
    }
}

/// Returns the commands to run, in order, each once.
///
/// | profile     | commands                                                                        |
/// |-------------|---------------------------------------------------------------------------------|
/// | any         | first the syntax check, where files changed; then                               |
/// | strict      | test, build, lint                                                               |
/// | fast        | diagnostic; build where the goal asks for it; test, or else the smoke test      |
/// | smoke, yolo | diagnostic, unless tiny; build where the goal asks for it; the smoke test, or else test, unless tiny |
///
/// # Errors
/// Fails where no command is left.
pub fn commands<'a>(work: Work, detected: &'a Detected) -> Result<Vec<&'a str>, NothingToRun> {
    let syntax = detected.syntax.as_ref().filter(|_| work.changed);
    let build_asked = detected.build.as_ref().filter(|_| work.build_asked);
    let chosen = match work.profile {
        Profile::Strict => [detected.test.as_ref(), detected.build.as_ref(), detected.lint.as_ref()],
        Profile::Fast => {
            [detected.diagnostic.as_ref(), build_asked, detected.test.as_ref().or(detected.smoke.as_ref())]
        }
        Profile::Smoke | Profile::Yolo => {
            let unless_tiny = |command: &'a Option<String>| command.as_ref().filter(|_| work.size != TaskSize::Tiny);
            let shown = detected.smoke.as_ref().or_else(|| unless_tiny(&detected.test));
            [unless_tiny(&detected.diagnostic), build_asked, shown]
        }
    };
    let mut commands: Vec<&str> = Vec::new();
    for command in [syntax].into_iter().chain(chosen).flatten().map(|command| command.trim()) {
        if !command.is_empty() && !commands.contains(&command) {
            commands.push(command);
        }
    }
    if commands.is_empty() { Err(NothingToRun { profile: work.profile }) } else { Ok(commands) }
}

#[cfg(test)]
mod tests;
