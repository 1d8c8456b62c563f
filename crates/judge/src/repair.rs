//! Documents of a turn of an agent's run, and the feedback to the agent. Pure, like all judging: the engine
//! drives the run.

use referee_model::build_error::{BuildError, BuildErrorType, FailedPhase, SystemError};
use referee_model::gate::GateAnswer;
use referee_model::time::Timestamp;
use referee_model::verdict::{Decision, Exit};
use referee_model::verification::VerificationReport;

use crate::build_error::{self, Options};

mod feedback;
mod verification;

pub use self::feedback::{FeedbackInputs, feedback};
pub use self::verification::{Checked, verification};

/// Creates the structured error of a turn that did not pass. `sealed` is the error in the sealed report of the
/// first task that did not pass; if there is none, the verification report is used. Files are given by name,
/// without directories.
pub fn error(
    answer: &GateAnswer,
    sealed: Option<&BuildError>,
    report: &VerificationReport,
    (agent_file, verification_file): (&str, &str),
    failed_at: Timestamp,
) -> BuildError {
    let files = |error: BuildError| BuildError {
        agent_result_file: Some(agent_file.to_owned()),
        verification_file: Some(verification_file.to_owned()),
        phase: Some(FailedPhase::Verification),
        failed_at,
        ..error
    };
    if let Some(sealed) = sealed {
        return files(sealed.clone());
    }
    if report.failed_checks().next().is_some() && answer.exit != Exit::Specification {
        let files = (Some(verification_file), Some(agent_file));
        let error = build_error::of_verification_report(report, files.0, files.1, failed_at, Options::default());
        // Held-out checks run only if all visible ones pass, so there is nothing else to report.
        let held_out = answer.held_out.as_ref().filter(|held_out| held_out.decision != Decision::Pass);
        let message = held_out.map_or(error.message, verification::held_out_line);
        return BuildError { message, ..error };
    }
    let reason = answer.tasks.iter().find_map(|task| task.reasons.first());
    files(unanswered(answer.exit, reason.map_or("the gate gives no reason", String::as_str), failed_at))
}

/// Creates the structured error of a gate without answer.
pub fn unanswered(exit: Exit, message: &str, failed_at: Timestamp) -> BuildError {
    let kind = match exit {
        Exit::Specification => BuildErrorType::WorkspaceError,
        _ => BuildErrorType::SystemError,
    };
    let error = SystemError {
        message: message.to_owned(),
        kind: Some(kind),
        phase: Some(FailedPhase::Verification),
        ..SystemError::default()
    };
    build_error::of_system_error(&error, failed_at, Options::default())
}

#[cfg(test)]
mod tests;
