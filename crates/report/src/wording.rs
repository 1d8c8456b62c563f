//! Numbers and words of the model, in words for people.

use referee_model::outcome::{AgentAction, Judgement, Outcome, Rule};
use referee_model::record::SkipReason;
use referee_model::selection::LeftOut;
use referee_model::severity::Severity;
use referee_model::verdict::Decision;

use crate::style::{Signs, Stamp, Tone};

pub(crate) mod asked;
pub(crate) mod observed;

/// Returns the outcome of an action in two or three words.
pub(crate) fn outcome(judgement: &Judgement) -> &'static str {
    match (judgement.outcome, judgement.rule) {
        (Outcome::Success, _) if judgement.flaky => "passed when tried again",
        (outcome, _) if judgement.expected && outcome != Outcome::Success => "failed as expected",
        (Outcome::TestFailure, Rule::NoTests) => "no test ran",
        (Outcome::TestFailure, Rule::RunnerFailed) => "test runner failed",
        (Outcome::TestFailure, Rule::HttpStatus) => "wrong status",
        (Outcome::TestFailure, Rule::HttpAnswerDiffers) => "wrong answer",
        (Outcome::TestFailure, Rule::Flaky) => "passed only when tried again",
        (_, Rule::UnexpectedSuccess) => "did not fail as expected",
        (_, Rule::UnexpectedOutcome) => "other than expected",
        (_, Rule::NamedTests) => "named tests not as expected",
        (Outcome::ExecutionError, Rule::CouldNotStart) => "could not start",
        (Outcome::ExecutionError, Rule::Signaled) => "killed by a signal",
        (Outcome::ExecutionError, Rule::OutputLimit) => "printed too much",
        (Outcome::ExecutionError, Rule::ResourceLimit) => "used too much",
        (Outcome::ExecutionError, Rule::Interrupted) => "interrupted",
        (Outcome::ExecutionError, Rule::CommandNotFound) => "command not found",
        (Outcome::ExecutionError, Rule::FactsUnusable) => "record unusable",
        (Outcome::ExecutionError, Rule::HttpNoAnswer) => "no answer",
        (Outcome::ExecutionError, Rule::ServicePortTaken) => "port taken",
        (Outcome::ExecutionError | Outcome::Timeout, Rule::ServiceNotReady) => "not ready",
        (Outcome::SpecificationError, Rule::GlobEmpty) => "names no file",
        (Outcome::SpecificationError, Rule::SchemaUnusable) => "schema unusable",
        (Outcome::ValidationFailure, Rule::FileDiffers) => "not as expected",
        (outcome, _) => outcome_alone(outcome),
    }
}

/// Returns the words for an outcome without a judgement.
pub(crate) fn outcome_alone(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "passed",
        Outcome::TestFailure => "tests failed",
        Outcome::ExecutionError => "did not work",
        Outcome::ValidationFailure => "problems found",
        Outcome::Timeout => "timed out",
        Outcome::PrerequisiteFailure => "prerequisite failed",
        Outcome::SpecificationError => "wrongly specified",
    }
}

/// Returns the sign of a judged action, with its tone.
pub(crate) fn sign(judgement: &Judgement, signs: &'static Signs) -> (Tone, &'static str) {
    match (judgement.outcome, judgement.blocking) {
        (_, true) => (Tone::Bad, signs.bad),
        (Outcome::Success, false) => (Tone::Good, signs.good),
        (_, false) => (Tone::Warning, signs.warning),
    }
}

/// Returns the word for a severity. None: the severity is none.
pub(crate) fn severity(severity: Severity) -> Option<&'static str> {
    match severity {
        Severity::None => None,
        Severity::Low => Some("low"),
        Severity::Medium => Some("medium"),
        Severity::High => Some("high"),
        Severity::Critical => Some("critical"),
    }
}

/// Returns why an action never ran, as text that follows `skipped:`.
pub(crate) fn skip_reason(reason: &SkipReason) -> String {
    match reason {
        SkipReason::PrerequisiteFailed(action) => format!("prerequisite {action} failed"),
        SkipReason::NeedNotMet(action) => format!("it needs {action}, which did not pass"),
        SkipReason::EarlierFailure(action) => format!("{action} failed, and nothing is to run after that"),
        SkipReason::DeadlinePassed => "the task's deadline had passed".to_owned(),
        SkipReason::Interrupted => "the run was interrupted".to_owned(),
        SkipReason::EngineFailed => "Referee itself failed before it".to_owned(),
        SkipReason::Superseded(action) => {
            format!("started beside {action}, which failed: what came of it does not count")
        }
        SkipReason::LeftOut(why) => left_out(*why).to_owned(),
        SkipReason::SpecificationError => "the specification asks for what cannot be done".to_owned(),
        SkipReason::DependencyNotPassed(task) => format!("its task depends on {task}, which did not pass"),
        SkipReason::ProtectedFilesDrifted => "what the gate rests on was changed".to_owned(),
        SkipReason::NotConfined => "it was to be confined, and this machine cannot do it".to_owned(),
        SkipReason::NoCleanRoom => "the clean room could not be built".to_owned(),
        SkipReason::NotPerformed => "no worker performed the run".to_owned(),
    }
}

/// Returns why an action was left out of a reduced run.
fn left_out(why: LeftOut) -> &'static str {
    match why {
        LeftOut::Profile => "left out by the profile",
        LeftOut::NotNamed => "left out: others were asked for",
        LeftOut::Named => "left out as asked",
        LeftOut::NeedLeftOut => "left out with something that it needs",
        LeftOut::PassedBefore => "left out: it passed in the run before",
    }
}

pub(crate) fn next_step(action: AgentAction) -> &'static str {
    match action {
        AgentAction::RequestStatusUpdate => "the task may be called done",
        AgentAction::RequestRetest => "run it again",
        AgentAction::FixSpecification => "fix the specification, then run again",
        AgentAction::ImplementFix => "implement what the failed checks ask for, then run again",
        AgentAction::FixTypes => "fix the types, then run again",
        AgentAction::FixCode => "fix what the findings name, then run again",
        AgentAction::InstallTool => "install what is missing, then run again",
        // A prerequisite, a preceding task, a server, or a tool that did not work; the reasons name it.
        AgentAction::FixPrerequisite => "put right what keeps the checks from working, then run again",
        AgentAction::OptimizeOrIncreaseTimeout => "make it faster or give it more time, then run again",
    }
}

/// Returns the word for a decision, with its tone.
pub(crate) fn decision(decision: Decision) -> (&'static str, Tone) {
    match decision {
        Decision::Pass => ("PASS", Tone::Verdict(Stamp::Pass)),
        Decision::Fail => ("FAIL", Tone::Verdict(Stamp::Fail)),
        Decision::Blocked => ("BLOCKED", Tone::Verdict(Stamp::Blocked)),
    }
}

/// Returns `file:line:column`, as far as known.
pub(crate) fn place(file: &str, line: Option<u32>, column: Option<u32>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
        (Some(line), None) => format!("{file}:{line}"),
        (None, _) => file.to_owned(),
    }
}
