//! Decides which failed runs do not become incidents automatically (seed 3, automatic capture). People can
//! capture every run.

use referee_model::incident::class::FailureClass;

/// Facts about a failed run that is captured automatically.
#[derive(Debug, Clone, Copy)]
pub struct FailedRun<'run> {
    /// Paths of the run and of its evidence.
    pub paths: &'run [String],
    /// Whether a test runner reports that the run is one of its tests.
    pub in_a_test: bool,
    /// Whether a signal ended the run.
    pub interrupted: bool,
    /// Whether the run did not begin because a task that it depends on did not pass.
    pub held: bool,
    pub class: FailureClass,
    /// Log of the first failure.
    pub log: &'run str,
}

referee_model::words! {
    /// Reason why no incident is created.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Skip {
        /// The run is part of a test of something else.
        TestArtifactRun = "test_artifact_run",
        /// A person must sign in, and no other repair is possible.
        AuthRequired = "auth_required",
        /// The run was ended from outside before it logged more than its start.
        IncompleteStartLog = "incomplete_start_log",
        /// The run was ended from outside.
        RunInterrupted = "run_interrupted",
        /// A task that it depends on failed, and has the incident.
        DependencyFailed = "dependency_failed",
    }
}

impl Skip {
    pub fn meaning(self) -> &'static str {
        match self {
            Self::TestArtifactRun => "the run is part of a test of something else",
            Self::AuthRequired => "a person must sign in first",
            Self::IncompleteStartLog => "the run was ended before its log said more than that it begins",
            Self::RunInterrupted => "the run was ended from outside",
            Self::DependencyFailed => "the task that it depends on failed, and has the incident",
        }
    }
}

/// Decides whether a failed run becomes an incident. None: it does. Otherwise returns the first reason that applies.
pub fn skipped(run: &FailedRun<'_>) -> Option<Skip> {
    if run.in_a_test || run.paths.iter().any(|path| is_of_a_test(path)) {
        Some(Skip::TestArtifactRun)
    } else if run.held {
        Some(Skip::DependencyFailed)
    } else if run.interrupted && super::grouping::is_only_a_start(run.log) {
        Some(Skip::IncompleteStartLog)
    } else if run.interrupted {
        Some(Skip::RunInterrupted)
    } else if run.class == FailureClass::AuthExpired {
        Some(Skip::AuthRequired)
    } else {
        None
    }
}

/// Returns whether a path leads through a directory that pytest creates for its tests: `pytest-of-me`, `pytest-12`.
fn is_of_a_test(path: &str) -> bool {
    path.split(['/', '\\']).any(|part| {
        let rest = part.strip_prefix("pytest-");
        rest.is_some_and(|rest| {
            rest.starts_with("of-") || (!rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_passed_over_for_the_first_reason_that_holds() {
        let plain = FailedRun {
            paths: &[],
            in_a_test: false,
            interrupted: false,
            held: false,
            class: FailureClass::TestFailed,
            log: "start\n",
        };
        let paths = |path: &str| vec![path.to_owned()];
        assert_eq!(skipped(&plain), None);
        // IN-24.
        for path in ["/tmp/pytest-of-me/pytest-3/test_x0/w", "/tmp/pytest-7/w"] {
            assert_eq!(skipped(&FailedRun { paths: &paths(path), ..plain }), Some(Skip::TestArtifactRun), "{path}");
        }
        for path in ["/work/pytest", "/work/pytest-plugin/w", "/work/my-pytest-3", "/work/pytest-"] {
            assert_eq!(skipped(&FailedRun { paths: &paths(path), ..plain }), None, "{path}");
        }
        let tested = FailedRun { in_a_test: true, held: true, ..plain };
        assert_eq!(skipped(&tested), Some(Skip::TestArtifactRun));
        assert_eq!(skipped(&FailedRun { held: true, ..plain }), Some(Skip::DependencyFailed));
        assert_eq!(skipped(&FailedRun { interrupted: true, ..plain }), Some(Skip::IncompleteStartLog));
        assert_eq!(
            skipped(&FailedRun { interrupted: true, log: "start\n3 of 9\n", ..plain }),
            Some(Skip::RunInterrupted)
        );
        // IN-25.
        let signed_out = FailedRun { class: FailureClass::AuthExpired, ..plain };
        assert_eq!(skipped(&signed_out), Some(Skip::AuthRequired));
    }
}
