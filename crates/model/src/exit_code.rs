//! Exit codes of commands that judge (design, "Exit codes").

use serde::{Deserialize, Deserializer, Serializer, de};

use crate::verdict::Exit;

/// Everything passed.
pub const PASSED: u8 = 0;
/// A check failed.
pub const FAILED: u8 = 1;
/// The command line is invalid.
pub const USAGE: u8 = 2;
/// The specification is invalid, or protected files have drifted.
pub const SPECIFICATION: u8 = 3;
/// No check ran.
pub const NOTHING_RAN: u8 = 4;
/// A prerequisite failed.
pub const PREREQUISITE: u8 = 5;
/// A tool did not work.
pub const EXECUTION: u8 = 6;
/// A deadline was exceeded.
pub const TIMEOUT: u8 = 7;
/// Referee itself failed.
pub const INTERNAL: u8 = 70;
/// Evidence could not be written.
pub const EVIDENCE: u8 = 74;
/// Interrupted from the keyboard (128 + SIGINT).
pub const INTERRUPTED: u8 = 130;
/// Terminated (128 + SIGTERM).
pub const TERMINATED: u8 = 143;

/// Returns the severity rank of a code, larger being worse. From the worst: interrupted, 70 and 74, 3, 5, 6, 7,
/// 1, 4 (design, "Exit codes"). Unknown codes rank like an interruption.
pub fn gravity(code: u8) -> u8 {
    match code {
        PASSED => 0,
        NOTHING_RAN => 1,
        FAILED => 2,
        TIMEOUT => 3,
        EXECUTION => 4,
        PREREQUISITE => 5,
        SPECIFICATION => 6,
        EVIDENCE => 7,
        INTERNAL => 8,
        _ => 9,
    }
}

/// An exit code, as documented in the manual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExitCode {
    /// Numeric value.
    pub code: u8,
    /// Name in kebab case.
    pub name: &'static str,
    /// Meaning, in one line.
    pub meaning: &'static str,
}

/// All exit codes, in numeric order.
pub const TABLE: &[ExitCode] = &[
    ExitCode { code: PASSED, name: "passed", meaning: "everything passed: it may be called done" },
    ExitCode { code: FAILED, name: "failed", meaning: "a check failed and blocks" },
    ExitCode { code: USAGE, name: "usage", meaning: "the command was typed wrongly; nothing was run" },
    ExitCode {
        code: SPECIFICATION,
        name: "specification",
        meaning: "the specification is wrong, or protected files drifted",
    },
    ExitCode { code: NOTHING_RAN, name: "nothing-ran", meaning: "no check ran, so nothing is proven" },
    ExitCode {
        code: PREREQUISITE,
        name: "prerequisite",
        meaning: "something that must hold before the checks does not",
    },
    ExitCode { code: EXECUTION, name: "execution", meaning: "a tool did not work, so its check says nothing" },
    ExitCode { code: TIMEOUT, name: "timeout", meaning: "a deadline was hit" },
    ExitCode { code: INTERNAL, name: "internal", meaning: "internal error; no verdict" },
    ExitCode { code: EVIDENCE, name: "evidence", meaning: "evidence could not be written; no verdict" },
    ExitCode { code: INTERRUPTED, name: "interrupted", meaning: "interrupted from the keyboard (SIGINT)" },
    ExitCode { code: TERMINATED, name: "terminated", meaning: "asked to end (SIGTERM)" },
];

/// Returns the exit code for the exit category of a verdict. An invalid signal number yields [`INTERNAL`], so
/// that it can never look like a pass.
pub fn of(exit: Exit) -> u8 {
    match exit {
        Exit::Interrupted { signal } => {
            u8::try_from(signal).ok().filter(|signal| (1..128).contains(signal)).map_or(INTERNAL, |signal| 128 + signal)
        }
        Exit::Internal => INTERNAL,
        Exit::Evidence => EVIDENCE,
        Exit::Specification => SPECIFICATION,
        Exit::Prerequisite => PREREQUISITE,
        Exit::Execution => EXECUTION,
        Exit::Timeout => TIMEOUT,
        Exit::Failed => FAILED,
        Exit::NothingRan => NOTHING_RAN,
        Exit::Passed => PASSED,
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
pub(crate) fn serialize<S: Serializer>(exit: &Exit, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(of(*exit))
}

/// Deserializes the exit code of a verdict that can be recorded: checks ran, and passed or failed.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Exit, D::Error> {
    match u8::deserialize(deserializer)? {
        PASSED => Ok(Exit::Passed),
        FAILED => Ok(Exit::Failed),
        other => Err(de::Error::custom(format!("a verdict that exits with {other} is never recorded"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_pass_exits_with_zero() {
        let exits = [
            Exit::Internal,
            Exit::Evidence,
            Exit::Specification,
            Exit::Prerequisite,
            Exit::Execution,
            Exit::Timeout,
            Exit::Failed,
            Exit::NothingRan,
        ];
        let signals = [i32::MIN, -128, -1, 0, 1, 2, 15, 64, 127, 128, 256, i32::MAX];
        let interrupted = signals.map(|signal| Exit::Interrupted { signal });
        for exit in exits.into_iter().chain(interrupted) {
            assert_ne!(of(exit), PASSED, "{exit:?}");
        }
        assert_eq!(of(Exit::Passed), PASSED);
    }

    #[test]
    fn signals_exit_as_a_shell_says_it() {
        assert_eq!(of(Exit::Interrupted { signal: 2 }), INTERRUPTED);
        assert_eq!(of(Exit::Interrupted { signal: 15 }), TERMINATED);
    }

    #[test]
    fn the_table_is_sorted_and_names_each_code_once() {
        assert!(TABLE.windows(2).all(|pair| pair[0].code < pair[1].code));
    }
}
